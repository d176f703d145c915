"""Edits of a pack's file that leave all else in it as it was: scaffold, insert, rename, set aside.

What a translator needs beside a text stands in comments above it, in the marks that gettext uses:
`#.` says what the prompt is for and what must not change, `#:` is the source text. These lines are
ours and made anew; every other comment is the translator's, and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .scanner import find_terms
from .template import PromptTemplate
from .tomltext import Positions, locate, quote_key, splice

__all__ = [
    "insert_entries",
    "note_for",
    "notes",
    "refreshed",
    "rename_key",
    "scaffold",
    "set_aside",
]

Path = tuple[str | int, ...]
Edit = tuple[int, int, str]
Templates = Mapping[str, PromptTemplate]

_NOT_IN_COMMENT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_OURS = re.compile(r"[ \t]*#[.:|~](?: .*)?")


def notes(template: PromptTemplate, glossary: Sequence[str] = ()) -> list[str]:
    """Return what a translator must know of a text: its purpose, what to keep, what is a term."""
    keep = [f"{{{name}}}" for name in template.variables] + list(template.protected)
    terms = [term.literal for term in find_terms(template.template, template.contract, glossary)]
    lines = template.description.splitlines()
    lines += [f"Keep as they are: {'  '.join(keep)}"] if keep else []
    return lines + ([f"Terms that stay untranslated: {', '.join(terms)}"] if terms else [])


def note_for(template: PromptTemplate, glossary: Sequence[str] = ()) -> str:
    """Return the comment above a text: the notes on it, and the source text."""
    lines = [f"#. {line}" for line in notes(template, glossary)]
    shown = _NOT_IN_COMMENT.sub("·", template.template)
    lines += [f"#: {line}".rstrip() for line in shown.split("\n")]
    return "".join(f"{line}\n" for line in lines)


def scaffold(
    source: str, paths: Mapping[str, Path], templates: Templates, glossary: Sequence[str] = ()
) -> str:
    """Return a new pack's file: that of the source with each text made empty, and shown above.

    Args:
        source: The text of the source's file.
        paths: Where each key stands in it.
        templates: The source's templates by key.
        glossary: The catalog's terms; each is named above the texts that hold it.
    """
    unix = source.replace("\r\n", "\n")
    found = locate(unix)
    edits: list[Edit] = []
    for key, path in paths.items():
        start = _line_start(unix, found.keys[path][0])
        indent = unix[start : found.keys[path][0]]
        string = found.strings[path]
        if not indent.strip():  # a key in an inline table has no line of its own
            edits.append((start, start, note_for(templates[key], glossary)))
        edits.append((string.start, string.end, _empty(templates[key])))
    return splice(unix, edits)


def _empty(template: PromptTemplate) -> str:
    return "'''\n'''" if "\n" in template.template else "''"


def insert_entries(source: str, templates: Templates, glossary: Sequence[str] = ()) -> str:
    """Return a pack's file with places for new texts, each in the table that it belongs to."""
    for key, template in templates.items():
        source = _insert(source, key, template, note_for(template, glossary))
    return source


def _insert(source: str, key: str, template: PromptTemplate, note: str) -> str:
    unix = source.replace("\r\n", "\n")
    parts = tuple(key.split("."))
    found = locate(unix)
    table, at = _table_for(unix, found, parts)
    if at is None:
        head = "" if not unix or unix.endswith("\n") else "\n"
        start = f"{head}\n[{quote_key(parts[:1])}]\n" if len(parts) > 1 else head
        table, at = parts[:-1][:1], len(unix)
    else:
        start = ""
    entry = f"{_name_in(parts, table)} = {_empty(template)}\n"
    return splice(source, [(at, at, f"{start}{note}{entry}")])


