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


@pytest.mark.parametrize("text", ["# Role\nYou", "1. Read\n2. Ask", "- a word\n- another"])
def test_what_a_text_begins_with_stays_at_the_begin_of_its_line(text: str) -> None:
    template = PromptTemplate(text)
    pseudo = pseudo_text(template)
    assert pseudo.split()[0] == text.split(maxsplit=1)[0]
    assert review(Unit("a.b", PSEUDO_LOCALE, template, pseudo)) == []


def test_a_token_that_begins_as_a_heading_does_is_not_parted() -> None:
    template = PromptTemplate("# Role: {q}", variables=["q"], protected=["# Role:"])
    assert template.check(pseudo_text(template)) == []


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
