"""What keeps a memory useful: tidying, weighing, recalling, forgetting, and looking back."""

from __future__ import annotations

from dataclasses import dataclass

from .asking import ask
from .forms import (
    parse_numbers,
    parse_objects,
    parse_optional,
    parse_score,
    parse_strings,
    parse_text,
)
from .memory import Memory
from .parsers import UnreadableError, load_json
from .tokens import Bound, Field, Key
from .tools import Document, find


@dataclass(frozen=True, slots=True)
class Insight:
    """What several memories show together. `because` has their indexes, from 0."""

    text: str
    because: list[int]


def consolidate(memory: Memory) -> None:
    """Put one memory in the place of each group that repeats itself: where its first one stood."""
    answer = ask(memory.prompts, memory.model, "memory.consolidate", listing=memory.listing())
    facts: list[str | None] = list(memory.facts)
    for found, content in parse_objects(answer, Field.MERGE, Key.CONTENT):
        group = parse_numbers(found, len(facts))
        if len(group) < 2 or any(facts[index] is None for index in group):
            raise UnreadableError(f"{Field.MERGE.bare}: {found!r}")
        for index in group:
            facts[index] = None
        facts[min(group)] = parse_text(content)
    memory.facts = [fact for fact in facts if fact is not None]


def importance(memory: Memory, fact: str) -> int:
    """Return how much it matters to keep a memory, from 1 to 10."""
    answer = ask(memory.prompts, memory.model, "memory.importance", memory=fact)
    return parse_score(answer, Bound.ONE, Bound.TEN)


def recall(memory: Memory, conversation: str, most: int = 3) -> list[str]:
    """Return the memories that bear on the last message of a conversation."""
    answer = ask(memory.prompts, memory.model, "memory.recall", conversation=conversation)
    stored = [Document("", fact) for fact in memory.facts]
    found = [hit.content for phrase in parse_strings(answer)[:3] for hit in find(stored, phrase)]
    return list(dict.fromkeys(found))[:most]


def update_profile(memory: Memory, profile: str) -> str:
    """Return a profile of the user that agrees with the memories."""
    known = profile or memory.prompts.text("memory.none")
    listing = memory.listing()
    answer = ask(memory.prompts, memory.model, "memory.profile", profile=known, listing=listing)
    return parse_text(answer)


def forget(memory: Memory, request: str) -> list[str]:
    """Delete the memories that a request covers, and return them."""
    listing = memory.listing()
    answer = ask(memory.prompts, memory.model, "memory.forget", request=request, listing=listing)
    indexes = parse_numbers(load_json(answer), len(memory.facts))
    gone = [memory.facts[index] for index in indexes]
    memory.facts = [fact for index, fact in enumerate(memory.facts) if index not in indexes]
    return gone


def reflect(memory: Memory) -> list[Insight]:
    """Return what the memories show together, each insight resting on two of them at least."""
    answer = ask(memory.prompts, memory.model, "memory.reflect", listing=memory.listing())
    insights = []
    for text, because in parse_objects(answer, Field.INSIGHT, Field.BECAUSE):
        indexes = parse_numbers(because, len(memory.facts))
        if len(indexes) < 2:
            raise UnreadableError(f"{Field.BECAUSE.bare}: {because!r}")
        insights.append(Insight(parse_text(text), indexes))
    return insights


def remember_session(memory: Memory, conversation: str) -> None:
    """Remember a conversation as an episode, if anyone would come back to it."""
    answer = ask(memory.prompts, memory.model, "memory.describe_session", conversation=conversation)
    if episode := parse_optional(answer):
        memory.facts.append(episode)
