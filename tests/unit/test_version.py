"""A registry's version: what is made from its texts is good for as long as it stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptRegistry, PromptTemplate


def refused(registry: PromptRegistry) -> None:
    with pytest.raises(KeyError):
        registry.override({"z": "x"})


WRITES: dict[str, Callable[[PromptRegistry], object]] = {
    "one override": lambda registry: registry.override({"a": "x"}),
    "two overrides": lambda registry: registry.override({"a": "x", "b": "y"}),
    "one in a locale": lambda registry: registry.override({"a": "x"}, "de"),
    "through a view": lambda registry: registry.localized("de").override({"a": "x"}),
    "a new key": lambda registry: registry.register("c", "C"),
    "a namespace's key": lambda registry: registry.namespace("n").register("c", "C"),
    "a catalog": lambda registry: registry.include(PromptRegistry({"d": PromptTemplate("D")})),
}
READS: dict[str, Callable[[PromptRegistry], object]] = {
    "a text": lambda registry: registry.text("a"),
    "all texts": lambda registry: registry.as_dict(),
    "a view": lambda registry: registry.localized("de").text("a"),
    "a copy's write": lambda registry: registry.copy().override({"a": "x"}),
    "overrides of another": lambda registry: registry.with_overrides({"a": "x"}),
    "a refused override": lambda registry: refused(registry),
}


@pytest.fixture(params=["fresh", "written before", "copied before"])
def registry(request: pytest.FixtureRequest) -> PromptRegistry:
    made = PromptRegistry({"a": PromptTemplate("A"), "b": PromptTemplate("B")})
    if request.param == "written before":
        made.override({"a": "once"})
        made.override({"a": "once"}, "de")
        made.register("first", "F")
    return made.copy() if request.param == "copied before" else made


@pytest.mark.parametrize("write", WRITES)
def test_every_write_counts_it_up(registry: PromptRegistry, write: str) -> None:
    view, before = registry.localized("de"), registry.version
    assert view.version == before
    WRITES[write](registry)
    assert registry.version > before
    assert view.version == registry.version


@pytest.mark.parametrize("read", READS)
def test_nothing_else_does(registry: PromptRegistry, read: str) -> None:
    before = registry.version
    READS[read](registry)
    assert registry.version == before


def test_the_default_prompts_have_one_too() -> None:
    assert DEFAULT_PROMPTS.version == DEFAULT_PROMPTS.localized("zh-Hans").version


def test_a_hot_reload_counts_too() -> None:
    registry, other = PromptRegistry({"a": PromptTemplate("A")}), PromptRegistry()
    copy = registry.copy()
    copy.override({"a": "x"})
    before = copy.version
    copy._rebase(registry, other)
    assert copy.version > before
