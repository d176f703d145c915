"""The model's answers, read. What cannot be read raises `UnreadableError`, with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .tokens import Key, Label, Operation, Source, Status


class UnreadableError(ValueError):
    """An answer that does not have the form that was asked for."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a loop."""

    text: str


_LABELS = re.compile(rf"^\s*({'|'.join(re.escape(label.value) for label in Label)})", re.MULTILINE)


def parse_step(answer: str) -> Call | Answer:
    """Read one turn of the agent loop: a tool call, or the final answer."""
    parts = _LABELS.split(answer)
    found = {
        Label(label): text.strip() for label, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    if Label.ANSWER in found:
        return Answer(found[Label.ANSWER])
    if Label.ACTION not in found:
        raise UnreadableError(f"{Label.ACTION.value} / {Label.ANSWER.value} ?")
    arguments = load_json(found.get(Label.INPUT, "") or "{}")
    if not isinstance(arguments, dict):
        raise UnreadableError(f"{Label.INPUT.value} {found[Label.INPUT]!r}")
    return Call(found[Label.ACTION], arguments)


def load_json(answer: str) -> Any:
    """Read an answer that is JSON, a code fence around it forgiven."""
    fenced = re.fullmatch(r"\s*```(?:json)?\s*(.*?)\s*```\s*", answer, re.DOTALL)
    try:
        return json.loads(fenced[1] if fenced else answer)
    except ValueError as error:
        raise UnreadableError(str(error)) from None


def parse_facts(answer: str) -> list[str]:
    """Read what is worth remembering."""
    facts = load_json(answer)
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        raise UnreadableError(f"{answer!r}")
    return facts


@dataclass(frozen=True, slots=True)
class Change:
    """What to do with a new fact. `index` counts from 0."""

    operation: Operation
    index: int | None = None
    content: str | None = None


def parse_change(answer: str, stored: int) -> Change:
    """Read one operation on `stored` memories."""
    found = load_json(answer)
    if not isinstance(found, Mapping):
        raise UnreadableError(f"{answer!r}")
    try:
        operation = Operation(str(found.get(Key.OP.bare)))
    except ValueError:
        raise UnreadableError(f"{Key.OP.bare}: {found.get(Key.OP.bare)!r}") from None
    index, content = found.get(Key.INDEX.bare), found.get(Key.CONTENT.bare)
    if operation in (Operation.UPDATE, Operation.DELETE):
        if not isinstance(index, int) or not 1 <= index <= stored:
            raise UnreadableError(f"{Key.INDEX.bare}: {index!r}")
        if operation is Operation.UPDATE and not isinstance(content, str):
            raise UnreadableError(f"{Key.CONTENT.bare}: {content!r}")
        return Change(operation, index - 1, content)
    return Change(operation)


def parse_steps(answer: str) -> list[str]:
    """Read a plan."""
    found = load_json(answer)
    steps = found.get(Key.STEPS.bare) if isinstance(found, Mapping) else None
    if not isinstance(steps, list) or not steps or not all(isinstance(s, str) for s in steps):
        raise UnreadableError(f"{Key.STEPS.bare}: {steps!r}")
    return steps


def parse_citations(answer: str, sources: int) -> list[int] | None:
    """Return the numbers of the cited sources, counted from 1; `None` where there is no answer."""
    if Source.NONE.value in answer:
        return None
    numbers = [int(number) for number in re.findall(r"\[(\d+)\]", answer)]
    if unknown := [number for number in numbers if not 1 <= number <= sources]:
        raise UnreadableError(f"[{unknown[0]}]")
    return list(dict.fromkeys(numbers))


def parse_report(answer: str) -> tuple[Status, str]:
    """Read a sub-agent's report: its state, and the rest."""
    first, _, rest = answer.strip().partition("\n")
    try:
        return Status(first.strip()), rest.strip()
    except ValueError:
        raise UnreadableError(f"{first!r}") from None
