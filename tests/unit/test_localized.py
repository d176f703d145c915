"""The registry in one locale: the order of its layers, who sees a write, and what it says of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from agentprompts import (
    Diagnostic,
    LocalizedRegistry,
    Origin,
    PromptError,
    PromptRegistry,
    PromptTemplate,
    UnknownPromptError,
)
from agentprompts.registry import LocalePacks

T = PromptTemplate
KEY = "chat.persona"


class Catalog:
    """What a reader of a directory makes: a registry with packs, and what was read, in order."""

    def __init__(
        self,
        texts: Mapping[str, str | PromptTemplate],
        packs: Mapping[str, Mapping[str, str]] | None = None,
        source: str = "en",
        findings: Mapping[str, tuple[Diagnostic, ...]] | None = None,
    ) -> None:
        self.read: list[str] = []
        self.templates = {
            k: T(text) if isinstance(text, str) else text for k, text in texts.items()
        }
        self.packs = {locale: dict(pack) for locale, pack in (packs or {}).items()}
        self.findings = findings or {}
        self.before_reading: Callable[[], object] = lambda: None
        loads = {locale: self._load(locale) for locale in self.packs}
        self.registry = PromptRegistry.with_packs(self.templates, LocalePacks(source, loads))

    def _load(
        self, locale: str
    ) -> Callable[[], tuple[dict[str, PromptTemplate], tuple[Diagnostic, ...]]]:
        def load() -> tuple[dict[str, PromptTemplate], tuple[Diagnostic, ...]]:
            self.read.append(locale)
            self.before_reading()
            found = {}
            for key, text in self.packs[locale].items():
                template = self.templates.get(key)
                found[key] = template.with_text(text) if template else T(text)
            return found, self.findings.get(locale, ())

        return load


def catalog(
    texts: Mapping[str, str | PromptTemplate],
    packs: Mapping[str, Mapping[str, str]] | None = None,
    source: str = "en",
) -> PromptRegistry:
    return Catalog(texts, packs, source).registry


QUESTION = T("[Question]\n{query}", variables=["query"])
PACKS = {
    "de": {KEY: "Du hilfst.", "ask": "[Frage]\n{query}"},
    "de-AT": {KEY: "Servus."},
    "fr": {KEY: "Tu aides."},
    "zh-Hans": {KEY: "你是助手。"},
    "zh-Hant": {KEY: "你是助理。"},
}


@pytest.fixture
def prompts() -> PromptRegistry:
    return catalog({KEY: "You help.", "ask": QUESTION, "only.english": "Stay."}, PACKS)


# Layers

LAYERS: list[tuple[str, Callable[[PromptRegistry], object], Origin]] = [
    (
        "override de-AT",
        lambda r: r.override({KEY: "override de-AT"}, locale="de-AT"),
        Origin("override", "de-AT"),
    ),
    (
        "override de",
        lambda r: r.localized("de").override({KEY: "override de"}),
        Origin("override", "de"),
    ),
    ("override all", lambda r: r.override({KEY: "override all"}), Origin("override", None)),
    ("Servus.", lambda r: None, Origin("pack", "de-AT")),
]


@pytest.mark.parametrize("upward", [True, False], ids=["upward", "downward"])
@pytest.mark.parametrize("first", range(4), ids=[name for name, _, _ in LAYERS])
def test_a_text_is_looked_up_from_the_nearest_layer(
    prompts: PromptRegistry, first: int, upward: bool
) -> None:
    """DESIGN 4: an override for the locale, one for all, the packs; whatever was written last."""
    view = prompts.localized("de-AT")
    for _, write, _ in LAYERS[first:][:: -1 if upward else 1]:
        write(prompts)
    text, _, origin = LAYERS[first]
    for seen in (view, view.copy(), view.snapshot(), prompts.copy().localized("de_AT")):
        assert seen.text(KEY) == seen.render(KEY) == seen[KEY].template == text
        assert seen.as_dict()[KEY] == dict(seen)[KEY].template == text
        assert seen.origin(KEY) == origin
        assert str(seen.ref(KEY)) == text


PACKED: dict[str, tuple[str, str, Origin]] = {
    "de-AT": ("de-AT", "Servus.", Origin("pack", "de-AT")),
    "parent": ("de-CH", "Du hilfst.", Origin("pack", "de")),
    "posix": ("de_AT.UTF-8", "Servus.", Origin("pack", "de-AT")),
    "script": ("zh-TW", "你是助理。", Origin("pack", "zh-Hant")),
    "none": ("it", "You help.", Origin("source", "en")),
    "source": ("en", "You help.", Origin("source", "en")),
    "source-region": ("en-GB", "You help.", Origin("source", "en")),
    "posix-source": ("C", "You help.", Origin("source", "en")),
    "nothing": ("", "You help.", Origin("source", "en")),
}


@pytest.mark.parametrize(("locale", "text", "origin"), PACKED.values(), ids=PACKED)
def test_packs_answer_along_the_fallback_chain(
    prompts: PromptRegistry, locale: str, text: str, origin: Origin
) -> None:
    """M13; DESIGN 5: what a pack lacks falls back along the chain, at the end to the source."""
    view = prompts.localized(locale)
    assert (view.text(KEY), view.origin(KEY)) == (text, origin)
    assert view.text("only.english") == "Stay."
    assert view.origin("only.english") == Origin("source", "en")


def test_a_partial_pack_falls_back_key_by_key(prompts: PromptRegistry) -> None:
    """CASES, a new key in the catalog, an old pack: fall back."""
    view = prompts.localized("de-AT")
    assert view.as_dict() == {KEY: "Servus.", "ask": "[Frage]\n{query}", "only.english": "Stay."}
    assert view.chain == ("de-AT", "de", "en")
    assert view.render("ask", query="wer?") == view.render("ask", {"query": "wer?"})
    assert view.render("ask", query="wer?") == "[Frage]\nwer?"
    with pytest.raises(PromptError, match="Missing placeholder"):
        view.render("ask")


def test_the_registry_itself_never_depends_on_a_view(prompts: PromptRegistry) -> None:
    """DESIGN 4: `text` and `fingerprint` of a registry know no ambient locale."""
    mark, texts = prompts.fingerprint, prompts.as_dict()
    german = prompts.localized("de")
    assert german.fingerprint != mark
    german.override({KEY: "Neu."})
    assert (prompts.fingerprint, prompts.as_dict()) == (mark, texts)
    assert prompts.text(KEY) == "You help."
    assert prompts.diff(german).changed[KEY] == ("You help.", "Neu.")
    assert (prompts.locales, prompts.source_locale) == (("de", "de-AT", "en", *LAST), "en")
    assert (german.locales, german.source_locale) == (prompts.locales, "en")


LAST = ("fr", "zh-Hans", "zh-Hant")


def test_a_view_reads_like_its_registry(prompts: PromptRegistry) -> None:
    view = prompts.localized("fr")
    assert view
    assert view.keys() == list(view) == prompts.keys()
    assert (len(view), KEY in view, "nope" in view) == (3, True, False)
    assert [key for key, _ in view.items()] == prompts.keys()
    assert view.get("nope", None) is None
    assert (view.root, view.locale) == (prompts, "fr")
    assert "fr" in repr(view)
    with pytest.raises(UnknownPromptError, match=f"did you mean '{KEY}'"):
        view.text("chat.person")


def test_a_pack_cannot_bring_a_key_that_is_not_registered() -> None:
    """M7: an unknown key stays unknown, although a pack has a text for it."""
    view = catalog({KEY: "You help."}, {"de": {"ghost": "Buh!", KEY: "Du."}}).localized("de")
    assert "ghost" not in view
    assert view.as_dict() == {KEY: "Du."}
    assert view.get("ghost", None) is None
    with pytest.raises(UnknownPromptError):
        view.override({"ghost": "Buh!"})


# Writing through a view


def test_an_override_through_a_view_holds_in_that_locale_only(prompts: PromptRegistry) -> None:
    """DESIGN 4: it holds in that one, and in those that fall back to it."""
    locales = ("", "en", "fr", "zh-TW", "zh-CN", "de", "de-AT", "de-CH")
    before = {locale: prompts.localized(locale).text("only.english") for locale in locales}
    prompts.localized("de").override({"only.english": "Bleib."})
    after = {locale: prompts.localized(locale).text("only.english") for locale in locales}
    assert after == {**before, "de": "Bleib.", "de-AT": "Bleib.", "de-CH": "Bleib."}
    assert prompts.text("only.english") == "Stay."
    prompts.localized("de-AT").override({"only.english": "Bleib doch."})
    assert prompts.localized("de").text("only.english") == "Bleib."
    assert prompts.localized("de-AT").text("only.english") == "Bleib doch."


def test_overrides_of_one_locale_never_cross_a_script(prompts: PromptRegistry) -> None:
    prompts.localized("zh-TW").override({KEY: "台灣"})
    prompts.override({KEY: "大陆"}, locale="zh_CN")
    texts = [prompts.localized(locale).text(KEY) for locale in ("zh-Hant", "zh-Hans", "zh")]
    assert texts == ["台灣", "大陆", "大陆"]
    assert prompts.localized("zh-TW").text(KEY) == "台灣"


SPELLINGS = {
    "the same": ("de-AT", "de-AT"),
    "posix": ("de_AT.UTF-8", "de-AT"),
    "case": ("DE-at", "de-AT"),
    "outdated": ("iw", "he"),
}


@pytest.mark.parametrize(("written", "read"), SPELLINGS.values(), ids=SPELLINGS)
def test_a_locale_is_one_in_every_spelling(
    prompts: PromptRegistry, written: str, read: str
) -> None:
    prompts.override({KEY: "one"}, locale=written)
    assert prompts.localized(read).text(KEY) == prompts.localized(written).text(KEY) == "one"
    assert prompts.localized(written).locale == read
    assert prompts.localized(read).origin(KEY) == Origin("override", read)
    assert prompts.text(KEY) == "You help."


@pytest.mark.parametrize("locale", ["en", "C", "POSIX", "", "EN"], ids="locale={}".format)
def test_an_override_in_the_sources_own_locale_is_what_the_registry_answers(
    prompts: PromptRegistry, locale: str
) -> None:
    """CASES, `C`, `POSIX`, `` ask for the source language; its overrides hold in no other."""
    prompts.override({KEY: "You assist."}, locale=locale)
    english = prompts.localized("en")
    assert english.text(KEY) == prompts.localized("en-GB").text(KEY) == "You assist."
    assert prompts.text(KEY) == prompts.render(KEY) == prompts[KEY].template == "You assist."
    assert prompts.as_dict() == english.as_dict()
    assert prompts.fingerprint == english.fingerprint
    assert prompts.origin(KEY) == english.origin(KEY)
    assert prompts.origin(KEY).layer == "override"
    assert prompts.localized("de").text(KEY) == "Du hilfst."
    assert prompts.localized("it").text(KEY) == "You help.", "the source as it was registered"

    prompts.override({KEY: "everywhere", "only.english": "Stay put."})
    assert prompts.text(KEY) == english.text(KEY) == "You assist.", "the nearer layer"
    assert prompts.localized("it").text(KEY) == prompts.localized("de").text(KEY) == "everywhere"
    assert prompts.text("only.english") == "Stay put."
    assert prompts.origin("only.english") == Origin("override", None)

    made = prompts.copy()
    made.override({KEY: "You do."}, locale=locale)
    made.override({"only.english": "Go."}, locale="en")
    assert (made.text(KEY), prompts.text(KEY)) == ("You do.", "You assist.")
    assert made.localized("de").text("only.english") == "Stay put."


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "de"], ids="locale={}".format)
def test_the_registry_and_its_view_in_the_source_locale_are_one(
    prompts: PromptRegistry, locale: str
) -> None:
    """`en-US` is what `en` likely means: its overrides are in both, or in neither."""
    prompts.override({KEY: "You assist."}, locale=locale)
    assert prompts.as_dict() == prompts.localized("en").as_dict()
    assert prompts.localized(locale).text(KEY) == "You assist."


def test_an_empty_locale_means_the_source_through_a_view_too(prompts: PromptRegistry) -> None:
    prompts.localized("de").override({KEY: "source's"}, locale="")
    assert prompts.text(KEY) == "source's"
    assert prompts.localized("de").text(KEY) == "Du hilfst."


def test_a_view_writes_into_another_locale_when_told_so(prompts: PromptRegistry) -> None:
    prompts.localized("de").override({KEY: "Tu es."}, locale="fr")
    assert prompts.localized("fr").text(KEY) == "Tu es."
    assert prompts.localized("de").text(KEY) == "Du hilfst."


def test_an_override_in_a_locale_is_compared_with_the_text_it_replaces() -> None:
    """DESIGN 3, rules 9 and 10: a mangled slot that the German text has already is none."""
    source = T("Ask {query}", variables=["query"])
    german = T.from_contract("Frage {query>: {query}", source.contract)
    packs = LocalePacks("en", {"de": lambda: ({"ask": german}, ())})
    registry = PromptRegistry.with_packs({"ask": source}, packs)
    text = "Bitte {query>: {query}"
    with pytest.raises(PromptError, match="query>"):
        registry.override({"ask": text})
    with pytest.raises(PromptError, match="query>"):
        registry.override({"ask": text}, locale="fr")
    registry.override({"ask": text}, locale="de")
    assert registry.localized("de").render("ask", query="x") == "Bitte {query>: x"


@pytest.mark.parametrize("given", ["de-AT", "de_AT"], ids="locale={}".format)
def test_a_fault_in_one_locale_names_it(prompts: PromptRegistry, given: str) -> None:
    """M3: a finding's locale is the BCP 47 tag, whatever was asked for."""
    with pytest.raises(PromptError) as caught:
        prompts.override({"ask": "nichts", KEY: "gut"}, locale=given)
    assert [(d.key, d.locale) for d in caught.value.diagnostics] == [("ask", "de-AT")]
    assert all(part in str(caught.value) for part in ("ask", "[de-AT]", "{query}"))
    assert prompts.localized("de-AT").text(KEY) == "Servus."


