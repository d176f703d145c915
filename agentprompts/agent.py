"""What gives a class its own prompts, and the two methods through which users reach them."""

from __future__ import annotations

from typing import Any

from .catalog import DEFAULT_PROMPTS
from .registry import PromptRegistry
from .registry.registry import Updates

__all__ = ["PromptsMixin"]


class PromptsMixin:
    """An agent's prompts: `self.prompts`, `get_prompts()` and `update_prompts(...)`.

    Args:
        prompts: The registry to read from; one that is shared is followed by all its holders.
            Without one, the object gets a copy of `DEFAULT_PROMPTS` of its own.

    Hand `self.prompts` itself, or a `ref`, to sub-agents and tools: they then follow every update.

    >>> class Agent(PromptsMixin):
    ...     def system(self) -> str:
    ...         return self.prompts.text("chat.persona")
    >>> agent = Agent()
    >>> agent.update_prompts({"chat.persona": "You are brief."})
    >>> agent.system(), Agent().system() == agent.system()
    ('You are brief.', False)
    """

    prompts: PromptRegistry

    def __init__(self, *args: Any, prompts: PromptRegistry | None = None, **kw: Any) -> None:
        # First, so that a base class's constructor finds them.
        self.prompts = DEFAULT_PROMPTS.copy() if prompts is None else prompts
        super().__init__(*args, **kw)

    def get_prompts(self) -> dict[str, str]:
        """Return the text in force for every key."""
        return self.prompts.as_dict()

    def update_prompts(self, updates: Updates) -> None:
        """Change texts, for this object and all that share its registry, or change nothing.

        Raises:
            PromptError: A key is unknown, or a text breaks its contract.
        """
        self.prompts.override(updates)
