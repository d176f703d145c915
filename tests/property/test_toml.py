"""TOML of every shape, made here with the place of every key and character, and read back."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from agentprompts import Place, PromptError
from agentprompts.packfile import read_contracts, read_pack
from agentprompts.tomltext import (
    TomlFile,
    locate,
    quote_key,
    quote_text,
    read_toml,
    replace_text,
    splice,
)

T = TypeVar("T")
Path = tuple[str | int, ...]
Draw = Callable[[st.SearchStrategy[T]], T]
Started = tuple[str, Path]
"""The beginning of a dotted key, as it is written, and its parts."""
Piece = tuple[str, str]
"""What is written in the file, and the character that it stands for."""


def examples(count: int) -> settings:
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# Documents

PLAIN: list[Piece] = [(char, char) for char in "ab 0\t#=,.[]{}<>é漢😀\u0301\u200b\u2028\x85\ufeff"]
ESCAPES: list[Piece] = [
    *((f"\\{sign}", char) for sign, char in zip('btnfr"\\', '\b\t\n\f\r"\\', strict=True)),
    ("\\u00e9", "é"),
    ("\\u000D", "\r"),
    ("\\u0000", "\0"),
    ("\\U0001F600", "😀"),
]
FOLDS: list[Piece] = [(fold, "") for fold in ("\\\n", "\\ \t\n", "\\\n\n \t", "\\\n  ")]
PIECES: dict[str, list[Piece]] = {
    "'": [*PLAIN, ('"', '"'), ("\\", "\\")],
    '"': [*PLAIN, ("'", "'"), *ESCAPES],
    "'''": [*PLAIN, ('"', '"'), ("\\", "\\"), *3 * [("'", "'"), ("\n", "\n")]],
    '"""': [*PLAIN, ("'", "'"), *ESCAPES, *3 * [('"', '"'), ("\n", "\n")], *FOLDS],
}
SCALARS = ["0", "-17", "1_000", "0xff", "1.5e3", "inf", "true", "false", "1979-05-27"]
SCALARS += ["1979-05-27 07:32:00Z", "07:32:00"]
WORDS = ["a", "a-b", "_", "", "a.b", "é", " #", "]", '"', "漢"]


@dataclass
class Written:
    """A string: where its quotes and characters stand, and what it is."""

    start: int
    end: int
    chars: list[int]
    value: str


