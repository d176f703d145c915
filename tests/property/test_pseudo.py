"""The pseudo-locale of every text that we know keeps its contract, and has no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentprompts import DEFAULT_PROMPTS, PromptTemplate
from agentprompts.checks import Unit, review
from agentprompts.exchange import PSEUDO_LOCALE, pseudo_text

PROMPTS = Path(__file__).parents[1] / "corpus" / "prompts"


def errors(template: PromptTemplate) -> list[str]:
    unit = Unit("a.b", PSEUDO_LOCALE, template, pseudo_text(template))
    return [str(found) for found in review(unit) if found.severity == "error"]


@pytest.mark.parametrize("path", sorted(PROMPTS.glob("*.json")), ids=lambda path: path.stem)
def test_source_prompts_of_others_have_no_error_in_the_pseudo_locale(path: Path) -> None:
    for prompt in json.loads(path.read_text(encoding="utf-8"))["prompts"]:
        template = PromptTemplate(prompt["text"], variables=prompt["variables"])
        assert errors(template) == [], prompt["file"]


@pytest.mark.parametrize("key", DEFAULT_PROMPTS.keys())
def test_the_default_prompts_have_no_finding_of_structure(key: str) -> None:
    template = DEFAULT_PROMPTS.get(key)
    assert errors(template) == []
    assert pseudo_text(template) != template.template


PIECES = st.lists(
    st.sampled_from(
        ["{q}", "<q>", "ADD", "a", " ", "\n", "{", "}", "<", ">", '"x": 1', "`", "# ", "é"]
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(PIECES)
def test_any_text_honours_its_contract_in_the_pseudo_locale(pieces: list[str]) -> None:
    text = "".join([*pieces, " {q} ADD"])
    template = PromptTemplate(text, variables=["q"], protected=["ADD"])
    assert template.check(pseudo_text(template)) == []