def test_registering_through_a_view_reaches_the_registry(prompts: PromptRegistry) -> None:
    view = prompts.localized("de")
    view.register("new", "{x}", variables=["x"])
    view.namespace("lib").register("a", "y")
    assert prompts.keys()[-2:] == view.keys()[-2:] == ["new", "lib.a"]


# Live, cached, cheap


def test_a_view_is_live(prompts: PromptRegistry) -> None:
    """M5: a view made before a write sees it, and is made once."""
    german, english = prompts.localized("de"), prompts.localized("en")
    assert german is prompts.localized("de")
    assert german.localized("en") is english
    assert german.text(KEY) == "Du hilfst."  # what it remembers now must not stay
    prompts.override({KEY: "everywhere"})
    assert german.text(KEY) == english.text(KEY) == "everywhere"
    prompts.override({KEY: "hier"}, locale="de")
    assert (german.text(KEY), english.text(KEY)) == ("hier", "everywhere")
    prompts.override({KEY: "dort"}, locale="de")
    assert german.text(KEY) == "dort"
    prompts.register("late", "x")
    assert german.keys()[-1] == "late"
    prompts.copy().override({KEY: "a copy's"}, locale="de")
    assert german.text(KEY) == "dort"


def test_a_view_made_before_a_catalog_came_has_its_packs(prompts: PromptRegistry) -> None:
    views = {locale: prompts.localized(locale) for locale in ("de", "it", "it-CH")}
    assert [*views["it"].chain] == ["en"]
    assert views["it"].text(KEY) == "You help."
    prompts.include(catalog({"lib.x": "X"}, {"it": {"lib.x": "X it"}, "de": {"lib.x": "X de"}}))
    assert views["it"].chain == ("it", "en")
    assert {locale: view.text("lib.x") for locale, view in views.items()} == {
        "de": "X de",
        "it": "X it",
        "it-CH": "X it",
    }
    assert prompts.locales == ("de", "de-AT", "en", "fr", "it", "zh-Hans", "zh-Hant")