@dataclass
class Document:
    """A TOML text, and the place of all that is in it by this test's own bookkeeping."""

    draw: Draw[Any]
    text: str = ""
    keys: dict[Path, list[int]] = field(default_factory=dict)
    strings: dict[Path, Written] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)
    names: int = 0

    def __repr__(self) -> str:
        return f"Document({self.text!r})"

    def any(self, *choices: T) -> T:
        chosen: T = self.draw(st.sampled_from(choices))
        return chosen

    def maybe(self) -> bool:
        return self.any(False, False, True)

    def put(self, text: str) -> None:
        self.text += text

    def blank(self) -> None:
        self.put(self.any("", "", " ", "\t "))

    def line_end(self) -> None:
        self.put(self.any("", "", " ", ' # a = \'b\' """é') + "\n")

    def part(self) -> str:
        """Write a part of a key that no other key has."""
        self.names += 1
        name = self.any(*WORDS) + str(self.names)
        bare = re.fullmatch("[A-Za-z0-9_-]+", name) is not None
        kind = self.any("bare", "'", '"') if bare else self.any("'", '"')
        if kind == "bare":
            self.put(name)
        elif kind == "'":
            self.put(f"'{name}'")
        else:
            self.put('"' + name.replace('"', '\\"').replace("é", self.any("é", "\\u00E9")) + '"')
        return name

    def more(self) -> None:
        self.put(self.any(".", ".", " . "))

    def statements(self, table: Path, most: int) -> None:
        started: list[Started] = []
        for _ in range(self.any(*range(most + 1))):
            if self.maybe():
                self.line_end()
                continue
            self.blank()
            started += self.pair(table, started, 3)
            self.line_end()

    def pair(self, table: Path, started: list[Started], depth: int) -> list[Started]:
        """Write a key and a value; return the dotted prefix that a later key may go on with."""
        start = len(self.text)
        prefix: Path = ()
        written = ""
        if started and self.maybe():
            written, prefix = self.any(*started)
            self.put(written)
        else:
            for _ in range(self.any(0, 0, 1, 2)):
                prefix += (self.part(),)
                self.more()
            written = self.text[start:]
        path = (*table, *prefix, self.part())
        self.keys[path] = [start]
        self.blank()
        self.put("=")
        self.blank()
        self.value(path, depth)
        return [(written, prefix)] if prefix else []

    def value(self, path: Path, depth: int) -> None:
        kinds = ["'", '"', "'''", '"""', "'", '"', "'''", '"""', "scalar"]
        kind = self.any(*kinds, *(["array", "table"] if depth else []))
        if kind == "scalar":
            self.put(self.any(*SCALARS))
        elif kind == "array":
            self.array(path, depth - 1)
        elif kind == "table":
            self.inline(path, depth - 1)
        else:
            self.string(path, kind)

    def array(self, path: Path, depth: int) -> None:
        self.put("[")
        size = self.any(0, 1, 2, 3)
        for index in range(size):
            self.gap()
            self.value((*path, index), depth)
            self.gap()
            if index < size - 1 or self.maybe():
                self.put(",")
        self.gap()
        self.put("]")

    def gap(self) -> None:
        if self.maybe():
            self.line_end()
        self.blank()

    def inline(self, path: Path, depth: int) -> None:
        self.put("{")
        self.blank()
        started: list[Started] = []
        for index in range(self.any(0, 1, 2)):
            self.put(", " if index else "")
            started += self.pair(path, started, depth)
            self.blank()
        self.put("}")

    def string(self, path: Path, fence: str) -> None:
        pieces: list[Piece] = self.draw(st.lists(st.sampled_from(PIECES[fence]), max_size=9))
        start = len(self.text)
        self.put(fence)
        kept = list(tidy(pieces, fence))
        if len(fence) == 3 and (self.maybe() or (kept and kept[0][0] == "\n")):
            self.put("\n")  # the first line end after the fence is none of the text
        chars = []
        for source, char in kept:
            if char:
                chars.append(len(self.text))
            self.put(source)
        chars.append(len(self.text))
        self.put(fence)
        value = "".join(char for _, char in kept)
        self.strings[path] = Written(start, len(self.text), chars, value)

    def tables(self, most: int) -> None:
        heads: list[tuple[str, tuple[str, ...], bool]] = [("", (), False)]
        for _ in range(self.any(*range(most + 1))):
            again = [head for head in heads if head[2]]
            many = self.maybe()
            self.blank()
            self.put("[[" if many else "[")
            self.blank()
            start = len(self.text)
            if many and again and self.maybe():
                written, parts, _ = self.any(*again)
                self.put(written)
            else:
                written, parts, _ = self.any(*heads)
                if parts:
                    self.put(written)
                    self.more()
                parts = (*parts, self.part())
                written = self.text[start:]
            self.blank()
            self.put("]]" if many else "]")
            self.line_end()
            path = (*self.entered(parts[:-1]), parts[-1])
            if many:
                self.counts[path] = self.counts.get(path, -1) + 1
                path = (*path, self.counts[path])
            else:
                self.keys[path] = [start]
            heads.append((written, parts, many))
            self.statements(path, 3)

    def entered(self, parts: tuple[str, ...]) -> Path:
        """Enter the last table of each array on the way."""
        path: Path = ()
        for part in parts:
            path += (part,)
            if path in self.counts:
                path += (self.counts[path],)
        return path


def tidy(pieces: list[Piece], fence: str) -> Iterator[Piece]:
    """Leave out what would end the string, and the blanks that a line continuation swallows."""
    quotes, folded = 0, False
    for source, char in pieces:
        quotes = quotes + 1 if source == fence[0] else 0
        if (source == fence[0] and (len(fence) == 1 or quotes > 2)) or (
            folded and source in " \t\n"
        ):
            continue
        folded = char == ""
        yield source, char


