"""Human translations of crewAI's prompts: each lost token and renamed slot is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentprompts import Diagnostic, PromptTemplate
from agentprompts.checks import Unit, review
from agentprompts.exchange import contracts_for, read_json

HERE = Path(__file__).parent / "crewai"
TOKENS = [
    "Action:",
    "Action Input:",
    "Observation:",
    "Final Answer:",
    "Thought:",
    "Use Tool:",
    "Result:",
]
# (file, locale): how many slots and how many tokens it lost, told by key in the lists below.
LOST = {
    ("it", "it"): (6, 13),
    ("fr", "fr"): (2, 14),
    ("pt-br-before", "pt-BR"): (0, 13),
    ("pt-br-after", "pt-BR"): (0, 3),
}


def errors(name: str, locale: str) -> list[Diagnostic]:
    source = read_json((HERE / f"{name}.source.en.json").read_text(encoding="utf-8"))
    contracts = contracts_for(source, TOKENS)
    found = []
    for key, text in read_json((HERE / f"{name}.json").read_text(encoding="utf-8")).items():
        template = PromptTemplate.from_contract(source[key], contracts[key])
        unit = Unit(key, locale, template, text)
        found += [one for one in review(unit) if one.severity == "error"]
    return found


@pytest.mark.parametrize(("name", "locale"), LOST)
def test_what_a_translation_lost_is_found_and_nothing_else(name: str, locale: str) -> None:
    found = errors(name, locale)
    lost = [sum(one.lacks == kind for one in found) for kind in ("slot", "token")]
    assert tuple(lost) == LOST[name, locale]
    assert len(found) == sum(lost)


def test_the_mended_translation_has_lost_one_token_in_three_texts() -> None:
    found = {(one.key, one.subject) for one in errors("pt-br-after", "pt-BR")}
    keys = ("slices.tools", "slices.format", "slices.format_without_tools")
    assert found == {(key, "Use Tool:") for key in keys}


def test_renamed_slots_are_told_by_the_name_that_they_had() -> None:
    told = {one.subject: one.message for one in errors("it", "it") if one.lacks == "slot"}
    assert "'{strumento}' is unknown; did you mean '{tool}'?" in told["tool"]
    assert "'{collaboratori}'" in told["coworkers"]
    assert "'{errore}'" in told["error"]


def test_the_catalog_of_today_imports_with_its_contracts() -> None:
    texts = read_json((HERE / "en-latest.json").read_text(encoding="utf-8"))
    contracts = contracts_for(texts, TOKENS)
    for key, text in texts.items():
        assert PromptTemplate.from_contract(text, contracts[key]).check(text) == []
    assert any("Action:" in contract.protected for contract in contracts.values())
