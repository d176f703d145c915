"""What each tool finds: every one is run on files that are written for it into an empty folder.

The other tools know no catalogs of prompts, so each gets the texts in the notation that it knows
slots in, and every finding on a text counts for it, whatever it says.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import tomli_w
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from click.testing import CliRunner

from agentprompts import PromptTemplate
from agentprompts.cli.app import cli
from agentprompts.scanner import find_slots
from agentprompts.tomltext import quote_key, quote_text

from .sets import GLOSSARY, Entry, Group

__all__ = ["IN_A_PACK", "TOOLS", "Tool", "check_packs"]

Findings = dict[tuple[str, str], set[str]]
"""What was found on a text, by its group's name and its key."""

IN_A_PACK = {"text-empty": "key-missing"}
"""A blank text is an error as an override; in a pack it holds the place of one, and is missing."""


class Tool(NamedTuple):
    """A tool, and how it was used."""

    name: str
    find: Callable[[Path, list[Group]], Findings]
    installed: Callable[[], bool]
    use: str


def check_packs(folder: Path, groups: list[Group]) -> Findings:
    """Run `agentprompts check` on a catalog per group."""
    found: Findings = defaultdict(set)
    for group in groups:
        where = folder / group.name
        _write_catalog(where, group)
        command = ["check", "--catalog", str(where), "--format", "json"]
        done = CliRunner().invoke(cli, command, catch_exceptions=False)
        for one in json.loads(done.stdout):
            if one["key"]:
                found[group.name, one["key"]] |= {one["code"], one["severity"]}
            elif one["code"] == "key-missing":
                for entry in group.entries:
                    if not entry.text.strip() and entry.key in one["message"]:
                        found[group.name, entry.key].add(one["code"])
            else:
                raise RuntimeError(f"{group.name}: {one['message']}")  # a file that is no pack
    return found


def _write_catalog(folder: Path, group: Group) -> None:
    folder.mkdir()
    header: dict[str, object] = {"source": group.source_locale, "glossary": list(GLOSSARY)}
    contracts: dict[str, dict[str, object]] = {"catalog": header}
    texts: dict[str, list[str]] = {group.source_locale: [], group.locale: []}
    for entry in group.entries:
        source = entry.source
        contracts[entry.key] = {"variables": source.variables, "protected": source.protected}
        key = quote_key([entry.key])
        texts[group.source_locale].append(f"{key} = {quote_text(source.template)}")
        texts[group.locale] += [f"# ignore {name}: {why}" for name, why in entry.ignore.items()]
        texts[group.locale].append(f"{key} = {quote_text(entry.text)}")
    (folder / "catalog.toml").write_text(tomli_w.dumps(contracts), encoding="utf-8")
    for locale, lines in texts.items():
        (folder / f"{locale}.toml").write_text("\n".join([*lines, ""]), encoding="utf-8")


# A PO file per text, so that no finding can be taken for another's.

_BRACES = re.compile(r"\{\{\w+\}\}|\{[^{}\"\n]*\}|[{}]")


def _in_braces(text: str, source: PromptTemplate) -> str:
    """Write a text for `str.format`: JSON's braces doubled, all that may be a slot kept."""
    return _with_slots(
        text,
        source,
        lambda name: f"{{{name}}}",
        lambda part: _BRACES.sub(lambda m: m[0] if len(m[0]) > 1 else m[0] * 2, part),
    )


def _in_percent(text: str, source: PromptTemplate) -> str:
    """Write a text for the operator `%`: all that may be meant as slots is named in its way."""

    def percent(match: re.Match[str]) -> str:
        if match[0].startswith("{{"):
            return f"%%({match[0][2:-2]})s"
        return f"%({match[0][1:-1]})s" if len(match[0]) > 1 else match[0]

    return _with_slots(
        text,
        source,
        lambda name: f"%({name})s",
        lambda part: _BRACES.sub(percent, part.replace("%", "%%")),
    )


def _numbered(text: str, source: PromptTemplate) -> str:
    return _with_slots(
        text,
        source,
        lambda name: f"%{source.variables.index(name) + 1}$S",
        lambda part: part.replace("%", "%%"),
    )


def _with_slots(
    text: str, source: PromptTemplate, slot: Callable[[str], str], other: Callable[[str], str]
) -> str:
    slots = find_slots(text, source.contract)
    out = [other(slots.parts[0])]
    for name, part in zip(slots.names, slots.parts[1:], strict=True):
        out += [slot(name), other(part)]
    return "".join(out)


def _write_pos(
    folder: Path, group: Group, notation: Callable[[str, PromptTemplate], str], flag: str
) -> dict[Path, Entry]:
    where = folder / group.name
    where.mkdir()
    written = {}
    for number, entry in enumerate(group.entries):
        if not entry.source.template:
            continue  # PO has no message with an empty id
        catalog = Catalog(
            locale=group.locale.replace("-", "_"),
            project="traps",
            version="1",
            revision_date=datetime(2024, 1, 1, tzinfo=UTC),
            last_translator="A Translator <translator@example.org>",
            language_team="Translators <translators@example.org>",
            fuzzy=False,
        )
        flags = {flag} if entry.source.variables else set()
        source, text = (notation(one, entry.source) for one in (entry.source.template, entry.text))
        message = catalog.add(source, text, context=entry.key)
        message.flags.clear()
        message.flags.update(flags)
        path = where / f"{number:03}.po"
        with path.open("wb") as file:
            write_po(file, catalog, width=0)
        written[path] = entry
    return written