@st.composite
def documents(draw: Draw[Any]) -> Document:
    made = Document(draw)
    made.statements((), 4)
    made.tables(4)
    if draw(st.booleans()):
        made.text = made.text.rstrip("\n") if not made.text.endswith("\\\n") else made.text
    return made


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield (path, value) of everything in TOML data that is no table and no array."""
    if isinstance(value, dict):
        inner: list[tuple[str | int, object]] = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        yield path, value
        return
    for name, below in inner:
        yield from leaves(below, (*path, name))


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    lines = text[:offset].split("\n")
    return len(lines), len(lines[-1]) + 1


@examples(150)
@given(documents())
def test_a_position_map_points_at_every_character_of_every_string(made: Document) -> None:
    data = tomllib.loads(made.text)
    texts = {path: value for path, value in leaves(data) if isinstance(value, str)}
    assert texts == {path: written.value for path, written in made.strings.items()}
    found = locate(made.text)
    assert found.strings.keys() == made.strings.keys()
    for path, written in made.strings.items():
        string = found.strings[path]
        assert (string.start, string.end) == (written.start, written.end)
        offsets = [string.offset(index) for index in range(len(written.value) + 1)]
        assert offsets == written.chars
        for offset, char in zip(offsets, written.value, strict=False):
            assert made.text[offset] in (char, "\\")


@examples(100)
@given(documents())
def test_the_walk_finds_the_keys_that_tomllib_finds(made: Document) -> None:
    found = locate(made.text)
    assert found.keys == made.keys
    assert found.too_deep is None
    values = {path for path, _ in leaves(tomllib.loads(made.text))}
    written = {path for path in values if isinstance(path[-1], str)}
    assert written <= found.keys.keys()
    scalars = [made.text[start:end] for start, end in found.numbers]
    assert set(scalars) <= set(SCALARS)
    assert len(scalars) == len(values) - len(found.strings)


@examples(100)
@given(documents(), st.booleans())
def test_a_place_in_a_file_is_the_line_and_column_that_an_editor_shows(
    made: Document, crlf: bool
) -> None:
    lines = "\r\n" if crlf else "\n"
    file = read_toml(made.text.replace("\n", lines).encode(), "f.toml")
    assert file.text == made.text
    assert file.crlf == (crlf and "\n" in made.text)
    assert file.data == tomllib.loads(made.text)
    for path, offsets in made.keys.items():
        place = file.place(path)
        assert (place.line, place.column) == line_and_column(made.text, offsets[0])
        assert place.file == "f.toml"
    for path, written in made.strings.items():
        for index, offset in enumerate(written.chars):
            place = file.place(path, index)
            assert (place.line, place.column) == line_and_column(made.text, offset)


# Writing

TEXTS = st.lists(
    st.sampled_from(
        ["'", "'''", '"', '"""', "\r", "\n", "\r\n", "\\", "\\u", " \n", "\t", "a", "b"]
    )
    | st.sampled_from("{}\x00\x0b\x0c\x1b\x7f\x85\u2028\ufeff😀")
    | st.characters(exclude_categories=["Cs"]),
    max_size=12,
).map("".join)


@examples(300)
@given(TEXTS, st.booleans(), st.booleans())
def test_a_quoted_text_is_read_back_as_it_was(text: str, literal: bool, crlf: bool) -> None:
    quoted = quote_text(text, literal)
    if crlf:  # a Windows checkout turns the file's line ends, and must not turn the text's
        quoted = quoted.replace("\n", "\r\n")
    source = f"a = {quoted}\nb = 'after'\n"
    assert tomllib.loads(source) == {"a": text, "b": "after"}
    assert read_toml(source.encode(), "f.toml").data == {"a": text, "b": "after"}
    if not literal:
        assert quoted[0] == '"'


@examples(150)
@given(documents().filter(lambda made: bool(made.strings)), st.data(), TEXTS, st.booleans())
def test_an_edit_changes_one_value_and_no_other_byte(
    made: Document, data: st.DataObject, text: str, crlf: bool
) -> None:
    path = data.draw(st.sampled_from(sorted(made.strings, key=repr)))
    lines = "\r\n" if crlf else "\n"
    source = made.text.replace("\n", lines)
    edited = replace_text(source, path, text)
    note(edited)
    old = made.strings[path]
    before = made.text[: old.start].replace("\n", lines)
    after = made.text[old.end :].replace("\n", lines)
    assert edited.startswith(before)
    assert edited.endswith(after)
    new = edited[len(before) : len(edited) - len(after)]
    assert new[0] == '"' or new[0] == made.text[old.start]
    if crlf and "\n" in made.text:
        assert re.search("(?<!\r)\n", edited) is None
    expected = dict(leaves(tomllib.loads(made.text))) | {path: text}
    found = dict(leaves(read_toml(edited.encode(), "f.toml").data))
    assert repr(sorted(found.items(), key=repr)) == repr(sorted(expected.items(), key=repr))
    assert replace_text(edited, path, text) == edited, "a second edit to the same text is none"


@examples(150)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_quoted_key_is_read_back_as_it_was(parts: list[str]) -> None:
    value: Any = tomllib.loads(f"{quote_key(parts)} = 'x'")
    for part in parts:
        value = value[part]
    assert value == "x"


LINES = st.lists(st.sampled_from(["", "a", "bc", "é漢😀"]), max_size=6).map("\n".join)


@examples(200)
@given(LINES, st.data())
def test_a_splice_of_crlf_is_a_splice_of_lf_with_its_line_ends_turned(
    text: str, data: st.DataObject
) -> None:
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    edits = [
        (start, end, data.draw(LINES))
        for start, end in zip(bounds[::2], bounds[1::2], strict=False)
    ]
    expected, done = "", 0
    for start, end, new in edits:
        expected += text[done:start] + new
        done = end
    expected += text[done:]
    shuffled = data.draw(st.permutations(edits))
    assert splice(text, shuffled) == expected
    if "\n" in text:
        assert splice(text.replace("\n", "\r\n"), shuffled) == expected.replace("\n", "\r\n")


