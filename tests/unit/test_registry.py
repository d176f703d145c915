"""What `PromptRegistry` answers, takes and refuses, seen from outside."""

from __future__ import annotations

import pickle
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentprompts import (
    Origin,
    PromptError,
    PromptRegistry,
    PromptTemplate,
    PromptWarning,
    UnknownPromptError,
)
from agentprompts.registry import LocalePacks

T = PromptTemplate

PROMPTS = {
    "memory.reconcile": T(
        'Answer {"op": "ADD"}, UPDATE, DELETE or NOOP for {fact}.',
        variables=["fact"],
        protected=["ADD", "UPDATE", "DELETE", "NOOP"],
        description="Compares a new fact with stored ones.",
    ),
    "chat.persona": T("You are a helpful assistant."),
    "context.current_question": T("[Current question]\n{query}", variables=["query"]),
    "tool.error.not_found": T("There is no tool {name}.", variables=["name"]),
}
TEXTS = {key: template.template for key, template in PROMPTS.items()}
PERSONA = "chat.persona"
QUESTION = "context.current_question"


@pytest.fixture
def prompts() -> PromptRegistry:
    return PromptRegistry(PROMPTS)


class Op(StrEnum):
    ADD = "ADD"
    NOOP = "NOOP"


# The mapping's face


def test_it_reads_like_a_mapping_from_key_to_template(prompts: PromptRegistry) -> None:
    """M1: keys, text, render and as_dict, in the order in which the prompts came."""
    assert dict(prompts) == PROMPTS
    assert {**prompts} == PROMPTS
    assert list(prompts) == prompts.keys() == list(PROMPTS)
    assert prompts.items() == list(PROMPTS.items())
    assert len(prompts) == 4
    assert PERSONA in prompts
    assert "chat.person" not in prompts
    assert 7 not in prompts
    assert prompts[PERSONA] is prompts.get(PERSONA) is PROMPTS[PERSONA]
    assert prompts.text(PERSONA) == "You are a helpful assistant."
    assert prompts.as_dict() == TEXTS
    assert list(prompts.as_dict()) == list(TEXTS)


def test_the_order_is_that_of_registration_whatever_is_overridden(
    prompts: PromptRegistry,
) -> None:
    prompts.override({"tool.error.not_found": "No {name}."})
    prompts.register("a.first", "by the alphabet")
    prompts.override({"a.first": "still last"})
    expected = [*PROMPTS, "a.first"]
    assert prompts.keys() == expected
    assert [key for key, _ in prompts.items()] == expected
    assert list(prompts.copy().as_dict()) == expected


def test_an_empty_registry_is_true_and_empty() -> None:
    empty = PromptRegistry()
    assert empty
    assert (len(empty), list(empty), empty.as_dict()) == (0, [], {})


def test_what_a_listing_returns_belongs_to_the_caller(prompts: PromptRegistry) -> None:
    prompts.keys().clear()
    prompts.items().clear()
    prompts.as_dict().clear()
    assert prompts.as_dict() == TEXTS


def test_a_registry_is_made_of_a_mapping_of_pairs_or_of_another_registry(
    prompts: PromptRegistry,
) -> None:
    prompts.override({PERSONA: "Be brief."})
    for source in (dict(prompts), prompts.items(), iter(prompts.items()), prompts):
        made = PromptRegistry(source)
        assert made.as_dict() == {**TEXTS, PERSONA: "Be brief."}
        made.override({PERSONA: "Mine."})
        assert prompts.text(PERSONA) == "Be brief."


def test_the_mapping_that_a_registry_was_made_of_may_change_afterwards() -> None:
    given = {"a": T("1")}
    made = PromptRegistry(given)
    given["b"] = T("2")
    assert made.keys() == ["a"]


def test_a_registry_is_made_of_templates_only() -> None:
    """Every entry that is no template is named; a bare text has no contract to keep."""
    given: dict[str, Any] = {"a": "text", "b": T("x"), "c": None}
    with pytest.raises(PromptError) as caught:
        PromptRegistry(given)
    assert [(d.code, d.key) for d in caught.value.diagnostics] == [
        ("template-type", "a"),
        ("template-type", "c"),
    ]
    assert "PromptTemplate(" in str(caught.value)


def test_rendering_takes_keywords_a_mapping_or_both(prompts: PromptRegistry) -> None:
    assert prompts.render(QUESTION, query="who?") == "[Current question]\nwho?"
    assert prompts.render(QUESTION, {"query": "who?"}) == "[Current question]\nwho?"
    assert prompts.render(QUESTION, {"query": "who?"}, query="when?").endswith("when?")
    assert prompts.render(QUESTION, query=7).endswith("7")
    assert prompts.render(PERSONA) == TEXTS[PERSONA]


def test_rendering_fills_declared_slots_only(prompts: PromptRegistry) -> None:
    """M2: other braces stay; a missing slot is a PromptError."""
    filled = prompts.render("memory.reconcile", fact="{query}")
    assert filled == 'Answer {"op": "ADD"}, UPDATE, DELETE or NOOP for {query}.'
    for _ in range(2):  # the second rendering takes another way than the first
        with pytest.raises(PromptError, match=r"Missing placeholder \['fact'\]"):
            prompts.render("memory.reconcile", query="x")


