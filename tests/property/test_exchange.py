"""PO and JSON are lossless: what goes out comes back, staleness included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentprompts import PromptError, PromptTemplate
from agentprompts.exchange import contracts_for, read_json, read_po, write_json, write_po

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
KEY = st.lists(st.text("abz_-1", min_size=1, max_size=4), min_size=2, max_size=3).map(".".join)


def no_prefixes(texts: dict[str, str]) -> dict[str, str]:
    keys = {key for key in texts if not any(other.startswith(f"{key}.") for other in texts)}
    return {key: text for key, text in texts.items() if key in keys}


TEXTS = st.dictionaries(KEY, TEXT, max_size=6).map(no_prefixes)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.booleans())
def test_json_comes_back(texts: dict[str, str], nested: bool) -> None:
    assert read_json(write_json(texts, nested)) == texts


# What XLIFF's and gettext's users call the escape set: quotes, backslashes, tabs, CR, LF.
PO_TEXT = st.text(st.sampled_from('ab "\\\n\r\t%#{}é漢😀\u200b|~'), max_size=30)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEY, st.tuples(PO_TEXT, PO_TEXT, PO_TEXT), max_size=5))
def test_po_comes_back(messages: dict[str, tuple[str, str, str]]) -> None:
    kept = {key: one for key, one in messages.items() if one[0]}  # PO has no empty id
    templates = {
        key: PromptTemplate(one[0], description="A note.\nTwo lines.") for key, one in kept.items()
    }
    texts = {key: one[1] for key, one in kept.items()}
    stale = {key: one[2] for key, one in kept.items() if one[1] and one[2]}
    found = read_po(write_po("fr", templates, texts, stale))
    assert {key: (one.source, one.text) for key, one in found.items()} == {
        key: one[:2] for key, one in kept.items()
    }
    assert {key for key, one in found.items() if one.fuzzy} == set(stale)


def test_contracts_travel_as_comments() -> None:
    template = PromptTemplate(
        "Say ADD to {q}", variables=["q"], protected=["ADD"], description="Why."
    )
    po = write_po("pt-BR", {"a.b": template}, {"a.b": "Diga ADD a {q}"}, {"a.b": "Say it"})
    assert "#. Why.\n#. Keep as they are: {q}  ADD\n" in po
    assert '#, fuzzy\n#| msgid "Say it"\nmsgctxt "a.b"\n' in po
    assert '"Language: pt_BR\\n"' in po


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"a": 1}',
        '{"a": {"b": null}}',
        '{"a": "x", "a": "y"}',
        '{"a.b": "x", "a": {"b": "y"}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_json_of_texts_is_told(text: str) -> None:
    with pytest.raises(PromptError):
        read_json(text)


@pytest.mark.parametrize("text", ['msgid "x"\nmsgstr "y"\n', 'msgid "x\n', "garbage"])
def test_what_is_no_po_of_keys_is_told(text: str) -> None:
    with pytest.raises(PromptError, match="PO file"):
        read_po(text)


def test_contracts_are_guessed_from_braces_and_given_tokens() -> None:
    texts = {"a": 'Action: {tool}, {{city}}, {"x": 1}', "b": "Action is needed"}
    contracts = contracts_for(texts, ["Action:"])
    assert (contracts["a"].variables, contracts["a"].protected) == (("tool",), ("Action:",))
    assert (contracts["b"].variables, contracts["b"].protected) == ((), ())
