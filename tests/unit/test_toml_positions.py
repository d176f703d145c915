"""Where keys, values and each character of a text stand in a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path as FilePath

import pytest

from agentprompts.catalog import default_directory
from agentprompts.tomltext import StringValue, locate, read_toml
from agentprompts.tomltext.positions import MOST_DEPTH, Path

PACKS = FilePath(default_directory())

# A mark is put before each thing whose place is asked for; the marks are no part of the file.
MARK = "▸"


def marked(text: str) -> tuple[str, list[int]]:
    """Return the text without its marks, and where they stood in it."""
    parts = text.split(MARK)
    places, at = [], 0
    for part in parts[:-1]:
        at += len(part)
        places.append(at)
    return "".join(parts), places


# The only string in a text. Marks: its opening quote, each of its characters, the end of them
# (the closing quotes), what follows the closing quotes.
STRINGS = {
    "literal": "a = ▸'▸x▸\\▸\"▸'▸\n",
    "literal, empty": "a = ▸'▸'▸",
    "basic": 'a = ▸"▸x▸\'▸é▸😀▸z▸"▸ # "b"',
    "basic, empty": 'a = ▸"▸"▸',
    "escapes": 'a = ▸"▸\\n▸\\t▸x▸\\\\▸\\"▸\\u00e9▸\\U0001F600▸\\r▸\\b▸\\f▸y▸"▸',
    "escapes at the bounds": 'a = ▸"▸\\uD7FF▸\\uE000▸\\U0010FFFF▸\\u0000▸x▸"▸',
    "an escape first and last": 'a = ▸"▸\\"▸\\\\▸"▸',
    "literal, lines": "a = ▸'''▸x▸\n▸y▸\n▸'''▸\n",
    "literal, lines, first one left out": "a = ▸'''\n▸x▸ ▸\n▸'''▸",
    "literal, lines, empty first one": "a = ▸'''\n▸\n▸x▸'''▸",
    "literal, lines, empty": "a = ▸'''▸'''▸",
    "literal, lines, only a line end": "a = ▸'''\n▸'''▸",
    "literal, one quote before three": "a = ▸'''▸x▸'▸'''▸",
    "literal, two quotes before three": "a = ▸'''▸x▸'▸'▸'''▸\n",
    "literal, nothing but two quotes": "a = ▸'''▸'▸'▸'''▸",
    "literal, quotes inside": "a = ▸'''▸'▸'▸x▸'▸'▸y▸'''▸",
    "basic, lines": 'a = ▸"""▸x▸\n▸\\n▸"▸y▸"""▸',
    "basic, lines, first one left out": 'a = ▸"""\n▸\\t▸\n▸"""▸ # c',
    "basic, one quote before three": 'a = ▸"""▸x▸"▸"""▸',
    "basic, two quotes before three": 'a = ▸"""▸x▸"▸"▸"""▸\nb = 1',
    "basic, nothing but two quotes": 'a = ▸"""▸"▸"▸"""▸',
    "basic, quotes inside": 'a = ▸"""▸"▸"▸x▸"▸"▸\\"▸"▸"▸y▸"""▸',
    "line continuation": 'a = ▸"""▸x\\\n   ▸y▸"""▸',
    "line continuation over blank lines": 'a = ▸"""▸x\\ \t\n\n \t ▸y\\\n▸z▸"""▸',
    "line continuation first": 'a = ▸"""\\\n  ▸x▸"""▸',
    "line continuation after the first line end": 'a = ▸"""\n\\\n  ▸x▸"""▸',
    "line continuation last": 'a = ▸"""▸x\\\n  ▸"""▸',
    "line continuation before quotes": 'a = ▸"""▸x\\\n  ▸"▸"▸"""▸',
    "a backslash before the continuation": 'a = ▸"""▸\\\\\\\n▸x▸"""▸',
    "signs of TOML": "a = ▸'▸[▸#▸=▸,▸}▸'▸",
}


@pytest.mark.parametrize("name", STRINGS)
def test_each_character_of_a_string_has_its_place(name: str) -> None:
    text, places = marked(STRINGS[name])
    value = tomllib.loads(text)["a"]
    string = locate(text).strings["a",]
    offsets = [string.offset(index) for index in range(len(value) + 1)]
    assert [string.start, *offsets, string.end] == places
    for at, char in zip(offsets, value, strict=False):
        assert text[at] in (char, "\\"), "an escape's place is its backslash"


