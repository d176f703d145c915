"""The traps: each broken translation is found, and no good one is refused."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from agentprompts.checks import ALL_CHECKS, Unit, review
from agentprompts.locales import script_of

from .__main__ import table
from .sets import GLOSSARY, Group, broken_groups, corpus_groups, good_groups
from .tools import IN_A_PACK, TOOLS, Tool, check_packs

BROKEN = broken_groups()
GOOD = good_groups()

# What a text of a pack can be told by, beside the checks; `text-type` is for what is no text.
CODES = {
    "slot-ambiguous", "slot-doubled", "slot-mangled", "slot-misspelt", "slot-missing", "slot-style",
    "slot-translated", "text-empty", "text-invalid", "token-embedded", "token-lookalike",
    "token-missing", "token-recased", "token-split", *(check.id for check in ALL_CHECKS),
}  # fmt: skip


def count(groups: list[Group]) -> int:
    return sum(len(group.entries) for group in groups)


@pytest.mark.parametrize("group", BROKEN, ids=lambda group: str(group.name))
def test_every_trap_is_found_in_a_pack_and_as_an_override(group: Group, tmp_path: Path) -> None:
    found = check_packs(tmp_path, [group])
    missed = []
    for entry in group.entries:
        in_pack = found[group.name, entry.key]
        unit = Unit(entry.key, group.locale, entry.source, entry.text, GLOSSARY)
        as_override = {one.code for one in review(unit)}
        if IN_A_PACK.get(entry.code, entry.code) not in in_pack or entry.code not in as_override:
            missed.append(f"{entry.key}: {entry.code} is not among {sorted(in_pack)}")
    assert not missed, "\n".join(missed)


@pytest.mark.parametrize("group", GOOD, ids=lambda group: str(group.name))
def test_no_good_text_is_an_error(group: Group, tmp_path: Path) -> None:
    found = check_packs(tmp_path, [group])
    wrong = [f"{key}: {sorted(codes)}" for (_, key), codes in found.items() if "error" in codes]
    assert not wrong, "\n".join(wrong)


def test_our_own_good_texts_have_no_warning_either(tmp_path: Path) -> None:
    own = [group for group in GOOD if group.name.startswith("good-")]
    assert {where: codes for where, codes in check_packs(tmp_path, own).items() if codes} == {}


def test_warnings_on_good_texts_of_others_are_those_that_were_looked_at(tmp_path: Path) -> None:
    """Each is true: a blank or a number less, a pronoun for a name, items without full stop."""
    found = check_packs(tmp_path, list(corpus_groups()))
    kinds = Counter(code for codes in found.values() for code in codes - {"warning"})
    assert kinds == {"edge-space": 6, "slot-count": 5, "numbered-list": 2, "number": 1}


def test_the_sets_are_large_and_wide() -> None:
    codes = Counter(entry.code for group in BROKEN for entry in group.entries)
    locales = {group.locale for group in BROKEN}
    others = list(corpus_groups())
    assert count(BROKEN) >= 280
    assert set(codes) == CODES
    assert min(codes.values()) >= 3
    assert len(locales) >= 19
    assert len({script_of(locale) for locale in locales}) >= 11
    assert min(len(group.entries) for group in BROKEN) >= 12
    assert count(GOOD) >= 900
    assert count(others) * 2 > count(GOOD)
    assert count(GOOD) - count(others) >= 100


def test_the_texts_are_all_different() -> None:
    texts = [entry.text for group in BROKEN for entry in group.entries if entry.text.strip()]
    assert len(set(texts)) == len(texts)
    sources = {entry.source.template for group in BROKEN for entry in group.entries}
    assert len(sources) == count(BROKEN)


SAMPLE = [
    BROKEN[0]._replace(entries=[one for one in BROKEN[0].entries if one.key == "arabic-name"])
]


def printed(installed: Callable[[], bool] | None = None) -> list[list[str]]:
    tools = [t if installed is None else t._replace(installed=installed) for t in TOOLS[:2]]
    console = Console(width=120)
    with console.capture() as capture:
        console.print(table(SAMPLE, SAMPLE, tuple(tools)))
    return [line.split() for line in capture.get().splitlines()]


def test_a_tool_that_is_not_there_is_no_tool_that_finds_nothing() -> None:
    rows = printed(installed=lambda: False)
    assert ["slot-translated", "1", "–", "–"] in rows
    assert ["all", "1", "not", "in-", "not", "in-"] in rows
    assert ["stalled", "stalled"] in rows


@pytest.mark.parametrize(
    "tool", [*TOOLS[:3], *TOOLS[4:]], ids=lambda tool: str(tool.name.split()[0])
)
def test_a_tool_finds_a_translated_slot_and_only_where_it_is(tool: Tool, tmp_path: Path) -> None:
    """Else the comparison would compare nothing. A tool that is not installed is not compared."""
    if not tool.installed():
        assert tool.find not in (TOOLS[0].find, TOOLS[4].find)  # these come with the package
        return
    [lost] = SAMPLE[0].entries
    good = lost._replace(key="kept", text=lost.text.replace("{المفهوم}", "{concept}"))
    found = tool.find(tmp_path, [SAMPLE[0]._replace(entries=[lost, good])])
    assert {key for (_, key), codes in found.items() if codes} == {lost.key}


def test_the_command_prints_the_table() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.traps"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=Path(__file__).parents[2],
        env={"COLUMNS": "100", "PATH": "", "PYTHONUTF8": "1"},
        check=True,
    )
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
    assert rows["all"][1:3] == [str(count(BROKEN)), str(count(BROKEN))]
    assert "on good texts 0 are errors" in done.stdout
