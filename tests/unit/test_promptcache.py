"""What keeps a model's cache from holding the beginning of a prompt."""

from __future__ import annotations

import itertools
import random
from datetime import date
from typing import Any

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptRegistry, PromptTemplate
from agentprompts.checks.promptcache import check_prompt_cache
from agentprompts.sections import CodingContext, FromCatalog, GitState, Section, default_builder

LONG = "These are the rules of the house, which never change. "
TODAY = date(2026, 4, 8)
COUNT = itertools.count()


def shuffled(context: object) -> str:
    names = [f"file{number}.py" for number in range(40)]
    random.shuffle(names)
    return ", ".join(names)


def section(body: Any, **fields: Any) -> Section[Any]:
    return Section("it", body, 1, **fields)


RULES: Section[Any] = Section("rules", LONG, 2)
LAST: Section[Any] = Section("rules", LONG, 0)


@pytest.mark.parametrize(
    ("sections", "codes"),
    [
        ([section("You are Ada."), RULES], []),
        ([section(lambda ctx: "x", depends=str), LAST], []),
        ([section(lambda ctx: "x", depends=str), RULES], ["cache-order"]),
        ([section(lambda ctx: "x"), RULES], ["cache-order"]),
        ([section("x", condition=lambda ctx: True), RULES], ["cache-order"]),
        ([section(lambda ctx: "x"), Section("short", "Yes.", 2)], []),
        ([section("Today is 2026-04-08."), RULES], ["cache-date"]),
        ([section("Today is April 8, 2026."), RULES], ["cache-date"]),
        ([section("今天是2026年4月8日。"), RULES], ["cache-date"]),
        ([section("Tomorrow is 09.04.2026."), RULES], ["cache-date"]),
        ([section("The law of 1998-05-01 holds."), RULES], []),
        ([section("Today is 2026-04-08."), LAST], []),
        ([section(lambda ctx: "Since 2026-01-31", depends=str), LAST], []),
        ([section(lambda ctx: "Now: 2026-04-08 12:30:45"), LAST], ["cache-seconds"]),
        ([section("Now: 12:30:45"), LAST], ["cache-seconds"]),
        ([section(lambda ctx: "Now: 12:30"), LAST], []),
        ([section(FromCatalog("clock.example")), RULES], []),
        ([section(shuffled), LAST], ["cache-unordered"]),
        ([section(lambda ctx: f"{next(COUNT)}", depends=lambda ctx: 0), LAST], ["cache-unstable"]),
        ([section(lambda ctx: f"{next(COUNT)}"), LAST], []),
        ([], []),
    ],
)
def test_what_changes_early_is_found(sections: list[Section[Any]], codes: list[str]) -> None:
    """CASES: a date in the first section defeats the model's prompt cache."""
    prompts = PromptRegistry({"clock.example": PromptTemplate("Write 12:30:45, or 2026-04-08.")})
    found = check_prompt_cache(sections, None, prompts, today=TODAY)
    assert [one.code for one in found] == codes
    for one in found:
        assert one.key == "it"
        assert one.severity == "warning"
        assert one.why
        assert one.mend


def test_a_moment_is_shown_where_it_stands() -> None:
    [found] = check_prompt_cache([section("Now:\n12:30:45")])
    assert found.place is not None
    assert (found.place.line, found.place.column, found.offset) == (2, 1, 5)


def test_the_default_builder_tells_which_sections_hosts_may_move() -> None:
    """Where it works stands early, as its readers expect it; `stable_first` moves it."""
    context = CodingContext("/home", "/tmp", GitState("main"))
    builder = default_builder(DEFAULT_PROMPTS)
    found = check_prompt_cache(builder, context, DEFAULT_PROMPTS)
    assert {(one.code, one.key) for one in found} == {
        ("cache-order", name) for name in ("cwd", "git_context", "git_rules")
    }