def _msgfmt(folder: Path, groups: list[Group]) -> Findings:
    found: Findings = defaultdict(set)
    for group in groups:
        for path, entry in _write_pos(folder, group, _in_braces, "python-brace-format").items():
            done = _run(["msgfmt", "-c", "-o", os.devnull, str(path)])
            if done.returncode or done.stderr:
                found[group.name, entry.key].add("msgfmt")
    return found


_STYLE = {
    "accelerators", "acronyms", "brackets", "doublequoting", "doublespacing", "doublewords",
    "endpunc", "puncspacing", "purepunc", "sentencecount", "simplecaps", "simpleplurals",
    "singlequoting", "startcaps", "startpunc",
}  # fmt: skip


def _pofilter(folder: Path, groups: list[Group]) -> Findings:
    """Run the filter behind the command, which takes one list of words not to translate.

    So each text gets the words of its own tokens, and no other's.
    """
    checks = import_module("translate.filters.checks")
    command = import_module("translate.filters.pofilter")
    factory = import_module("translate.storage.factory")
    found: Findings = defaultdict(set)
    for group in groups:
        written = _write_pos(folder, group, _in_braces, "python-brace-format")
        for path, entry in written.items():
            config = checks.CheckerConfig(targetlanguage=group.locale.replace("-", "_"))
            words = re.findall(r"\w+", " ".join(entry.source.protected))
            config.notranslatewords.update(dict.fromkeys(words))
            options = SimpleNamespace(
                includefuzzy=True,
                includereview=True,
                autocorrect=False,
                limitfilters=None,
                excludefilters={},
                error=None,
            )
            kinds = [checks.StandardChecker, checks.StandardUnitChecker]
            judge = command.pocheckfilter(options, kinds, config)
            for unit in factory.getobject(str(path)).units:
                found[group.name, entry.key].update(judge.filterunit(unit))
    return {where: tests for where, tests in found.items() if tests}


def _without_style(folder: Path, groups: list[Group]) -> Findings:
    everything = _pofilter(folder, groups)
    return {where: tests - _STYLE for where, tests in everything.items() if tests - _STYLE}


def _babel(folder: Path, groups: list[Group]) -> Findings:
    found: Findings = defaultdict(set)
    for group in groups:
        for path, entry in _write_pos(folder, group, _in_percent, "python-format").items():
            with path.open("rb") as file:
                catalog = read_po(file)
            if any(list(message.check(catalog)) for message in catalog if message.id):
                found[group.name, entry.key].add("babel")
    return found


def _compare_locales(folder: Path, groups: list[Group]) -> Findings:
    found: Findings = defaultdict(set)
    for group in groups:
        where = folder / group.name
        # The folder of the source must differ from that of the translation.
        for side, locale in (("reference", "reference"), ("text", group.locale)):
            (where / locale).mkdir(parents=True)
            for number, entry in enumerate(group.entries):
                text = entry.source.template if side == "reference" else entry.text
                line = f"text = {_escaped(_numbered(text, entry.source))}\n"
                (where / locale / f"{number:03}.properties").write_text(line, encoding="utf-8")
        project = {
            "basepath": ".",
            "locales": [group.locale],
            "paths": [
                {"reference": "reference/*.properties", "l10n": "{locale}/*.properties"},
            ],
        }
        (where / "l10n.toml").write_text(tomli_w.dumps(project), encoding="utf-8")
        done = _run(
            [
                *_script("compare-locales"),
                "--return-zero",
                "--json=-",
                str(where / "l10n.toml"),
                str(where),
                group.locale,
            ],
            check=True,
        )
        [result] = json.loads(done.stdout)
        for name, messages in _leaves(result["details"]):
            if kinds := {"error", "warning"} & {kind for one in messages for kind in one}:
                found[group.name, group.entries[int(Path(name).stem)].key] |= kinds
    return found


def _leaves(tree: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, str]]]]:
    for name, inner in tree.items():
        if isinstance(inner, dict):
            yield from _leaves(inner)
        else:
            yield name, inner


def _escaped(text: str) -> str:
    body = text.strip()
    start = text.index(body)
    lead, trail = text[:start], text[start + len(body) :]
    for plain, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\u0000")):
        body = body.replace(plain, escape)
    lead, trail = ("".join(f"\\u{ord(char):04x}" for char in edge) for edge in (lead, trail))
    return lead + body + trail


def _script(name: str) -> list[str]:
    return [str(Path(sys.executable).with_name(name))]


def _run(command: list[str], check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=check,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"},
    )


def _has(module: str) -> Callable[[], bool]:
    return lambda: find_spec(module) is not None


TOOLS = (
    Tool(
        "agent-\nprompts",
        check_packs,
        lambda: True,
        "`check` on a catalog; it must find the very fault that the trap is about.",
    ),
    Tool(
        "msgfmt\n-c",
        _msgfmt,
        lambda: shutil.which("msgfmt") is not None,
        "PO, python-brace-format where there is a slot, the braces of JSON doubled.",
    ),
    Tool(
        "pofilter",
        _without_style,
        _has("translate"),
        "the same PO, the tokens as words not to translate; its tests of style left out.",
    ),
    Tool(
        "pofilter\nall",
        _pofilter,
        _has("translate"),
        "the same with every test, those of capitals and punctuation, too.",
    ),
    Tool(
        "Babel", _babel, lambda: True, "PO, python-format, slots as %(name)s: it checks no braces."
    ),
    Tool(
        "compare-\nlocales",
        _compare_locales,
        _has("compare_locales"),
        "Java properties, slots as %1$S: it checks named slots in no format.",
    ),
)
