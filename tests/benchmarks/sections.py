"""Sections: a system prompt of which one section changes from one call to the next."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from agentprompts.sections import PromptBuilder, Section

from .measure import Case, race
from .peers import peer
from .printing import Table

LIMIT = "sep.join(ready): the limit"
CHANGED = "agentprompts, one changed"
SIZES = {"10 × 600": (10, 600), "50 × 600": (50, 600), "50 × 2,000": (50, 2000)}


class Context:
    """What sections depend on; `turn` changes at each call."""

    def __init__(self, text: str) -> None:
        self.turn = 0
        self.text = text


class Remembering:
    """What a builder would be without checks, conditions, registries and locales."""

    def __init__(self, makers: list[Callable[[Context], str]]) -> None:
        self.makers = makers
        self.parts = [""] * len(makers)
        self.turn = -1

    def build(self, context: Context) -> str:
        if context.turn != self.turn:
            self.parts[-1] = self.makers[-1](context)
            self.turn = context.turn
        return "\n\n".join(self.parts)


def table() -> Table:
    rows: dict[str, dict[str, Any]] = {}
    for column, (count, size) in SIZES.items():
        for name, timing in race(cases(count, size)).items():
            rows.setdefault(name, {})[column] = timing
    if "jinja2" not in rows:
        rows["jinja2"] = {}
    made = Table("Sections, one of them changed", "µs", tuple(SIZES), LIMIT, rows)
    made.promise("one changed to the join", CHANGED, LIMIT, most=(3, 1.5, 1.5))
    return made


def cases(count: int, size: int) -> dict[str, Case]:
    """Return each way to the same prompt."""
    text = ("word and more, " * (size // 15 + 1))[:size]
    fixed: list[Section[Context]] = [Section(f"s{n:02}", text) for n in range(count - 1)]
    last = Section("z", attrgetter("text"), depends=attrgetter("turn"))
    every: list[Section[Context]] = [
        Section(f"s{n:02}", attrgetter("text"), depends=attrgetter("turn")) for n in range(count)
    ]
    bare = Remembering([attrgetter("text")] * count)
    bare.parts = [text] * count
    names: dict[str, Any] = {
        "ready": [text] * count,
        "bare": bare,
        "context": Context(text),
        "one": PromptBuilder([*fixed, last]),
        "every": PromptBuilder(every),
        "fixed": PromptBuilder(fixed),
    }
    found = {
        LIMIT: "'\\n\\n'.join(ready)",
        "remember one, join": "context.turn += 1; bare.build(context)",
        CHANGED: "context.turn += 1; one.build(context)",
        "agentprompts, none changed": "one.build(context)",
        "agentprompts, all fixed": "fixed.build(context)",
        "agentprompts, all changed": "context.turn += 1; every.build(context)",
    }
    if jinja2 := peer("jinja2"):
        source = "\n\n".join(f"{{{{ s{n} }}}}" for n in range(count))
        names["template"] = jinja2.Environment().from_string(source)
        names["values"] = {f"s{n}": text for n in range(count)}
        found["jinja2"] = "template.render(values)"
    return {name: Case(statement, names) for name, statement in found.items()}
