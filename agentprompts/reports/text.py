"""Findings for people: where, the line itself with a caret under the fault, why, and the mend."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from ..diagnostics import Diagnostic, Place

__all__ = ["full", "summary", "width"]

_MOST = 88
"""Most screen cells of a line that is shown."""


def width(text: str) -> int:
    """Return how many cells a text takes on a screen: two for a wide character, none for a mark.

    >>> width("ab"), width("漢字"), width("e\\u0301")
    (2, 4, 1)
    """
    cells = 0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        cells += 2 if unicodedata.east_asian_width(char) in "WF" else 1
    return cells


def full(findings: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    """Return the findings one below the other, with excerpts, and a summary."""
    blocks = ["\n".join(_block(one, sources)) for one in findings]
    return "\n\n".join([*blocks, summary(findings)])


def summary(findings: Sequence[Diagnostic]) -> str:
    """Return how many errors and warnings there are.

    >>> summary([])
    'no findings'
    """
    errors = sum(one.severity == "error" for one in findings)
    counts = ((errors, "error"), (len(findings) - errors, "warning"))
    parts = [f"{count} {word}{'s' * (count != 1)}" for count, word in counts if count]
    return ", ".join(parts) or "no findings"


def _block(one: Diagnostic, sources: Mapping[str, str]) -> list[str]:
    head = f"{one.place}: " if one.place else ""
    lines = [f"{head}{one.severity}[{one.code}] {one.key or ''}".rstrip(), f"  {one.message}"]
    lines += _excerpt(one.place, sources, one.fix[1] - one.fix[0] if one.fix else 1)
    if one.related is not None:
        lines += (
            ["  the source text:", *_excerpt(one.related, sources, 0)]
            if (one.related.file in sources)
            else [f"  see also: {one.related}"]
        )
    if one.why:
        lines.append(f"  why: {one.why}")
    if one.mend:
        sure = " (`check --fix` does it)" if one.fix else ""
        lines.append(f"  mend: {one.mend}{sure}")
    return lines


def _excerpt(place: Place | None, sources: Mapping[str, str], size: int) -> list[str]:
    """Return the line of a place, with a caret below it where `size` is not zero."""
    if place is None or place.file is None or place.file not in sources:
        return []
    every = sources[place.file].split("\n")
    if place.line > len(every):
        return []
    line = "".join(_visible(char) for char in every[place.line - 1])
    at = place.column - 1
    start = 0
    while at > start and width(line[start:at]) > _MOST - 20:
        start += 1
    shown = line[start:]
    while width(shown) > _MOST:
        shown = shown[:-1]
    shown = ("…" if start else "") + shown + ("…" if start + len(shown) < len(line) else "")
    number = f"{place.line} | "
    lines = [f"  {number}{shown}"]
    if size:
        before = width(("…" if start else "") + line[start:at])
        under = max(1, width(line[at : at + size]))
        lines.append(" " * (2 + len(number) - 2) + "| " + " " * before + "^" * under)
    return lines


def _visible(char: str) -> str:
    """Return one character for one, so that columns keep: a dot for what cannot be seen."""
    if char == "\t":
        return " "
    return "·" if unicodedata.category(char) in ("Cf", "Cc") else char