def test_any_number_of_locales_may_be_asked_for(prompts: PromptRegistry) -> None:
    """A request's header is anybody's: it neither fills the memory nor goes stale."""
    tags = [f"de-v{i:04}" for i in range(600)]
    for tag in tags:
        assert prompts.localized(tag).text(KEY) == "Du hilfst."
    prompts.override({KEY: "neu"}, locale="de")
    assert {prompts.localized(tag).text(KEY) for tag in tags} == {"neu"}
    assert len(prompts._views or ()) <= 256
    assert prompts.localized("fr") is prompts.localized("fr"), "made-up ones fill no cache for good"


def test_a_locale_has_one_view_however_it_is_spelled(prompts: PromptRegistry) -> None:
    assert prompts.localized("de_AT.UTF-8") is prompts.localized("de-AT")
    assert prompts.localized("POSIX") is prompts.localized("en") is prompts.localized("")


@pytest.mark.parametrize("bad", [None, 7, "x", "../x", "en_US@x=../..", "e" * 500], ids=repr)
def test_what_is_no_locale_is_refused(prompts: PromptRegistry, bad: Any) -> None:
    """CASES, the locale `en_US@x=../..`: be refused, at every door, and nothing is written."""
    with pytest.raises(PromptError, match="is no locale"):
        prompts.localized(bad)
    if bad is not None:
        with pytest.raises(PromptError, match="is no locale"):
            prompts.override({KEY: "x"}, locale=bad)
    assert prompts.text(KEY) == "You help."


