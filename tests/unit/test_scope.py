"""Scopes: promises C26, C29, C30."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentprompts.overlays import Scope, ScopeError, current_scope, use_scope

NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,5}", fullmatch=True)
CHARS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
VALUES = st.text(CHARS, max_size=12).filter(lambda value: bool(value.strip()))
SCOPES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=4).map(
    lambda levels: Scope(tuple(levels.items()))
)


@given(SCOPES, SCOPES)
def test_the_stored_form_is_injective_and_reads_back(one: Scope, other: Scope) -> None:
    """C30."""
    assert Scope.parse(str(one)) == one
    assert (str(one) == str(other)) == (one == other)


@given(SCOPES, SCOPES)
def test_a_scope_lies_beneath_what_its_text_begins_with(one: Scope, other: Scope) -> None:
    """C28: level by level, never letter by letter."""
    beneath = str(other) == str(one) or str(other).startswith(str(one) + "/")
    assert one.covers(other) == beneath == (one in other.ancestors())


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({"workspace": "acme"}, "workspace=acme"),
        ({"workspace": "acme", "project": "site"}, "workspace=acme/project=site"),
        ({"workspace": "A/project=B"}, "workspace=A%2Fproject%3DB"),
        ({"w": "50%"}, "w=50%25"),
        ({"w": "a b\n"}, "w=a%20b%0A"),
        ({"w": "名前"}, "w=名前"),
    ],
)
def test_how_a_scope_is_stored(levels: dict[str, str], text: str) -> None:
    """C30, CASES: two scopes, whatever their values hold."""
    assert str(Scope.of(**levels)) == text
    assert Scope.parse(text) == Scope.of(**levels)


def test_ancestors_go_from_the_broadest_to_the_scope_itself() -> None:
    """C27."""
    scope = Scope.of(a="1", b="2", c="3")
    assert list(map(str, scope.ancestors())) == ["a=1", "a=1/b=2", "a=1/b=2/c=3"]


@pytest.mark.parametrize(
    "levels",
    [
        (),
        [("a", "b")],
        ("a",),
        (("a",),),
        (("a", "1"), ("a", "2")),
        (("", "1"),),
        (("a b", "1"),),
        (("a/b", "1"),),
        (("1a", "1"),),
        (("é", "1"),),
        (("a" * 65, "1"),),
        (("a", ""),),
        (("a", " "),),
        (("a", None),),
        (("a", "x\0"),),
        (("a", "\ud800"),),
        (("a", "x" * 257),),
        (("a", "/" * 256), ("b", "/" * 256)),
        tuple((f"l{n}", "x") for n in range(17)),
    ],
)
def test_what_is_no_scope_is_refused(levels: Any) -> None:
    """C29: no level is never all."""
    with pytest.raises(ScopeError):
        Scope(levels)


@pytest.mark.parametrize(
    "text",
    ["", "a", "=b", "a=", "a=b/", "/a=b", "a=b//c=d", "a=%2f", "a=%41", "a=b c", "a=b=c", 7, None],
)
def test_a_text_has_to_be_the_one_spelling(text: Any) -> None:
    """C30."""
    with pytest.raises(ScopeError):
        Scope.parse(text)


def test_without_a_scope_there_is_an_error() -> None:
    """C29."""
    with pytest.raises(ScopeError, match="No scope is set"):
        current_scope()
    with pytest.raises(ScopeError, match="is no scope"), use_scope("a=b"):  # type: ignore[arg-type]
        pass
    with pytest.raises(ScopeError):
        current_scope()


def test_each_task_and_thread_has_its_own() -> None:
    """C29."""
    one, two = Scope.of(w="1"), Scope.of(w="2")

    async def task(scope: Scope) -> Scope:
        with use_scope(scope):
            await asyncio.sleep(0)
            return current_scope()

    async def main() -> list[Scope]:
        return list(await asyncio.gather(task(one), task(two)))

    assert asyncio.run(main()) == [one, two]
    seen: list[str] = []

    def ask() -> None:
        try:
            seen.append(str(current_scope()))
        except ScopeError:
            seen.append("none")

    with use_scope(one):
        with use_scope(two):
            assert current_scope() == two
        assert current_scope() == one
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert seen == ["none"]