@pytest.mark.parametrize("name", ["key", "self", "values", "class", "kw", "found"])
def test_a_slot_may_have_the_name_of_a_parameter(name: str) -> None:
    registry = PromptRegistry({"a": T(f"<{{{name}}}>", variables=[name])})
    for _ in range(2):
        assert registry.render("a", **{name: "v"}) == "<v>"
    assert registry.localized("de").render("a", **{name: "v"}) == "<v>"
    assert registry.ref("a").render(**{name: "v"}) == "<v>"


def test_a_registered_partial_renders_with_the_values_it_has() -> None:
    half = T("{a} {b}", variables=["a", "b"]).partial(a="1")
    registry = PromptRegistry({"k": half})
    for _ in range(2):
        assert registry.render("k", b="2") == "1 2"
        assert registry.render("k", {"b": "2"}, a="3") == "3 2"


UNKNOWN: dict[str, Callable[[PromptRegistry, str], object]] = {
    "[]": lambda registry, key: registry[key],
    "get": lambda registry, key: registry.get(key),
    "text": lambda registry, key: registry.text(key),
    "render": lambda registry, key: registry.render(key, query="x"),
    "ref": lambda registry, key: registry.ref(key),
    "origin": lambda registry, key: registry.origin(key),
    "override": lambda registry, key: registry.override({key: "x"}),
    "with_overrides": lambda registry, key: registry.with_overrides({key: "x"}),
    "localized": lambda registry, key: registry.localized("de").text(key),
    "localized-origin": lambda registry, key: registry.localized("de").origin(key),
    "localized-override": lambda registry, key: registry.localized("de").override({key: "x"}),
    "snapshot": lambda registry, key: registry.snapshot().text(key),
    "namespace": lambda registry, key: registry.namespace("memory").text(key.split(".", 1)[1]),
}


@pytest.mark.parametrize("ask", UNKNOWN.values(), ids=UNKNOWN)
def test_an_unknown_key_is_a_prompt_error_and_a_key_error(
    prompts: PromptRegistry, ask: Callable[[PromptRegistry, str], object]
) -> None:
    """M7, M12: readable (a bare KeyError would quote its message), with a guess."""
    with pytest.raises(KeyError) as caught:
        ask(prompts, "memory.recncile")
    error = caught.value
    assert isinstance(error, UnknownPromptError)
    assert isinstance(error, PromptError)
    assert "Unknown prompt key: 'memory.recncile'" in str(error).splitlines()[0]
    assert "did you mean 'memory.reconcile'?" in str(error)
    assert [(d.code, d.key) for d in error.diagnostics] == [("key-unknown", "memory.recncile")]


def test_no_guess_is_made_where_nothing_is_alike(prompts: PromptRegistry) -> None:
    with pytest.raises(UnknownPromptError) as caught:
        prompts.text("zzz")
    assert "did you mean" not in str(caught.value)


def test_an_unknown_key_answers_the_default_where_one_is_given(prompts: PromptRegistry) -> None:
    marker = object()
    for registry in (prompts, prompts.localized("de"), prompts.snapshot()):
        assert registry.get("no.such", None) is None
        assert registry.get("no.such", marker) is marker
        assert registry.get(PERSONA, marker) is PROMPTS[PERSONA]


def test_a_template_that_is_false_as_a_value_is_found_like_any_other() -> None:
    """A subclass may have a length; its empty text is no absent one."""

    class Sized(PromptTemplate):
        __slots__ = ()

        def __len__(self) -> int:
            return len(self.template)

    registry = PromptRegistry({"k": Sized("")})
    registry.override({"k": ""})
    assert registry.text("k") == registry.localized("de").text("k") == ""
    assert registry.origin("k") == registry.localized("de").origin("k")
    assert registry.origin("k") == Origin("override", None)
    other = PromptRegistry()
    other.include(registry)
    assert other.text("k") == ""


def test_overriding_keeps_the_class_of_the_template() -> None:
    class Mine(PromptTemplate):
        __slots__ = ()

    registry = PromptRegistry({"k": Mine("{a}", variables=["a"])})
    registry.override({"k": "new {a}"})
    assert type(registry["k"]) is Mine


# Keys

GOOD_KEYS = [
    "persona",
    "chat.persona",
    "a.b.c.d",
    "mid:leaf:qa",
    "kebab-case.snake_case",
    "UPPER.1",
    "提示.问候",
    "prompt/with/slashes",
    "{query}",
    "ключ.é",
]
BAD_KEYS: dict[str, object] = {
    "empty": "",
    "dot": ".",
    "leading-dot": ".a",
    "trailing-dot": "a.",
    "two-dots": "a..b",
    "blank": " ",
    "blank-segment": "a. .b",
    "inner-blank": "a b",
    "leading-blank": " a",
    "tab": "a\tb",
    "newline": "a.b\n",
    "carriage-return": "a\rb",
    "nul": "a\0b",
    "delete": "a\x7fb",
    "next-line": "a\x85b",
    "no-break-space": "a\u00a0b",
    "ideographic-space": "a\u3000b",
    "zero-width-space": "a\u200bb",
    "right-to-left-override": "a\u202eb",
    "byte-order-mark": "\ufeffa",
    "line-separator": "a\u2028b",
    "lone-surrogate": "a\ud800",
    "number": 7,
    "none": None,
    "bytes": b"a.b",
    "tuple": ("a", "b"),
}


