"""The JSON Schema of a catalog's packs: which spellings hold, what an editor shows."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from agentprompts import PromptTemplate
from agentprompts.catalog import default_directory, read_catalog
from agentprompts.cli.app import cli
from agentprompts.exchange import write_schema

MATCH = PromptTemplate(
    "Match {query}:\n```json\n<b>ADD</b>\n```",
    variables=["query"],
    protected=["ADD"],
    description="Matches.\nA parser reads ADD.",
)
TEMPLATES = {
    "memory.match": MATCH,
    "memory.section.plan": PromptTemplate("Plan as JSON"),
    "工具.a/b~1c%25#'d": PromptTemplate("A tool"),
    "top": PromptTemplate("Top"),
}


def schema(**options: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(write_schema(TEMPLATES, **options))
    Draft202012Validator.check_schema(made)
    return made


def faults(toml: str, **options: Any) -> list[str]:
    return [
        error.message
        for error in Draft202012Validator(schema(**options)).iter_errors(tomllib.loads(toml))
    ]


@pytest.mark.parametrize(
    "toml",
    [
        "",
        "top = ''",
        "[memory]\nmatch = ''\n[memory.section]\nplan = ''",
        "memory.match = ''\nmemory.section.plan = ''",
        "'memory.match' = ''\n'memory.section.plan' = ''",
        "[memory]\nmatch = ''\n'section.plan' = ''",
        "['memory.section']\nplan = ''",
        "memory = { match = '', section = { plan = '' } }",
        "[memory]\nmatch = ''\n[\"工具\"]\n\"a/b~1c%25#'d\" = ''",
        "\"工具.a/b~1c%25#'d\" = ''",
    ],
)
def test_every_spelling_of_a_key_holds(toml: str) -> None:
    assert faults(toml) == []


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("nothing = ''", "'nothing' was unexpected"),
        ("memory.mach = ''", "'mach' was unexpected"),
        ("'memory.mach' = ''", "'memory.mach' was unexpected"),
        ("[memory.section]\nplan.b = ''", "is not of type 'string'"),
        ("memory = ''", "'' is not of type 'object'"),
        ("'memory.match' = 1", "1 is not of type 'string'"),
        ("top = ['']", "[''] is not of type 'string'"),
        ('"工具"."a/b~1c%25#\'d" = 1', "1 is not of type 'string'"),
    ],
)
def test_what_is_no_text_under_a_key_is_refused(toml: str, words: str) -> None:
    [message] = faults(toml)
    assert words in message


def test_an_old_key_holds_and_is_marked() -> None:
    renamed = {"memory.pick": "memory.match", "memory.match.x": "top", "memory.section": "top"}
    assert faults("memory.pick = ''", renamed=renamed) == []
    assert faults("memory.pick = ''"), "an unknown one, without the renaming"
    assert faults("memory.match = ''", renamed=renamed) == [], "not hidden by a longer old key"
    assert faults("memory.section = ''", renamed=renamed) == [], "the beginning of a key"
    assert faults("[memory.section]\nplan = ''", renamed=renamed) == [], "nor by a shorter one"
    old = schema(renamed=renamed)["properties"]["memory.pick"]
    assert old == {"$ref": "#/$defs/memory.match", "deprecated": True}


def test_a_text_is_described_by_contract_and_source() -> None:
    shown = schema(glossary=["JSON"])["$defs"]
    assert shown["memory.match"] == {
        "type": "string",
        "description": "Matches.\n\nA parser reads ADD.\n\nKeep as they are: {query}  ADD\n\n"
        "````text\nMatch {query}:\n```json\n<b>ADD</b>\n```\n````",
        "examples": [MATCH.template],
    }
    plan = shown["memory.section.plan"]["description"]
    assert plan.startswith("Terms that stay untranslated: JSON\n\n```text\nPlan")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_shipped_packs_validate() -> None:
    made = json.loads(run("schema"))
    validator = Draft202012Validator(made)
    validator.check_schema(made)
    folder = Path(default_directory())
    files = read_catalog(folder)
    for locale in (files.source.locale, *files.locales):
        pack = tomllib.loads((folder / f"{locale}.toml").read_text(encoding="utf-8"))
        assert list(validator.iter_errors(pack)) == []
        pack["memory"]["nonsense"] = "text"
        assert len(list(validator.iter_errors(pack))) == 1
    assert list(made["$defs"]) == list(files.templates)


def test_a_packs_line_that_names_its_schema_survives_an_update(tmp_path: Path) -> None:
    folder = str(tmp_path)
    catalog, english = "[catalog]\nsource = 'en'\n[a]\n", "a = 'One'\n"
    (tmp_path / "catalog.toml").write_text(catalog)
    (tmp_path / "en.toml").write_text(english)
    run("schema", "--catalog", folder, "-o", str(tmp_path / "schema.json"))
    run("new", "fr", "--catalog", folder)
    pack = tmp_path / "fr.toml"
    head, _, _ = pack.read_text().partition("\n")
    assert head == "#:schema ./schema.json"
    # Right above our own comments, too, where it is nearest to being taken for one of them.
    pack.write_text(f"{head}\n#: One\na = 'Un'\n")
    (tmp_path / "en.toml").write_text("a = 'Two'\nb = 'New'\n")
    (tmp_path / "catalog.toml").write_text(f"{catalog}[b]\n")
    run("update", "--catalog", folder)
    assert pack.read_text().startswith(f"{head}\n#: Two\na = 'Un'\n#: New\nb = ''\n")
    (tmp_path / "catalog.toml").write_text("[catalog]\nsource = 'en'\n[b]\n")
    (tmp_path / "en.toml").write_text("b = 'New'\n")
    run("update", "--catalog", folder)
    assert pack.read_text().startswith(f"{head}\n#: New\nb = ''\n")