# Reading packs


def test_packs_are_read_when_asked_for_and_once() -> None:
    """PERFORMANCE, packs are read once a process and only when asked for, by whichever copy."""
    made = Catalog({KEY: "You help."}, {"de": {KEY: "Du."}, "fr": {KEY: "Tu."}})
    registry = made.registry
    copied, view = registry.copy(), registry.localized("de-AT")
    registry.override({KEY: "everywhere"})
    assert (registry.text(KEY), registry.locales) == ("everywhere", ("de", "en", "fr"))
    assert not made.read
    for _ in range(2):
        copied.localized("de").text(KEY)
        view.text(KEY)
        registry.snapshot().localized("de-CH").as_dict()
    assert made.read == ["de"]


def test_including_a_catalog_reads_no_pack_again() -> None:
    """PERFORMANCE, packs are read once a process: neither the registry's own nor the catalog's."""
    ours = Catalog({KEY: "You help."}, {"de": {KEY: "Du."}})
    theirs = Catalog({"x": "X"}, {"de": {"x": "X de"}})
    assert ours.registry.localized("de").text(KEY) == "Du."
    for prefix in ("one", "two"):
        ours.registry.namespace(prefix).include(theirs.registry)
        other = PromptRegistry()
        other.include(theirs.registry)
        assert ours.registry.localized("de").text(f"{prefix}.x") == "X de"
        assert other.localized("de").text("x") == "X de"
    assert (ours.read, theirs.read) == (["de"], ["de"])