@pytest.mark.parametrize("key", GOOD_KEYS, ids=lambda key: f"key={key}")
def test_a_key_that_is_listed_can_be_updated_at_any_depth(key: str) -> None:
    """CASES, `mid:leaf:qa` or any depth of key that listing returns: be accepted by updating."""
    registry = PromptRegistry({"z": T("z")})
    registry.register(key, "old {x}", variables=["x"])
    for listed in registry:
        registry.override({listed: "new {x}"})
    assert registry.render(key, x=1) == "new 1"
    assert PromptRegistry({key: T("x")}).keys() == [key]
    registry.namespace("lib").register(key, "in a namespace")
    assert registry.text(f"lib.{key}") == "in a namespace"


@pytest.mark.parametrize("key", BAD_KEYS.values(), ids=BAD_KEYS)
def test_what_is_no_key_is_refused_at_every_door(key: Any) -> None:
    doors: list[Callable[[PromptRegistry], object]] = [
        lambda registry: registry.register(key, "x"),
        lambda registry: PromptRegistry({"a": T("x"), key: T("x")}),
        lambda registry: registry.namespace(key),
    ]
    for door in doors:
        registry = PromptRegistry({"a": T("x")})
        with pytest.raises(PromptError) as caught:
            door(registry)
        assert [found.code for found in caught.value.diagnostics] == ["key-invalid"]
        assert repr(key) in str(caught.value)
        assert registry.keys() == ["a"]


# Registering


def test_registering_takes_a_text_with_its_contract(prompts: PromptRegistry) -> None:
    """M8, M13: what is registered is listed, read, rendered and overridden like the rest."""
    prompts.register(
        "myapp.op",
        "{name}: ADD or NOOP",
        variables=("name",),
        protected=Op,
        description="for the parser",
    )
    made = prompts["myapp.op"]
    assert (made.variables, made.protected) == (("name",), ("ADD", "NOOP"))
    assert made.description == "for the parser"
    assert prompts.render("myapp.op", name="Ada") == "Ada: ADD or NOOP"
    with pytest.raises(PromptError, match="NOOP"):
        prompts.override({"myapp.op": "{name}: ADD"})


def test_registering_takes_a_template_as_it_is(prompts: PromptRegistry) -> None:
    template = T("{a}", variables=["a"])
    prompts.register("x", template)
    assert prompts["x"] is template


@pytest.mark.parametrize(
    "contract", [{"variables": ["a"]}, {"protected": ["ADD"]}, {"description": "a note"}], ids=str
)
def test_a_template_has_its_contract_already(
    prompts: PromptRegistry, contract: dict[str, Any]
) -> None:
    with pytest.raises(PromptError, match="has its contract already"):
        prompts.register("x", T("{a} ADD"), **contract)
    assert "x" not in prompts


def test_registering_takes_new_keys_only(prompts: PromptRegistry) -> None:
    """M8: nobody overwrites a built-in prompt by accident."""
    prompts.register("new", "x")
    prompts.override({QUESTION: "now: {query}"})
    before = prompts.as_dict()
    for key in (PERSONA, "new", QUESTION):
        for registry in (prompts, prompts.copy(), prompts.localized("de")):
            with pytest.raises(PromptError, match=f"already exists: '{key}'") as caught:
                registry.register(key, "mine")
            assert [(d.code, d.key) for d in caught.value.diagnostics] == [("key-exists", key)]
            assert not isinstance(caught.value, KeyError)
            assert "override" in str(caught.value)
    assert prompts.as_dict() == before


def test_registering_refuses_a_text_that_breaks_its_own_contract(prompts: PromptRegistry) -> None:
    with pytest.raises(PromptError, match=r"missing placeholder \['b'\]"):
        prompts.register("x", "{a}", variables=["a", "b"])
    with pytest.raises(PromptError):
        prompts.register("x", None)  # type: ignore[arg-type]
    assert "x" not in prompts


def test_what_a_copy_registers_stays_with_the_copy(prompts: PromptRegistry) -> None:
    """M8: a copy's registrations leave the default untouched, and the other way round."""
    mine = prompts.copy()
    mine.register("myapp.greeting", "Greet {name}.", variables=("name",))
    prompts.register("later.in_the_original", "x")
    assert prompts.keys() == [*PROMPTS, "later.in_the_original"]
    assert mine.keys() == [*PROMPTS, "myapp.greeting"]
    prompts.register("myapp.greeting", "free here still")


# Keys by their old names

quietly = pytest.mark.filterwarnings("ignore::agentprompts.PromptWarning")
OLD: dict[str, Callable[[PromptRegistry], object]] = {
    "get": lambda r: r.get("old.ask", None),
    "[]": lambda r: r["old.ask"],
    "text": lambda r: r.text("old.ask"),
    "render": lambda r: r.render("old.ask", query="x"),
    "in": lambda r: "old.ask" in r,
    "ref": lambda r: r.ref("old.ask").template,
    "view": lambda r: r.localized("de").text("old.ask"),
    "override": lambda r: overridden(r),
    "view-override": lambda r: overridden(r.localized("de")),
    "with_overrides": lambda r: r.with_overrides({"old.ask": "Frage {query}"}),
}


def overridden(registry: PromptRegistry) -> bool:
    registry.override({"old.ask": "Frage {query}"})
    return registry.text("ask") == "Frage {query}"


def with_an_old_name() -> PromptRegistry:
    packs = LocalePacks("en", renamed={"old.ask": "ask"})
    return PromptRegistry.with_packs({"ask": T("Ask {query}", variables=["query"])}, packs)


