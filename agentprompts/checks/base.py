"""What a check is, and what it looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ..diagnostics import Diagnostic, Severity, place_at
from ..scanner import Slots, find_slots, find_terms
from ..scanner.tokens import Token
from ..template import PromptTemplate

__all__ = ["HEADINGS", "Check", "Unit"]

HEADINGS = ("What it does", "Why is this bad?", "Example", "Use instead")
"""What a check's documentation says, in this order."""


@dataclass(frozen=True)
class Unit:
    """A text and the source text that it translates or replaces.

    Args:
        key: The prompt.
        locale: The text's language, empty where none is known.
        source: The source text with its contract.
        text: The text to look at.
        glossary: Terms that stay as they are in every language.
    """

    key: str
    locale: str
    source: PromptTemplate
    text: str
    glossary: tuple[str, ...] = ()

    @cached_property
    def terms(self) -> tuple[Token, ...]:
        """The terms of the glossary that stand in the source text."""
        return find_terms(self.source.template, self.source.contract, self.glossary)

    @cached_property
    def slots(self) -> Slots:
        """Where the text's slots stand."""
        return find_slots(self.text, self.source.contract)

    @cached_property
    def source_slots(self) -> Slots:
        """Where the source text's slots stand."""
        return find_slots(self.source.template, self.source.contract)

    @cached_property
    def plain(self) -> str:
        """The text with its slots made blank, offsets kept."""
        return _blanked(self.text, self.slots)

    @cached_property
    def source_plain(self) -> str:
        """The source text with its slots made blank, offsets kept."""
        return _blanked(self.source.template, self.source_slots)


def _blanked(text: str, slots: Slots) -> str:
    # A digit and blanks stand in for a slot: a value where JSON has one, and text elsewhere.
    out, at = [], 0
    for start, end in slots.spans():
        out += [text[at:start], "0".ljust(end - start)]
        at = end
    return "".join([*out, text[at:]])


class Check:
    """One rule. Its docstring is its documentation, under the four `HEADINGS`.

    A subclass sets `id` and `severity`, and yields what it finds from `find`; it never prints.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity] = "warning"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield what is wrong with a text."""
        raise NotImplementedError

    def found(
        self,
        unit: Unit,
        message: str,
        mend: str,
        at: int | None = None,
        subject: str | None = None,
        fix: tuple[int, int, str] | None = None,
    ) -> Diagnostic:
        """Return a finding of this check; `at` is an offset in the unit's text."""
        return Diagnostic(
            code=self.id,
            message=message,
            mend=mend,
            severity=self.severity,
            key=unit.key,
            locale=unit.locale or None,
            place=None if at is None else place_at(unit.text, at),
            offset=at,
            subject=subject,
            fix=fix,
        )
