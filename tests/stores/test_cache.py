"""The cache of overlays: at most so old, one question for all, and never an old chain kept."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentprompts import PromptError
from agentprompts.overlays import Overlay, Patch, Scope, ScopeError, use_scope
from agentprompts.stores import (
    AsyncMemoryStore,
    AsyncOverlayCache,
    MemoryStore,
    OverlayCache,
    OverlayStore,
)
from agentprompts.stores.base import Session
from tests.stores import workers
from tests.stores.conftest import Open
from tests.stores.test_processes import SPAWN
from tests.stores.workers import ACME, SITE, number, numbered

ADA = Overlay(agent="ada", patches=[Patch("count", "0")])


class Asked(MemoryStore):
    """A store that takes down what it is asked, and lets a test act in between."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []
        self.meanwhile: dict[str, Callable[[], object]] = {}

    def run(self, work: Any, *, write: bool = False) -> Any:
        name = "changes" if "changes" in inspect.getsource(work) else "chain"
        if not write:
            self.questions.append(name)
        result = super().run(work, write=write)
        if not write and (act := self.meanwhile.pop(name, None)) is not None:
            act()
        return result


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["sync", "async"])
def cache(request: pytest.FixtureRequest) -> tuple[Any, Asked, Clock]:
    """Return a cache of two chains, its store, and its clock."""
    store, clock = Asked(), Clock()
    for scope in (ACME, SITE):
        store.create(ADA, scope=scope)
    if request.param == "sync":
        return OverlayCache(store, seconds=1.0, most=2, clock=clock), store, clock
    inner = AsyncOverlayCache(AsyncMemoryStore(store), seconds=1.0, most=2, clock=clock)

    class Awaited:
        def chain(self, agent: str, *, scope: Scope | None = None) -> Any:
            return asyncio.run(inner.chain(agent, scope=scope))

        def clear(self) -> None:
            inner.clear()

    return Awaited(), store, clock


def counts(chain: Any) -> list[int]:
    return [number(one) for one in chain]


def set_to(store: OverlayStore, value: int) -> None:
    store.update(numbered(store.get_for_agent("ada", scope=ACME), value), scope=ACME)


def test_one_question_however_many_chains(cache: tuple[Any, Asked, Clock]) -> None:
    kept, store, _ = cache
    for _ in range(5):
        assert counts(kept.chain("ada", scope=SITE)) == [0, 0]
        assert counts(kept.chain("ada", scope=ACME)) == [0]
    assert store.questions == ["changes", "chain", "chain"]


def test_a_write_is_seen_once_the_seconds_are_over(cache: tuple[Any, Asked, Clock]) -> None:
    """Fresh within a second, by one revision counter."""
    kept, store, clock = cache
    kept.chain("ada", scope=SITE)
    set_to(store, 1)
    clock.now += 0.99
    assert counts(kept.chain("ada", scope=SITE)) == [0, 0]
    clock.now += 0.01
    assert counts(kept.chain("ada", scope=SITE)) == [1, 0]
    store.questions.clear()
    clock.now += 1
    kept.chain("ada", scope=SITE)
    assert store.questions == ["changes"], "without a write nothing is read again"


def test_what_was_cleared_is_read_again(cache: tuple[Any, Asked, Clock]) -> None:
    kept, store, _ = cache
    kept.chain("ada", scope=SITE)
    set_to(store, 1)
    kept.clear()
    assert counts(kept.chain("ada", scope=SITE)) == [1, 0]


@pytest.mark.parametrize("moment", ["changes", "chain"])
def test_a_write_in_the_middle_of_a_read_is_not_missed_for_longer(
    cache: tuple[Any, Asked, Clock], moment: str
) -> None:
    kept, store, clock = cache
    store.meanwhile[moment] = lambda: set_to(store, 1)
    kept.chain("ada", scope=SITE)
    clock.now += 1
    assert counts(kept.chain("ada", scope=SITE)) == [1, 0]


def test_a_chain_older_than_a_noticed_write_is_not_kept() -> None:
    """One thread reads; another one writes, and notices, before the first keeps what it read."""
    store, clock = Asked(), Clock()
    store.create(ADA, scope=ACME)
    kept = OverlayCache(store, seconds=1.0, clock=clock)
    kept.chain("nobody", scope=ACME)

    def other_thread() -> None:
        set_to(store, 1)
        clock.now += 1
        kept.chain("nobody", scope=ACME)

    store.meanwhile["chain"] = other_thread
    assert counts(kept.chain("ada", scope=ACME)) == [0]
    assert counts(kept.chain("ada", scope=ACME)) == [1]


def test_what_was_used_longest_ago_goes_first(cache: tuple[Any, Asked, Clock]) -> None:
    kept, store, _ = cache
    kept.chain("ada", scope=SITE)
    kept.chain("ada", scope=ACME)
    kept.chain("ada", scope=SITE)
    kept.chain("bob", scope=ACME)  # the third of two
    store.questions.clear()
    kept.chain("ada", scope=SITE)
    assert store.questions == []
    kept.chain("ada", scope=ACME)
    assert store.questions == ["chain"]


def test_the_scope_that_is_set_counts(cache: tuple[Any, Asked, Clock]) -> None:
    """C29."""
    kept, _, _ = cache
    with pytest.raises(ScopeError):
        kept.chain("ada")
    with use_scope(SITE):
        assert counts(kept.chain("ada")) == [0, 0]


@pytest.mark.parametrize("wrong", [{"seconds": -1}, {"seconds": float("nan")}, {"most": 0}])
def test_a_cache_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(PromptError, match="cannot be"):
        OverlayCache(MemoryStore(), **wrong)


def test_a_store_that_is_set_back_is_noticed(url: str, opened: Open) -> None:
    """A database restored from yesterday has counted fewer writes."""
    store, clock = opened(url), Clock()
    made = store.create(ADA, scope=ACME)
    store.update(numbered(made, 5), scope=ACME)
    kept = OverlayCache(store, clock=clock)
    assert counts(kept.chain("ada", scope=ACME)) == [5]

    def restore(session: Any) -> None:
        run = session._connection.exec_driver_sql
        run("update agentprompts_meta set value = 1 where name = 'changes'")
        run("update agentprompts_overlays set revision = 1, content = '{}'")

    store.run(restore)
    clock.now += 1
    [found] = kept.chain("ada", scope=ACME)
    assert found.patches == ()


def test_another_processs_write_is_seen(url: str, opened: Open, tmp_path: Path) -> None:
    store = opened(url)
    made = store.create(ADA, scope=ACME)
    ready = tmp_path / "ready"
    with ProcessPoolExecutor(1, SPAWN) as pool:
        seen = pool.submit(workers.read_by_cache, url, str(ready), 1)
        while not ready.exists():
            assert not seen.done(), seen.result()
            time.sleep(0.01)
        store.update(numbered(made, 1), scope=ACME)
        seen.result(workers.WAIT_SECONDS)


def test_sessions_count_their_own_writes() -> None:
    """Where work fails, nothing was written and nothing is counted."""
    store = MemoryStore()

    def work(session: Session) -> None:
        raise ValueError("not written")

    with pytest.raises(ValueError, match="not written"):
        store.run(work, write=True)
    assert store.changes() == 0
