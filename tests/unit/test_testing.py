"""What the package offers to other people's tests: the recorder, the leak test, the assertions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest

from agentprompts import (
    DEFAULT_PROMPTS,
    Origin,
    PromptError,
    PromptRegistry,
    PromptTemplate,
    load_catalog,
)
from agentprompts.registry.compare import fingerprint
from agentprompts.testing import (
    Recorder,
    assert_contracts,
    assert_no_leaks,
    assert_override_arrives,
    leaks,
    pseudo_registry,
)


@pytest.fixture
def prompts() -> PromptRegistry:
    return PromptRegistry(
        {
            "my.ask": PromptTemplate("Ask {query}: ADD?", variables=["query"], protected=["ADD"]),
            "my.none": PromptTemplate("Nothing."),
        }
    )


DOORS: dict[str, Callable[[PromptRegistry], object]] = {
    "text": lambda p: p.text("my.ask"),
    "render": lambda p: p.render("my.ask", query="q"),
    "render a mapping": lambda p: p.render("my.ask", {"query": "q"}),
    "get": lambda p: p.get("my.ask"),
    "get with a default": lambda p: p.get("my.ask", None),
    "item": lambda p: p["my.ask"],
    "ref": lambda p: str(p.ref("my.ask")),
    "ref renders": lambda p: p.ref("my.ask").render(query="q"),
    "ref's template": lambda p: p.ref("my.ask").template,
    "namespace": lambda p: p.namespace("my").text("ask"),
    "namespace's item": lambda p: p.namespace("my")["ask"],
    "namespace's ref": lambda p: p.namespace("my").ref("ask").render(query="q"),
    "copy": lambda p: p.copy().text("my.ask"),
    "deep copy": lambda p: deepcopy(p).text("my.ask"),
    "snapshot": lambda p: p.snapshot().text("my.ask"),
    "with overrides": lambda p: p.with_overrides({"my.none": "No."}).text("my.ask"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("locale", [None, "zh-Hans"])
def test_a_read_is_recorded_through_every_door(
    prompts: PromptRegistry, door: str, locale: str | None
) -> None:
    recorder = Recorder(prompts)
    seen = recorder if locale is None else recorder.localized(locale)
    answer = DOORS[door](seen)
    assert answer == DOORS[door](prompts)
    [read] = recorder.reads
    assert (read.key, read.locale, read.text) == ("my.ask", locale, prompts.text("my.ask"))
    assert read.origin == Origin("source", "en")
    assert read.fingerprint == fingerprint({"my.ask": "Ask {query}: ADD?"})
    assert read.values == ({"query": "q"} if "render" in door or "'s ref" in door else None)
    assert (recorder.keys_read, recorder.unread) == ({"my.ask"}, ["my.none"])


def test_listing_and_looking_is_no_read(prompts: PromptRegistry) -> None:
    recorder = Recorder(prompts)
    for seen in (recorder, recorder.localized("fr")):
        assert len(seen) == len(list(seen)) == len(seen.items()) == len(seen.as_dict()) == 2
        assert "my.ask" in seen
        assert seen.get("my.other", "no") == "no"
        assert seen.fingerprint == prompts.fingerprint
        assert seen.origin("my.ask") == Origin("source", "en")
        seen.ref("my.ask")
        with pytest.raises(KeyError, match=r"my\.asc"):
            seen.text("my.asc")
    assert recorder.reads == []


def test_a_recorder_is_live_in_both_directions(prompts: PromptRegistry) -> None:
    recorder = Recorder(prompts)
    prompts.override({"my.none": "Nothing at all."})
    assert recorder.text("my.none") == "Nothing at all."
    recorder.override({"my.none": "None."})
    recorder.localized("fr").override({"my.none": "Rien."})
    recorder.register("your.text", "New.")
    recorder.namespace("his").include(PromptRegistry({"one": PromptTemplate("One.")}))
    assert prompts.text("my.none") == "None."
    assert prompts.localized("fr").text("my.none") == "Rien."
    assert prompts.keys()[2:] == ["your.text", "his.one"]
    recorder.copy().override({"my.none": "Elsewhere."})
    assert prompts.text("my.none") == "None."
    with pytest.raises(PromptError, match="snapshot"):
        recorder.snapshot().override({"my.none": "x"})


def test_a_read_tells_the_layer_and_language_of_its_text() -> None:
    recorder = Recorder(DEFAULT_PROMPTS)
    recorder.localized("zh_CN").text("chat.persona")
    recorder.localized("fr").text("chat.persona")
    first, second = recorder.reads
    assert (first.locale, first.origin) == ("zh-CN", Origin("pack", "zh-Hans"))
    assert (second.locale, second.origin) == ("fr", Origin("source", "en"))
    assert first.fingerprint != second.fingerprint


def test_a_recorder_pickles_as_the_registry_behind_it(prompts: PromptRegistry) -> None:
    recorder = Recorder(prompts)
    for seen in (recorder, recorder.localized("fr")):
        back = pickle.loads(pickle.dumps(seen))
        assert back.as_dict() == prompts.as_dict()
        assert not isinstance(back, Recorder)


def test_what_is_no_registry_is_not_recorded(prompts: PromptRegistry) -> None:
    for wrong in (prompts.localized("fr"), {"a": "b"}):
        with pytest.raises(PromptError, match="Cannot record"):
            Recorder(wrong)  # type: ignore[arg-type]


def test_the_pseudo_registry_is_pseudo_in_every_locale(prompts: PromptRegistry) -> None:
    prompts.override({"my.none": "Rien."}, locale="fr")
    made = pseudo_registry(prompts)
    for locale in ("en", "fr", "fr-CA", "zh"):
        assert made.localized(locale).text("my.none").startswith("⟦")
    assert prompts.text("my.none") == "Nothing."


A, B = "⟦Åšķ q: ADD? ·····⟧", "⟦Ñöţĥîñĝ. ··⟧"
LEAKS: dict[str, tuple[object, list[str]]] = {
    "a prompt": ([A, B], []),
    "two prompts and numbers between": ([f"{A}\n1. {B} - 5 %"], []),
    "before": ([f"Be brief.\n{A}"], ["Be brief."]),
    "between and after": ([f"{A} and {B}\n请简短。"], ["and", "请简短。"]),
    "twice": (["No.", f"{A} No."], ["No."]),
    "a prompt in a prompt": ([f"⟦Åšķ {B}: ADD? ····⟧ x"], ["x"]),
    "a value": (["⟦Åšķ Be brief.: ADD? ····⟧"], []),
    "a part of a prompt": (["Ñöţĥîñĝ."], []),
    "its end cut off": (["⟦Åšķ"], ["⟦Åšķ"]),
    "its beginning cut off": (["ŝķ q: ADD? ····⟧ x"], ["ŝķ q: ADD? ····⟧", "x"]),
    "mappings": ([{"role": "user", "content": "No."}], ["No."]),
    "parts of a message": ([{"content": [{"type": "text", "text": "No."}, {"url": "x"}]}], ["No."]),
    "allowed": (["USER said: [USER INPUT, long]"], ["said: ["]),
}


@pytest.mark.parametrize("case", LEAKS)
def test_what_comes_from_no_prompt_is_a_leak(prompts: PromptRegistry, case: str) -> None:
    messages, expected = LEAKS[case]
    made = pseudo_registry(prompts)
    assert made.render("my.ask", query="q") == A
    assert made.text("my.none") == B
    allow = ["USER", "USER INPUT, long"]
    assert leaks(messages, made, allow=allow) == expected  # type: ignore[arg-type]


def test_objects_with_content_are_messages(prompts: PromptRegistry) -> None:
    class Message:
        content: Any = "No."

    assert leaks([Message(), object()], pseudo_registry(prompts)) == ["No."]


def test_values_can_be_searched_too(prompts: PromptRegistry) -> None:
    recorder = Recorder(pseudo_registry(prompts))
    message = recorder.render("my.ask", query=f"Be brief. {recorder.text('my.none')} USER")
    assert leaks([message], recorder) == []
    assert leaks([message], recorder, allow=["USER"], values=True) == ["Be brief."]
    with pytest.raises(AssertionError, match=r"in no prompt:\n  'Be brief.'"):
        assert_no_leaks([message], recorder, allow=["USER"], values=True)
    with pytest.raises(PromptError, match="Only a Recorder"):
        leaks([message], pseudo_registry(prompts), values=True)


def test_the_leak_test_needs_the_pseudo_locale(prompts: PromptRegistry) -> None:
    with pytest.raises(PromptError, match=r"'my\.ask' is not in the pseudo-locale"):
        leaks([], prompts)


class Operation(StrEnum):
    ADD = "ADD"
    DROP = "DROP"


def test_contracts_are_compared_with_the_parsers_tokens(prompts: PromptRegistry) -> None:
    assert_contracts(prompts, {"my.ask": ["ADD"]}, complete=True)
    with pytest.raises(AssertionError, match=r"my\.ask does not protect 'DROP'"):
        assert_contracts(prompts, {"my.ask": Operation})


def test_packs_must_honour_their_contracts(tmp_path: Path) -> None:
    files = {
        "catalog": '[catalog]\nsource = "en"\n[a]\nvariables = ["x"]\n[b]\n',
        "en": 'a = "A {x}"\nb = "B"\n',
        "fr": 'a = "Le {y}"\n',
        "it": 'a = "Il {x}"\n',
    }
    for name, text in files.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        assert_contracts(load_catalog(tmp_path))
    assert "fr.toml:1:9" in str(caught.value)
    assert "{y}" in str(caught.value)
    (tmp_path / "fr.toml").unlink()
    assert_contracts(load_catalog(tmp_path))
    with pytest.raises(AssertionError, match=r"b \[it\] falls back to en"):
        assert_contracts(load_catalog(tmp_path), complete=True)


def test_an_override_must_arrive(prompts: PromptRegistry) -> None:
    """M9: a holder of a text misses the override, a holder of the registry does not."""
    kept, none = prompts.text("my.ask"), prompts.ref("my.none")
    with pytest.raises(AssertionError, match=r"did not reach the model:\n  my\.ask\Z"):
        assert_override_arrives(prompts, lambda: [kept, {"content": str(none)}])
    assert_override_arrives(prompts, lambda: [str(none)], ["my.none"])
    with pytest.raises(PromptError, match=r"my\.nine"):
        assert_override_arrives(prompts, lambda: [], ["my.nine"])
    with pytest.raises(PromptError, match="no prompt"):
        assert_override_arrives(prompts, lambda: [], [])


def test_many_faults_are_told_in_short(prompts: PromptRegistry) -> None:
    for number in range(30):
        prompts.register(f"n.{number}", "x")
    with pytest.raises(AssertionError, match="and 12 more"):
        assert_override_arrives(prompts, lambda: [])
