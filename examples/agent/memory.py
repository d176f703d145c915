"""A memory of facts: found in a conversation, then reconciled with what is stored."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .model import Message, Model
from .parsers import parse_change, parse_facts
from .tokens import Operation


class Memory:
    """What is remembered of one user."""

    def __init__(self, prompts: PromptRegistry, model: Model) -> None:
        self.prompts = prompts
        self.model = model
        self.facts: list[str] = []

    def listing(self) -> str:
        """Return the stored memories, numbered from 1, or the words for there being none."""
        lines = [f"{number}. {fact}" for number, fact in enumerate(self.facts, 1)]
        return "\n".join(lines) or self.prompts.text("memory.none")

    def learn(self, conversation: str) -> None:
        """Remember what a conversation says about the user."""
        ask = self.prompts.render("memory.extract", conversation=conversation)
        for fact in parse_facts(self.model.complete([Message("user", ask)])):
            self._reconcile(fact)

    def _reconcile(self, fact: str) -> None:
        ask = self.prompts.render("memory.reconcile_user", fact=fact, listing=self.listing())
        answer = self.model.complete(
            [Message("system", self.prompts.text("memory.reconcile")), Message("user", ask)]
        )
        change = parse_change(answer, len(self.facts))
        if change.operation is Operation.ADD:
            self.facts.append(fact)
        elif change.index is not None and change.operation is Operation.DELETE:
            del self.facts[change.index]
        elif change.index is not None and change.content is not None:
            self.facts[change.index] = change.content
