"""Checks of single characters: what cannot be seen, and what an encoding has spoiled."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

import regex

from ..diagnostics import Diagnostic
from .base import Check, Unit

__all__ = ["EdgeSpace", "Invisible", "Mojibake", "NotNormal", "Numbers"]


class EdgeSpace(Check):
    """White space at the begin or the end differs from the source's.

    ## What it does
    Compares leading and trailing white space, the final newline included.

    ## Why is this bad?
    Programs join prompts: a lost newline glues two of them together, an added one parts them.

    ## Example
    `"Result: "` translated as `"Ergebnis:"`

    ## Use instead
    `"Ergebnis: "`
    """

    id = "edge-space"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a difference at either end."""
        source, text = unit.source.template, unit.text
        if not text.strip():
            return
        for where, ours, theirs, at in (
            ("begins", _lead(text), _lead(source), 0),
            ("ends", _trail(text), _trail(source), len(text.rstrip())),
        ):
            if ours != theirs:
                fix = (at, at + len(ours), theirs)
                yield self.found(
                    unit,
                    f"the text {where} with {ours!r}, the source with {theirs!r}",
                    f"let it {where.rstrip('s')} with {theirs!r}",
                    at,
                    fix=fix,
                )


def _lead(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _trail(text: str) -> str:
    return text[len(text.rstrip()) :]


class Invisible(Check):
    """A character that cannot be seen, and that the source does not have.

    ## What it does
    Looks for zero-width characters, soft hyphens, controls of writing direction, and byte order
    marks. Joiners between letters of scripts that need them, and inside emoji, are legal; so are
    marks of direction in languages written from right to left.

    ## Why is this bad?
    Nobody sees it, and a model or a parser reads another word.

    ## Example
    `Ant` + U+200B + `wort`

    ## Use instead
    `Antwort`
    """

    id = "invisible-character"
    _hidden = regex.compile(r"[\p{Cf}--[\u0600-\u0605\u06dd\u070f\u08e2]]", regex.V1)
    _joined = regex.compile(r"[\p{L}\p{M}\p{So}\p{Sk}\ufe0f]")
    _marks = frozenset("\u200e\u200f\u061c")
    _rtl = regex.compile(r"[\p{Arabic}\p{Hebrew}\p{Syriac}\p{Thaana}\p{Nko}\p{Adlam}]")

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield each kind of them once."""
        if unit.text.replace("\n", "").isprintable():
            return  # costs a hundredth of the search
        seen = set(self._hidden.findall(unit.source.template))
        if self._rtl.search(unit.text):
            seen |= self._marks
        for match in self._hidden.finditer(unit.text):
            char, at = match[0], match.start()
            if char in seen:
                continue
            if char in "\u200c\u200d" and self._legal_joiner(unit.text, at):
                continue
            seen.add(char)
            name = unicodedata.name(char, "")
            yield self.found(
                unit,
                f"U+{ord(char):04X} {name} cannot be seen, and the source does not have it",
                "take it out",
                at,
                char,
                (at, at + 1, ""),
            )

    def _legal_joiner(self, text: str, at: int) -> bool:
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        if before.isascii() or (after and after.isascii() and after.isalnum()):
            return False
        return self._joined.match(before) is not None


class NotNormal(Check):
    """A letter is written as a base and a mark where one character exists.

    ## What it does
    Compares the text with its normal form NFC.

    ## Why is this bad?
    The two look alike, and no search for the one finds the other; models see other tokens.

    ## Example
    `e` + U+0301 for `é`

    ## Use instead
    `é`, U+00E9
    """

    id = "not-nfc"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the first such letter."""
        text = unit.text
        if unicodedata.is_normalized("NFC", text):
            return
        if unicodedata.is_normalized("NFC", unit.source.template):
            normal = unicodedata.normalize("NFC", text)
            pairs = enumerate(zip(text, normal, strict=False))
            at = next((i for i, (ours, other) in pairs if ours != other), len(normal))
            yield self.found(
                unit,
                "the text is not in Unicode's normal form NFC",
                "save it in NFC",
                at,
                fix=(0, len(text), normal),
            )


class Mojibake(Check):
    """Characters that an encoding has spoiled.

    ## What it does
    Looks for U+FFFD, and for UTF-8 that was read as Latin-1 or Windows-1252.

    ## Why is this bad?
    The letters are lost, or the model reads gibberish.

    ## Example
    `dÃ©finir`

    ## Use instead
    `définir`
    """

    id = "mojibake"
    severity = "error"
    # What Windows-1252 makes of the later bytes of a letter, its own letters aside. Two in a row
    # tell, or a capital inside a word: one may be prose, as the French `à «` with U+00A0.
    _tail = "\x80-\xbfƒˆ˜\u2013-\u203a€™"
    _spoiled = re.compile(
        f"\ufffd|Ã[{_tail}ŒœŠšŸŽž]|â€[\x80-\xbf\u0153\u02dc\u2122\u201c\u201d\u00a6]"
        f"|Â[\xa1-\xbf](?!\\w)|ï»¿|ðŸ|(?<=[a-z])[\xc2-\xd6\xd8-\xde][{_tail}]"
        f"|(?:[\xc2-\xdf][{_tail}]|[\xe0-\xef][{_tail}]{{2}}){{2}}"
    )

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the first of them."""
        if self._spoiled.search(unit.source.template):
            return
        if (match := self._spoiled.search(unit.text)) is not None:
            yield self.found(
                unit,
                f"{match[0]!r} looks like a letter in a broken encoding",
                "write the letter again, and save the file as UTF-8",
                match.start(),
            )


class Numbers(Check):
    """A number of the source is missing.

    ## What it does
    Looks for each number of two digits or more, and for decimals, in any script's digits.

    ## Why is this bad?
    Limits and scales are instructions: `at most 30 words` must not become `at most 300`.

    ## Example
    `no more than 30 words` translated as `pas plus de 20 mots`

    ## Use instead
    `pas plus de 30 mots`
    """

    id = "number"
    # Thousands, which points, commas and blanks that do not break may part; decimals; the rest.
    # What has several points or commas otherwise is a list, a date or a version.
    _number = re.compile(
        r"\d+(?:[.,٬’\u00a0\u2009\u202f]\d{3})+(?:[.,٫]\d+)?(?!\d)"
        r"|(?<!\d[.,])\d+[.,٫]\d+(?!\d|[.,]\d)|\d+"
    )

    def _numbers(self, text: str) -> set[str]:
        return {self._plain(match[0]) for match in self._number.finditer(text)}

    def _plain(self, number: str) -> str:
        return re.sub(r"\D", "", "".join(map(_digit, number)))

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the numbers that are not there."""
        lost = {*self._number.findall(unit.source_plain)} - {*self._number.findall(unit.plain)}
        if not any(len(number) > 1 for number in lost):
            return
        there = self._numbers(unit.plain)
        for match in self._number.finditer(unit.source_plain):
            number = self._plain(match[0])
            if len(number) > 1 and number not in there:
                there.add(number)
                yield self.found(
                    unit,
                    f"the number {match[0]} of the source is not there",
                    f"write {match[0]}",
                    subject=match[0],
                )


@cache
def _digit(char: str) -> str:
    return str(unicodedata.digit(char, char))