@pytest.mark.parametrize("use", OLD.values(), ids=OLD)
def test_a_key_goes_on_working_by_its_old_name_with_a_warning(
    use: Callable[[PromptRegistry], object],
) -> None:
    """DESIGN 5, renamed_from: old packs and saved overrides keep working, with a warning."""
    for registry in (with_an_old_name(), with_an_old_name().copy()):
        with pytest.warns(PromptWarning, match=r"'old\.ask' is called 'ask' today"):
            assert use(registry)
        assert registry.keys() == ["ask"]


def test_a_new_prompt_may_take_an_old_name() -> None:
    registry = with_an_old_name()
    registry.register("old.ask", "mine")
    registry.override({"old.ask": "my own"})
    assert registry.as_dict() == {"ask": "Ask {query}", "old.ask": "my own"}
    registry.override({"old.ask": "both", "ask": "both {query}"})
    assert registry.as_dict() == {"ask": "both {query}", "old.ask": "both"}


@quietly
def test_both_names_of_a_key_in_one_update_do_not_depend_on_their_order() -> None:
    """M3: of two texts for one prompt, the winner is no matter of luck."""
    seen = set()
    updates = {"old.ask": "old {query}", "ask": "new {query}"}
    for ordered in (updates, dict(reversed(updates.items()))):
        registry = with_an_old_name()
        try:
            registry.override(ordered)
        except PromptError as error:
            seen.add(error.headline)
        seen.add(registry.text("ask"))
    assert len(seen & {"old {query}", "new {query}", "Ask {query}"}) == 1


@quietly
def test_a_fault_by_an_old_name_is_told_by_the_name_of_today() -> None:
    registry = with_an_old_name()
    for bad in ("none", None, T("none")):
        updates: dict[str, Any] = {"old.ask": bad}
        with pytest.raises(PromptError) as caught:
            registry.override(updates)
        assert {found.key for found in caught.value.diagnostics} == {"ask"}
    assert registry.as_dict() == {"ask": "Ask {query}"}


# Overriding: all or nothing


def test_an_override_that_drops_a_slot_is_refused_with_the_message_of_the_seed(
    prompts: PromptRegistry,
) -> None:
    """M3: the headline is the seed's, key and mend follow."""
    with pytest.raises(PromptError) as caught:
        prompts.override({QUESTION: "The question is above."})
    first, *rest = str(caught.value).splitlines()
    assert first == "Invalid prompt override: missing placeholder ['query']"
    assert any(QUESTION in line for line in rest)
    assert any("mend" in line and "{query}" in line for line in rest)
    assert prompts.as_dict() == TEXTS


def eighty() -> PromptRegistry:
    return PromptRegistry(
        {f"k.n{i}": T(f"{i}: {{x}} ADD", variables=["x"], protected=["ADD"]) for i in range(80)}
    )


BAD_TEXTS: dict[str, object] = {
    "slot": "no slot, ADD",
    "token": "{x} with no token",
    "token-in-a-word": "{x} ADDRESS",
    "none": None,
    "bytes": b"{x} ADD",
    "empty": "",
    "nul": "{x} ADD \0",
    "surrogate": "{x} ADD \ud800",
    "template": T("no slot, ADD"),
}
WAYS: dict[str, Callable[[PromptRegistry, Mapping[str, Any]], object]] = {
    "override": lambda registry, updates: registry.override(updates),
    "with_overrides": lambda registry, updates: registry.with_overrides(updates),
    "locale": lambda registry, updates: registry.override(updates, locale="de"),
    "source-locale": lambda registry, updates: registry.override(updates, locale="en"),
    "view": lambda registry, updates: registry.localized("de").override(updates),
    "namespace": lambda registry, updates: registry.namespace("k").override(
        {key.removeprefix("k."): text for key, text in updates.items()}
    ),
}


@pytest.mark.parametrize("bad", BAD_TEXTS.values(), ids=BAD_TEXTS)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_update_of_80_keys_whose_40th_is_bad_changes_nothing(
    way: Callable[[PromptRegistry, Mapping[str, Any]], object], bad: object
) -> None:
    """CASES, an update of 80 keys whose 40th is bad: change nothing, report all faults. M3."""
    registry = eighty()
    held = registry.ref("k.n0")
    before, mark = registry.as_dict(), registry.fingerprint
    german = registry.localized("de").as_dict()
    updates: dict[str, object] = {key: f"{{x}} ADD new {key}" for key in registry}
    updates["k.n40"] = bad
    with pytest.raises(PromptError) as caught:
        way(registry, updates)
    assert {found.key for found in caught.value.diagnostics} == {"k.n40"}
    assert registry.as_dict() == before
    assert registry.localized("de").as_dict() == german
    assert registry.fingerprint == mark
    assert str(held) == before["k.n0"]
    del updates["k.n40"]
    way(registry, updates)  # the 79 others were fine