# Marks: the keys, in the order of the paths.
KEYS: dict[str, tuple[str, list[Path]]] = {
    "bare": ("▸a = 1\n  ▸b-_1=2", [("a",), ("b-_1",)]),
    "quoted": ("▸'a b' = 1\n▸\"c.\\u0064\" = 2\n▸'' = 3", [("a b",), ("c.d",), ("",)]),
    "dotted": ("▸a.b = 1\n▸a . 'c' . \"d\" = 2", [("a", "b"), ("a", "c", "d")]),
    "numbers are names": ("▸1.5 = 1", [("1", "5")]),
    "in a table": ("[▸t]\n▸a = 1", [("t",), ("t", "a")]),
    "in a dotted table": ("[ ▸t . 'u v' ] # [c]\n▸a.b = 1", [("t", "u v"), ("t", "u v", "a", "b")]),
    "in tables after each other": (
        "[▸t]\n▸a = '''\n[x]\nb = 1\n'''\n[▸u]\n▸a = '#'",
        [("t",), ("t", "a"), ("u",), ("u", "a")],
    ),
    "in an inline table": (
        "▸t = { ▸a = 1, ▸b.c = {▸d=2}, ▸e = {} } # {f = 1}",
        [("t",), ("t", "a"), ("t", "b", "c"), ("t", "b", "c", "d"), ("t", "e")],
    ),
    "in arrays": (
        "▸a = [ # [\n  {▸b = 1}, [], # ]\n  [2, {▸c = ']'}],\n]\n▸d = 1",
        [("a",), ("a", 0, "b"), ("a", 2, 1, "c"), ("d",)],
    ),
    "in an array of tables": (
        "[[a]]\n▸b = 1\n[[ a ]]\n▸b = 2\n[▸a.c]\n▸d = 3\n[[a]]\n[▸a.c]\n▸d = 4",
        [
            ("a", 0, "b"),
            ("a", 1, "b"),
            ("a", 1, "c"),
            ("a", 1, "c", "d"),
            ("a", 2, "c"),
            ("a", 2, "c", "d"),
        ],
    ),
    "in arrays of tables within each other": (
        "[[a.b]]\n[[a.b.c]]\n▸d = 1\n[[a.b.c]]\n▸d = 2\n[[a.b]]\n[[a.b.c]]\n▸d = 3",
        [("a", "b", 0, "c", 0, "d"), ("a", "b", 0, "c", 1, "d"), ("a", "b", 1, "c", 0, "d")],
    ),
    "after every kind of value": (
        "▸a = -1.5e3 # x\n▸b = 1979-05-27 07:32:00 \n▸c = true\n▸d = [1,2]\n▸e = inf\n▸f = ''",
        [("a",), ("b",), ("c",), ("d",), ("e",), ("f",)],
    ),
    "between comments": ("# a = 1\n\t▸b = 1# c = 2\n#\n\n▸d = 3 #", [("b",), ("d",)]),
}


@pytest.mark.parametrize("name", KEYS)
def test_each_key_has_its_place(name: str) -> None:
    source, paths = KEYS[name]
    text, places = marked(source)
    tomllib.loads(text)
    assert locate(text).keys == {path: [at] for path, at in zip(paths, places, strict=True)}


def test_a_key_that_is_there_twice_has_both_places() -> None:
    text, places = marked("▸a = 1\n'b' = 2\n▸'a' = 3\n")
    assert locate(text).keys["a",] == places


# Values that are none of strings, arrays, tables. Marks: their begin and end.
NUMBERS = ["a = ▸17▸ # x", "a = [▸1▸ , ▸2▸\n]", "a = {b = ▸true▸ }", "a = ▸1979-05-27 07:32:00▸ \n"]


@pytest.mark.parametrize("source", NUMBERS)
def test_other_values_have_their_begin_and_end(source: str) -> None:
    text, places = marked(source)
    assert [at for span in locate(text).numbers for at in span] == places


DEEP = {
    "arrays": f"a = {'[' * 64}▸[1]",
    "tables": f"x = 1\na = {'{b = ' * 64}▸{{",
    "a key": f"x = 1\n▸{'a.' * 64}a = 1",
    "a table": f"[ ▸{'a.' * 64}a]",
    "a key in a table": f"[{'a.' * 39}a]\n{'b.' * 24}b = ▸'x'",
}


@pytest.mark.parametrize("name", DEEP)
def test_the_walk_stops_where_nesting_passes_its_limit(name: str) -> None:
    text, [place] = marked(DEEP[name])
    found = locate(text)
    assert MOST_DEPTH == 64
    assert found.too_deep == place


def test_the_walk_keeps_what_it_found_before_it_stopped() -> None:
    found = locate("a = 'x'\nb = 'y'\nc = \nd = 'z'\n")
    assert found.strings == {
        ("a",): StringValue(4, 7, ((0, 5),)),
        ("b",): StringValue(12, 15, ((0, 13),)),
    }


def test_a_file_with_crlf_has_the_places_of_the_same_file_with_lf() -> None:
    text = "[t]\r\na = '''\r\nx\r\n\r\ny'''\r\nb = \"\"\"\\\r\n  z\\r\\n\"\"\"\r\n"
    file = read_toml(text.encode(), "f.toml")
    assert file.positions == locate(text.replace("\r\n", "\n"))
    lines = text.split("\r\n")
    for path, value in ((("t", "a"), "x\n\ny"), (("t", "b"), "z\r\n")):
        for index, char in enumerate(value):
            place = file.place(path, index)
            shown = f"{lines[place.line - 1]}\n"[place.column - 1]
            assert shown in (char, "\\")


@pytest.mark.parametrize("name", ["catalog.toml", "en.toml", "zh-Hans.toml"])
def test_every_text_of_the_shipped_packs_is_found_character_by_character(name: str) -> None:
    text = (PACKS / name).read_text()
    found = locate(text)
    count = 0

    def walk(value: object, path: Path) -> None:
        nonlocal count
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                walk(inner, (*path, index))
        elif isinstance(value, str):
            count += 1
            string = found.strings[path]
            written = "".join(text[string.offset(index)] for index in range(len(value)))
            assert written.replace("\\", '"') == value.replace("\\", '"')

    walk(tomllib.loads(text), ())
    assert count == len(found.strings) > 30
