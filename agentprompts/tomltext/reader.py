"""TOML from bytes, strictly: every fault is a diagnostic with file, line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from ..diagnostics import Diagnostic, Place, place_at
from ..errors import PromptError

if TYPE_CHECKING:
    from .positions import Path, Positions

__all__ = ["MOST_BYTES", "MOST_DEPTH", "TomlFile", "decoded", "read_toml", "refuse_controls"]

MOST_BYTES = 16 * 1024 * 1024
"""Largest file that is read: 30,000 prompts, and far from what would exhaust memory."""

MOST_DEPTH = 64
"""Deepest nesting of keys, arrays and inline tables; a catalog needs three."""

_NESTED = (dict, list)

# tomllib's time grows with the square of a key's parts, so that one such line would hold a process
# up for seconds: what looks like one is measured before tomllib sees it.
_LONG_KEY = (
    r"""(?:^|[\[{,])[ \t]*(?:(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*\.[ \t]*){64}"""
)
_LONG_NUMBER = r"[+-]?[0-9_]{4301,}"
_CODE = "toml-invalid"
_AT = r" \(at (?:line (\d+), column (\d+)|end of document)\)$"


class TomlFile:
    """A file that was read: its text, its data, and, for who asks, where each of them stands.

    Args:
        text: The text, its line ends made LF.
        name: The file's name in diagnostics.
        crlf: Whether its line ends were CRLF.
    """

    def __init__(self, text: str, name: str, crlf: bool = False) -> None:
        self.text = text
        self.name = name
        self.crlf = crlf
        self.data: dict[str, Any] = _parse(self)

    @cached_property
    def positions(self) -> Positions:
        """Where keys and values stand; found when first asked for."""
        from .positions import locate

        return locate(self.text)

    def place(self, path: Path, index: int | None = None) -> Place:
        """Return where a key stands or, with `index`, that character of its string.

        A table that only dotted keys make is placed at the first of them.
        """
        if index is not None and path in self.positions.strings:
            return self.place_of(self.positions.strings[path].offset(index))
        if path in self.positions.keys:
            return self.place_of(self.positions.keys[path][0])
        return self.place_of(self._inside.get(path, 0))

    @cached_property
    def _inside(self) -> dict[Path, int]:
        """Where the first key stands in each table, written or made by dotted keys."""
        first: dict[Path, int] = {}
        for offset, path, _ in self.positions.order:
            for size in range(1, len(path) + 1):
                first.setdefault(path[:size], offset)
        return first

    def place_of(self, offset: int) -> Place:
        """Return the place of an offset in the text."""
        line = bisect_right(self._lines, offset)
        return Place(line, min(offset, len(self.text)) - self._lines[line - 1] + 1, self.name)

    def offset_of(self, line: int, column: int) -> int:
        """Return the offset of a place in the text."""
        return self._lines[line - 1] + column - 1

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.split("\n")

    @cached_property
    def _lines(self) -> list[int]:
        """Offsets at which the lines begin."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]


def read_toml(data: bytes, name: str) -> TomlFile:
    """Read a TOML file.

    Args:
        data: Its bytes.
        name: What diagnostics call it.

    Raises:
        PromptError: It is no valid UTF-8 or TOML, or of a size or shape that no catalog has.
    """
    if len(data) > MOST_BYTES:
        _refuse(
            Place(1, 1, name),
            f"the file has {len(data):,} bytes",
            f"split the catalog: {MOST_BYTES:,} bytes are read at most",
        )
    text, crlf = decoded(data, name)
    return TomlFile(text, name, crlf)


def decoded(data: bytes, name: str, code: str = _CODE) -> tuple[str, bool]:
    """Return the text of a file, its line ends made LF, and whether they were CRLF.

    Raises:
        PromptError: It begins with a byte order mark, or is no UTF-8.
    """
    if data.startswith(b"\xef\xbb\xbf"):
        _refuse(
            Place(1, 1, name),
            "the file begins with a byte order mark (U+FEFF)",
            "save it as UTF-8 without BOM",
            code=code,
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        _refuse(
            place_at(before + " ", len(before), name),
            f"the byte 0x{data[error.start]:02X} is no UTF-8",
            "save the file as UTF-8",
            code=code,
        )
    unix = text.replace("\r\n", "\n") if "\r" in text else text
    return unix, unix != text


def refuse_controls(text: str, name: str, code: str = _CODE) -> None:
    """Refuse what no file of texts holds: a NUL, a carriage return on its own.

    Raises:
        PromptError: With the place of the first one.
    """
    if (nul := text.find("\0")) >= 0:
        message = "the file holds a NUL (U+0000)"
        _refuse(place_at(text, nul, name), message, "take the character out", code=code)
    if (lone := text.find("\r")) >= 0:
        message = "a carriage return (U+000D) stands without a line feed"
        mend = "end lines with LF, or with CR and LF"
        _refuse(place_at(text, lone, name), message, mend, code=code)


def _parse(file: TomlFile) -> dict[str, Any]:
    import tomllib  # 15 ms at start-up, and needed only once a catalog is read

    refuse_controls(file.text, file.name)
    # A key stands on one line, with all of its dots: hardly any line is worth the expression,
    # which would take as long as tomllib for the whole file.
    lines = [line for line in file.text.split("\n") if len(line) >= 2 * MOST_DEPTH]
    long = any(re.search(_LONG_KEY, line) for line in lines if line.count(".") >= MOST_DEPTH)
    if long and file.positions.too_deep is not None:
        _refuse_depth(file)
    try:
        data = tomllib.loads(file.text)
    except tomllib.TOMLDecodeError as error:
        _explain(file, str(error))
    except (ValueError, OverflowError, RecursionError) as error:
        if file.positions.too_deep is not None:
            _refuse_depth(file)
        digits = (
            a for a, b in file.positions.numbers if re.fullmatch(_LONG_NUMBER, file.text[a:b])
        )
        _refuse(
            file.place_of(next(digits, 0)), f"the value cannot be read: {error}", "write a string"
        )
    if _is_deep(data):
        _refuse_depth(file)
    return data


def _is_deep(data: dict[str, Any]) -> bool:
    """Whether a value is nested deeper than `MOST_DEPTH`; without recursion."""
    level: list[Any] = [data]
    for _ in range(MOST_DEPTH):
        level = [v for holder in level for v in _values(holder) if isinstance(v, _NESTED)]
        if not level:
            return False
    return any(level)


def _values(holder: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return holder.values() if isinstance(holder, dict) else holder


def _refuse_depth(file: TomlFile) -> NoReturn:
    _refuse(
        file.place_of(file.positions.too_deep or 0),
        f"keys or values are nested more than {MOST_DEPTH} deep",
        "write one flat key for each prompt",
    )


def _explain(file: TomlFile, message: str) -> NoReturn:
    at = re.search(_AT, message)
    what = re.sub(_AT, "", message)
    offset = len(file.text)
    if at is not None and at[1] is not None:
        offset = file.offset_of(int(at[1]), int(at[2]))
    clash = _clash(file.positions)
    if clash is not None and clash[1] <= offset:
        first, second, path = clash
        _refuse(
            file.place_of(second),
            f"the key {'.'.join(map(str, path))!r} is there twice",
            "keep one of the two",
            related=file.place_of(first),
        )
    # tomllib tells where it gave up; a string that does not end has its fault where it begins.
    broken = file.positions.broken
    place = file.place_of(offset if broken is None or broken > offset else broken)
    _refuse(place, f"this is no TOML: {what}", _mend(file, place, what))


def _clash(positions: Positions) -> tuple[int, int, Path] | None:
    """Return the first two keys that give one path two meanings: (first, second, path)."""
    from .positions import ARRAY, TABLE

    values: dict[Path, int] = {}
    tables: dict[Path, tuple[int, int]] = {}
    implied: dict[Path, int] = {}
    """Tables that dotted keys made: closed to headers."""
    above: dict[Path, int] = {}
    """Tables above a header's: no value may take their place."""
    for offset, path, around in positions.order:
        header = around in (TABLE, ARRAY)
        for size in range(1 if header else around + 1, len(path)):
            first = values.get(path[:size])
            if first is None and not header and path[:size] in tables:
                first = tables[path[:size]][0]
            if first is not None:
                return first, offset, path[:size]
        for known in (values, implied) if header else (values, implied, above):
            if path in known:
                return known[path], offset, path
        if path in tables and not around == tables[path][1] == ARRAY:
            return tables[path][0], offset, path
        if header:
            tables.setdefault(path, (offset, around))
            for size in range(1, len(path)):
                above.setdefault(path[:size], offset)
        else:
            values[path] = offset
            for size in range(around + 1, len(path)):
                implied.setdefault(path[:size], offset)
    return None


def _mend(file: TomlFile, place: Place, what: str) -> str:
    line = file.lines[place.line - 1]
    if "\\" in line or "Unescaped" in what:
        return "write the text between ''' and ''': nothing in it needs a backslash"
    if "'" in line or '"' in line:
        return "write a text that holds quotes between ''' and '''"
    return "write one key = '''text''' for each prompt"


def _refuse(
    place: Place, message: str, mend: str, related: Place | None = None, code: str = _CODE
) -> NoReturn:
    found = Diagnostic(code=code, message=message, mend=mend, place=place, related=related)
    raise PromptError(f"Cannot read {place.file}: {message}", [found])
