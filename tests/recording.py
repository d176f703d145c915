"""What the tests of the examples share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentprompts import PromptRegistry


class Recorder(PromptRegistry):
    """A registry that takes down which of its prompts are read."""

    __slots__ = ("used",)

    def __init__(self, prompts: PromptRegistry) -> None:
        super().__init__(prompts)
        self.used: set[str] = set()

    def text(self, key: str) -> str:
        """Return the text, and take the key down."""
        self.used.add(key)
        return super().text(key)

    def get(self, key: str, *default: Any) -> Any:
        """Return the template, and take the key down."""
        self.used.add(key)
        return super().get(key, *default)

    def render(self, key: str, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Render the prompt, and take the key down."""
        self.used.add(key)
        return super().render(key, values, **kw)