def test_all_faults_of_an_update_are_reported_at_once() -> None:
    """CASES, report all faults: every key, every kind, in the order of the update."""
    registry = eighty()
    updates: dict[str, Any] = {
        "k.n1": "fine {x} ADD",
        "k.n2": "neither",
        "k.n9x": "an unknown key",
        "k.n3": 7,
        "k.n4": "{x}",
    }
    with pytest.raises(PromptError) as caught:
        registry.override(updates)
    error = caught.value
    assert [(d.key, d.code, d.subject) for d in error.diagnostics] == [
        ("k.n2", "slot-missing", "x"),
        ("k.n2", "token-missing", "ADD"),
        ("k.n9x", "key-unknown", None),
        ("k.n3", "text-type", None),
        ("k.n4", "token-missing", "ADD"),
    ]
    assert str(error).splitlines()[0] == "Invalid prompt override: 5 faults in 4 prompts"
    assert all(key in str(error) for key in ("k.n2", "k.n9x", "k.n3", "k.n4"))
    assert not isinstance(error, KeyError), "not every fault is an unknown key"


def test_an_unknown_key_beside_good_ones_is_refused_with_them(prompts: PromptRegistry) -> None:
    """M7: an override that does nothing in silence is worse than an error."""
    with pytest.raises(UnknownPromptError) as caught:
        prompts.override({PERSONA: "new", "chat.persone": "x", "totally.else": "y"})
    assert [found.key for found in caught.value.diagnostics] == ["chat.persone", "totally.else"]
    assert "did you mean 'chat.persona'?" in str(caught.value)
    assert prompts.as_dict() == TEXTS


def test_an_update_of_nothing_changes_nothing(prompts: PromptRegistry) -> None:
    every: list[Any] = [{}, [], PromptRegistry()]
    for nothing in every:
        prompts.override(nothing)
        assert prompts.with_overrides(nothing).as_dict() == TEXTS
    assert prompts.as_dict() == TEXTS
    assert prompts.origin(PERSONA).layer == "source"


def test_the_same_text_again_is_an_override_too(prompts: PromptRegistry) -> None:
    prompts.override({PERSONA: TEXTS[PERSONA]})
    assert prompts.origin(PERSONA) == Origin("override", None)
    assert prompts.as_dict() == TEXTS


# Overriding: what updates may be

NEW = {PERSONA: "Sei knapp.", QUESTION: "[Frage]\n{query}"}
UPDATES: dict[str, Callable[[], Any]] = {
    "dict": lambda: NEW,
    "pairs": lambda: list(NEW.items()),
    "iterator": lambda: iter(NEW.items()),
    "items-view": lambda: NEW.items(),
    "mapping-proxy": lambda: MappingProxyType(NEW),
    "user-dict": lambda: UserDict(NEW),
    "templates": lambda: {key: T(text) for key, text in NEW.items()},
    "mixed": lambda: {PERSONA: T(NEW[PERSONA]), QUESTION: NEW[QUESTION]},
    "same-contract": lambda: {key: PROMPTS[key].with_text(text) for key, text in NEW.items()},
    "registry": lambda: PromptRegistry({key: T(text) for key, text in NEW.items()}),
    "changed-copy": lambda: PromptRegistry(PROMPTS).with_overrides(NEW),
    "snapshot": lambda: PromptRegistry(PROMPTS).with_overrides(NEW).snapshot(),
    "view": lambda: PromptRegistry(PROMPTS).localized("de").with_overrides(NEW),
}


@pytest.mark.parametrize("updates", UPDATES.values(), ids=UPDATES)
def test_updates_come_in_every_shape(prompts: PromptRegistry, updates: Callable[[], Any]) -> None:
    """M6: a dict or a registry; whole sets or single entries."""
    expected = {**TEXTS, **NEW}
    isolated = prompts.with_overrides(updates())
    assert isolated.as_dict() == expected
    assert prompts.as_dict() == TEXTS
    prompts.override(updates())
    assert prompts.as_dict() == expected
    assert {key: prompts[key].contract for key in prompts} == {
        key: template.contract for key, template in PROMPTS.items()
    }


@pytest.mark.parametrize(
    "updates",
    [None, 7, "text", "", b"ab", b"", ["a"], ["ab"], [1], [("a", "b", "c")], {1, 2}, object],
    ids=repr,
)
def test_what_holds_no_texts_by_key_is_refused_with_its_type(
    prompts: PromptRegistry, updates: Any
) -> None:
    with pytest.raises(PromptError) as caught:
        prompts.override(updates)
    assert str(caught.value).startswith("Invalid prompt override: ")
    assert type(updates).__name__ in str(caught.value)


def test_an_error_in_the_callers_own_generator_is_shown(prompts: PromptRegistry) -> None:
    """An error of the caller's code is no wrong type of updates."""

    def updates() -> Iterator[tuple[str, str]]:
        yield PERSONA, "new"
        raise ValueError("the caller's own fault")

    with pytest.raises(ValueError, match="the caller's own fault"):
        prompts.override(updates())
    assert prompts.as_dict() == TEXTS


def test_updates_may_read_and_write_the_registry_while_they_are_read() -> None:
    """They are read before the lock is taken, so that nothing can wait for itself."""
    registry = PromptRegistry({"a": T("1"), "b": T("2")})

    class Busy(dict[str, str]):
        def keys(self) -> Any:
            registry.register("c", "3")
            registry.override({"b": registry.text("a") + "!"})
            registry.copy()
            return super().keys()

        def __iter__(self) -> Iterator[str]:
            return iter(self.keys())

    registry.override(Busy(a="new"))
    assert registry.as_dict() == {"a": "new", "b": "1!", "c": "3"}


