"""The texts of other locales: read when first asked for, and shared by every copy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from ..diagnostics import Diagnostic
from ..template import PromptTemplate

__all__ = ["LocalePacks"]

Texts = Mapping[str, PromptTemplate]
Load = Callable[[], tuple[Texts, tuple[Diagnostic, ...]]]


class LocalePacks:
    """Packs by locale. Immutable but for what it remembers of its reading.

    Args:
        source: The locale of the registered texts themselves.
        loads: For each other locale, the function that reads its templates (those that honour
            their contract) and the findings on what was left out.
    """

    __slots__ = ("_flat", "_loads", "_lock", "_read", "source")

    def __init__(self, source: str = "en", loads: Mapping[str, Load] | None = None) -> None:
        self.source = source
        self._loads = dict(loads or {})
        self._read: dict[str, tuple[Texts, tuple[Diagnostic, ...]]] = {}
        self._flat: dict[tuple[str, ...], Texts] = {}
        self._lock = threading.RLock()

    @property
    def locales(self) -> tuple[str, ...]:
        """The source's locale and those that have a pack, sorted."""
        return tuple(sorted({self.source, *self._loads}))

    def texts(self, locale: str) -> Texts:
        """Return one pack's templates; none for the source's locale, whose texts are registered."""
        return self._get(locale)[0]

    def findings(self, locale: str) -> tuple[Diagnostic, ...]:
        """Return what was left out of one pack, and why."""
        return self._get(locale)[1]

    def _get(self, locale: str) -> tuple[Texts, tuple[Diagnostic, ...]]:
        if locale not in self._read:
            with self._lock:
                if locale not in self._read:
                    load = self._loads.get(locale)
                    self._read[locale] = load() if load is not None else ({}, ())
        return self._read[locale]

    def along(self, chain: tuple[str, ...]) -> Texts:
        """Return the templates found along a chain of locales, the nearest first."""
        if (flat := self._flat.get(chain)) is None:
            merged: dict[str, PromptTemplate] = {}
            for locale in reversed(chain):
                merged.update(self.texts(locale))
            flat = self._flat[chain] = merged
        return flat

    def joined(
        self, other: LocalePacks, sources: Texts, rename: Callable[[str], str]
    ) -> LocalePacks:
        """Return packs with another catalog's beside these, its keys renamed.

        Args:
            other: The other catalog's packs.
            sources: Its registered templates; they are its pack in its own source locale.
            rename: From its keys to the keys they have here.
        """
        theirs = {locale: other._loads[locale] for locale in other._loads}
        if other.source != self.source:
            theirs[other.source] = lambda: (sources, ())
        loads = dict(self._loads)
        for locale, load in theirs.items():
            loads[locale] = _both(self._loads.get(locale), load, rename)
        return LocalePacks(self.source, loads)

    def __reduce__(self) -> tuple[Any, ...]:
        read = {locale: (dict(self.texts(locale)), self.findings(locale)) for locale in self._loads}
        return _restore, (self.source, read)


def _both(ours: Load | None, theirs: Load, rename: Callable[[str], str]) -> Load:
    def load() -> tuple[Texts, tuple[Diagnostic, ...]]:
        texts, findings = ours() if ours is not None else ({}, ())
        new, more = theirs()
        return {**texts, **{rename(key): text for key, text in new.items()}}, (*findings, *more)

    return load


def _restore(source: str, read: dict[str, tuple[Texts, tuple[Diagnostic, ...]]]) -> LocalePacks:
    def known(locale: str) -> Load:
        return lambda: read[locale]

    return LocalePacks(source, {locale: known(locale) for locale in read})