def _table_for(
    text: str, found: Positions, parts: tuple[str, ...]
) -> tuple[tuple[str | int, ...], int | None]:
    """Return the nearest table that a key fits into, and the offset after its last entry."""
    best: Path | None = None
    ends: dict[Path, int] = {}
    for offset, path, around in found.order:
        header = around < 0
        table = path if header else path[:around]
        string = found.strings.get(path)
        ends[table] = _line_end(text, offset if header or string is None else string.end)
        own = table == parts[: len(table)] and len(table) < len(parts)
        if own and (table or path[0] == parts[0]) and (best is None or len(table) > len(best)):
            best = table
    if best is None and len(parts) == 1:
        first = next((offset for offset, _, around in found.order if around < 0), None)
        return (), _line_start(text, first) if first is not None else len(text)
    return (best, ends[best]) if best is not None else ((), None)


def rename_key(source: str, path: Path, key: str) -> str:
    """Return a pack's file with a text under another key; it stays where it is where it can."""
    unix = source.replace("\r\n", "\n")
    found = locate(unix)
    start = found.keys[path][0]
    around = next(size for offset, _, size in found.order if offset == start)
    parts = key.split(".")
    string = found.strings[path]
    if list(path[:around]) == parts[:around] and len(parts) > around:
        end = unix.index("=", start)
        return splice(source, [(start, end, _name_in(parts, path[:around]) + " ")])
    value = unix[string.start : string.end]
    removed = splice(source, [_entry_span(unix, found, path)])
    return _with_value(removed, parts, value)


def _with_value(source: str, parts: Sequence[str], value: str) -> str:
    unix = source.replace("\r\n", "\n")
    table, at = _table_for(unix, locate(unix), tuple(parts))
    start = ""
    if at is None:
        table, at = tuple(parts[:1]), len(unix)
        start = f"\n[{quote_key(parts[:1])}]\n"
    return splice(source, [(at, at, f"{start}{_name_in(parts, table)} = {value}\n")])


def _name_in(parts: Sequence[str], table: Path) -> str:
    """Return what a key is called in a table: one name, in quotes where it has dots.

    Translate Toolkit, which Weblate reads TOML with, refuses two dotted keys that begin alike.
    """
    return quote_key([".".join(parts[len(table) :])])


def set_aside(source: str, paths: Iterable[Path]) -> str:
    """Return a pack's file with texts that no prompt needs any more as comments at its end."""
    unix = source.replace("\r\n", "\n")
    found = locate(unix)
    edits: list[Edit] = []
    kept = []
    for path in paths:
        edits.append(_entry_span(unix, found, path))
        name = quote_key(str(part) for part in path)
        string = found.strings[path]
        kept.append(f"{name} = {unix[string.start : string.end]}")
    if not edits:
        return source
    lines = "\n".join(kept).split("\n")
    tail = "\n# No longer in the catalog:\n" + "".join(
        f"#~ {line}".rstrip() + "\n" for line in lines
    )
    edits.append((len(unix), len(unix), tail))
    return splice(source, edits)


def _entry_span(text: str, found: Positions, path: Path) -> Edit:
    """Return the stretch of a text's lines, our own comments above them included."""
    start = _line_start(text, found.keys[path][0])
    while start and _OURS.fullmatch(text[_line_start(text, start - 1) : start - 1]):
        start = _line_start(text, start - 1)
    return start, _line_end(text, found.strings[path].end), ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def refreshed(
    source: str, paths: Mapping[str, Path], templates: Templates, glossary: Sequence[str] = ()
) -> str:
    """Return a pack's file with the comments that are ours made anew, where it has any."""
    unix = source.replace("\r\n", "\n")
    found = locate(unix)
    edits: list[Edit] = []
    for key, path in paths.items():
        start = _line_start(unix, found.keys[path][0])
        first = start
        while first and _OURS.fullmatch(unix[_line_start(unix, first - 1) : first - 1]):
            first = _line_start(unix, first - 1)
        note = note_for(templates[key], glossary)
        if first < start and unix[first:start] != note:
            edits.append((first, start, note))
    return splice(source, edits)