def test_a_template_cannot_smuggle_in_a_looser_contract(prompts: PromptRegistry) -> None:
    """M6: the contract stays the one that was registered."""
    loose = {QUESTION: T("no slot"), "memory.reconcile": T("{fact}")}
    for updates in (loose, PromptRegistry(loose), PromptRegistry(loose).localized("de")):
        with pytest.raises(PromptError) as caught:
            prompts.override(updates)
        assert {d.key for d in caught.value.diagnostics} == set(loose)
    tighter = T("{query} {more}", variables=["query", "more"], protected=["}"])
    prompts.override({QUESTION: tighter})
    assert prompts[QUESTION].contract == PROMPTS[QUESTION].contract
    assert prompts.render(QUESTION, query="q") == "q {more}"


def test_a_text_that_was_checked_against_another_text_is_checked_again() -> None:
    """M6: that `with_text` let a text pass says nothing about a text that it did not replace."""
    registered = T("Ask {query}", variables=["query"])
    sloppy = T.from_contract("{query>, {query}", registered.contract)
    registry = PromptRegistry({"k": registered})
    with pytest.raises(PromptError, match="query>"):
        registry.override({"k": sloppy.with_text("new {query>, {query}")})
    for looser in (T("no slot at all"), T(registered.template)):
        with pytest.raises(PromptError, match=r"missing placeholder \['query'\]"):
            registry.override({"k": looser.with_text("Ask nothing")})


def test_a_text_that_with_text_let_pass_is_not_checked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DESIGN 9: a text is checked once, when it comes in; 10,000 agents share the verdict."""
    registered = T("Ask {query}", variables=["query"])
    worded = registered.with_text("Bitte: {query}")
    monkeypatch.setattr(T, "check", lambda self, new: pytest.fail("checked again"))
    registry = PromptRegistry({"k": registered})
    registry.override({"k": worded})
    assert registry["k"] is worded


def test_a_template_brings_its_text_only_and_no_values() -> None:
    """M6: neither may a slot be filled by an update, nor lose the value that it was given."""
    whole = T("{a} {b}", variables=["a", "b"])
    registry = PromptRegistry({"whole": whole, "half": whole.partial(a="1")})
    worded = whole.with_text("{b} {a}")
    for text in ("{b} {a}", T("{b} {a}"), worded, worded.partial(a="3", b="4")):
        made = registry.with_overrides({"whole": text, "half": text})
        assert made.render("half", b="2") == "2 1"
        with pytest.raises(PromptError, match=r"Missing placeholder \['a'\]"):
            made.render("whole", b="2")


# Who sees an override


def test_with_overrides_is_isolated(prompts: PromptRegistry) -> None:
    """M5: a new registry, and the old one as it was; later changes of either stay there."""
    made = prompts.with_overrides({PERSONA: "new"})
    prompts.override({QUESTION: "old's {query}"})
    made.override({"tool.error.not_found": "made's {name}"})
    assert prompts.as_dict() == {**TEXTS, QUESTION: "old's {query}"}
    assert made.as_dict() == {
        **TEXTS,
        PERSONA: "new",
        "tool.error.not_found": "made's {name}",
    }


def test_override_is_in_place_for_every_holder(prompts: PromptRegistry) -> None:
    """M5, M9: parts hold the registry, a view, a namespace or a ref, and all follow."""
    view, space, ref = prompts.localized("de"), prompts.namespace("chat"), prompts.ref(PERSONA)
    view_ref, space_ref = view.ref(PERSONA), space.ref("persona")
    holders: dict[str, Callable[[], str]] = {
        "registry": lambda: prompts.text(PERSONA),
        "view": lambda: view.text(PERSONA),
        "namespace": lambda: space.text("persona"),
        "ref": lambda: str(ref),
        "ref-render": ref.render,
        "view-ref": lambda: str(view_ref),
        "namespace-ref": lambda: str(space_ref),
    }
    other = prompts.copy()
    for text in ("first", "second"):
        prompts.override({PERSONA: text})
        assert {name: read() for name, read in holders.items()} == dict.fromkeys(holders, text)
    assert other.text(PERSONA) == TEXTS[PERSONA]


def test_a_ref_is_a_live_handle(prompts: PromptRegistry) -> None:
    """M10: a tool that holds a ref never goes stale; DESIGN 4."""
    ref = prompts.ref(QUESTION)
    assert (ref.key, ref.registry) == (QUESTION, prompts)
    assert ref.template is prompts[QUESTION]
    prompts.override({QUESTION: "now {query}"})
    assert str(ref) == f"{ref}" == "now {query}"
    assert ref.render(query="x") == ref.render({"query": "x"}) == "now x"
    assert ref.template is prompts[QUESTION]
    assert QUESTION in repr(ref)
    with pytest.raises(PromptError, match="Missing placeholder"):
        ref.render()


def test_a_deep_chain_of_holders_follows(prompts: PromptRegistry) -> None:
    """M9: an agent's update reaches its parts and sub-agents, and no other agent."""

    class Agent:
        def __init__(self, registry: PromptRegistry, depth: int) -> None:
            self.prompts = registry
            self.sub = Agent(registry, depth - 1) if depth else None

    agent, stranger = Agent(prompts.copy(), 5), Agent(prompts.copy(), 0)
    agent.prompts.override({PERSONA: "mine"})
    part: Agent | None = agent
    while part is not None:
        assert part.prompts.text(PERSONA) == "mine"
        part = part.sub
    assert stranger.prompts.text(PERSONA) == prompts.text(PERSONA) == TEXTS[PERSONA]