def test_a_pack_that_cannot_be_read_is_tried_again() -> None:
    """A reader's error is shown to who asked, and leaves no half-read pack behind."""
    made = Catalog({KEY: "You help."}, {"de": {KEY: "Du."}})

    def fail() -> None:
        if len(made.read) == 1:
            raise OSError("the disk is gone")

    made.before_reading = fail
    view = made.registry.localized("de")
    with pytest.raises(OSError, match="the disk is gone"):
        view.text(KEY)
    assert view.text(KEY) == "Du."
    assert made.registry.text(KEY) == "You help."


# What fell back

FALLEN: dict[str, tuple[str, dict[str, str]]] = {
    "whole": ("fr", {}),
    "partial": ("de", {"only.english": "en"}),
    "no pack at all": ("it", {KEY: "en", "ask": "en", "only.english": "en"}),
    "zh-TW without zh-Hant": ("zh-TW", {KEY: "en", "ask": "en", "only.english": "en"}),
    "source": ("en", {}),
    "region of the source": ("en-GB", {}),
    "region of a pack": ("de-AT", {"only.english": "en"}),
}


@pytest.mark.parametrize(("locale", "expected"), FALLEN.values(), ids=FALLEN)
def test_what_fell_back_is_counted_and_never_hidden(locale: str, expected: dict[str, str]) -> None:
    """CASES, `zh-TW` where there is `zh-Hans` only: answer the source, and say so. DESIGN 5."""
    texts = {KEY: "You help.", "ask": "?", "only.english": "Stay."}
    german = {KEY: "Du.", "ask": "??"}
    packs = {"de": german, "fr": dict.fromkeys(texts, "fr"), "zh-Hans": dict.fromkeys(texts, "简")}
    assert catalog(texts, packs).localized(locale).fallen_back() == expected