# Rubbish

FRAGMENTS = ["a", "b.", ".", "=", " ", "\n", "\r\n", "\r", "'", '"', "'''", '"""', "\\", "\\u", "é"]
FRAGMENTS += [
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    ",",
    "#",
    "0",
    "-",
    "1979-05-27",
    "\0",
    "\x1b",
    "\x85",
]
FRAGMENTS += [
    "a = 'b'\n",
    "[catalog]\nsource = 'en'\n",
    "variables",
    "\ufeff",
    "true",
    "\\U0011",
    "\r\r\n",
]
FRAGMENTS += ["[a.b]\n", "a.b = {", "protected = ['A']\n", "renamed_from = 'b'\n", "1" * 5000]
RUBBISH = (
    st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(lambda parts: "".join(parts).encode())
    | st.binary(max_size=60)
    | st.lists(st.sampled_from([b"a = '\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"x", b"\n"])).map(
        b"".join
    )
)


@st.composite
def damaged(draw: Draw[Any]) -> bytes:
    """A good document with a piece taken out, put in twice, or put in from elsewhere."""
    text: str = draw(documents()).text
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 12)))
    piece = draw(st.sampled_from(["", "", text[start:end] * 2, *FRAGMENTS]))
    changed: str = text[:start] + piece + text[end:]
    return changed.encode()


def attempt(read: Callable[[], T]) -> tuple[T | None, PromptError | None]:
    """Return what is read, or the error; any other exception goes through and fails the test."""
    try:
        return read(), None
    except PromptError as error:
        return None, error


def judge(data: bytes) -> TomlFile | None:
    """Read what may be rubbish; whatever comes up must be a `PromptError` with its place."""
    file, error = attempt(lambda: read_toml(data, "f.toml"))
    if file is not None:
        for path in file.positions.keys:
            assert file.place(path).column > 0
        refusals = (
            attempt(lambda: read_contracts(file))[1],
            attempt(lambda: read_pack(file, "en"))[1],
        )
        for refusal in filter(None, refusals):
            assert refusal.diagnostics
            assert all(found.place and found.place.file for found in refusal.diagnostics)
            assert str(refusal)
    else:
        assert error is not None
        [found] = error.diagnostics
        assert found.place is not None
        assert found.mend
        lines = [*data.decode(errors="replace").replace("\r\n", "\n").split("\n"), ""]
        assert 1 <= found.place.line <= len(lines)
        assert 1 <= found.place.column <= len(lines[found.place.line - 1]) + 1
    return file


@examples(400)
@given(RUBBISH | damaged())
def test_whatever_the_bytes_are_reading_ends_soon_and_in_data_or_one_finding(data: bytes) -> None:
    judge(data)


@examples(300)
@given(damaged() | RUBBISH)
def test_what_is_read_is_what_tomllib_reads(data: bytes) -> None:
    file = judge(data)
    try:
        expected = repr(tomllib.loads(data.decode()))
    except ValueError:
        expected = None
    assert (None if file is None else repr(file.data)) == expected


WRONG = [("x y", 3, "'='"), ("x = no", 5, "Invalid value"), ("x = '\x01'", 6, "x01")]
WRONG += [('x = "\\q"', 6, "Unescaped"), ("x = 1 2", 7, "newline"), ("x = [1 2]", 8, "Unclosed")]


@examples(100)
@given(documents(), st.sampled_from(WRONG), st.booleans(), st.booleans())
def test_a_fault_beside_a_good_document_is_told_at_its_own_place(
    made: Document, wrong: tuple[str, int, str], first: bool, crlf: bool
) -> None:
    line, column, words = wrong
    text = f"{line}\n{made.text}" if first else f"{made.text}\n{line}\n"
    with pytest.raises(PromptError) as caught:
        read_toml(text.replace("\n", "\r\n" if crlf else "\n").encode(), "f.toml")
    [found] = caught.value.diagnostics
    assert words in found.message
    number = 1 if first else made.text.count("\n") + 2
    assert found.place == Place(number, column, "f.toml")


@examples(100)
@given(RUBBISH | damaged(), st.sampled_from([(), ("a",), ("a", "b"), ("a", 0)]))
def test_a_text_is_put_in_or_refused_whatever_the_file_is(data: bytes, path: Path) -> None:
    source = data.decode(errors="replace")
    edited, error = attempt(lambda: replace_text(source, path, "new\n"))
    if edited is None:
        assert "no text under the key" in str(error)
    else:
        assert edited != source


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a =", "[", "[[a", "{", "a = [", "a = {", "a = '''"]
)
def test_the_walk_ends_where_the_text_does(text: str) -> None:
    assert locate(text).strings == {}
