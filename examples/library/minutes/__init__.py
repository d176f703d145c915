"""Takes the minutes of a meeting: a library that brings its own prompts, in two languages.

It registers nothing when it is imported. A host includes its catalog where it wants it:

    prompts = DEFAULT_PROMPTS.copy()
    minutes.include(prompts)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files

from agentprompts import PromptRegistry, load_catalog

__all__ = ["NAMESPACE", "Item", "MinuteTaker", "Outcome", "include"]

NAMESPACE = "minutes"


class Outcome(StrEnum):
    """How a point of a meeting ended. The prompt's contract has the same words."""

    DECIDED = "DECIDED"
    OPEN = "OPEN"


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the minutes."""

    outcome: Outcome
    text: str


def include(prompts: PromptRegistry) -> None:
    """Add this library's prompts, in all their languages, under its namespace."""
    prompts.namespace(NAMESPACE).include(load_catalog(files(__name__) / "prompts"))


class MinuteTaker:
    """Asks a model for the minutes of a transcript, and reads them.

    Args:
        prompts: A registry that the library's prompts are included in.
        ask: Sends a prompt to a model and returns its answer.
    """

    def __init__(self, prompts: PromptRegistry, ask: Callable[[str], str]) -> None:
        self.prompts = prompts.namespace(NAMESPACE)
        self.ask = ask

    def take(self, transcript: str) -> list[Item]:
        """Return the points of a meeting. Lines that are none are passed over."""
        answer = self.ask(self.prompts.render("write", transcript=transcript))
        found = re.findall(rf"^({'|'.join(Outcome)}): *(.+)$", answer, re.MULTILINE)
        return [Item(Outcome(outcome), text) for outcome, text in found]

    def heading(self, count: int) -> str:
        """Return the heading above the minutes."""
        return self.prompts.render("heading", count=count)
