"""Contracts and packs from TOML text. Text in, values out: files are the catalog's business.

`catalog.toml` has a table for each key, with its contract; `<locale>.toml` has the texts. Every
fault is a diagnostic with its place, down to the character in a text of many lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from .diagnostics import Diagnostic
from .errors import PromptError, raise_faults
from .locales import spelling
from .scanner import Contract, key_faults
from .template import PromptTemplate
from .tomltext import MOST_DEPTH, TomlFile

__all__ = [
    "Contracts",
    "Pack",
    "is_untranslated",
    "read_contracts",
    "read_pack",
    "source_templates",
]

Path = tuple[str | int, ...]

_IGNORE = r"#\s*ignore\s+(?P<check>[a-z-]+)\s*(?::(?P<reason>.*))?"
_HEADER = "catalog"
_MOST_GUESSES = 20
"""Most unknown keys that a known one is looked for: each look costs as much as the catalog."""
_FIELDS = ("description", "variables", "protected", "renamed_from")


class Contracts(NamedTuple):
    """What `catalog.toml` says: the source's locale, each key's contract, old names, a glossary."""

    file: TomlFile
    source: str
    contracts: Mapping[str, Contract]
    paths: Mapping[str, Path]
    renamed: Mapping[str, str]
    """The key of today by the key that it had."""
    glossary: tuple[str, ...] = ()
    """Terms that stay as they are in every language."""


class Pack(NamedTuple):
    """The texts of one locale, and where they stand."""

    file: TomlFile
    locale: str
    texts: Mapping[str, str]
    paths: Mapping[str, Path]

    def placed(self, key: str, found: Diagnostic) -> Diagnostic:
        """Return a finding on one of the texts with its place in the file."""
        place = self.file.place(self.paths[key], found.offset)
        return found.at(key=key, locale=self.locale, place=place)

    def ignores(self, key: str) -> dict[str, str]:
        """Return the checks that a translator has set aside for a text, each with its reason.

        They stand in comments right above the key: `# ignore number: "30" is spelled out here`.
        """
        lines = self.file.lines
        line = self.file.place(self.paths[key]).line - 2
        found = {}
        while line >= 0 and lines[line].lstrip().startswith("#"):
            if (match := re.fullmatch(_IGNORE, lines[line].strip())) is not None:
                found[match["check"]] = (match["reason"] or "").strip()
            line -= 1
        return found

    def judged(
        self, sources: Mapping[str, PromptTemplate], renamed: Mapping[str, str]
    ) -> tuple[dict[str, PromptTemplate], tuple[Diagnostic, ...]]:
        """Return the templates that honour their contract, and the findings on the others.

        Args:
            sources: The templates of the source language by key.
            renamed: The key of today by the key that it had.
        """
        templates: dict[str, PromptTemplate] = {}
        findings: list[Diagnostic] = []
        misnamed = self.misnamed(sources, renamed)
        for key, text in self.texts.items():
            if key in misnamed:
                findings.append(misnamed[key])
            today = renamed.get(key, key) if key not in sources else key
            source = sources.get(today)
            if source is None or is_untranslated(text, source):
                continue
            if today != key and today in self.texts:
                continue
            faults = source.check(text)
            findings += [self.placed(key, fault) for fault in faults]
            if not any(fault.severity == "error" for fault in faults):
                templates[today] = source.reworded(text)
        return templates, tuple(findings)

    def misnamed(
        self, sources: Mapping[str, PromptTemplate], renamed: Mapping[str, str]
    ) -> dict[str, Diagnostic]:
        """Return the findings on keys that no prompt has, or that one had once."""
        findings: dict[str, Diagnostic] = {}
        known, unknown = list(sources), 0
        for key, text in self.texts.items():
            if key in sources:
                continue
            today = renamed.get(key, key)
            if today not in sources:
                unknown += 1
                guess = known if unknown <= _MOST_GUESSES else []
                findings[key] = self.placed(key, _unknown(key, guess))
            elif not is_untranslated(text, sources[today]):
                findings[key] = self.placed(key, _renamed(key, today))
        return findings


class _Faults:
    """Findings on one file, each put at its place."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.found: list[Diagnostic] = []

    def add(self, path: Path, code: str, message: str, mend: str, key: str | None = None) -> None:
        place = self.file.place(path)
        self.found.append(Diagnostic(code=code, message=message, mend=mend, key=key, place=place))


def is_untranslated(text: str, source: PromptTemplate) -> bool:
    """Whether a text of a pack only holds the place of one: blank, where the source is not."""
    return not text.strip() and bool(source.template.strip())


