"""What the agent asks of a model, and a model that plays a script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `role` is system, user or assistant."""

    role: str
    content: str


class Model(Protocol):
    """Anything that answers messages: an adapter to an API of a model is five lines."""

    def complete(self, messages: list[Message]) -> str:
        """Return the answer to the messages."""
        ...


@dataclass(slots=True)
class ScriptedModel:
    """Gives the answers of a script in turn, and records all that reaches it."""

    replies: list[str]
    seen: list[list[Message]] = field(default_factory=list)

    def __init__(self, replies: Iterable[str]) -> None:
        self.replies = list(replies)
        self.seen = []

    def complete(self, messages: list[Message]) -> str:
        """Return the next answer of the script."""
        self.seen.append(list(messages))
        return self.replies.pop(0)

    def texts(self) -> list[str]:
        """Return everything but its own answers that the model was given."""
        return [m.content for call in self.seen for m in call if m.role != "assistant"]
