"""The texts of other locales: read when first asked for, and shared by every copy."""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..diagnostics import Diagnostic
from ..template import PromptTemplate

__all__ = ["LocalePacks"]

Texts = Mapping[str, PromptTemplate]
Read = tuple[Texts, tuple[Diagnostic, ...]]
Load = Callable[[], Read]


class _Pack:
    """One pack, read once, whoever asks and however often it is included."""

    __slots__ = ("_load", "_lock", "_read")

    def __init__(self, load: Load) -> None:
        self._load = load
        self._lock = RLock()
        self._read: Read | None = None

    def read(self) -> Read:
        if self._read is None:
            with self._lock:
                if self._read is None:
                    self._read = self._load()
        return self._read


def _registered(texts: Texts) -> _Pack:
    return _Pack(lambda: (texts, ()))


class LocalePacks:
    """Packs by locale. Immutable but for what it remembers of its reading.

    Args:
        source: The locale of the registered texts themselves.
        loads: For each other locale, the function that reads its templates (those that honour
            their contract) and the findings on what was left out.
        renamed: The key of today by each key that a prompt had before.
    """

    __slots__ = ("_flat", "_packs", "foreign", "renamed", "source")

    def __init__(
        self,
        source: str = "en",
        loads: Mapping[str, Load] | None = None,
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        self.source = source
        self.renamed = dict(renamed or {})
        self.foreign: dict[str, str] = {}
        """The locale of those registered texts that are not in the source's."""
        # (prefix of the keys, pack): a flat list, however many catalogs were joined.
        self._packs: dict[str, tuple[tuple[str, _Pack], ...]] = {
            locale: (("", _Pack(load)),) for locale, load in (loads or {}).items()
        }
        self._flat: dict[tuple[str, ...], Texts] = {}

    @property
    def locales(self) -> tuple[str, ...]:
        """The source's locale and those that have a pack, sorted."""
        return tuple(sorted({self.source, *self._packs}))

    def texts(self, locale: str) -> Texts:
        """Return the templates of a locale; none for the source's, whose texts are registered."""
        return self.along((locale,))

    def findings(self, locale: str) -> tuple[Diagnostic, ...]:
        """Return what was left out of the packs of a locale, and why."""
        return tuple(
            replace(found, key=prefix + found.key) if prefix and found.key else found
            for prefix, pack in self._packs.get(locale, ())
            for found in pack.read()[1]
        )

    def along(self, chain: tuple[str, ...]) -> Texts:
        """Return the templates found along a chain of locales, the nearest first."""
        if (flat := self._flat.get(chain)) is None:
            merged: dict[str, PromptTemplate] = {}
            for locale in reversed(chain):
                for prefix, pack in self._packs.get(locale, ()):
                    texts = pack.read()[0]
                    merged.update({prefix + k: t for k, t in texts.items()} if prefix else texts)
            flat = self._flat[chain] = merged
        return flat

    def joined(self, other: LocalePacks, sources: Texts, prefix: str) -> LocalePacks:
        """Return packs with another catalog's beside these.

        Args:
            other: The other catalog's packs.
            sources: Its registered templates; they are its pack in its own source locale.
            prefix: What its keys have before them here.
        """
        theirs = dict(other._packs)
        ours = other.texts(self.source)
        made = LocalePacks(self.source)
        made.renamed = dict(self.renamed)
        for old, key in other.renamed.items():
            made.renamed[prefix + old] = prefix + key
        made.foreign = dict(self.foreign)
        by_locale: dict[str, dict[str, PromptTemplate]] = {}
        for key, template in sources.items():
            locale = other.foreign.get(key, other.source)
            if locale != self.source:
                by_locale.setdefault(locale, {})[key] = template
                if key not in ours:
                    made.foreign[prefix + key] = locale
        for locale, texts in by_locale.items():
            theirs[locale] = (*theirs.get(locale, ()), ("", _registered(texts)))
        made._packs = dict(self._packs)
        for locale, packs in theirs.items():
            renamed = tuple((prefix + inner, pack) for inner, pack in packs)
            made._packs[locale] = made._packs.get(locale, ()) + renamed
        made._packs.pop(self.source, None)  # registered, as the source's texts are
        return made

    def replaced(self, old: LocalePacks, new: LocalePacks) -> LocalePacks:
        """Return these packs with those of one catalog in the place of another's."""
        gone = {id(pack) for packs in old._packs.values() for _, pack in packs}
        made = LocalePacks(new.source)
        for field in ("renamed", "foreign"):
            ours, theirs = getattr(self, field), getattr(old, field)
            stay = {key: value for key, value in ours.items() if key not in theirs}
            setattr(made, field, stay | getattr(new, field))
        for locale in {**new._packs, **self._packs}:
            others = tuple(one for one in self._packs.get(locale, ()) if id(one[1]) not in gone)
            if packs := new._packs.get(locale, ()) + others:
                made._packs[locale] = packs
        return made

    def extended(self, locale: str, texts: Texts) -> LocalePacks:
        """Return packs with texts in a locale beside these, for keys that it lacks."""
        made = self.joined(LocalePacks(self.source), {}, "")
        made._packs[locale] = (*made._packs.get(locale, ()), ("", _registered(texts)))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        read = {
            locale: [(prefix, pack.read()) for prefix, pack in packs]
            for locale, packs in self._packs.items()
        }
        return _restore, (self.source, read, self.renamed, self.foreign)


def _restore(
    source: str,
    read: Mapping[str, list[tuple[str, Read]]],
    renamed: Mapping[str, str],
    foreign: dict[str, str],
) -> LocalePacks:
    def known(one: Read) -> _Pack:
        return _Pack(lambda: one)

    made = LocalePacks(source, renamed=renamed)
    made.foreign = foreign
    made._packs = {
        locale: tuple((prefix, known(one)) for prefix, one in packs)
        for locale, packs in read.items()
    }
    return made
