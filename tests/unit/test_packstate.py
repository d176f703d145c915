"""What a text was made from: changed sources are noticed, changed texts count as made anew."""

from __future__ import annotations

import pytest

from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.packstate import Made, read_state, stale_texts, updated, write_state
from agentprompts.tomltext import TomlFile

OLD, NEW = {"a.b": "Pick one.", "c.d": "Same."}, {"a.b": "Pick ADD or NOOP.", "c.d": "Same."}
TEXTS = {"a.b": "Choisis.", "c.d": "Pareil."}


def test_a_text_is_stale_when_its_source_has_changed_and_it_has_not() -> None:
    state = updated({}, OLD, TEXTS)
    assert stale_texts(state, OLD, TEXTS) == {}
    assert stale_texts(state, NEW, TEXTS) == {"a.b": "Pick one."}
    assert stale_texts(state, NEW, {**TEXTS, "a.b": "Choisis ADD ou NOOP."}) == {}
    assert stale_texts(state, {"c.d": "Same."}, TEXTS) == {}


def test_an_update_keeps_what_is_stale_until_it_is_changed_or_confirmed() -> None:
    state = updated(updated({}, OLD, TEXTS), NEW, TEXTS)
    assert stale_texts(state, NEW, TEXTS) == {"a.b": "Pick one."}
    confirmed = updated(state, NEW, TEXTS, frozenset({"a.b"}))
    assert stale_texts(confirmed, NEW, TEXTS) == {}
    assert updated(state, NEW, {"c.d": "Pareil."}).keys() == {"c.d"}


def test_a_saved_override_whose_default_was_hardened_since_is_listed_as_stale() -> None:
    """CASES, "a saved override whose default was hardened since" (openwhispr#1524).

    What was saved with its base is listed, and it does not take effect unseen either.
    """
    saved = {"a.b": "Choose."}
    state = updated({}, OLD, saved)
    today = PromptRegistry({"a.b": PromptTemplate(NEW["a.b"], protected=["ADD", "NOOP"])})
    assert stale_texts(state, today.as_dict(), saved) == {"a.b": "Pick one."}
    with pytest.raises(PromptError, match="ADD"):
        today.override(saved)


@pytest.mark.parametrize("text", ["it's\n'''x'''", 'a "b" \\ c\r\n', " ", "漢字\t", ""])
def test_what_is_written_down_is_read_back(text: str) -> None:
    state = {"a.b": Made("1", "2", text), "c d": Made("3", "4", "x")}
    assert read_state(TomlFile(write_state(state), "x.toml")) == state


def test_what_is_none_of_ours_is_passed_over() -> None:
    assert read_state(TomlFile("a = 1\n[b]\nsource = 'x'\n", "x.toml")) == {}
    assert read_state(None) == {}
