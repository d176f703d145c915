"""One text as TOML, and an edit of a file that leaves all else as it was."""

from __future__ import annotations

import tomllib

import pytest

from agentprompts import PromptError
from agentprompts.tomltext import (
    locate,
    quote_key,
    quote_text,
    read_toml,
    replace_text,
    splice,
)
from agentprompts.tomltext.positions import Path

# A text as it is written: literally where it can be, and where that is not asked for.
QUOTED: dict[str, tuple[str, str]] = {
    "": ("''", '""'),
    "plain": ("'plain'", '"plain"'),
    '{"op": "ADD"}': ("""'{"op": "ADD"}'""", r'"{\"op\": \"ADD\"}"'),
    r"\frac{n}{m}": (r"'\frac{n}{m}'", r'"\\frac{n}{m}"'),
    "it's": ("'''\nit's'''", '"it\'s"'),
    "two\nlines": ("'''\ntwo\nlines'''", '"""\ntwo\nlines"""'),
    "\n": ("'''\n\n'''", '"""\n\n"""'),
    "\nx\n": ("'''\n\nx\n'''", '"""\n\nx\n"""'),
    "trailing \t\nblanks ": ("'''\ntrailing \t\nblanks '''", '"""\ntrailing \t\nblanks """'),
    "a tab\t": ("'a tab\t'", '"a tab\t"'),
    'ends in "': ("'ends in \"'", r'"ends in \""'),
    "ends in '": ('"ends in \'"', '"ends in \'"'),
    "ends in\n'": ('"""\nends in\n\'"""', '"""\nends in\n\'"""'),
    "'": ('"\'"', '"\'"'),
    "''": ("\"''\"", "\"''\""),
    "has '''": ("\"has '''\"", "\"has '''\""),
    "both ''' and\n\"\"\"": (
        '"""\nboth \'\'\' and\n\\"\\"\\""""',
        '"""\nboth \'\'\' and\n\\"\\"\\""""',
    ),
    "backslash\\\n at a line's end": (
        "'''\nbackslash\\\n at a line's end'''",
        '"""\nbackslash\\\\\n at a line\'s end"""',
    ),
    "Windows\r\nlines\r": ('"""\nWindows\\r\nlines\\r"""', '"""\nWindows\\r\nlines\\r"""'),
    "\r": (r'"\r"', r'"\r"'),
    "\0\x01\b\x0b\f\x1b\x7f": (
        r'"\u0000\u0001\b\u000B\f\u001B\u007F"',
        r'"\u0000\u0001\b\u000B\f\u001B\u007F"',
    ),
    "漢 é 😀 \x85\u2028\ufeff\uffff": (
        "'漢 é 😀 \x85\u2028\ufeff\uffff'",
        '"漢 é 😀 \x85\u2028\ufeff\uffff"',
    ),
    "# no comment": ("'# no comment'", '"# no comment"'),
}


@pytest.mark.parametrize("text", QUOTED)
@pytest.mark.parametrize("literal", [True, False], ids=["literal", "basic"])
def test_a_text_is_written_so_that_it_is_read_back(text: str, literal: bool) -> None:
    quoted = quote_text(text, literal)
    assert quoted == QUOTED[text][not literal]
    assert tomllib.loads(f"a = {quoted}\nb = [{quoted}]") == {"a": text, "b": [text]}


def test_a_text_is_written_literally_by_default() -> None:
    assert quote_text(r"a\b") == r"'a\b'"


PACK = """\
# A pack. 'x' = "y"

[memory] # about memory
extract = '''
Old.
'''  # keep
  reconcile="Old: \\"ADD\\"" # and this
none   =   'old'

[context]
section.memory = 'old' #1
'section'.plan = "old" #2
inline = { a = 'old', b = ['old', "old"], c = '''
old''' } # 3
[[list]]
a = 'old'
[[list]]
a = 'old'
"""