def test_what_was_overridden_counts_as_translated(prompts: PromptRegistry) -> None:
    view = prompts.localized("fr")
    assert view.fallen_back() == {"ask": "en", "only.english": "en"}
    view.override({"ask": "??? {query}"})
    assert view.fallen_back() == {"only.english": "en"}
    prompts.override({"only.english": "everywhere"})
    assert view.fallen_back() == {}
    assert prompts.localized("de-AT").fallen_back() == {}  # the same language, in its own script


# Copies of views


def test_a_copy_of_a_view_is_independent_and_speaks_its_language(prompts: PromptRegistry) -> None:
    prompts.override({"only.english": "Bleib."}, locale="de")
    view = prompts.localized("de")
    for made in (
        view.copy(),
        view.with_overrides({}),
        pickle.loads(pickle.dumps(view)),
        pickle.loads(pickle.dumps(prompts)).localized("de"),
    ):
        assert isinstance(made, LocalizedRegistry)
        assert made.locale == "de"
        assert made.as_dict() == view.as_dict()
        assert made.fingerprint == view.fingerprint
        assert [made.origin(key) for key in made] == [view.origin(key) for key in view]
        assert made.locales == prompts.locales
        made.override({KEY: "Kopie."})
        made.register("kopie", "x")
        assert made.root.text(KEY) == "You help."
        assert made.root.localized("de-AT").text(KEY) == "Kopie."
        assert made.localized("fr").text(KEY) == "Tu aides."
    assert view.text(KEY) == "Du hilfst."
    assert prompts.keys() == [KEY, "ask", "only.english"]


def test_with_overrides_through_a_view_holds_in_its_locale(prompts: PromptRegistry) -> None:
    made = prompts.localized("de").with_overrides({KEY: "Neu."})
    assert made.text(KEY) == made.localized("de").text(KEY) == "Neu."
    assert made.localized("fr").text(KEY) == "Tu aides."
    assert made.localized("en").text(KEY) == "You help."
    assert prompts.localized("de").text(KEY) == "Du hilfst."


def test_a_whole_localized_set_can_be_handed_over(prompts: PromptRegistry) -> None:
    """M6, M11: `update_prompts(chinese_registry())` switches an agent that is built already."""
    agent = catalog({KEY: "You help.", "ask": QUESTION, "only.english": "Stay."})
    agent.override(prompts.localized("de"))
    assert agent.as_dict() == prompts.localized("de").as_dict()
    assert PromptRegistry(prompts.localized("de")).as_dict() == agent.as_dict()


