"""The fast paths stay fast: each against a limit that is measured in the same run.

No time is asserted, only ratios, with half as much again, or more, left to noise. Each of them
fails where the fast path that it names is taken away.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentprompts import PromptRegistry, PromptTemplate
from agentprompts.catalog import read_pack_file

from . import copies, reading, rendering, validating
from .lookups import LIMIT, OneDict, registry
from .measure import Case, memory, race, spans
from .samples import SAMPLES

SMALL, MEDIUM, _ = SAMPLES


def ratio(case: Case, limit: Case) -> float:
    timed = race({"case": case, "limit": limit}, rounds=20, seconds=0.003)
    return timed["case"].best / timed["limit"].best


def span_ratio(make: Callable[[], Any], limit: Callable[[], Any], rounds: int = 7) -> float:
    timed = spans({"make": make, "limit": limit}, rounds=rounds)
    return timed["make"].best / timed["limit"].best


@pytest.mark.parametrize(("sample", "most"), [(SMALL, 6), (MEDIUM, 5)], ids=["small", "medium"])
def test_rendering_joins_ready_parts(sample: Any, most: float) -> None:
    """3.6 and 2.8 times the f-string; 9 where a list is filled in a loop."""
    found = rendering.own(sample)
    ours, limit = found[rendering.OURS], found["the same in a function"]
    assert ratio(ours, limit) < most


@pytest.mark.parametrize(
    ("sample", "row", "most"),
    [
        (SMALL, validating.CHECK, 8),
        (SMALL, "agentprompts with_text, Chinese", 30),
        (MEDIUM, "agentprompts with_text, Chinese", 10),
    ],
    ids=["small", "small, Chinese", "medium, Chinese"],
)
def test_most_texts_are_settled_at_a_first_look(sample: Any, row: str, most: float) -> None:
    """3.6, 11 and 4.3 times the bare `in` checks; 20, 700 and 20 without the first look."""
    found = validating.own(sample)
    ours, limit = found[row], found[validating.LIMIT]
    assert ratio(ours, limit) < most


def test_a_copy_takes_no_lock_and_copies_nothing() -> None:
    """Half of a bare dict of three entries, at every size; twice as much with the lock."""
    limit = Case("bare()", {"bare": copies.own(80)[copies.LIMIT]})
    assert ratio(Case("r.copy()", {"r": registry(80)}), limit) < 1.3
    assert ratio(Case("r.copy()", {"r": registry(50_000)}), limit) < 1.3


def test_checked_texts_are_taken_over() -> None:
    """5 times the bare dict; 12 and more where they are looked at again."""
    found = copies.own(2000)
    ours, bare = found[copies.OURS], found[copies.LIMIT]
    assert ratio(Case("ours()", {"ours": ours}), Case("bare()", {"bare": bare})) < 9


def test_an_agent_keeps_little_more_than_its_overrides() -> None:
    """10,000 agents stay within 4 MB above one; with a lock each, it would be 5."""
    assert memory(copies.many(copies.own(2000)[copies.OURS])) <= 4_000_000


def test_a_key_is_registered_in_place() -> None:
    """25 times a dict that is filled in a loop; a thousand where each takes a new dict."""
    keys = [f"k.n{i}" for i in range(20_000)]
    template = PromptTemplate("Text")

    def ours() -> None:
        made = PromptRegistry()
        for key in keys:
            made.register(key, template)

    def bare() -> None:
        made = {}
        for key in keys:
            made[key] = template

    assert span_ratio(ours, bare, rounds=3) < 60


@pytest.mark.parametrize("call", ["r.text('k.n9')", "r.text('k.n3')", "r.get('k.n9')"])
def test_a_lookup_reads_the_layers_in_place(call: str) -> None:
    """Twice a method that reads one dict, overridden or not; 4 times through `_find`."""
    agent = registry(2000).copy()
    agent.override({"k.n3": "Another {q}"})
    bare = OneDict(agent.as_dict())
    assert ratio(Case(call, {"r": agent}), Case("b.text('k.n9')", {"b": bare})) < 3.2, LIMIT


def test_a_pack_is_read_at_the_pace_of_tomllib(tmp_path: Path) -> None:
    """1.4 times tomllib; 2.5 where every line is searched for long keys."""
    reading.write(tmp_path, 300)

    def bare() -> Any:
        return tomllib.loads((tmp_path / "de.toml").read_bytes().decode())

    assert span_ratio(lambda: read_pack_file(tmp_path, "de"), bare, rounds=15) < 2


NAMES = "PromptRegistry, PromptTemplate, PromptError, PromptsMixin"
LATER = {"registry.compare", "registry.views", "locales", "packfile", "tomltext"}
FAULTS = {"scanner.nearmiss", "tomltext.positions", "tomltext.writer", "registry.compare"}


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        (f"from agentprompts import {NAMES}", {f"agentprompts.{name}" for name in LATER}),
        (
            "from agentprompts import DEFAULT_PROMPTS\nDEFAULT_PROMPTS.text('chat.persona')",
            {f"agentprompts.{name}" for name in FAULTS} | {"difflib"},
        ),
    ],
    ids=["import", "first use"],
)
def test_a_start_brings_no_module_that_is_needed_later(code: str, absent: set[str]) -> None:
    code += f"\nimport sys\nprint(sorted(set({sorted(absent)!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
