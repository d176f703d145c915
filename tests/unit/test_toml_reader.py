"""Strict reading: each fault is one finding with file, line and column; all else is TOML 1.0."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from contextlib import suppress

import pytest

from agentprompts import Diagnostic, Place, PromptError
from agentprompts.tomltext import Positions, locate, positions, reader
from agentprompts.tomltext.reader import TomlFile, read_toml
from tests.growth import LINEAR, growth

# What is wrong: (the file's bytes, line, column, words of the message). The place is where the
# fault itself stands: an escape's backslash, the opening quote of what is never closed, a key.
FAULTS: dict[str, tuple[bytes, int, int, str]] = {
    # bytes that are no text
    "byte order mark": (b"\xef\xbb\xbfa = 'x'\n", 1, 1, "begins with a byte order mark (U+FEFF)"),
    "UTF-16": ("a = 'x'".encode("utf-16"), 1, 1, "the byte 0xFF is no UTF-8"),
    "Latin-1": ("a = 'é'\nb = 'caf".encode() + b"\xe9'\n", 2, 9, "the byte 0xE9 is no UTF-8"),
    "Latin-1 after wide characters": ("a = '漢😀".encode() + b"\xff'", 1, 8, "the byte 0xFF"),
    "Latin-1 in a file with CRLF": (b"a = 1\r\nb = '\xff'\r\n", 2, 6, "the byte 0xFF is no UTF-8"),
    "a character cut off by the end": (b"a = '\xe4\xbd", 1, 6, "the byte 0xE4 is no UTF-8"),
    "half a surrogate pair": (b"a = '\xed\xa0\x80'\n", 1, 6, "the byte 0xED is no UTF-8"),
    "NUL in a text": (b"a = 'x'\nb = '''y\nz\0'''\n", 3, 2, "NUL (U+0000)"),
    "NUL in a comment": (b"a = 'x' # \0\n", 1, 11, "NUL (U+0000)"),
    "NUL at the begin": (b"\0a = 'x'\n", 1, 1, "NUL (U+0000)"),
    # characters that TOML does not have
    "control character": (b"a = 'x\x01'\n", 1, 7, r"invalid character '\x01'"),
    "control character in a comment": (b"# ok\n# \x1b[1m\n", 2, 3, r"'\x1b'"),
    "DEL": (b'a = "x\x7f"\n', 1, 7, r"'\x7f'"),
    "a lone CR as a line end": (b"a = 'x'\rb = 'y'\r", 1, 8, ""),
    "a lone CR in a text": (b"a = '''x\ry'''\n", 1, 9, ""),
    "a lone CR at the begin": (b"\ra = 'x'\n", 1, 1, "carriage return"),
    "CR CR LF": (b"a = 'x'\r\r\n", 1, 8, ""),
    "CR CR LF in a text": (b"a = '''x\r\r\ny'''\n", 1, 9, ""),
    "a second byte order mark": ("a = 1\n\ufeffb = 2\n".encode(), 2, 1, "Invalid statement"),
    # escapes: the place is the backslash
    "unknown escape": (rb'a = "x\(y"' + b"\n", 1, 7, r"Unescaped '\'"),
    "backslash before a quote that closes": (b'a = "x\\"\nb = 1\n', 1, 5, r"'\n'"),
    "backslash at a line's end": (b'a = "x\\\nb = 1\n', 1, 7, r"Unescaped '\'"),
    "backslash at the end": (b'a = 1\nb = "x\\', 2, 7, r"Unescaped '\'"),
    "backslash, blank, letter": (b'a = """\nx\\ y"""\n', 2, 2, r"Unescaped '\'"),
    "half an escape": (b'a = "x\\u12"\n', 1, 7, "hex"),
    "half an escape at the end": (b'a = 1\nb = "x\\u', 2, 7, "hex"),
    "half an escape with a sign": (b'a = "x\\u+123"\n', 1, 7, "hex"),
    "half an escape with a line": (b'a = "x\\u1_23"\n', 1, 7, "hex"),
    "escaped surrogate": (b'a = "\\ud800"\n', 1, 6, "Unicode scalar"),
    "escaped surrogate, the last": (b'a = "\\uDFFF"\n', 1, 6, "Unicode scalar"),
    "escape past Unicode": (b'a = "\\U00110000"\n', 1, 6, "Unicode scalar"),
    "apostrophe escaped in a literal string": (rb"a = '\''", 1, 8, "newline"),
    # strings that do not end
    "unclosed '": (b"a = 1\nb = 'x\nc = 2\n", 2, 5, "'"),
    "unclosed ' at the end": (b"a = 1\nb = 'x", 2, 5, "'"),
    'unclosed " at the end': (b'a = 1\nb = "x', 2, 5, "Unterminated"),
    'unclosed " before another': (b'a = 1\nb = "x\nc = "y"\n', 2, 5, r"'\n'"),
    "unclosed ' before another": (b"a = 1\nb = 'x\nc = 'y'\n", 2, 5, r"'\n'"),
    'unclosed "': (b'a = 1\nb = "x\nc = 2\n', 2, 5, r"'\n'"),
    "unclosed '''": (b"a = 1\nb = '''x\nc = 2\n", 2, 5, "'''"),
    'unclosed """': (b'a = 1\nb = """x\nc = 2\n', 2, 5, "Unterminated"),
    "typographic quotes": ("a = “x”\n".encode(), 1, 5, "Invalid value"),
    # shape
    "no value": (b"a =\n", 1, 4, "Invalid value"),
    "a bare word": (b"a = nope\n", 1, 5, "Invalid value"),
    "no such date": (b"a = 2024-02-30\n", 1, 5, "Invalid date"),
    "no equals sign": (b"a = 1\nhello\n", 2, 6, "'='"),
    "a letter in a bare key": ("café = 1\n".encode(), 1, 4, "'='"),
    "prose": (b"You are helpful.\n", 1, 5, "'='"),
    "two on a line": (b"a = 1 b = 2\n", 1, 7, "newline"),
    "text after a text": ("a = '😀漢' x\n".encode(), 1, 10, "newline"),
    "text after a text of lines": (b"a = '''\nx\n'''y\n", 3, 4, "newline"),
    "unclosed table": (b"[a\nb = 1\n", 1, 3, "']'"),
    "unclosed array": (b"a = [1 2]\n", 1, 8, "Unclosed array"),
    "unclosed inline table": (b"a = {b = 1\n", 1, 11, "Unclosed inline table"),
    "before a key that is there twice": (b"a = nope\nb = 1\nb = 2\n", 1, 5, "Invalid value"),
    "before another fault": (b"a = nope\nb = 'x\n", 1, 5, "Invalid value"),
    "before an unknown escape": (b"a = '\x01'\nb = \"\\q\"\n", 1, 6, r"'\x01'"),
    "CRLF before the fault": (b"a = 'x'\r\nb = 'y'\r\nc = d\r\n", 3, 5, "Invalid value"),
    # values that Python will not make
    "5,000 digits": (b"x = 1\na = " + b"1" * 5000 + b"\n", 2, 5, "cannot be read"),
    "5,000 digits below zero": (b"a = [\n  -" + b"1" * 5000 + b"]\n", 2, 3, "cannot be read"),
    "5,000 digits after a longer float": (
        b"f = 0." + b"1" * 9000 + b"\na = " + b"1" * 5000 + b"\n",
        2,
        5,
        "cannot be read",
    ),
    # depth
    "arrays 100,000 deep": (b"a = " + b"[" * 100_000, 1, 69, "nested more than 64 deep"),
    "tables 100,000 deep": (b"a = " + b"{a=" * 100_000, 1, 197, "nested more than 64 deep"),
    "arrays 65 deep": (b"a = " + b"[" * 65 + b"]" * 65, 1, 69, "nested more than 64 deep"),
    "tables 65 deep": (b"a = " + b"{b=" * 65 + b"1" + b"}" * 65, 1, 197, "more than 64 deep"),
    "tables of long keys": (b"a = " + b"{b.c.d.e=" * 40 + b"1" + b"}" * 40, 1, 0, "64 deep"),
    "a text 65 deep": (b"a = " + b"[" * 64 + b"'x'" + b"]" * 64, 1, 0, "64 deep"),
    "a table and a key of 65 parts": (
        b"[a" + b".a" * 39 + b"]\nb" + b".b" * 24 + b" = 1\n",
        2,
        0,
        "64 deep",
    ),
    "a key of 65 parts": (b"x = 1\n" + b".".join([b"a"] * 65) + b" = 1\n", 2, 1, "64 deep"),
    "a key of 20,000 parts": (b"a" + b".a" * 19_999 + b" = 1\n", 1, 1, "64 deep"),
    "a table of 20,000 parts": (b"[ a" + b" . 'a'" * 19_999 + b"]\n", 1, 3, "64 deep"),
    "many parts after a quoted quote": (rb'"\"".' + b"a." * 3000 + b"a = 1\n", 1, 1, "64 deep"),
    "many parts in an inline table": (b"a = {" + b"a." * 3000 + b"a = 1}\n", 1, 6, "64 deep"),
}


def fault_of(data: bytes) -> Diagnostic:
    with pytest.raises(PromptError) as caught:
        read_toml(data, "f.toml")
    assert str(caught.value).startswith("Cannot read f.toml: ")
    [found] = caught.value.diagnostics
    assert (found.code, found.severity) == ("toml-invalid", "error")
    assert found.mend
    assert found.place is not None
    assert found.place.file == "f.toml"
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_finding_at_its_place(name: str) -> None:
    data, line, column, words = FAULTS[name]
    found = fault_of(data)
    assert words in found.message
    assert found.place == Place(line, column or (found.place or Place(0, 0)).column, "f.toml")
    assert found.related is None


# The same key twice: (text, the first place, the second place)
TWICE: dict[str, tuple[str, tuple[int, int], tuple[int, int]]] = {
    "in a table": ("[t]\na = 1\nb = 2\n a = 3\n", (2, 1), (4, 2)),
    "quoted and bare": ("a = 1\n'a' = 2\n", (1, 1), (2, 1)),
    "quoted with an escape": ('é = 1\n"\\u00e9" = 2\n'.replace("é", "'é'"), (1, 1), (2, 1)),
    "a table, and after one below it": ("t.a = 1\n[u]\nb = 1\n[u.c]\n[u]\n", (2, 2), (5, 2)),
    "dotted": ("a.b = 1\na . 'b' = 2\n", (1, 1), (2, 1)),
    "a value and a table": ("a = 1\n[a]\n", (1, 1), (2, 2)),
    "a table and a table": ("[a]\n[b]\n[ a ]\n", (1, 2), (3, 3)),
    "in an inline table": ("x = {a = 1, b = 2, a = 3}\n", (1, 6), (1, 20)),
    "in a second table of an array": ("[[x]]\na = 1\n[[x]]\na = 2\na = 3\n", (4, 1), (5, 1)),
    "a text of many lines": ("a = '''\nb = 1\n'''\na = '''\nx\n'''\n", (1, 1), (4, 1)),
    "three times": ("a = 1\na = 2\na = 3\n", (1, 1), (2, 1)),
    "a text that mentions it": ("a = '''\nb = 1\nb = 2\n'''\nc = 1\nc = 2\n", (5, 1), (6, 1)),
    "by dots, then as a table below one": ("[t]\nb.c = 'x'\n[u]\n[t.b]\n", (2, 1), (4, 2)),
    "by dots in an inline table": ("x = {a.b = 1, a = 2}\n", (1, 6), (1, 15)),
    "in a table of an array": ("[[x]]\n[[x]]\n[x.y]\n[x.y]\n", (3, 2), (4, 2)),
    "text, then its part": ("a = 'x'\na.b = '''\ny\n'''\n", (1, 1), (2, 1)),
    "part, then the text": ("a.b = 'x'\na = '''\ny\n'''\n", (1, 1), (2, 1)),
    "text, then a table below it": ("a = 'x'\n[a.b]\nc = 'y'\n", (1, 1), (2, 2)),
    "array, then a table": ("a = ['x']\n[[a]]\n", (1, 1), (2, 3)),
    "table, then an array of tables": ("[a]\n[[a]]\n", (1, 2), (2, 3)),
    "array of tables, then a table": ("[[a]]\n[a]\n", (1, 3), (2, 2)),
    "a table below, then dots": ("[a.b]\n[a]\nb.c = 1\n", (1, 2), (3, 1)),
    "array of tables below, then dots": ("[[a.b]]\n[a]\nb.c = 1\n", (1, 3), (3, 1)),
    "a table far below, then a text": ("[t.a.b]\n[t]\na = 1\n", (1, 2), (3, 1)),
    "a table far below, then dots": ("[t.a.b.c]\n[t]\na.b = 1\n", (1, 2), (3, 1)),
    "an array far below, then a text": ("[[t.a]]\n[t]\na = 1\n", (1, 3), (3, 1)),
    "by dots, then as a table": ("[a]\nb.c = 'x'\n[a.b]\nd = 'y'\n", (2, 1), (3, 2)),
}


@pytest.mark.parametrize("name", TWICE)
@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_key_that_is_there_twice_shows_both_places(name: str, lines: str) -> None:
    text, first, second = TWICE[name]
    found = fault_of(text.replace("\n", lines).encode())
    assert "there twice" in found.message
    assert (found.related, found.place) == (Place(*first, "f.toml"), Place(*second, "f.toml"))


# What a person reads, whole: the first lines of the errors, and the key in the words of prompts.
READ = {
    b"a = nope": "this is no TOML: Invalid value\n  at f.toml:1:5\n    mend: ",
    b"[a]\nb.c = 1\n'b'.\"c\" = 2": (
        "the key 'a.b.c' is there twice\n  at f.toml:3:1\n    see also: f.toml:2:1\n    mend: "
    ),
    b"[[a]]\n[[a]]\nb = 1\nb = 2": "the key 'a.1.b' is there twice\n  at f.toml:4:1\n",
    b"a = '\0'": "the file holds a NUL (U+0000)\n  at f.toml:1:6\n    mend: ",
    b"a = 1\r": (
        "a carriage return (U+000D) stands without a line feed\n  at f.toml:1:6\n    mend: "
    ),
    b"a = "
    + b"[" * 70
    + b"]" * 70: "keys or values are nested more than 64 deep\n  at f.toml:1:69\n",
    b"\xff": "the byte 0xFF is no UTF-8\n  at f.toml:1:1\n    mend: ",
}


@pytest.mark.parametrize("data", READ)
def test_an_error_reads_as_one_sentence_with_its_place(data: bytes) -> None:
    with pytest.raises(PromptError) as caught:
        read_toml(data, "f.toml")
    assert str(caught.value).startswith(f"Cannot read f.toml: {READ[data]}")


MENDS = {
    rb'a = "\("': "write the text between ''' and ''': nothing in it needs a backslash",
    rb"a = '\''": "write the text between ''' and ''': nothing in it needs a backslash",
    b'a = "x" y"': "write a text that holds quotes between ''' and '''",
    b"a = 'x' y'": "write a text that holds quotes between ''' and '''",
    b"a = x": "write one key = '''text''' for each prompt",
    b"\xef\xbb\xbf": "save it as UTF-8 without BOM",
    b"\xff": "save the file as UTF-8",
    b"a = '\0'": "take the character out",
    b"a=1\na=2": "keep one of the two",
    b"a=" + b"1" * 5000: "write a string",
    b"a=" + b"[" * 5000: "write one flat key for each prompt",
}


@pytest.mark.parametrize("data", MENDS)
def test_a_finding_says_how_to_mend_it(data: bytes) -> None:
    assert fault_of(data).mend == MENDS[data]


LIKE_A_KEY = "a." * 100 + "a"

GOOD: dict[str, tuple[str, dict[str, object]]] = {
    "a text like a long key": (f"a = '''\n{LIKE_A_KEY} = 1'''", {"a": f"{LIKE_A_KEY} = 1"}),
    "nothing": ("", {}),
    "a comment without a line end": ("# é 漢", {}),
    "blank lines": ("\n \t\n\n", {}),
    "the first line end is none of the text": ("a = '''\n\nx'''", {"a": "\nx"}),
    "trailing blanks": ("a = '''x \t\n y'''", {"a": "x \t\n y"}),
    "quotes before the closing three": (
        "a = '''x'''''\nb = \"\"\"\"\"\"\"\"",
        {"a": "x''", "b": '""'},
    ),
    "a line continuation": ('a = """x\\  \n\n  y"""', {"a": "xy"}),
    "escaped line ends": (r'a = "x\r\ny\u000A"', {"a": "x\r\ny\n"}),
    "an escaped NUL, which a text's check refuses": (r'a = "\u0000"', {"a": "\0"}),
    "other line separators": ("a = 'x\x85y\u2028z'", {"a": "x\x85y\u2028z"}),
    "a mark of byte order inside": ("a = '\ufeff'", {"a": "\ufeff"}),
    "noncharacters": ("a = '\uffff'", {"a": "\uffff"}),
    "empty and quoted keys": ("'' = 'x'\n\"a.b\" = 'y'", {"": "x", "a.b": "y"}),
    "4,300 digits": (f"a = {'1' * 4300}", {"a": int("1" * 4300)}),
    "the least and the greatest": ("a = [-inf, 1e999]", {"a": [-math.inf, math.inf]}),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_toml_allows_is_read(name: str) -> None:
    text, data = GOOD[name]
    file = read_toml(text.encode(), "f.toml")
    assert (file.text, file.name, file.crlf, file.data) == (text, "f.toml", False, data)


def test_a_key_of_64_parts_and_63_arrays_are_read_with_all_their_places() -> None:
    arrays = "[" * 63 + "'x'" + "]" * 63
    tables = "{c=" * 63 + "'x'" + "}" * 63
    text = f"{'.'.join('k' * 64)} = 'x'\na = {arrays}\nb = {tables}\nz = 1\n"
    file = read_toml(text.encode(), "f.toml")
    assert file.positions.too_deep is None
    assert file.place(("a", *[0] * 63), 0) == Place(2, 69, "f.toml")
    assert file.place(("b", *"c" * 63), 0) == Place(3, 195, "f.toml")
    assert file.place(("z",)) == Place(4, 1, "f.toml")
    shared = f"[{'.'.join('a' * 40)}]\n{'.'.join('b' * 24)} = 1\nz = 2\n"
    assert read_toml(shared.encode(), "f.toml").place((*"a" * 40, "z")) == Place(3, 1, "f.toml")


def test_crlf_is_read_as_lf_and_remembered() -> None:
    file = read_toml(b"a = '''\r\nx\r\n\r\ny'''\r\nb = \"\"\"z\\\r\n  \\r\\n\"\"\"\r\n", "f.toml")
    assert file.data == {"a": "x\n\ny", "b": "z\r\n"}
    assert file.crlf
    assert "\r" not in file.text
    assert file.place(("a",), 3) == Place(4, 1, "f.toml")
    assert file.place(("b",)) == Place(5, 1, "f.toml")
    assert [file.place(("b",), index).line for index in range(4)] == [5, 6, 6, 6]
    assert file.place(("b",), 2) == Place(6, 5, "f.toml")


def test_a_file_of_both_line_ends_counts_as_crlf() -> None:
    assert read_toml(b"a = 1\nb = 2\r\n", "f.toml").crlf


def test_a_place_is_the_key_where_no_character_is_asked_for_or_the_value_is_no_text() -> None:
    file = read_toml(b"[t]\n  a = 'xy'\nn = 17\n", "dir/f.toml")
    assert file.place(("t", "a")) == Place(2, 3, "dir/f.toml")
    assert file.place(("t", "a"), 0) == Place(2, 8, "dir/f.toml")
    assert file.place(("t", "a"), 2) == Place(2, 10, "dir/f.toml")
    assert file.place(("t", "n"), 1) == Place(3, 1, "dir/f.toml")
    assert file.place(("t",)) == Place(1, 2, "dir/f.toml")
    assert file.place(("t", "nowhere")) == Place(1, 1, "dir/f.toml")
    assert file.place_of(10**9) == Place(4, 1, "dir/f.toml")


def test_positions_are_looked_for_when_first_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(text: str) -> Positions:
        calls.append(text)
        return locate(text)

    monkeypatch.setattr(positions, "locate", counted)
    file = TomlFile("a = 'x'\n", "f.toml")
    assert not file.crlf
    assert calls == [], "a good file is read at tomllib's pace"
    file.place(("a",))
    file.place(("a",), 1)
    assert calls == ["a = 'x'\n"]


def test_a_file_is_read_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reader.MOST_BYTES == 16 * 1024 * 1024
    monkeypatch.setattr(reader, "MOST_BYTES", 8)
    assert read_toml(b"a = 'xy'", "f.toml").data == {"a": "xy"}
    found = fault_of("a = 'é '".encode())
    assert found.place == Place(1, 1, "f.toml")
    assert "9 bytes" in found.message
    assert "8 bytes" in (found.mend or "")


# Inputs that a careless reader needs the square of their size for: a builder, and a size for it.
SLOW: dict[str, tuple[Callable[[int], bytes], int]] = {
    "one key many times": (lambda n: b"a=1\n" * n, 10_000),
    "many keys and a fault": (lambda n: b"".join(b"a%d=1\n" % i for i in range(n)) + b"x", 8_000),
    "blanks": (lambda n: b" " * n + b"x", 200_000),
    "quotes": (lambda n: b'a = """' + b'""x' * n + b'"""\nx', 50_000),
    "escapes": (lambda n: b'a = "' + b"\\n" * n + b'"\nx', 30_000),
    "tables of an array": (lambda n: b"[[a]]\n[[a.b]]\n" * n + b"x", 4_000),
    "what may begin a long key": (lambda n: b'a = """' + b",a.a.a.'a." * n + b'"""\n', 10_000),
    "63 parts in inline tables": (
        lambda n: b"".join(b"k%d = {%sa = 1}\n" % (i, b"a." * 60) for i in range(n)),
        150,
    ),
    "a key of many parts": (lambda n: b"a" + b".a" * n + b" = 1\n", 100_000),
    "arrays in arrays": (lambda n: b"a = " + b"[" * n, 200_000),
    "tables in tables": (lambda n: b"a = " + b"{a = " * n, 100_000),
    "digits": (lambda n: b"a = " + b"1" * n, 1_000_000),
}


@pytest.mark.parametrize("name", SLOW)
def test_time_grows_with_the_size_and_no_faster(name: str) -> None:
    """CASES, "Files": a key of 20,000 parts, nesting 100,000 deep, many digits: refused fast."""
    made, size = SLOW[name]
    data = {n: made(n) for n in (size, 4 * size)}

    def read(n: int) -> None:
        with suppress(PromptError):
            read_toml(data[n], "f.toml")

    assert growth(read, size) < LINEAR


def test_a_depth_that_tomllib_takes_is_refused_from_any_depth_of_calls() -> None:
    """What is too deep does not depend on how much of the stack the caller has used."""

    def below(calls: int) -> Diagnostic:
        return below(calls - 1) if calls else fault_of(b"a = " + b"[" * 80 + b"]" * 80)

    assert below(0).place == below(200).place == Place(1, 69, "f.toml")


def test_the_cases_of_tomllib_itself_are_what_the_reader_adds_to() -> None:
    """Each of the faults that only this reader knows would pass tomllib: it is not wasted."""
    for name in ("arrays 65 deep", "a key of 65 parts", "tables of long keys"):
        assert tomllib.loads(FAULTS[name][0].decode())
