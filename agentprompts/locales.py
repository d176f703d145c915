"""Locales: their spelling, and which of the available ones stand in for one that is asked for.

The chain is our own over CLDR's tables, which Babel ships: likely subtags, aliases and parents. It
never leaves the script of the locale asked for: a reader of Traditional Chinese gets the source
language before Simplified Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from .errors import PromptError

__all__ = ["canonical", "resolve", "same_language", "script_of", "spelling"]

# RFC 5646's langtag without its rare forms, and POSIX's spelling: en_US.UTF-8, sr_RS@latin.
# Compiled by `re` when first used, which not every process does: that takes a millisecond.
_TAG = (
    r"(?P<language>[A-Za-z]{2,3})"
    r"(?:[-_](?P<script>[A-Za-z]{4}))?"
    r"(?:[-_](?P<region>[A-Za-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:[-_](?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*)"
    r"(?:[-_][A-Za-z0-9](?:[-_][A-Za-z0-9]{2,8})+)*"
    r"(?:\.[A-Za-z0-9-]+)?"
    r"(?:@(?P<modifier>[A-Za-z]+))?"
)
_MODIFIERS = {"latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"}
_SOURCE = r"(?:(?:C|POSIX)(?:\.[A-Za-z0-9-]+)?)?"


class Locale(NamedTuple):
    """The subtags that choose a text; empty where one is not given."""

    language: str
    script: str = ""
    region: str = ""
    variants: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "-".join(part for part in (*self[:3], *self.variants) if part)


def parse(tag: str) -> Locale:
    """Read a BCP 47 tag or a POSIX locale; outdated subtags are replaced (`iw` by `he`).

    Raises:
        PromptError: The string is neither.
    """
    language, script, region, variants = _read(tag)
    # An alias may bring a script (sh: sr-Latn) or a region (prs: fa-AF) along.
    language, *more = _table("language_aliases").get(language, language).split("_")
    alias = {len(part): part for part in more}
    script, region = script or alias.get(4, ""), region or alias.get(2, "")
    regions = _table("territory_aliases").get(region, [region])
    return Locale(language, script, regions[0] if len(regions) == 1 else region, variants)


def _read(tag: str) -> Locale:
    match = re.fullmatch(_TAG, tag) if isinstance(tag, str) and len(tag) <= 100 else None
    modifier = ((match and match["modifier"]) or "").lower()
    if match is None or modifier not in ("", "euro", *_MODIFIERS, "valencia"):
        raise PromptError(
            f"{tag!r} is no locale: write a BCP 47 tag, such as 'zh-Hans', 'pt-BR' or 'sr-Latn'"
        )
    variants = [part.lower() for part in re.split("[-_]", match["variants"]) if part]
    if modifier == "valencia":
        variants.append(modifier)
    script = (match["script"] or "").title() or _MODIFIERS.get(modifier, "")
    region = (match["region"] or "").upper()
    return Locale(match["language"].lower(), script, region, tuple(variants))


def spelling(tag: str) -> str:
    """Return a locale in BCP 47's spelling, its subtags as they are; Babel is not asked.

    Raises:
        PromptError: The string is no locale.

    >>> spelling("pt_br"), spelling("iw"), canonical("iw")
    ('pt-BR', 'iw', 'he')
    """
    if isinstance(tag, str) and tag.isascii():
        # Most are of two forms; the expression takes longer to compile than a catalog to be read.
        language, dash, rest = tag.partition("-")
        plain = language.isalpha() and language.islower() and 2 <= len(language) <= 3
        if plain and (not dash or (rest.isalpha() and len(rest) == 4 and rest.istitle())):
            return tag
    return str(_read(tag))


def canonical(tag: str) -> str:
    """Return a locale in BCP 47's spelling; nothing for `C`, `POSIX` and the empty string.

    Raises:
        PromptError: The string is no locale.

    >>> canonical("zh_hans_CN.UTF-8"), canonical("sr_RS@latin"), canonical("POSIX")
    ('zh-Hans-CN', 'sr-Latn-RS', '')
    """
    if isinstance(tag, str) and re.fullmatch(_SOURCE, tag) is not None:
        return ""
    return str(parse(tag))


def resolve(asked: str, available: Iterable[str], source: str) -> tuple[str, ...]:
    """Return the available locales whose texts stand in for `asked`, the nearest first.

    They are the locale, its CLDR parents, its language, and then other regions of the language.

    Args:
        asked: A locale; an empty one asks for the source.
        available: The locales that there are texts in, in BCP 47's spelling.
        source: The last resort, always the last of the answer. Empty for overrides, which hold in
            their locale and what is below it, and are no stand-ins for other regions.

    >>> resolve("zh-TW", ["en", "zh-Hans", "zh-Hant"], "en")
    ('zh-Hant', 'en')
    >>> resolve("zh-TW", ["en", "zh-Hans"], "en")
    ('en',)
    """
    chain: list[str] = []
    if canonical(asked):
        have = {tag: parse(tag) for tag in (*available, source) if tag}
        wanted = [*_candidates(parse(asked))]
        full = [_full(locale) for locale in wanted]
        for locale, whole in zip(wanted, full, strict=True):
            # The language itself stands in for all its regions; its usual region is one of them.
            bare = source and not locale.region and whole != full[0]
            same = [
                tag
                for tag, has in have.items()
                if _full(has) == whole and not (bare and has.region)
            ]
            chain += sorted(same, key=lambda tag: (tag != str(locale), len(tag), tag))
        chain += _kin(have, full) if source else []
    nearer = takewhile(lambda tag: tag != source, dict.fromkeys(chain))
    return (*nearer, source)


def _kin(have: Mapping[str, Locale], asked: list[Locale]) -> list[str]:
    """Return the tags of other regions, those that share the nearest CLDR parent first."""
    languages = {locale.language for locale in asked}
    ranked = []
    for tag, locale in have.items():
        if locale.variants or _full(locale).language not in languages:
            continue
        own = {_full(parent) for parent in _candidates(locale)}
        shared = next((at for at, parent in enumerate(asked) if parent in own), None)
        if shared is not None:
            usual = _full(locale) == asked[shared]
            ranked.append((shared, not usual, len(tag), tag))
    return [tag for *_, tag in sorted(ranked)]


def same_language(one: str, other: str) -> bool:
    """Whether two locales are of one language, in one script.

    >>> same_language("pt-BR", "pt-AO"), same_language("zh-TW", "zh-Hans")
    (True, False)
    """
    return _full(parse(one))[:2] == _full(parse(other))[:2]


@lru_cache(maxsize=64)
def script_of(tag: str) -> str:
    """Return the script that a locale is written in, as a code of ISO 15924.

    >>> script_of("zh-TW"), script_of("sr"), script_of("ja")
    ('Hant', 'Cyrl', 'Jpan')
    """
    return _full(parse(tag)).script


def _candidates(asked: Locale) -> Iterator[Locale]:
    """Yield a locale and its parents up to its language, all in its own script."""
    yield asked
    if asked.variants:
        asked = asked._replace(variants=())
        yield asked
    full = _full(asked)
    language, script, region, _ = full
    parents = _table("parent_exceptions")
    wanted: Locale | None = Locale(language, script, region)
    while wanted is not None and wanted.region:
        yield wanted
        _, _, region, _ = wanted
        parent = parents.get(f"{language}_{script}_{region}") or parents.get(f"{language}_{region}")
        above = Locale(language, script, "" if parent is None else _region(parent))
        wanted = above if above != wanted else None
    for above in (Locale(language), parse(parents.get(language, language))):
        if _full(above).script == script:
            yield above
        else:
            yield above._replace(script=script)


def _region(parent: str) -> str:
    return parse(parent).region


def _full(locale: Locale) -> Locale:
    """Return the locale with its likely script and region, Norwegian's two names made one."""
    language, script, region, variants = locale
    likely = _table("likely_subtags")
    for known in ((language, script, region), (language, region), (language, script), (language,)):
        if all(known) and (found := likely.get("_".join(known))) is not None:
            _, likely_script, likely_region = found.split("_")[:3]
            script, region = script or likely_script, region or likely_region
            break
    return Locale("no" if language == "nb" else language, script, region, variants)


def _table(name: str) -> Mapping[str, Any]:
    from babel.core import get_global

    table: Mapping[str, Any] = get_global(name)  # type: ignore[arg-type]
    return table
