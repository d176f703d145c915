"""Checks of the language: is it translated, in which script, and how long has it become?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import regex

from ..diagnostics import Diagnostic
from ..locales import script_of
from ..scanner import find_slots, find_tokens, holds_term
from .base import Check, Unit

__all__ = ["Glossary", "Length", "Unchanged", "WrongScript", "words_of"]

_NOT_WORDS = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+|</?[A-Za-z][^<>\n]*>|\"[^\"\n]*\"\s*:|\{[^{}]*\}",
    re.DOTALL,
)
_LETTERS = regex.compile(r"\p{L}+")


def words_of(unit: Unit, text: str) -> str:
    """Return what of a text is translated: no tokens, terms, code, tags, addresses, keys."""
    slots = find_slots(text, unit.source.contract)
    for token in (*unit.source.contract.tokens, *unit.terms):
        size = len(token.literal)
        for at in find_tokens(text, token, slots):
            text = text[:at] + " " * size + text[at + size :]
    return _NOT_WORDS.sub(" ", text)


class Glossary(Check):
    """A term of the catalog's glossary is missing.

    ## What it does
    Looks for each term of `glossary` in `catalog.toml` that stands in the source as a word. An
    ending of the language may follow it: `JSON'u`, `JSONu`, `JSON-Objekt`.

    ## Why is this bad?
    Names of formats, products and languages are the same everywhere; the model knows no others.

    ## Example
    `Write Markdown.` translated as `Schreibe Abschlag.`

    ## Use instead
    `Schreibe Markdown.`
    """

    id = "glossary"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the terms that are not there."""
        for term in unit.terms:
            if not holds_term(unit.text, term, unit.slots):
                yield self.found(
                    unit,
                    f"the term {term.literal!r} of the source is not there",
                    f"write {term.literal!r}: the glossary keeps it in every language",
                    subject=term.literal,
                )


class Unchanged(Check):
    """The text is still the source's.

    ## What it does
    Compares the text with the source, where the source has words to translate.

    ## Why is this bad?
    The prompt stays in the source language while the pack counts it as translated.

    ## Example
    `Answer in one sentence.` in `fr.toml`

    ## Use instead
    `Répondez en une phrase.`, or no entry at all: it falls back, and is counted.
    """

    id = "unchanged"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a text that equals its source."""
        if unit.text != unit.source.template:
            return
        words = regex.findall(r"\p{L}{2,}", words_of(unit, unit.source_plain))
        if len(words) > 2:
            yield self.found(
                unit,
                "the text is the same as the source",
                "translate it, or take the entry out so that it counts as missing",
                0,
            )


class WrongScript(Check):
    """The text is not in the locale's script.

    ## What it does
    Counts the letters of the locale's script among those that a translator would write. For
    Chinese it tells simplified from traditional characters.

    ## Why is this bad?
    The reader, or the model's user, gets another language than the one asked for.

    ## Example
    `請總結對話` in `zh-Hans.toml`

    ## Use instead
    `请总结对话`
    """

    id = "wrong-script"
    _classes = {  # noqa: RUF012  # a table, never written to
        "Hans": r"\p{Han}",
        "Hant": r"\p{Han}",
        "Jpan": r"\p{Han}\p{Hiragana}\p{Katakana}",
        "Kore": r"\p{Hangul}\p{Han}",
    }
    _other_han = {"Hans": ("gb2312", "big5"), "Hant": ("big5", "gb2312")}  # noqa: RUF012

    @classmethod
    @cache
    def _letters(cls, script: str) -> tuple[regex.Pattern[str] | None, regex.Pattern[str] | None]:
        """Return the patterns of a script's letters and of all others, if the library knows it."""
        own = cls._classes.get(script) or rf"\p{{Script={script}}}"
        try:
            return regex.compile(f"[{own}]+"), regex.compile(rf"[\p{{L}}--[{own}]]", regex.V1)
        except regex.error:
            return None, None

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a text of which less than a third is in the script."""
        script = script_of(unit.locale) if unit.locale else ""
        own, foreign = self._letters(script)
        if own is None or foreign is None:
            return
        if script not in self._other_han and foreign.search(unit.plain) is None:
            return  # as most texts are: nothing to count
        letters = "".join(_LETTERS.findall(words_of(unit, unit.plain)))
        if len(letters) < 12:
            return
        share = sum(map(len, own.findall(letters))) / len(letters)
        if share < 1 / 3:
            yield self.found(
                unit,
                f"{share:.0%} of the letters are in the script of {unit.locale} ({script})",
                f"translate the text into {unit.locale}",
                0,
            )
        elif script in self._other_han:
            ours, theirs = self._other_han[script]
            han = "".join(own.findall(letters))
            if _encodes(han, ours):
                return
            other = [c for c in han if not _encodes(c, ours) and _encodes(c, theirs)]
            if len(other) > len(han) / 8:
                yield self.found(
                    unit,
                    f"{other[0]!r} and other characters are not those of {unit.locale}",
                    f"write the text in {unit.locale}",
                    unit.text.index(other[0]),
                )


def _encodes(text: str, codec: str) -> bool:
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return False
    return True


class Length(Check):
    """The text is much shorter or longer than the source.

    ## What it does
    Compares lengths, with each Chinese, Japanese or Korean character counted as two and a half.

    ## Why is this bad?
    Something was lost in it, or put into it.

    ## Example
    A prompt of ten rules translated in one sentence.

    ## Use instead
    A text that says all that the source says.
    """

    id = "length"
    _maybe_wide = re.compile("[\u1100-\U0010ffff]")  # what is below costs a tenth this way
    _wide = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+")

    def _size(self, text: str) -> float:
        wide = self._wide.findall(text) if self._maybe_wide.search(text) else []
        return len(text) + 1.5 * sum(map(len, wide))

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a length that is far off."""
        source = self._size(unit.source.template)
        ratio = self._size(unit.text) / source if source >= 80 else 1.0
        if unit.text.strip() and not 0.4 <= ratio <= 2.5:
            yield self.found(
                unit,
                f"the text has {ratio:.1f} times the length of the source",
                "see whether something was left out, or added",
                0,
            )