# Edits: (the path, the new text, what is replaced, by what). All else stays.
EDITS: dict[str, tuple[Path, str, str, str]] = {
    "lines": (("memory", "extract"), "New.\n", "'''\nOld.\n'''", "'''\nNew.\n'''"),
    "lines to one": (("memory", "extract"), "New.", "'''\nOld.\n'''", "'''\nNew.'''"),
    "basic stays basic": (
        ("memory", "reconcile"),
        'New: "ADD"',
        '"Old: \\"ADD\\""',
        '"New: \\"ADD\\""',
    ),
    "basic to lines": (("memory", "reconcile"), "a\nb", '"Old: \\"ADD\\""', '"""\na\nb"""'),
    "literal to lines": (("memory", "none"), "it's", "'old'\n\n", "'''\nit's'''\n\n"),
    "literal to escapes": (("memory", "none"), "a\r\n", "'old'\n\n", '"""\na\\r\n"""\n\n'),
    "dotted": (("context", "section", "memory"), "new", "'old' #1", "'new' #1"),
    "dotted and quoted": (("context", "section", "plan"), "new", '"old" #2', '"new" #2'),
    "inline table": (("context", "inline", "a"), "new", "a = 'old', b", "a = 'new', b"),
    "array": (("context", "inline", "b", 1), "new", '"old"], c', '"new"], c'),
    "inline, lines": (
        ("context", "inline", "c"),
        "1\n2",
        "'''\nold''' } # 3",
        "'''\n1\n2''' } # 3",
    ),
    "array of tables, first": (("list", 0, "a"), "", "'old'\n[[list]]", "''\n[[list]]"),
    "array of tables, second": (
        ("list", 1, "a"),
        "漢😀",
        "[[list]]\na = 'old'\n[[list]]\na = 'old'\n",
        "[[list]]\na = 'old'\n[[list]]\na = '漢😀'\n",
    ),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_an_edit_puts_in_the_new_text_and_keeps_all_else(name: str, lines: str) -> None:
    path, text, old, new = EDITS[name]
    assert PACK.count(old) == 1
    edited = replace_text(PACK.replace("\n", lines), path, text)
    assert edited == PACK.replace(old, new).replace("\n", lines)
    assert read_toml(edited.encode(), "f.toml").crlf == (lines == "\r\n")


def test_an_escaped_line_end_survives_an_edit_beside_it_and_one_of_itself() -> None:
    source = "a = \"1\\r\\n2\"\r\nb = 'old'\r\n"
    edited = replace_text(source, ("b",), "x\r\ny\n")
    assert edited == 'a = "1\\r\\n2"\r\nb = """\r\nx\\r\r\ny\r\n"""\r\n'
    assert tomllib.loads(edited) == {"a": "1\r\n2", "b": "x\r\ny\n"}
    again = replace_text(edited, ("a",), "3\r\n4")
    assert tomllib.loads(again) == {"a": "3\r\n4", "b": "x\r\ny\n"}


def test_the_lines_of_a_file_with_both_line_ends_stay_as_they_are() -> None:
    source = "# 1\r\n# 2\na = 'old'\nb = 1\r\nc = 'old'\n"
    assert replace_text(source, ("a",), "new") == source.replace("a = 'old'", "a = 'new'")
    assert replace_text(source, ("c",), "new") == source.replace("c = 'old'", "c = 'new'")


def test_a_replaced_text_of_many_edits_is_as_if_written_at_once() -> None:
    edited = PACK
    for path in sorted(locate(PACK).strings, key=repr):
        edited = replace_text(edited, path, "it's\nnew")
    assert set(locate(edited).strings) == set(locate(PACK).strings)
    comments = [line for line in PACK.splitlines() if line.startswith("#")]
    assert all(comment in edited for comment in comments)
    assert edited.count("it's\nnew") == len(locate(PACK).strings)


NO_TEXT: dict[str, tuple[str, Path]] = {
    "no such key": ("a = 'x'", ("b",)),
    "a table": ("[a]\nb = 'x'", ("a",)),
    "a number": ("a = 1", ("a",)),
    "past the end of an array": ("a = ['x']", ("a", 1)),
    "behind a fault": ("a = \nb = 'x'", ("b",)),
    "a key in a text": ("a = '''\nb = 'x'\n'''", ("b",)),
    "nothing": ("", ()),
}


@pytest.mark.parametrize("name", NO_TEXT)
def test_an_edit_of_what_is_no_text_is_refused(name: str) -> None:
    source, path = NO_TEXT[name]
    shown = ".".join(map(str, path))
    with pytest.raises(PromptError, match="Cannot edit: no text under the key") as caught:
        replace_text(source, path, "new")
    assert repr(shown) in str(caught.value)


KEYS: dict[tuple[str, ...], str] = {
    ("a",): "a",
    ("tool", "error", "not_found"): "tool.error.not_found",
    ("A-1", "_"): "A-1._",
    ("a b", "c"): '"a b".c',
    ("a.b", "c"): '"a.b".c',
    ("",): '""',
    ("工具", "é"): '"工具"."é"',
    ('a"b', "c\\d", "e'f"): '"a\\"b"."c\\\\d"."e\'f"',
    ("a\nb",): '"a\\nb"',
    ("a\r\n\0",): '"a\\r\\n\\u0000"',
}


@pytest.mark.parametrize("parts", KEYS, ids=repr)
def test_a_key_is_written_bare_where_it_can_be(parts: tuple[str, ...]) -> None:
    assert quote_key(parts) == KEYS[parts]
    value: object = tomllib.loads(f"{quote_key(parts)} = 'x'")
    for part in parts:
        assert isinstance(value, dict)
        value = value[part]
    assert value == "x"


# Edits of "ab\ncd\nef\n": (start, end, new) each, and what comes of them.
SPLICES: dict[str, tuple[list[tuple[int, int, str]], str]] = {
    "none": ([], "ab\ncd\nef\n"),
    "within a line": ([(4, 5, "X")], "ab\ncX\nef\n"),
    "a whole line": ([(3, 6, "")], "ab\nef\n"),
    "a line end": ([(2, 3, "")], "abcd\nef\n"),
    "put in before a line end": ([(2, 2, "X\nY")], "abX\nY\ncd\nef\n"),
    "put in after a line end": ([(3, 3, "X\n")], "ab\nX\ncd\nef\n"),
    "at both ends": ([(0, 0, "X\n"), (9, 9, "Y")], "X\nab\ncd\nef\nY"),
    "several, in any order": ([(6, 8, "Z"), (0, 1, "\n"), (3, 4, "YY")], "\nb\nYYd\nZ\n"),
    "next to each other": ([(3, 5, "X"), (5, 6, "Y\n")], "ab\nXY\nef\n"),
    "all": ([(0, 9, "X")], "X"),
}


@pytest.mark.parametrize("name", SPLICES)
def test_stretches_are_replaced_at_the_places_of_the_text_with_lf(name: str) -> None:
    edits, expected = SPLICES[name]
    assert splice("ab\ncd\nef\n", edits) == expected
    windows = splice("ab\r\ncd\r\nef\r\n", edits)
    assert windows == expected.replace("\n", "\r\n")