# Which set is this?


def test_a_difference_tells_what_was_added_removed_and_changed(prompts: PromptRegistry) -> None:
    """O9: the difference between two sets, in the direction asked for."""
    other = prompts.with_overrides({PERSONA: "new"})
    other.register("x", "more")
    prompts.register("y", "less")
    there, back = prompts.diff(other), other.diff(prompts)
    assert there == ({"x": "more"}, {"y": "less"}, {PERSONA: (TEXTS[PERSONA], "new")})
    assert back == ({"y": "less"}, {"x": "more"}, {PERSONA: ("new", TEXTS[PERSONA])})
    assert there
    assert not prompts.diff(prompts.copy())
    assert prompts.diff(prompts.localized("de")) == ({}, {}, {})


@pytest.mark.parametrize("part", range(3), ids=["added", "removed", "changed"])
def test_a_difference_of_one_kind_is_true(part: int) -> None:
    sets = [({}, {"a": "1"}), ({"a": "1"}, {}), ({"a": "1"}, {"a": "2"})]
    old, new = ({key: T(text) for key, text in texts.items()} for texts in sets[part])
    found = PromptRegistry(old).diff(PromptRegistry(new))
    assert [bool(kind) for kind in found] == [i == part for i in range(3)]
    assert found


def marked(texts: Mapping[str, str]) -> str:
    return PromptRegistry({key: T(text) for key, text in texts.items()}).fingerprint


SETS = st.dictionaries(
    st.text("ab1:", min_size=1, max_size=3), st.text("ab1:\n", max_size=4), max_size=3
)


@settings(deadline=None, max_examples=200)
@given(SETS, SETS)
@example({"a": "bc"}, {"ab": "c"})
@example({"a": "b", "c": "d"}, {"a": "bcd"})
@example({"a": "b", "c": "d"}, {"a": "b1:cd"})
@example({"a": "b", "c": "d"}, {"a": "b1:c1:d"})
@example({"a": "b"}, {"a": "b", "b": ""})
@example({"a": "b", "b": "a"}, {"a": "a", "b": "b"})
@example({}, {"a": ""})
def test_fingerprints_are_equal_exactly_where_the_sets_are(
    one: dict[str, str], two: dict[str, str]
) -> None:
    """O9: no two sets spell the same bytes, and the order of the keys does not count."""
    assert (marked(one) == marked(two)) == (one == two)
    assert marked(one) == marked(dict(reversed(one.items())))


def test_a_fingerprint_follows_the_texts_and_nothing_else(prompts: PromptRegistry) -> None:
    first = prompts.fingerprint
    assert len(first) == 32
    assert set(first) <= set("0123456789abcdef")
    copied = prompts.copy()
    copied.override({PERSONA: "new"})
    assert copied.fingerprint != first == prompts.fingerprint
    copied.override({PERSONA: TEXTS[PERSONA]})
    assert copied.fingerprint == first
    assert copied.snapshot().fingerprint == first
    assert copied.localized("de").fingerprint == first
    assert pickle.loads(pickle.dumps(copied)).fingerprint == first
    copied.register("é", "ü")
    assert copied.fingerprint != first


def test_a_fingerprint_is_the_same_in_every_process() -> None:
    """One that was saved yesterday must still be found today."""
    assert marked({"a": "1", "é": "ü"}) == "a4dcd91c128fb7d5a10d42a85892abed"


def test_an_origin_tells_the_layer(prompts: PromptRegistry) -> None:
    assert prompts.origin(PERSONA) == Origin("source", "en")
    assert str(prompts.origin(PERSONA)) == "source [en]"
    prompts.override({PERSONA: "new"})
    for registry in (prompts, prompts.copy(), prompts.snapshot(), prompts.localized("de")):
        assert registry.origin(PERSONA) == Origin("override", None)
        assert registry.origin(QUESTION) == Origin("source", "en")
    assert str(prompts.origin(PERSONA)) == "override"


# Namespaces


def test_a_namespace_registers_and_reads_its_own_keys(prompts: PromptRegistry) -> None:
    """M13: what a library brings is listed, overridden and rendered like the built-in prompts."""
    mine = prompts.namespace("myapp")
    assert list(mine) == []
    mine.register("greeting", "Greet {name}.", variables=["name"], description="d")
    mine.register("deep.er", T("x"))
    prompts.register("myapp2.greeting", "another library")
    prompts.register("myapplication", "no namespace")
    assert mine.keys() == list(mine) == ["greeting", "deep.er"]
    assert len(mine) == 2
    assert "greeting" in mine
    assert "myapp.greeting" not in mine
    assert "myapp.greeting" in prompts
    assert mine.key("greeting") == "myapp.greeting"
    assert mine.get("greeting") is prompts["myapp.greeting"]
    assert mine.get("greeting").description == "d"
    assert mine.as_dict() == {"greeting": "Greet {name}.", "deep.er": "x"}
    assert mine.render("greeting", name="Ada") == mine.render("greeting", {"name": "Ada"})
    assert mine.ref("greeting").render(name="Ada") == "Greet Ada."
    mine.override({"greeting": "Hello {name}!"})
    assert prompts.text("myapp.greeting") == mine.text("greeting") == "Hello {name}!"
    assert prompts.namespace("myapp.deep").as_dict() == {"er": "x"}
    assert "myapp" in repr(mine)


