"""Where the keys and values of a TOML text stand.

tomllib gives no positions. This walk over the same grammar (TOML 1.0) keeps nothing but offsets;
it trusts that tomllib has accepted the text, and where it has not, stops at the first thing that
it does not understand, with what it found until then.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from .reader import MOST_DEPTH

__all__ = ["ARRAY", "MOST_DEPTH", "TABLE", "Path", "Positions", "StringValue", "locate"]

Path = tuple[str | int, ...]
"""A key's parts from the root; an int is an index in an array."""

TABLE, ARRAY = -1, -2


@dataclass(frozen=True, slots=True)
class StringValue:
    """A string: where it stands, and where each of its characters does."""

    start: int
    """Offset of its opening quote."""
    end: int
    """Offset after its closing quote."""
    _runs: tuple[tuple[int, int], ...]
    """(offset in the string, offset in the file) at the begin of each run of plain characters."""

    def offset(self, index: int) -> int:
        """Return the offset in the file of the string's character `index`.

        An escape stands for its character: its backslash is the place. The string's end is a
        place, too.
        """
        inner, outer = self._runs[bisect_right(self._runs, index, key=lambda run: run[0]) - 1]
        return outer + index - inner


@dataclass(slots=True)
class Positions:
    """What `locate` found."""

    keys: dict[Path, list[int]] = field(default_factory=dict)
    """Offsets of the keys that give a value or open a table; more than one is a duplicate."""
    strings: dict[Path, StringValue] = field(default_factory=dict)
    order: list[tuple[int, Path, int]] = field(default_factory=list)
    """(offset, path, how many parts of it are the table around) of each key; for the header of a
    table or of an array of tables, `TABLE` or `ARRAY` instead of the number."""
    too_deep: int | None = None
    """Where nesting passes `MOST_DEPTH`."""
    broken: int | None = None
    """Where a string begins that does not end, or an escape that there is not."""
    numbers: list[tuple[int, int]] = field(default_factory=list)
    """(start, end) of values that are no string, array or table."""


class _StopError(Exception):
    """The text is not what the walk expects; tomllib says why."""


def locate(text: str) -> Positions:
    """Return the positions of a TOML text whose line ends are LF.

    >>> found = locate("[a]\\nb = 'xyz'\\n")
    >>> found.strings["a", "b"].offset(1)
    10
    """
    walk = _Walk(text)
    with suppress(_StopError, IndexError):
        walk.document()
    return walk.found


