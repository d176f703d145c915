"""Constructing and validating: does a new text hold what the old one held?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentprompts import PromptTemplate

from .measure import Case, Timing, race
from .peers import peer
from .printing import Table
from .samples import SAMPLES, SIZES, Sample

LIMIT = "bare `in` checks, in a function: the limit"
OURS, CHECK = "agentprompts with_text", "agentprompts check"
RIVAL = "agentmaker with_text"


def bare(text: str, slots: Sequence[str], tokens: Sequence[str]) -> bool:
    """The least that a validation must do; it makes no template and knows no words' ends."""
    for slot in slots:
        if slot not in text:
            return False
    for token in tokens:  # noqa: SIM110 (a generator would make the limit slower)
        if token not in text:
            return False
    return True


def own(sample: Sample) -> dict[str, Case]:
    """Return the rows that need no peer."""
    # Another object of the same text: a check that compares identities gains nothing.
    old, new = sample.text, sample.text + " "
    kept: dict[str, Any] = {"variables": sample.slots, "protected": sample.tokens}
    written = tuple("{" + slot + "}" for slot in sample.slots)
    ours = PromptTemplate(old, **kept)
    return {
        LIMIT: Case("f(t, s, p)", {"f": bare, "t": new, "s": written, "p": sample.tokens}),
        "text.split('{')": Case("t.split('{')", {"t": new}),
        CHECK: Case("o.check(t)", {"o": ours, "t": new}),
        OURS: Case("o.with_text(t)", {"o": ours, "t": new}),
        "agentprompts with_text, Chinese": Case("o.with_text(t)", {"o": ours, "t": new + "中文"}),
        "agentprompts PromptTemplate": Case(
            "T(t, **k)", {"T": PromptTemplate, "t": old, "k": kept}
        ),
    }


def _peers(sample: Sample) -> dict[str, Case | None]:
    new = sample.text + " "
    kept: dict[str, Any] = {"variables": sample.slots, "protected": sample.tokens}
    found: dict[str, Case | None] = {
        RIVAL: None,
        "langchain-core validate_template": None,
        "jinja2 parse and find names": None,
    }
    if agentmaker := peer("agentmaker.prompts"):
        theirs = agentmaker.PromptTemplate(sample.text, **kept)
        found[RIVAL] = Case("o.with_text(t)", {"o": theirs, "t": new})
    if langchain := peer("langchain_core.prompts"):
        found["langchain-core validate_template"] = Case(
            "T(template=t, input_variables=v, validate_template=True)",
            {"T": langchain.PromptTemplate, "t": sample.braces, "v": list(sample.slots)},
        )
    if (jinja2 := peer("jinja2")) and (meta := peer("jinja2.meta")):
        found["jinja2 parse and find names"] = Case(
            "names(env.parse(t))",
            {
                "names": meta.find_undeclared_variables,
                "env": jinja2.Environment(),
                "t": sample.jinja,
            },
        )
    return found


def table() -> Table:
    columns: dict[str, dict[str, Timing]] = {}
    names: list[str] = []
    for sample in SAMPLES:
        found = {**own(sample), **_peers(sample)}
        names = list(found)
        columns[sample.name] = race({name: case for name, case in found.items() if case})
    rows = {
        name: {size: columns[size].get(name) for size in SIZES} if name in columns["small"] else {}
        for name in names
    }
    made = Table("Constructing and validating", "µs", SIZES, LIMIT, rows)
    made.promise("check to the bare `in` checks", CHECK, LIMIT, most=(2.5, 2.5, 2.5))
    if rows[RIVAL]:
        made.promise("with_text faster than agentmaker", OURS, RIVAL, least=(4, 4, 4))
    return made