def read_contracts(file: TomlFile) -> Contracts:
    """Read `catalog.toml`.

    Raises:
        PromptError: With every fault in the file.
    """
    faults = _Faults(file)
    source, glossary = _header(file.data, faults)
    contracts: dict[str, Contract] = {}
    paths: dict[str, Path] = {}
    renamed: dict[str, str] = {}
    for path, table in _tables(file.data, (), faults):
        key = ".".join(path)
        if _new_key(key, path, paths, faults):
            contracts[key] = _contract(key, path, table, faults)
            for old in _old_names(key, path, table, faults):
                if old in renamed:
                    at = (*path, "renamed_from")
                    message = f"{old!r} is the old name of {renamed[old]!r} already"
                    faults.add(at, "key-renamed", message, "take one of the two out", key)
                renamed[old] = key
    for old, key in renamed.items():
        if old in contracts:
            mend = "take one of the two out"
            message = f"{old!r} is the old name of {key!r}, and a key of its own"
            faults.add((*paths[key], "renamed_from"), "key-renamed", message, mend, key)
    _no_prefixes(paths, faults)
    raise_faults(f"Invalid catalog {file.name}", faults.found)
    return Contracts(file, source, contracts, paths, renamed, glossary)


def read_pack(file: TomlFile, locale: str) -> Pack:
    """Read the texts of a locale; whether they honour their contracts is judged later.

    Raises:
        PromptError: With everything in the file that is no text under a key.
    """
    faults = _Faults(file)
    texts: dict[str, str] = {}
    paths: dict[str, Path] = {}
    for path, value in _leaves(file.data, (), faults):
        key = ".".join(path)
        if not isinstance(value, str):
            kind = type(value).__name__
            faults.add(path, "text-type", f"{kind} where a text belongs", "write '''text'''", key)
        elif _new_key(key, path, paths, faults):
            texts[key] = value
    _no_prefixes(paths, faults)
    raise_faults(f"Invalid pack {file.name}", faults.found)
    return Pack(file, locale, texts, paths)


def source_templates(contracts: Contracts, pack: Pack) -> dict[str, PromptTemplate]:
    """Return the templates of the source language, in the order of the contracts.

    Raises:
        PromptError: With every text that breaks its contract, and every key that has only a text
            or only a contract.
    """
    faults = _Faults(pack.file)
    for key in pack.texts:
        if key not in contracts.contracts:
            mend = f'add a table ["{key}"] to {contracts.file.name}'
            faults.add(pack.paths[key], "contract-missing", "there is no contract", mend, key)
    templates: dict[str, PromptTemplate] = {}
    for key, contract in contracts.contracts.items():
        if key in pack.texts:
            try:
                templates[key] = PromptTemplate.from_contract(pack.texts[key], contract)
            except PromptError as error:
                faults.found += [pack.placed(key, fault) for fault in error.diagnostics]
        else:
            place = contracts.file.place(contracts.paths[key])
            mend = f"write it in {pack.file.name}"
            faults.found.append(
                Diagnostic(
                    code="text-missing", message="there is no text", mend=mend, key=key, place=place
                )
            )
    raise_faults(f"Invalid catalog {contracts.file.name}", faults.found)
    return templates


def _header(data: Mapping[str, Any], faults: _Faults) -> tuple[str, tuple[str, ...]]:
    header = data.get(_HEADER)
    if not isinstance(header, Mapping) or not isinstance(header.get("source"), str):
        mend = 'begin the file with [catalog] and source = "en"'
        faults.add((_HEADER,), "catalog-invalid", "the source language is not said", mend)
        return "en", ()
    for name in header:
        if name not in ("source", "glossary"):
            faults.add((_HEADER, name), "catalog-invalid", f"unknown field {name!r}", "take it out")
    glossary = _glossary(header.get("glossary", []), faults)
    try:
        return spelling(header["source"]), glossary
    except PromptError as error:
        faults.add((_HEADER, "source"), "locale-invalid", error.headline, 'write source = "en"')
        return "en", glossary


def _glossary(terms: object, faults: _Faults) -> tuple[str, ...]:
    """Return the terms as a contract would take them: they are looked for like its tokens."""
    why = ["is no list"]
    if isinstance(terms, list):
        try:
            return Contract((), terms).protected
        except PromptError as error:
            why = [found.message.partition(": ")[2] for found in error.diagnostics]
    for each in why:
        at, mend = (_HEADER, "glossary"), 'write glossary = ["JSON"]'
        faults.add(at, "catalog-invalid", f"the glossary: {each}", mend)
    return ()


