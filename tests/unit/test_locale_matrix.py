"""Requests for locales against sets of available ones, beside langcodes and its reasons to differ.

langcodes answers by CLDR's distances between languages. Ours asks what a reader of prompts may be
given; where the two differ, the row says why, and a row that differs without a reason fails, as
does a reason where they agree.
"""

from __future__ import annotations

from pathlib import Path

import langcodes
import pytest

from agentprompts.locales import resolve

REASONS = {
    "script": "the same language in letters that its reader may not know",
    "language": "another language, however near: the source language is the honest answer",
    "region": "the language as such comes before one of its other regions",
    "parent": "CLDR gives it no parent but the language, and so the usual region of that",
    "variant": "langcodes knows no variants, and takes the first of the two",
}
NO_SOURCE = "qaa"
NONE = "-"


def rows() -> list[tuple[str, list[str], str, str]]:
    """Return (asked, available, answer, reason) of each row."""
    found = []
    has: list[str] = []
    for line in Path(__file__).with_name("locale_matrix.txt").read_text().splitlines():
        if line.startswith("has: "):
            has = line.removeprefix("has: ").split()
        elif line and not line.startswith("#"):
            asked, answer, *reason = line.split()
            found.append((asked, has, answer, " ".join(reason)))
    return found


ROWS = rows()
IDS = [f"{asked} has {' '.join(has)}" for asked, has, _, _ in ROWS]


@pytest.mark.parametrize(("asked", "has", "answer", "reason"), ROWS, ids=IDS)
def test_a_row_of_the_matrix(asked: str, has: list[str], answer: str, reason: str) -> None:
    expected = NO_SOURCE if answer == NONE else answer
    for available in (has, has[::-1]):
        chain = resolve(asked, available, NO_SOURCE)
        assert chain[0] == expected
        assert chain[-1] == NO_SOURCE
    theirs = langcodes.closest_match(asked, has)[0].replace("und", NONE)
    assert (theirs != answer) == bool(reason), f"langcodes answers {theirs}"


def test_the_matrix_is_as_large_as_it_is_said_to_be_and_gives_all_its_reasons() -> None:
    assert len(ROWS) >= 400
    assert len(set(IDS)) == len(ROWS)
    assert {reason for *_, reason in ROWS} == {"", *REASONS}
