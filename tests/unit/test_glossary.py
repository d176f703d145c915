"""The glossary: terms that stay untranslated, where they are read, looked for, and shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from agentprompts import PromptTemplate
from agentprompts.checks import Unit, review
from agentprompts.cli.app import cli
from agentprompts.packfile import read_contracts
from agentprompts.tomltext import read_toml

CATALOG = """\
[catalog]
source = "en"
glossary = ["Python", "JSON"]
["chat.code"]
description = "Asks for code."
protected = ["ADD"]
["chat.plain"]
["chat.log"]
variables = ["JSON"]
protected = ["Python"]
"""
ENGLISH = """\
[chat]
code = 'Write Python that reads JSON, or answer ADD. No JSONL, please.'
plain = 'Say it in one sentence, and no more than that.'
log = 'Log {JSON} with Python.'
"""


def missed(text: str, source: str = "As JSON", slots: tuple[str, ...] = ()) -> list[str | None]:
    """Return the terms that the check misses in a text."""
    template = PromptTemplate(source, variables=slots)
    unit = Unit("a.b", "de", template, text, ("JSON", "Hugging Face"))
    return [found.subject for found in review(unit) if found.code == "glossary"]


@pytest.mark.parametrize(
    "text",
    [
        "als JSON", "als JSON-Objekt", "JSON'u yaz", "v JSONu", "JSONissa", "mit JSONs",
        "使用JSON格式", "بصيغة JSON", "בJSON", "`JSON`",
    ],
)  # fmt: skip
def test_a_term_holds_with_whatever_ending_a_language_gives_it(text: str) -> None:
    assert missed(text) == []


@pytest.mark.parametrize("text", ["als Objekt", "als json", "GEOJSON", "als JЅON", "J SON"])
def test_a_term_that_is_not_there_is_missed(text: str) -> None:
    assert missed(text) == ["JSON"]


def test_only_terms_that_stand_in_the_source_as_words_are_looked_for() -> None:
    assert missed("Zeilen", "Lines of JSONL") == []
    assert missed("Aus {JSON}", "From {JSON}", ("JSON",)) == []
    assert missed("Die Umarmung", "Ask Hugging Face") == ["Hugging Face"]


def test_a_slots_name_is_no_term() -> None:
    assert missed("Das Objekt: {JSON}", "The JSON: {JSON}", ("JSON",)) == ["JSON"]


def test_a_protocol_token_is_told_once() -> None:
    template = PromptTemplate("Answer as JSON.", protected=["JSON"])
    codes = [found.code for found in review(Unit("a.b", "fr", template, "Réponds.", ("JSON",)))]
    assert codes == ["token-missing"]


def test_a_text_of_terms_alone_is_not_called_untranslated() -> None:
    template = PromptTemplate("Python, JSON, Rust")
    for glossary, codes in (((), ["unchanged"]), (("Python", "JSON"), [])):
        unit = Unit("a.b", "fr", template, template.template, glossary)
        assert [found.code for found in review(unit)] == codes


def test_the_catalog_says_the_terms() -> None:
    read = read_contracts(read_toml(CATALOG.encode(), "catalog.toml"))
    assert read.glossary == ("Python", "JSON")
    bare = CATALOG.replace('glossary = ["Python", "JSON"]', "")
    assert read_contracts(read_toml(bare.encode(), "catalog.toml")).glossary == ()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog.toml").write_text(CATALOG)
    (tmp_path / "en.toml").write_text(ENGLISH)
    return tmp_path


def run(folder: Path, *arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [*arguments, "--catalog", str(folder)])
    assert result.exit_code == code, result.output
    return result.output


def test_a_new_pack_names_the_terms_beside_each_text(folder: Path) -> None:
    run(folder, "new", "fr")
    scaffold = (folder / "fr.toml").read_text()
    note = "#. Keep as they are: ADD\n#. Terms that stay untranslated: Python, JSON\n#: Write"
    assert note in scaffold
    assert scaffold.count("untranslated") == 1, "no term: a slot's name, a token, a longer word"
    assert "#. Terms that stay untranslated: Python, JSON" in run(folder, "export", "fr")


def test_update_brings_new_terms_into_the_comments(folder: Path) -> None:
    run(folder, "new", "fr")
    (folder / "catalog.toml").write_text(CATALOG.replace('"JSON"]', '"JSON", "JSONL"]', 1))
    run(folder, "update")
    assert (
        "#. Terms that stay untranslated: Python, JSON, JSONL" in (folder / "fr.toml").read_text()
    )


def test_check_warns_where_a_term_is_translated(folder: Path) -> None:
    (folder / "fr.toml").write_text(
        "chat.code = 'Écrivez du serpent qui lit du JSON, ou répondez ADD. Pas de JSONL.'\n"
        "chat.plain = 'Dites-le en une phrase, et pas plus.'\n"
        "chat.log = 'Notez {JSON} avec Python.'\n"
    )
    told = run(folder, "check", "fr", "--format", "concise")
    assert [line.split(": ", 1)[1] for line in told.splitlines()] == [
        "warning[glossary] chat.code: the term 'Python' of the source is not there"
    ]


def test_the_pseudo_locale_keeps_the_terms(folder: Path) -> None:
    run(folder, "new", "en-XA", "--pseudo")
    assert run(folder, "check", "en-XA", "--strict").strip() == "no findings"
