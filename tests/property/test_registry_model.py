"""A registry, its copies, views and pickles against plain dicts, by whatever steps there are."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from agentprompts import Origin, PromptError, PromptRegistry, PromptTemplate, UnknownPromptError
from agentprompts.registry import LocalePacks

T = PromptTemplate

# Where the texts of a locale are looked for, written out here so that no code of ours is believed.
CHAINS = {
    "en": ["en", "en-US"],
    "en-US": ["en-US", "en"],
    "en-GB": ["en-GB", "en", "en-US"],
    "de": ["de"],
    "de-AT": ["de-AT", "de"],
    "zh-TW": ["zh-TW", "zh-Hant"],
    "zh-Hans": ["zh-Hans"],
    "it": ["it"],
}
# Packs of other regions stand in before the source; an override is for its own region.
PACK_CHAINS = CHAINS | {"de": ["de", "de-AT"]}
SOURCE = "en"
PACKED = ("de", "de-AT", "zh-Hant")

# A prompt needs a slot, a token, both, or nothing: what its key ends in tells which.
NEEDS: dict[str, tuple[list[str], list[str]]] = {
    "plain": ([], []),
    "slot": (["x"], []),
    "token": ([], ["ADD"]),
    "both": (["x", "y"], ["ADD", "NO"]),
}
KINDS = sorted(NEEDS)


def good(kind: str, words: str) -> str:
    slots, tokens = NEEDS[kind]
    return " ".join([words, *(f"{{{slot}}}" for slot in slots), *tokens])


def bad(kind: str, words: str) -> str:
    """Return a text that lacks its last slot or, where it has none, its last token."""
    slots, tokens = NEEDS[kind]
    kept = tokens if slots else tokens[:-1]
    return " ".join([words, *(f"{{{slot}}}" for slot in slots[:-1]), *kept])


def kind_of(key: str) -> str:
    return key.rsplit(".", 1)[1]


def template(kind: str, text: str) -> PromptTemplate:
    slots, tokens = NEEDS[kind]
    return T(text, variables=slots, protected=tokens)


def catalog(sources: Mapping[str, str], packs: Mapping[str, Mapping[str, str]]) -> PromptRegistry:
    templates = {key: template(kind_of(key), text) for key, text in sources.items()}
    packs = copy.deepcopy(dict(packs))  # read later, when the model's own may have grown

    def load(locale: str) -> tuple[dict[str, PromptTemplate], tuple[()]]:
        return {k: templates[k].with_text(text) for k, text in packs[locale].items()}, ()

    loads = {locale: (lambda locale=locale: load(locale)) for locale in packs}
    return PromptRegistry.with_packs(templates, LocalePacks(SOURCE, loads))


@dataclass
class Model:
    """What a registry must be, in plain dicts."""

    registry: PromptRegistry
    sources: dict[str, str] = field(default_factory=dict)
    packs: dict[str, dict[str, str]] = field(default_factory=dict)
    over: dict[str, str] = field(default_factory=dict)
    local: dict[str, dict[str, str]] = field(default_factory=dict)

    def twin(self, registry: PromptRegistry) -> Model:
        return Model(registry, *copy.deepcopy((self.sources, self.packs, self.over, self.local)))

    def find(self, key: str, locale: str) -> tuple[str, Origin]:
        for near in CHAINS[locale]:
            if key in self.local.get(near, {}):
                return self.local[near][key], Origin("override", near)
        if key in self.over:
            return self.over[key], Origin("override", None)
        for near in PACK_CHAINS[locale]:
            if key in self.packs.get(near, {}):
                return self.packs[near][key], Origin("pack", near)
        return self.sources[key], Origin("source", SOURCE)

    def write(self, updates: Mapping[str, str], locale: str | None) -> None:
        (self.over if locale is None else self.local.setdefault(locale, {})).update(updates)

    def check(self, registry: PromptRegistry, locale: str) -> None:
        expected = {key: self.find(key, locale) for key in self.sources}
        texts = {key: text for key, (text, _) in expected.items()}
        assert registry.as_dict() == texts
        assert registry.keys() == list(registry) == list(texts)
        assert len(registry) == len(texts)
        assert {key: value.template for key, value in registry.items()} == texts
        for key, (text, origin) in expected.items():
            assert key in registry
            assert registry.text(key) == registry[key].template == text
            assert registry.origin(key) == origin
            slots, tokens = NEEDS[kind_of(key)]
            assert registry[key].variables == (*slots,)
            assert registry[key].protected == (*tokens,)


WORDS = st.sampled_from(["uno", "due", "tre"])
NAMES = st.sampled_from(["a", "b", "mid:leaf", "c.d"])
LOCALES = st.sampled_from([None, *CHAINS])
SOME = st.randoms(use_true_random=False)


class RegistryMachine(RuleBasedStateMachine):
    """Every model is compared after every step, so that no write of one reaches another."""

    open = Bundle("open")
    pinned = Bundle("pinned")

    def __init__(self) -> None:
        super().__init__()
        self.models: list[Model] = []
        self.marks: list[tuple[Model, str]] = []
        self.number = 0

    def added(self, model: Model) -> Model:
        self.models.append(model)
        return model

    @initialize(target=open, size=st.sampled_from([0, 2, 40]), one_by_one=st.booleans())
    def start(self, size: int, one_by_one: bool) -> Model:
        sources = {
            f"base.n{i}.{kind}": good(kind, f"base {i}")
            for i in range(size)
            for kind in [KINDS[i % len(KINDS)]]
        }
        packs = {
            locale: {
                key: good(kind_of(key), f"{locale} {key}")
                for i, key in enumerate(sources)
                if i % (at + 2) == 0
            }
            for at, locale in enumerate(PACKED)
        }
        if one_by_one:
            registry = PromptRegistry()
            registry.include(catalog({}, {locale: {} for locale in PACKED}))
            for key, text in sources.items():
                registry.register(key, template(kind_of(key), text))
            return self.added(Model(registry, sources))
        return self.added(Model(catalog(sources, packs), sources, packs))

    # Writes that must be

    @rule(model=open, name=NAMES, kind=st.sampled_from(KINDS), many=st.sampled_from([1, 1, 1, 40]))
    def register(self, model: Model, name: str, kind: str, many: int) -> None:
        for _ in range(many):
            self.number += 1
            key, text = f"{name}.n{self.number}.{kind}", good(kind, "registered")
            slots, tokens = NEEDS[kind]
            model.registry.register(key, text, variables=slots, protected=tokens)
            model.sources[key] = text

    @rule(
        model=open,
        locale=LOCALES,
        dice=SOME,
        count=st.sampled_from([1, 1, 2, 40]),
        words=WORDS,
        shape=st.sampled_from(["texts", "templates", "registry", "view", "with_text"]),
    )
    def override(
        self, model: Model, locale: str | None, dice: Random, count: int, words: str, shape: str
    ) -> None:
        keys = self._some(model, dice, count)
        texts = {key: good(kind_of(key), words) for key in keys}
        loose = {key: T(text) for key, text in texts.items()}
        registry = model.registry
        match shape:
            case "view" if locale is not None:
                registry.localized(locale).override(texts)
            case "templates":
                registry.override(loose, locale)
            case "registry":
                registry.override(PromptRegistry(loose), locale)
            case "with_text":
                seen = registry if locale is None else registry.localized(locale)
                registry.override({k: seen[k].with_text(text) for k, text in texts.items()}, locale)
            case _:
                registry.override(texts, locale)
        model.write(texts, locale)

    @rule(target=open, model=open, dice=SOME, count=st.sampled_from([1, 3, 40]), words=WORDS)
    def with_overrides(self, model: Model, dice: Random, count: int, words: str) -> Model:
        texts = {key: good(kind_of(key), words) for key in self._some(model, dice, count)}
        made = model.twin(model.registry.with_overrides(texts))
        made.write(texts, None)
        return self.added(made)

    @rule(
        model=open,
        kind=st.sampled_from(KINDS),
        size=st.sampled_from([1, 3, 40]),
        deep=st.booleans(),
    )
    def include(self, model: Model, kind: str, size: int, deep: bool) -> None:
        self.number += 1
        sources = {f"lib{self.number}.n{i}.{kind}": good(kind, f"lib {i}") for i in range(size)}
        packs = {
            locale: {key: good(kind, f"{locale} {key}") for key in [*sources][at::2]}
            for at, locale in enumerate(("de", "it"))
        }
        prefix = "deep.er." if deep else ""
        if deep:
            model.registry.namespace("deep.er").include(catalog(sources, packs))
        else:
            model.registry.include(catalog(sources, packs))
        model.sources |= {prefix + key: text for key, text in sources.items()}
        for locale, pack in packs.items():
            model.packs.setdefault(locale, {})
            model.packs[locale] |= {prefix + key: text for key, text in pack.items()}

    # Copies

    @rule(
        target=open,
        model=open,
        way=st.sampled_from(["copy", "copy", "copy.copy", "deepcopy", "pickle", "of a snapshot"]),
    )
    def copied(self, model: Model, way: str) -> Model:
        registry = model.registry
        match way:
            case "copy":
                made = registry.copy()
            case "copy.copy":
                made = copy.copy(registry)
            case "deepcopy":
                made = copy.deepcopy(registry)
            case "pickle":
                made = pickle.loads(pickle.dumps(registry))
            case _:
                made = registry.snapshot().copy()
        return self.added(model.twin(made))

    @rule(target=open, model=open, locale=st.sampled_from(sorted(CHAINS)))
    def copied_through_a_view(self, model: Model, locale: str) -> Model:
        made = model.registry.localized(locale).copy()
        assert made is made.localized(locale)
        # What is written through it holds in its locale; here everything is written at the root.
        root = made.localized(locale).root
        return self.added(model.twin(root))

    @rule(target=pinned, model=open, pickled=st.booleans())
    def snapshot(self, model: Model, pickled: bool) -> Model:
        made = model.registry.snapshot()
        if pickled:
            made = pickle.loads(pickle.dumps(made))
        self.marks.append((model.twin(made), made.fingerprint))
        return self.marks[-1][0]

    @rule(model=consumes(open))
    def forget(self, model: Model) -> None:
        if len(self.models) > 1:
            self.models.remove(model)

    # Writes that must not be

    @rule(
        model=open,
        locale=LOCALES,
        dice=SOME,
        count=st.sampled_from([1, 2, 40]),
        fault=st.sampled_from(["text", "type", "unknown"]),
        isolated=st.booleans(),
    )
    def bad_override(
        self, model: Model, locale: str | None, dice: Random, count: int, fault: str, isolated: bool
    ) -> None:
        registry, keys = model.registry, self._some(model, dice, count)
        updates: dict[str, Any] = {key: good(kind_of(key), "fine") for key in keys}
        wrong = [key for key in keys if kind_of(key) != "plain"]
        if fault == "text" and wrong:
            broken = wrong[len(wrong) // 2]
            updates[broken] = bad(kind_of(broken), "broken")
        elif fault == "type" and keys:
            broken = keys[0]
            updates[broken] = None
        else:
            fault, broken = "unknown", "no.such.plain"
            updates = {broken: "x", **updates}
        write = registry.with_overrides if isolated else partial(registry.override, locale=locale)
        with pytest.raises(PromptError) as caught:
            write(updates)
        assert {found.key for found in caught.value.diagnostics} == {broken}
        assert isinstance(caught.value, UnknownPromptError) == (fault == "unknown")

    @rule(model=open, dice=SOME)
    def register_again(self, model: Model, dice: Random) -> None:
        for key in self._some(model, dice, 1):
            with pytest.raises(PromptError, match="already exists"):
                model.registry.register(key, "x")
            with pytest.raises(PromptError, match="already exists"):
                model.registry.include(PromptRegistry({"quite.new": T("x"), key: T("x")}))

    @rule(model=pinned, dice=SOME, locale=LOCALES)
    def write_into_a_snapshot(self, model: Model, dice: Random, locale: str | None) -> None:
        for key in self._some(model, dice, 1):
            with pytest.raises(PromptError, match="snapshot"):
                model.registry.override({key: good(kind_of(key), "x")}, locale)
        with pytest.raises(PromptError, match="snapshot"):
            model.registry.register("quite.new", "x")

    # What must hold

    @invariant()
    def every_registry_equals_its_model(self) -> None:
        for model in self.models:
            model.check(model.registry, SOURCE)

    @rule(model=st.one_of(open, pinned), locale=st.sampled_from(sorted(CHAINS)))
    def look_through_a_view(self, model: Model, locale: str) -> None:
        model.check(model.registry.localized(locale), locale)

    @rule(one=open, two=st.one_of(open, pinned))
    def compare(self, one: Model, two: Model) -> None:
        old, new = (
            {key: model.find(key, SOURCE)[0] for key in model.sources} for model in (one, two)
        )
        added, removed, changed = one.registry.diff(two.registry)
        assert {**old, **added, **{key: text for key, (_, text) in changed.items()}} == {
            **new,
            **removed,
        }
        assert (one.registry.fingerprint == two.registry.fingerprint) == (old == new)

    def teardown(self) -> None:
        for model in self.models:
            for locale in CHAINS:
                model.check(model.registry.localized(locale), locale)
        for model, mark in self.marks:
            model.check(model.registry, SOURCE)
            model.check(model.registry.localized("de-AT"), "de-AT")
            assert model.registry.fingerprint == mark

    def _some(self, model: Model, dice: Random, count: int) -> list[str]:
        keys = list(model.sources)
        return dice.sample(keys, min(count, len(keys)))


TestRegistry = RegistryMachine.TestCase
TestRegistry.settings = settings(deadline=None, max_examples=40, stateful_step_count=30)
