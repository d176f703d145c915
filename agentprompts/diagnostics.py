"""Findings as data: what is wrong with a text or a file, where, why, and how to mend it.

A `Diagnostic` never prints itself. Errors carry them, checks yield them, reports render them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

__all__ = ["Diagnostic", "Place", "Severity", "place_at"]

Severity = Literal["error", "warning"]


class Place(NamedTuple):
    """A position in a file, or in a prompt's text where `file` is None.

    Args:
        line: Counted from 1.
        column: Counted from 1, in code points (not bytes, not screen cells).
        file: The file as its reader named it.

    >>> str(Place(3, 7, "packs/fr.toml")), str(Place(3, 7))
    ('packs/fr.toml:3:7', 'line 3, column 7')
    """

    line: int
    column: int
    file: str | None = None

    def __str__(self) -> str:
        if self.file is None:
            return f"line {self.line}, column {self.column}"
        return f"{self.file}:{self.line}:{self.column}"


def place_at(text: str, offset: int, file: str | None = None) -> Place:
    """Return the place of a code point offset in `text`.

    >>> place_at("ab\\ncd", 4)
    Place(line=2, column=2, file=None)
    """
    return Place(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), file)


# Half of what these options leave out would be the largest part of the package's start-up.
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False, match_args=False)
class Diagnostic:
    """One finding.

    Args:
        code: Its kind, such as `slot-missing`; stable, and made for filters.
        message: What is wrong, in one sentence.
        why: The reason behind the rule or the fault, where `message` does not say it.
        mend: What to do about it.
        severity: `error` where the contract or the file is broken, else `warning`.
        key: The prompt it concerns.
        locale: The language of the text it concerns, where it has one.
        place: Where it stands.
        offset: The same in code points from the start of the prompt's text, where it is in one.
        subject: The slot, token or field that the finding is about.
        lacks: What the text is without, where that is the finding: its slot, or its token.
        fix: The mend as (start, end, replacement) in the prompt's text, where it is certain.
        related: A second place that belongs to it, such as the first of two equal keys.
    """

    code: str
    message: str
    why: str | None = None
    mend: str | None = None
    severity: Severity = "error"
    key: str | None = None
    locale: str | None = None
    place: Place | None = None
    offset: int | None = None
    subject: str | None = None
    lacks: Literal["slot", "token"] | None = None
    fix: tuple[int, int, str] | None = None
    related: Place | None = None

    def at(
        self,
        *,
        key: str | None = None,
        locale: str | None = None,
        place: Place | None = None,
        related: Place | None = None,
    ) -> Diagnostic:
        """Return the finding with what its reporter knows of its key, locale and places."""
        return replace(
            self,
            key=key or self.key,
            locale=locale or self.locale,
            place=place or self.place,
            related=related or self.related,
        )

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        given = zip(self.__slots__, self._values(), strict=True)
        shown = ", ".join(f"{name}={value!r}" for name, value in given if value is not None)
        return f"Diagnostic({shown})"

    def __str__(self) -> str:
        return self.text()

    def text(self, headline: str = "") -> str:
        """Return the finding in words; a message that the headline has already is left out."""
        parts = [self.key, self.locale and f"[{self.locale}]", self.place]
        if self.place is not None and self.place.file is not None:
            parts = [self.place, self.key]  # the file's name tells the locale
        head = ", ".join(str(part) for part in parts if part)
        if self.message not in headline:
            head = f"{head}: {self.message}" if head else self.message
        elif head:
            head = f"at {head}"
        lines = [head] if head else []
        if self.related is not None:
            lines.append(f"  see also: {self.related}")
        if self.why is not None:
            lines.append(f"  why: {self.why}")
        if self.mend is not None:
            lines.append(f"  mend: {self.mend}")
        return "\n".join(lines)