_BLANK = re.compile(r"(?:[ \t]|#[^\n]*)*")
_BLANK_LINES = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}\n#]+")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_CODE = {"u": 4, "U": 8}
_PLAIN_BASIC = re.compile(r'[^"\\]+')
_PLAIN_LINE = re.compile(r'[^"\\\n]+')
_LINE_CONTINUATION = re.compile(r"\\[ \t]*\n[ \t\n]*")


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found = Positions()
        self.counts: dict[Path, int] = {}
        """How many tables each array of tables has."""

    def document(self) -> None:
        table: Path = ()
        while True:
            self.skip(_BLANK_LINES)
            if self.at == len(self.text):
                return
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.skip(_BLANK)
            if self.at < len(self.text):
                self.expect("\n")

    def header(self) -> Path:
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        start, parts = self.key()
        self.expect("]]" if many else "]")
        path = (*self.resolved(parts[:-1]), parts[-1])
        if many:
            self.found.order.append((start, path, ARRAY))
            self.counts[path] = index = self.counts.get(path, -1) + 1
            return (*path, index)
        self.found.keys.setdefault(path, []).append(start)
        self.found.order.append((start, path, TABLE))
        return path

    def resolved(self, parts: Path) -> Path:
        """Enter the last table of each array of tables on the way."""
        path: Path = ()
        for part in parts:
            path += (part,)
            if path in self.counts:
                path += (self.counts[path],)
        return path

    def pair(self, table: Path) -> None:
        start, parts = self.key()
        self.expect("=")
        self.skip(_BLANK)
        path = table + parts
        self.found.keys.setdefault(path, []).append(start)
        self.found.order.append((start, path, len(table)))
        self.value(path)

    def key(self) -> tuple[int, Path]:
        self.skip(_BLANK)
        start = self.at
        parts: list[str] = []
        while True:
            if len(parts) == MOST_DEPTH:
                self.found.too_deep = start
                raise _StopError
            self.skip(_BLANK)
            if self.text[self.at] in "\"'":
                parts.append(self.one_line()[1])
            else:
                match = _BARE.match(self.text, self.at)
                if match is None:
                    raise _StopError
                parts.append(match[0])
                self.at = match.end()
            self.skip(_BLANK)
            if self.text[self.at : self.at + 1] != ".":
                return start, tuple(parts)
            self.at += 1

    def value(self, path: Path) -> None:
        text, start = self.text, self.at
        if len(path) > MOST_DEPTH:
            self.found.too_deep = start
            raise _StopError
        if text.startswith(('"""', "'''"), start):
            self.found.strings[path] = self.many_lines()
        elif text[start] in "\"'":
            self.found.strings[path] = self.one_line()[0]
        elif text[start] == "[":
            self.array(path)
        elif text[start] == "{":
            self.inline_table(path)
        else:
            match = _SCALAR.match(text, start)
            if match is None:
                raise _StopError
            self.at = match.end()
            self.found.numbers.append((start, start + len(match[0].rstrip())))

    def array(self, path: Path) -> None:
        self.at += 1
        index = 0
        while True:
            self.skip(_BLANK_LINES)
            if self.text[self.at] == "]":
                self.at += 1
                return
            self.value((*path, index))
            index += 1
            self.skip(_BLANK_LINES)
            if self.text[self.at] == ",":
                self.at += 1
            elif self.text[self.at] != "]":
                raise _StopError

    def inline_table(self, path: Path) -> None:
        self.at += 1
        self.skip(_BLANK)
        if self.text[self.at] == "}":
            self.at += 1
            return
        while True:
            self.pair(path)
            self.skip(_BLANK)
            if self.text[self.at] == "}":
                self.at += 1
                return
            self.expect(",")

    def one_line(self) -> tuple[StringValue, str]:
        """Read a string of one line; return its value, too, for keys are made of them."""
        start, quote = self.at, self.text[self.at]
        if quote == "'":
            end = self.text.find("'", start + 1)
            if end < 0 or "\n" in self.text[start:end]:
                self.stop(start)
            self.at = end + 1
            return StringValue(start, end + 1, ((0, start + 1),)), self.text[start + 1 : end]
        return self.basic(start, start + 1, '"')

    def many_lines(self) -> StringValue:
        start = self.at
        fence = self.text[start : start + 3]
        body = start + 3
        if self.text[body : body + 1] == "\n":
            body += 1
        if fence == "'''":
            end = self.text.find(fence, body)
            if end < 0:
                self.stop(start)
            end += self.extra_quotes(end + 3, "'")
            self.at = end + 3
            return StringValue(start, end + 3, ((0, body),))
        return self.basic(start, body, fence)[0]

    def extra_quotes(self, at: int, quote: str) -> int:
        """Return how many quotes before the closing three belong to the text: two at most."""
        return len(self.text[at : at + 2]) - len(self.text[at : at + 2].lstrip(quote))

    def basic(self, start: int, at: int, fence: str) -> tuple[StringValue, str]:
        text = self.text
        runs: list[tuple[int, int]] = []
        pieces: list[str] = []
        size = 0
        while True:
            runs.append((size, at))
            if text.startswith(fence, at):
                extra = self.extra_quotes(at + 3, '"') if len(fence) == 3 else 0
                at += extra
                pieces.append('"' * extra)
                self.at = at + len(fence)
                return StringValue(start, self.at, tuple(runs)), "".join(pieces)
            if at >= len(text) or (text[at] == "\n" and len(fence) == 1):
                self.stop(start)
            if text[at] != "\\":
                match = (_PLAIN_BASIC if len(fence) == 3 else _PLAIN_LINE).match(text, at)
                piece = match[0] if match is not None else '"'
                at += len(piece)
            elif len(fence) == 3 and (fold := _LINE_CONTINUATION.match(text, at)) is not None:
                at = fold.end()
                piece = ""
            else:
                kind = text[at + 1 : at + 2]
                digits = _CODE.get(kind, 0)
                code = text[at + 2 : at + 2 + digits]
                char = _character(code) if digits else _ESCAPES.get(kind)
                if char is None:
                    self.stop(at)
                piece = char
                at += 2 + digits
            pieces.append(piece)
            size += len(piece)

    def stop(self, at: int) -> NoReturn:
        self.found.broken = at
        raise _StopError

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def expect(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            raise _StopError
        self.at += len(sign)


def _character(digits: str) -> str | None:
    """Return the character of an escape's digits, if there is one."""
    if not all(digit in "0123456789abcdefABCDEF" for digit in digits) or not digits:
        return None
    code = int(digits, 16)
    return None if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)