def test_a_namespace_refuses_what_the_registry_refuses(prompts: PromptRegistry) -> None:
    mine = prompts.namespace("myapp")
    mine.register("a", "{x}", variables=["x"])
    with pytest.raises(PromptError, match=r"already exists: 'myapp\.a'"):
        mine.register("a", "again")
    with pytest.raises(PromptError, match="blank segment"):
        mine.register("", "x")
    with pytest.raises(UnknownPromptError, match=r"myapp\.b"):
        mine.override({"a": "new {x}", "b": "y"})
    with pytest.raises(PromptError, match="missing placeholder"):
        mine.override({"a": "none"})
    assert mine.as_dict() == {"a": "{x}"}


@pytest.mark.parametrize("shape", [dict, list, iter], ids=["dict", "pairs", "iterator"])
def test_a_namespace_takes_updates_in_the_shapes_that_a_registry_takes(
    prompts: PromptRegistry, shape: Callable[[Any], Any]
) -> None:
    updates = {"persona": "Sei knapp."}
    prompts.namespace("chat").override(updates if shape is dict else shape(updates.items()))
    assert prompts.text(PERSONA) == "Sei knapp."


def test_a_namespace_overrides_in_one_locale(prompts: PromptRegistry) -> None:
    prompts.namespace("chat").override({"persona": "Sei knapp."}, locale="de")
    assert prompts.localized("de").namespace("chat").text("persona") == "Sei knapp."
    assert prompts.text(PERSONA) == TEXTS[PERSONA]


# Including a catalog


def test_including_adds_every_prompt_with_its_contract(prompts: PromptRegistry) -> None:
    library = PromptRegistry({"lib.a": T("{x}", variables=["x"]), "lib.b": T("ADD")})
    prompts.include(library)
    assert prompts.keys() == [*PROMPTS, "lib.a", "lib.b"]
    with pytest.raises(PromptError, match="missing placeholder"):
        prompts.override({"lib.a": "none"})
    prompts.override({"lib.a": "here {x}"})
    library.register("lib.c", "later")
    assert library.as_dict() == {"lib.a": "{x}", "lib.b": "ADD", "lib.c": "later"}
    assert "lib.c" not in prompts


@pytest.mark.parametrize("prefix", ["", "lib"], ids=["top", "namespace"])
def test_including_names_every_key_that_exists_and_adds_none(
    prompts: PromptRegistry, prefix: str
) -> None:
    """DESIGN 4, a clash with another library: all of it is shown, nothing is half applied."""
    start = f"{prefix}." if prefix else ""
    for name in ("one", "two"):
        prompts.register(start + name, "ours")
    before = prompts.as_dict()
    library = PromptRegistry({name: T("theirs") for name in ("new", "two", "newer", "one")})
    door = prompts.namespace(prefix) if prefix else prompts
    with pytest.raises(PromptError) as caught:
        door.include(library)
    found = [(d.code, d.key) for d in caught.value.diagnostics]
    assert found == [("key-exists", f"{start}two"), ("key-exists", f"{start}one")]
    assert prompts.as_dict() == before
    assert list(prompts.as_dict()) == list(before)


def test_including_under_a_prefix_makes_room_for_two_of_the_same(prompts: PromptRegistry) -> None:
    library = PromptRegistry({"a": T("1"), "b.c": T("2")})
    prompts.namespace("x.y").include(library)
    prompts.localized("de").namespace("z").include(library.snapshot())
    assert prompts.keys() == [*PROMPTS, "x.y.a", "x.y.b.c", "z.a", "z.b.c"]
    assert prompts.namespace("z").as_dict() == {"a": "1", "b.c": "2"}


def test_a_registry_includes_itself_under_a_prefix_only(prompts: PromptRegistry) -> None:
    with pytest.raises(PromptError, match="4 faults in 4 prompts"):
        prompts.include(prompts)
    prompts.namespace("again").include(prompts)
    assert prompts.keys() == [*PROMPTS, *(f"again.{key}" for key in PROMPTS)]


def test_including_nothing_changes_nothing(prompts: PromptRegistry) -> None:
    prompts.include(PromptRegistry())
    assert prompts.as_dict() == TEXTS


def test_a_registry_is_an_object_of_its_own(prompts: PromptRegistry) -> None:
    """Two registries of equal texts are two: a holder's identity is what an override follows."""
    assert prompts != prompts.copy()
    assert len({prompts, prompts.copy(), prompts}) == 2
    assert repr(prompts) == "<PromptRegistry of 4 prompts>"


def test_a_namespace_reads_like_a_mapping_too() -> None:
    registry = PromptRegistry()
    mine = registry.namespace("mine")
    assert mine, "an empty one is true, as an empty registry is"
    mine.register("a", "x")
    assert dict(mine) == {"a": registry["mine.a"]}
    assert mine.get("b", None) is None
    assert None not in mine


@pytest.mark.parametrize(
    "use",
    [
        lambda r: r.register(["a"], "x"),
        lambda r: r.include({"a": "x"}),
        lambda r: r.localized([]),
    ],
    ids=["register", "include", "localized"],
)
def test_an_argument_of_another_kind_is_an_error_of_the_library(
    use: Callable[[PromptRegistry], object],
) -> None:
    with pytest.raises(PromptError):
        use(PromptRegistry())
