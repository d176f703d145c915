"""A Markdown prompt: what front matter and text are, and how each fault of them is told."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprompts import Place, PromptError
from agentprompts.markdown import MOST_BYTES, read_markdown

FIELDS = {
    "+++": "id = 'chat.coding'\nversion = '1.10'\ndescription = 'd'\nvariables = ['os', 'date']\n"
    "protected = ['ADD']\nlocale = 'zh_hans'\n",
    "---": "id: chat.coding\nversion: '1.10'\ndescription: d\nvariables: [os, date]\n"
    "protected:\n- ADD\nlocale: zh_hans\n",
}


@pytest.mark.parametrize("fence", FIELDS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_front_matter_tells_id_version_contract_and_locale(fence: str, end: str) -> None:
    """H7, H8: id and version stand in the file, whatever its name; variables are declared slots."""
    source = f"{fence}\n{FIELDS[fence]}{fence} \n\nADD on {{os}}, {{date}}.\n---\nEnd\n"
    prompt = read_markdown(source.replace("\n", end).encode(), "p/x.md")
    assert (prompt.id, prompt.version, prompt.locale) == ("chat.coding", "1.10", "zh-Hans")
    assert (prompt.contract.variables, prompt.contract.protected) == (("os", "date"), ("ADD",))
    assert prompt.contract.description == "d"
    assert prompt.text == "ADD on {os}, {date}.\n---\nEnd"
    assert prompt.place == Place(source.split("\n").index("ADD on {os}, {date}.") + 1, 1, "p/x.md")


TEXTS = {
    "no front matter": ("Hi\n", "Hi"),
    "no last line end": ("Hi", "Hi"),
    "one line end is the file's": ("Hi\n\n", "Hi\n"),
    "blank lines at the top without front matter": ("\n\nHi\n", "\n\nHi"),
    "one blank line after front matter": ("+++\n+++\n\n\nHi\n", "\nHi"),
    "a line of blanks after front matter": ("+++\n+++\n \t\n  Hi\n", "  Hi"),
    "no blank line after front matter": ("+++\n+++\nHi\n", "Hi"),
    "YAML without fields": ("---\n---\nHi\n", "Hi"),
    "a rule in the text": ("Hi\n\n---\n\nthere\n", "Hi\n\n---\n\nthere"),
    "a rule that is no fence": ("----\nHi\n", "----\nHi"),
    "the other fence in the text": ("+++\n+++\n---\nHi\n---\n", "---\nHi\n---"),
    "characters that Unicode calls line ends": ("a\u2028b\x85c\x0c\n", "a\u2028b\x85c\x0c"),
}


@pytest.mark.parametrize("row", TEXTS)
def test_the_text_is_what_stands_below(row: str) -> None:
    source, text = TEXTS[row]
    assert read_markdown(source.encode(), "x.md").text == text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1))
def test_any_text_comes_back_under_front_matter(text: str) -> None:
    for head in ("+++\nid = 'a'\n+++\n\n", "---\nid: a\n---\n\n"):
        data = f"{head}{text}\n".encode()
        if text.strip():
            assert read_markdown(data, "x.md").text == text
        else:
            with pytest.raises(PromptError, match="no text"):
                read_markdown(data, "x.md")


# What is wrong, and where: (file, line, column, words of the message)
WRONG: dict[str, tuple[str | bytes, int, int, str]] = {
    "empty": ("", 1, 1, "no text"),
    "blank": (" \n\n", 1, 1, "no text"),
    "front matter alone": ("+++\nid = 'a'\n+++\n\n", 5, 1, "no text"),
    "front matter alone, no line end": ("+++\n+++", 2, 4, "no text"),
    "too long": ("x" * (MOST_BYTES + 1), 1, 1, "1,048,576 are read"),
    "a BOM": ("\ufeffHi", 1, 1, "U+FEFF"),
    "no UTF-8": (b"Hi\n\xe9", 2, 1, "0xE9"),
    "a NUL": ("Hi\nyou\0", 2, 4, "U+0000"),
    "a carriage return": ("Hi\ryou", 1, 3, "U+000D"),
    "TOML not closed": ("+++\nid = 'a'\nHi\n", 1, 1, "not closed"),
    "YAML not closed": ("---\nid: a\nHi\n", 1, 1, "not closed"),
    "a rule at the top": ("---\nHi there.\n---\nMore\n", 2, 1, "no fields"),
    "too long front matter": ("+++\n#" + "x" * 70_000 + "\n+++\nHi", 1, 1, "too long"),
    "no TOML": ("+++\nid = a\n+++\nHi", 2, 6, "no TOML"),
    "no YAML": ("---\nid: a\nb: [\n---\nHi", 4, 1, "no YAML"),
    "a key twice in TOML": ("+++\nid = 'a'\nid = 'b'\n+++\nHi", 3, 1, "twice"),
    "a key twice in YAML": ("---\nid: a\nlocale: de\nid: b\n---\nHi", 4, 1, "twice"),
    "an unknown field in TOML": ("+++\n\nname = 'a'\n+++\nHi", 3, 1, "unknown field 'name'"),
    "an unknown field in YAML": ("---\n\nname: a\n---\nHi", 3, 1, "unknown field 'name'"),
    "a name that is no text": ("---\n1: a\n---\nHi", 2, 1, "no name of a field"),
    "a list for a name": ("---\n!!str [a]: b\n---\nHi", 2, 1, "no name of a field"),
    "a merge": ("---\n<<: {id: b}\n---\nHi", 2, 1, "no name of a field"),
    "an alias": ("---\nid: &a b\nlocale: *a\n---\nHi", 3, 9, "an alias"),
    "deep nesting": ("---\nid: " + "[" * 30_000 + "\n---\nHi", 2, 12, "deep nesting"),
    "deep nesting in TOML": ("+++\nid = " + "[" * 30_000 + "\n+++\nHi", 2, 70, "nested more than"),
    "code in YAML": ("---\nid: !!python/object:os.x a\n---\nHi", 2, 5, "constructor"),
    "two documents": ("---\nid: a\n...\nid: b\n---\nHi", 4, 1, "expected"),
    "a date that is none": ("---\nid: 2024-13-45\n---\nHi", 2, 1, "month"),
    "a number of 5,000 digits": ("---\nversion: " + "9" * 5000 + "\n---\nHi", 2, 1, "digits"),
    "a control character": ("---\nid: '\x01'\n---\nHi", 2, 6, "not allowed"),
    "a version that loses its zero": ("---\nversion: 1.10\n---\nHi", 2, 1, "version is float"),
    "a version that is a date": ("+++\nversion = 2026-01-01\n+++\nHi", 2, 1, "is date"),
    "an id that YAML takes for a truth": ("---\nid: no\n---\nHi", 2, 1, "id is bool"),
    "a blank id": ("+++\nid = ''\n+++\nHi", 2, 1, "blank segment"),
    "an id with white space": ("+++\nid = 'a b'\n+++\nHi", 2, 1, "white space"),
    "variables in one text": ("+++\nvariables = 'os'\n+++\nHi", 2, 1, "variables is str"),
    "variables that are numbers": ("---\nid: a\nvariables: [1]\n---\nHi", 3, 1, "no text"),
    "a variable that is no name": ("+++\nvariables = ['a b']\n+++\nHi", 2, 1, "no identifier"),
    "a blank token": ("---\nprotected: ['']\n---\nHi", 2, 1, "blank"),
    "no locale": ("+++\nlocale = 'en_US@x=../..'\n+++\nHi", 2, 1, "no locale"),
}  # fmt: skip


@pytest.mark.parametrize("row", WRONG)
def test_what_is_wrong_is_told_once_with_its_place(row: str) -> None:
    """H9"""
    source, line, column, words = WRONG[row]
    data = source if isinstance(source, bytes) else source.encode()
    with pytest.raises(PromptError) as caught:
        read_markdown(data, "p/x.md")
    (found,) = caught.value.diagnostics
    assert found.place == Place(line, column, "p/x.md")
    assert words in found.message
    assert found.mend
    assert len(str(caught.value)) < 600


def test_every_fault_of_the_fields_is_told_at_once() -> None:
    with pytest.raises(PromptError) as caught:
        read_markdown(b"---\nid: 1\nname: x\nvariables: a\n---\n", "x.md")
    assert [found.place and found.place.line for found in caught.value.diagnostics] == [2, 3, 4, 6]


def test_aliases_that_multiply_are_refused_before_they_do() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    tracemalloc.start()
    try:
        with pytest.raises(PromptError, match="an alias"):
            read_markdown("\n".join(["---", *lines, "---", "Hi"]).encode(), "x.md")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_rule_at_the_top_is_told_how_to_be_one() -> None:
    with pytest.raises(PromptError, match=r"only a rule is written '\*\*\*'"):
        read_markdown(b"---\nHi.\n---\n", "x.md")


def test_slots_are_guessed_only_where_asked_and_none_are_declared() -> None:
    """H8: without front matter, `{os}` is plain text."""
    plain, declared = b"On {os}: {a: 1}", b"+++\nvariables = []\n+++\nOn {os}"
    assert read_markdown(plain, "x.md").contract.variables == ()
    assert read_markdown(plain, "x.md", guess=True).contract.variables == ("os",)
    assert read_markdown(declared, "x.md", guess=True).contract.variables == ()


def test_without_the_extra_the_error_names_it() -> None:
    code = """
import sys
sys.modules["yaml"] = None
from agentprompts.markdown import read_markdown
assert read_markdown(b"+++\\nid = 'a'\\n+++\\nHi", "x.md").id == "a"
try:
    read_markdown(b"---\\nid: a\\n---\\nHi", "x.md")
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("PromptError")
    assert "'agentprompts[yaml]'" in done.stdout