def _tables(
    data: Mapping[str, Any], path: tuple[str, ...], faults: _Faults
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Yield (path, table) of each contract: a table that holds more than tables, or nothing."""
    for name, value in data.items():
        if not path and name == _HEADER:
            continue
        here = (*path, name)
        if not isinstance(value, Mapping):
            mend = f'write a table: ["{".".join(here)}"]'
            faults.add(here, "contract-invalid", f"{name!r} stands outside of a prompt", mend)
            continue
        inner = {n: v for n, v in value.items() if isinstance(v, Mapping) and n not in _FIELDS}
        if len(inner) < len(value) or not value:
            yield here, {n: v for n, v in value.items() if n not in inner}
        yield from _tables(inner, here, faults)


def _leaves(
    data: Mapping[str, Any], path: tuple[str, ...], faults: _Faults
) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, name), faults)
        else:
            yield (*path, name), value


def _new_key(key: str, path: Path, paths: dict[str, Path], faults: _Faults) -> bool:
    """Take a key down, or report why it cannot be one."""
    wrong = key_faults(key)
    if not wrong and key.count(".") >= MOST_DEPTH:
        shown = f"{key[:40]}…"
        message = f"the key {shown!r} has more than {MOST_DEPTH} segments"
        wrong = [Diagnostic(code="key-invalid", message=message, mend="shorten it", key=shown)]
    if wrong:
        faults.found += [fault.at(place=faults.file.place(path)) for fault in wrong]
        return False
    if key in paths:
        faults.found.append(
            Diagnostic(
                code="key-duplicate",
                message=f"the key {key!r} is there twice",
                mend="keep one of the two",
                key=key,
                place=faults.file.place(path),
                related=faults.file.place(paths[key]),
            )
        )
        return False
    paths[key] = path
    return True


def _no_prefixes(paths: Mapping[str, Path], faults: _Faults) -> None:
    for key, path in paths.items():
        short = key
        while short := short.rpartition(".")[0]:
            if short in paths:
                faults.add(
                    path,
                    "key-prefix",
                    f"the key {short!r} is the beginning of the key {key!r}",
                    "rename one of the two: tools that write nested TOML lose one of them",
                    key,
                )


def _old_names(key: str, path: Path, table: Mapping[str, Any], faults: _Faults) -> list[str]:
    old = table.get("renamed_from")
    if old is None:
        return []
    names = [old] if isinstance(old, str) else old
    at = (*path, "renamed_from")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        message, mend = "renamed_from is no key", 'write "the.old.key"'
        faults.add(at, "contract-invalid", message, mend, key)
        return []
    wrong = [fault for name in names for fault in key_faults(name)]
    faults.found += [replace(fault, key=key, place=faults.file.place(at)) for fault in wrong]
    return [] if wrong else names


def _contract(key: str, path: Path, table: Mapping[str, Any], faults: _Faults) -> Contract:
    for name in table:
        if name not in _FIELDS:
            from difflib import get_close_matches

            close = get_close_matches(name, _FIELDS, 1)
            mend = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(_FIELDS)}"
            faults.add((*path, name), "contract-invalid", f"unknown field {name!r}", mend, key)
    given = {name: table[name] for name in _FIELDS[:3] if name in table}
    for name in _FIELDS[1:3]:
        if not isinstance(given.get(name, []), list):
            message = f"{name} is {given.pop(name)!r}, but must be a collection of str"
            faults.add((*path, name), "contract-invalid", message, f'write {name} = ["…"]', key)
    try:
        return Contract(**given)
    except PromptError as error:
        for found in error.diagnostics:
            at = faults.file.place((*path, found.subject or ""))
            faults.found.append(found.at(key=key, place=at))
        return Contract()


def _unknown(key: str, known: list[str]) -> Diagnostic:
    from difflib import get_close_matches  # a millisecond, and only for a fault

    close = get_close_matches(key, known, 1, 0.75)
    return Diagnostic(
        code="key-unknown",
        message=f"the catalog has no key {key!r}",
        mend=f"did you mean {close[0]!r}?" if close else "take the entry out",
        key=key,
    )


def _renamed(key: str, today: str) -> Diagnostic:
    return Diagnostic(
        code="key-renamed",
        message=f"the key {key!r} is called {today!r} today",
        mend="rename it in this file",
        severity="warning",
        key=key,
    )