def test_pickled_packs_travel(prompts: PromptRegistry) -> None:
    """DESIGN 4: it pickles; where it is unpickled there may be no files to read."""
    made = pickle.loads(pickle.dumps(prompts))
    for _ in range(2):
        assert made.localized("zh-TW").text(KEY) == "你是助理。"
        assert made.localized("de").render("ask", query="x") == "[Frage]\nx"
        made.include(catalog({f"lib{len(made)}.x": "X"}, {"de": {f"lib{len(made)}.x": "X de"}}))
        made = pickle.loads(pickle.dumps(made))
    assert made.localized("de").as_dict() == {
        **prompts.localized("de").as_dict(),
        "lib3.x": "X de",
        "lib4.x": "X de",
    }


# Packs of other catalogs


def test_including_merges_the_packs_of_one_source_locale(prompts: PromptRegistry) -> None:
    """M13: a library's prompts are translated like the built-in ones."""
    library = catalog({"a": "A", "b": "B"}, {"de": {"a": "A de"}, "it": {"a": "A it", "b": "B it"}})
    prompts.namespace("lib").include(library)
    german, italian = prompts.localized("de"), prompts.localized("it")
    assert (german.text(KEY), german.text("lib.a"), german.text("lib.b")) == (
        "Du hilfst.",
        "A de",
        "B",
    )
    assert (italian.text(KEY), italian.text("lib.a")) == ("You help.", "A it")
    assert italian.origin("lib.b") == Origin("pack", "it")
    assert german.origin("lib.b") == Origin("source", "en")
    assert (prompts.text("lib.a"), library.localized("de").text("a")) == ("A", "A de")
    assert italian.fallen_back() == {KEY: "en", "ask": "en", "only.english": "en"}
    with pytest.raises(UnknownPromptError):
        german.text("a")


def test_packs_keep_their_keys_through_two_namespaces(prompts: PromptRegistry) -> None:
    """M13: a library's library is translated, too."""
    library = catalog({"own": "O"}, {"de": {"own": "O de"}})
    library.namespace("in").include(catalog({"a": "A", "b": "B"}, {"de": {"a": "A de"}}))
    prompts.namespace("out").include(library)
    german = prompts.localized("de").namespace("out")
    assert german.as_dict() == {"own": "O de", "in.a": "A de", "in.b": "B"}


def test_including_a_catalog_of_another_source_locale_keeps_both(prompts: PromptRegistry) -> None:
    """M13: what was written in French is the French text, and its English pack the English."""
    library = catalog(
        {"x": "X fr", "y": "Y fr"},
        {"en": {"x": "X en"}, "de": {"x": "X de"}},
        source="fr",
    )
    prompts.namespace("lib").include(library)
    texts = {
        locale: (view.text("lib.x"), view.text("lib.y"))
        for locale in ("fr", "fr-CA", "en", "en-GB", "de", "it")
        for view in [prompts.localized(locale)]
    }
    assert texts == {
        "fr": ("X fr", "Y fr"),
        "fr-CA": ("X fr", "Y fr"),
        "en": ("X en", "Y fr"),
        "en-GB": ("X en", "Y fr"),
        "de": ("X de", "Y fr"),
        "it": ("X en", "Y fr"),
    }
    assert prompts.localized("fr").text(KEY) == "Tu aides."
    assert prompts.source_locale == "en"
    assert prompts.localized("fr").origin("lib.x").locale == "fr"
    assert prompts.localized("it").origin("lib.x") == Origin("source", "en")


def test_a_text_of_another_source_locale_is_not_passed_off_as_ours(
    prompts: PromptRegistry,
) -> None:
    """DESIGN 5: what falls back is counted, never hidden; an origin tells the text's language."""
    prompts.include(catalog({"lib.y": "Y fr"}, source="fr"))
    for view in (prompts.localized("en"), prompts.localized("de")):
        assert view.text("lib.y") == "Y fr"
        assert view.origin("lib.y").locale == "fr"
        assert view.fallen_back()["lib.y"] == "fr"
    assert prompts.origin("lib.y").locale == "fr"
    assert "lib.y" not in prompts.localized("fr").fallen_back()


