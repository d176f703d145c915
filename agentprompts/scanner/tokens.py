"""Whether a protocol token stands in a text, as a word of its own (DESIGN, rule 7)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .slots import Slots

__all__ = ["Token", "find_token", "find_tokens", "occurrences", "text_fault"]


class Token:
    """A literal that a parser looks for, with what its ends ask of their neighbours."""

    __slots__ = ("after", "before", "in_names", "literal")

    def __init__(self, literal: str, in_names: bool = False) -> None:
        self.literal = literal
        self.before = _script(literal[0])
        self.after = _script(_base(literal, len(literal)))
        self.in_names = in_names
        """Whether a slot's name holds it, where it does not count."""


def find_token(text: str, token: Token, slots: Slots, start: int = 0) -> int:
    """Return where the token first stands at or after `start`, or -1.

    >>> from agentprompts.scanner import Contract, find_slots
    >>> contract = Contract((), ["ADD"])
    >>> text = "ADDRESS, ADD_ALL, 使用ADD操作"
    >>> find_token(text, contract.tokens[0], find_slots(text, contract))
    20
    """
    return next(_standing(text, token, slots, start), -1)


def find_tokens(text: str, token: Token, slots: Slots) -> list[int]:
    """Return every place where the token stands, overlaps not counted twice."""
    return list(_standing(text, token, slots))


def _standing(text: str, token: Token, slots: Slots, start: int = 0) -> Iterator[int]:
    literal, size = token.literal, len(token.literal)
    in_name = _name_test(slots) if token.in_names else None
    at = text.find(literal, start)
    while at >= 0:
        step = 1
        if (
            (not token.before or not _joins_before(text, at, token.before))
            and (not token.after or not _joins_after(text, at + size, token.after))
            and (in_name is None or not in_name(at, at + size))
        ):
            yield at
            step = size
        at = text.find(literal, at + step)


def _name_test(slots: Slots) -> Callable[[int, int], bool]:
    """Return the test whether a stretch of the text lies inside a slot's name."""
    from bisect import bisect_left

    spans = slots.spans()
    starts = [start for start, _ in spans]

    def inside(start: int, end: int) -> bool:
        at = bisect_left(starts, start) - 1
        return at >= 0 and end < spans[at][1]

    return inside


def occurrences(text: str, literal: str) -> list[int]:
    """Return every offset of a literal, whatever stands beside it."""
    found, at = [], text.find(literal)
    while at >= 0:
        found.append(at)
        at = text.find(literal, at + 1)
    return found


def text_fault(text: str) -> tuple[str, int] | None:
    """Return why a string is no text at all, and where: NUL, or half of a surrogate pair.

    >>> text_fault("a\\0b")
    ('has a NUL (U+0000)', 1)
    """
    if "\0" in text:
        return "has a NUL (U+0000)", text.index("\0")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return f"has a lone surrogate (U+{ord(text[error.start]):04X})", error.start
    return None


# What an end of a token is: "" for a sign, "0" for a digit, else the first word of the letter's
# Unicode name, which is its script ("LATIN", "CYRILLIC", "CJK").


def _script(char: str) -> str:
    if char.isascii():
        return "LATIN" if char.isalpha() else "0" if char.isdigit() else ""
    if unicodedata.category(char) == "Nd":
        return "0"
    if not char.isalpha():
        return ""
    words = unicodedata.name(char, "").split()
    return "LATIN" if "LATIN" in words else (words or [""])[0]


def _base(text: str, end: int) -> str:
    """Return the last character before `end` that is no combining mark."""
    while end > 0 and unicodedata.category(text[end - 1])[0] == "M":
        end -= 1
    return text[end - 1] if end else " "


# Scripts with spaces between words and letters of two cases: there a neighbour of the same script
# continues the word. A token in Chinese or Thai has no such neighbours.
_CASED = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN"})


def _continues(char: str, end: str) -> bool:
    if end != "0" and end not in _CASED:
        return False
    return _script(char) in ("LATIN", "0", end)


def _joins_before(text: str, at: int, end: str) -> bool:
    if at == 0:
        return False
    char = text[at - 1]
    if char == " " or char == "\n":
        return False
    stop = at
    while stop and text[stop - 1] == "_":
        stop -= 1
    # A mark belongs to the letter before it: to a Thai or Hindi one, it joins nothing.
    while stop and unicodedata.category(text[stop - 1])[0] == "M":
        stop -= 1
    if stop == 0 or not _continues(text[stop - 1], end):
        return False
    return not _ends_escape(text, stop)


def _joins_after(text: str, at: int, end: str) -> bool:
    char = text[at : at + 1]
    if char in (" ", "\n", ""):
        return False
    if unicodedata.category(char)[0] == "M":
        return True
    while text[at : at + 1] == "_":
        at += 1
    return at < len(text) and _continues(text[at], end)


def _ends_escape(text: str, at: int) -> bool:
    """Whether the text before `at` ends in an escape of a quoted string: `\\n`, `\\u00e9`."""
    for size, kinds in ((1, "abfnrtv0"), (3, "x"), (5, "u"), (9, "U")):
        slash = at - size - 1
        if (
            slash >= 0
            and text[slash] == "\\"
            and text[slash + 1] in kinds
            and (size == 1 or all(char in _HEX for char in text[slash + 2 : at]))
        ):
            run = 1
            while slash - run >= 0 and text[slash - run] == "\\":
                run += 1
            return run % 2 == 1
    return False


_HEX = frozenset("0123456789abcdefABCDEF")
