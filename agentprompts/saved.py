"""An application's overrides in a file, each with the default text that it replaced.

So an upgrade shows which overrides were written against a text that has changed since. The file is
TOML: a table for each override under `everywhere`, or under the locale that it holds in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .diagnostics import Diagnostic
from .errors import PromptError, raise_faults
from .files import read_file, write_text
from .locales import canonical, resolve
from .packstate import fingerprint
from .registry import LocalizedRegistry, PromptRegistry
from .tomltext import MOST_BYTES, TomlFile, quote_key, quote_text, read_toml

__all__ = ["StaleOverride", "load_overrides", "save_overrides", "stale"]

Path = str | os.PathLike[str]

_EVERYWHERE = "everywhere"
_FIELDS = ("text", "base", "fingerprint")
_CODE = "saved-invalid"
_HEAD = """\
# Written by agentprompts: each override, and the default that it replaced (base).
"""


class StaleOverride(NamedTuple):
    """An override whose default has changed since it was written."""

    key: str
    locale: str | None
    """The language that it holds in; `None` for all."""
    base: str
    """The default that it replaced."""
    default: str
    """The default of today."""
    text: str
    """The override."""


@dataclass(frozen=True, slots=True, eq=False)
class _Saved:
    key: str
    locale: str | None
    text: str
    base: str
    made: str
    """Fingerprint of the base; empty in a file written by hand, whose overrides are never stale."""
    file: TomlFile | None = None
    path: tuple[str, ...] = ()

    def placed(self, found: Diagnostic) -> Diagnostic:
        place = None if self.file is None else self.file.place(self.path, found.offset)
        return found.at(key=self.key, locale=self.locale, place=place)


def save_overrides(registry: PromptRegistry, path: Path, *, reviewed: Iterable[str] = ()) -> None:
    """Write every override of a registry to a file, in all locales.

    Args:
        registry: The registry; of a localized one, its parent.
        path: The file. What stands there counts on: an override that it has already keeps its
            base, so that it stays stale, and one that cannot be applied today is not lost.
            Comments written by hand are.
        reviewed: Keys of stale overrides that are right as they are: today's default is their
            base from now on.

    Raises:
        PromptError: The file that is there cannot be read, or the new one not be written.
    """
    registry = _root(registry)
    saved, faults = _read(path)
    raise_faults(f"Cannot write over {os.fspath(path)}", faults)
    _, _, kept = _judged(registry, saved)
    before = {(one.locale, _today(registry, one.key)): one for one in saved}
    done = frozenset(reviewed)
    for locale, texts in registry.overrides().items():
        for key, text in texts.items():
            old = before.get((locale, key))
            if old is None or old.text != text or key in done or not old.made:
                base = _default(registry, key, locale)
                old = _Saved(key, locale, text, base, fingerprint(base))
            kept.append(old if old.key == key else _Saved(key, locale, text, old.base, old.made))
    parts = [_HEAD]
    for one in sorted(kept, key=lambda one: (one.locale or "", one.key)):
        parts.append(f"\n[{quote_key((one.locale or _EVERYWHERE, one.key))}]\n")
        values = {"text": one.text, "base": one.base, "fingerprint": one.made}
        parts += [f"{name} = {quote_text(value)}\n" for name, value in values.items() if value]
    write_text(path, "".join(parts))


def load_overrides(registry: PromptRegistry, path: Path) -> tuple[Diagnostic, ...]:
    """Put the overrides of a file in force, as far as they can be; nothing raises.

    Args:
        registry: Where they are applied; each passes the same check as any override.
        path: The file. One that does not exist has no overrides.

    Returns:
        What the application should tell its owner: errors for overrides that were left out (their
        prompt is gone, or they break its contract), warnings for those that follow a renamed key
        or whose default has changed.
    """
    registry = _root(registry)
    try:
        saved, faults = _read(path)
    except PromptError as error:
        return error.diagnostics
    good, findings, _ = _judged(registry, saved)
    findings = faults + findings
    for locale, texts in good.items():
        try:
            registry.override(texts, locale)
        except PromptError as error:  # the registry has changed since it was judged
            findings += error.diagnostics
    for one in _moved(registry, saved):
        message = "the default that this override replaced has changed since"
        mend = f"compare: agentprompts diff --saved {os.fspath(path)}"
        findings.append(
            Diagnostic(
                code="override-stale",
                severity="warning",
                message=message,
                mend=mend,
                key=one.key,
                locale=one.locale,
            )
        )
    return tuple(findings)


def stale(registry: PromptRegistry, path: Path) -> list[StaleOverride]:
    """Return the overrides of a file whose default has changed since, with all three texts.

    Raises:
        PromptError: The file cannot be read.
    """
    saved, faults = _read(path)
    raise_faults(f"Cannot read {os.fspath(path)}", faults)
    return _moved(_root(registry), saved)


def _moved(registry: PromptRegistry, saved: list[_Saved]) -> list[StaleOverride]:
    found = []
    for one in saved:
        key = _today(registry, one.key)
        if one.made and key in registry:
            now = _default(registry, key, one.locale)
            if fingerprint(now) != one.made:
                found.append(StaleOverride(key, one.locale, one.base, now, one.text))
    return found


def _judged(
    registry: PromptRegistry, saved: list[_Saved]
) -> tuple[dict[str | None, dict[str, str]], list[Diagnostic], list[_Saved]]:
    """Return the texts that can be applied, the findings, and what cannot be applied."""
    trial = registry.copy()
    good: dict[str | None, dict[str, str]] = {}
    findings: list[Diagnostic] = []
    refused = []
    names = {(one.locale, one.key) for one in saved}
    for one in saved:
        key = _today(registry, one.key)
        if key != one.key:
            message = f"the key {one.key!r} is called {key!r} today"
            mend = "save the overrides again"
            renamed = Diagnostic(code="key-renamed", message=message, mend=mend, severity="warning")
            findings.append(one.placed(renamed))
            if (one.locale, key) in names:
                continue  # where both names are there, today's is meant
        try:
            trial.override({key: one.text}, one.locale)
        except PromptError as error:
            refused.append(one)
            # What is no locale has a headline alone.
            wrong = error.diagnostics or [Diagnostic(code=_CODE, message=error.headline)]
            findings += [one.placed(fault) for fault in wrong]
        else:
            good.setdefault(one.locale, {})[key] = one.text
    return good, findings, refused


def _read(path: Path) -> tuple[list[_Saved], list[Diagnostic]]:
    """Return what is saved in a file, and what in it is no override; nothing without a file."""
    target = os.path.realpath(path)
    if not os.path.lexists(target):
        return [], []
    folder, name = os.path.split(target)
    file = read_toml(read_file(folder, name, MOST_BYTES), os.fspath(path))
    saved, faults = [], []
    for section, table in file.data.items():
        if not isinstance(table, Mapping):
            faults.append(_no_override(file, section))
            continue
        for key, entry in table.items():
            has = entry if isinstance(entry, Mapping) else {}
            values = [has.get(name, "") for name in _FIELDS]
            if "text" in has and all(isinstance(value, str) for value in values):
                locale = None if section == _EVERYWHERE else _spelled(section)
                text, base, made = values
                saved.append(_Saved(key, locale, text, base, made, file, (section, key, "text")))
            else:
                faults.append(_no_override(file, section, key))
    return saved, faults


def _no_override(file: TomlFile, *path: str) -> Diagnostic:
    message, mend = "this is no saved override", "write a table with a text, or take it out"
    return Diagnostic(code=_CODE, message=message, mend=mend, place=file.place(path))


def _spelled(tag: str) -> str:
    try:
        return canonical(tag) or tag
    except PromptError:
        return tag  # told when it is applied


def _root(registry: PromptRegistry) -> PromptRegistry:
    return registry.root if isinstance(registry, LocalizedRegistry) else registry


def _today(registry: PromptRegistry, key: str) -> str:
    state = registry._state
    return key if key in state else state.packs.renamed.get(key, key)


def _default(registry: PromptRegistry, key: str, locale: str | None) -> str:
    """Return the text that holds without any override."""
    state = registry._state
    found = None
    if locale is not None:
        packs = state.packs
        found = packs.along(resolve(locale, packs.locales, packs.source)).get(key)
    return (found or state.source(key)).template
