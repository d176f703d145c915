"""What a registry hands out beside texts: a live handle on a prompt, and where a text is from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..template import PromptTemplate

if TYPE_CHECKING:
    from .registry import PromptRegistry

__all__ = ["Origin", "PromptRef"]


class Origin(NamedTuple):
    """Which layer a text comes from.

    `layer` is `source` (as registered), `pack` or `override`; `locale` is the language of the
    text, `None` for an override that holds in all.
    """

    layer: str
    locale: str | None

    def __str__(self) -> str:
        return self.layer if self.locale is None else f"{self.layer} [{self.locale}]"


class PromptRef:
    """A live handle on one prompt: what it answers is what the registry holds at that moment."""

    __slots__ = ("key", "registry")

    def __init__(self, registry: PromptRegistry, key: str) -> None:
        self.registry = registry
        self.key = key

    @property
    def template(self) -> PromptTemplate:
        """The template in force."""
        return self.registry.get(self.key)

    def render(self, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Fill the prompt's slots; see `PromptRegistry.render`."""
        return self.registry.render(self.key, values, **kw)

    def __str__(self) -> str:
        return self.registry.text(self.key)

    def __repr__(self) -> str:
        return f"<PromptRef {self.key!r}>"