def test_a_catalog_keeps_its_languages_through_two_includes(prompts: PromptRegistry) -> None:
    """DESIGN 5: an Italian text is Italian also by way of a French catalog."""
    french = catalog({"lib.y": "Y fr"}, source="fr")
    french.include(catalog({"lib.x": "X it"}, source="it"))
    prompts.include(french)
    prompts.include(catalog({"lib.z": "Z es"}, {"en": {"lib.z": "Z"}}, source="es"))
    made = pickle.loads(pickle.dumps(prompts))
    views = [registry.localized(tag) for registry in (prompts, made) for tag in ("en", "fr", "it")]
    for registry in (prompts, made, *views):
        origins = {key: registry.origin(key).locale for key in ("lib.x", "lib.y")}
        assert origins == {"lib.x": "it", "lib.y": "fr"}
    assert prompts.localized("fr").fallen_back()["lib.x"] == "it"
    made = pickle.loads(pickle.dumps(french))
    assert (made.source_locale, made.localized("").locale) == ("fr", "fr")
    assert [made.origin(key).locale for key in made] == ["fr", "it"]


def test_the_registry_answers_in_its_source_locale_whatever_a_catalog_was_written_in(
    prompts: PromptRegistry,
) -> None:
    """The registry and its view in its own locale are one set; M11, no residue of another."""
    prompts.include(catalog({"lib.x": "X fr"}, {"en": {"lib.x": "X en"}}, source="fr"))
    assert prompts.as_dict() == prompts.localized("en").as_dict()


def test_a_clash_leaves_the_packs_as_they_were(prompts: PromptRegistry) -> None:
    """DESIGN 4: nothing half applied, the packs neither."""
    library = catalog({"new": "N", KEY: "theirs"}, {"it": {"new": "N it"}, "de": {KEY: "theirs"}})
    before = {locale: prompts.localized(locale).as_dict() for locale in ("de", "it", "en")}
    with pytest.raises(PromptError, match=KEY):
        prompts.include(library)
    assert {locale: prompts.localized(locale).as_dict() for locale in before} == before
    assert "it" not in prompts.locales


def test_findings_of_packs_name_the_keys_of_this_registry() -> None:
    """DESIGN 5: what was left out is reported, under the key that its reader knows."""

    def finding(key: str, locale: str = "de") -> Diagnostic:
        return Diagnostic(code="slot-missing", message="left out", key=key, locale=locale)

    ours = Catalog({KEY: "x"}, {"de": {}}, findings={"de": (finding(KEY),)}).registry
    theirs = Catalog({"a": "x"}, {"de": {}}, findings={"de": (finding("a"),)}).registry
    assert ours.localized("de-AT").findings == (finding(KEY),)
    assert ours.localized("fr").findings == ()
    more = {"de": (finding(KEY),), "de-AT": (finding(KEY, "de-AT"),)}
    austrian = Catalog({KEY: "x"}, {"de": {}, "de-AT": {}}, findings=more).registry
    assert austrian.localized("de-AT").findings == (finding(KEY, "de-AT"), finding(KEY))
    ours.namespace("lib").include(theirs)
    assert ours.localized("de").findings == (finding(KEY), finding("lib.a"))
    assert pickle.loads(pickle.dumps(ours)).localized("de").findings[0] == finding(KEY)


def test_many_libraries_can_be_included() -> None:
    """Packs of a thousand catalogs do not nest a thousand calls deep."""
    registry, library = PromptRegistry(), catalog({"x": "X"}, {"de": {"x": "X de"}})
    for i in range(1_200):
        registry.namespace(f"lib{i}").include(library)
    german = registry.localized("de")
    assert {german.text(key) for key in registry} == {"X de"}
