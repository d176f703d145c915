"""Several processes on one database: none spoils, loses or half sees what another one writes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import pytest

from agentprompts.overlays import Overlay, Patch
from agentprompts.stores import OverlayStore, open_store
from agentprompts.stores.base import Session, update_all
from tests.stores import workers
from tests.stores.conftest import Open
from tests.stores.workers import ACME, SITE, number, numbered

SPAWN = multiprocessing.get_context("spawn")
READS = 10_000


@pytest.fixture(scope="module")
def eight() -> Iterator[ProcessPoolExecutor]:
    """Return eight processes that start what they are given at one moment."""
    barrier = SPAWN.Barrier(8)
    with ProcessPoolExecutor(8, SPAWN, workers.start, (barrier,)) as pool:
        yield pool


@pytest.fixture(scope="module")
def four() -> Iterator[ProcessPoolExecutor]:
    barrier = SPAWN.Barrier(4)
    with ProcessPoolExecutor(4, SPAWN, workers.start, (barrier,)) as pool:
        yield pool


def two_levels(store: OverlayStore) -> None:
    for scope in (ACME, SITE):
        store.create(Overlay(agent="ada", patches=(Patch("count", "0"),)), scope=scope)


def test_of_eight_who_create_one_succeeds(
    eight: ProcessPoolExecutor, url: str, opened: Open
) -> None:
    """C16: also when the schema itself is made by eight at once, on an empty database."""
    asked = [eight.submit(workers.create_all, url, 20, worker) for worker in range(8)]
    made = [one.result(workers.WAIT_SECONDS) for one in asked]
    assert sorted(key for keys in made for key in keys) == list(range(20))
    store = opened(url)
    winners = {key: str(worker) for worker, keys in enumerate(made) for key in keys}
    assert {one.agent: one.patches[0].body for one in store.list(scope=ACME)} == {
        f"agent {key}": worker for key, worker in winners.items()
    }
    assert store.changes() == 20


def test_no_read_modify_write_is_lost(four: ProcessPoolExecutor, url: str, opened: Open) -> None:
    """C31: four processes on one overlay; on SQLite they wait, and no database is locked."""
    store = opened(url)
    made = store.create(Overlay(agent="ada", patches=(Patch("count", "0"),)), scope=ACME)
    asked = [four.submit(workers.count_up, url, made.id, 25) for _ in range(4)]
    conflicts = sum(one.result(workers.WAIT_SECONDS) for one in asked)
    found = store.get(made.id, scope=ACME)
    assert (number(found), found.revision) == (100, 101)
    assert conflicts > 0, "the four never met, so nothing was shown"


@pytest.fixture
def writer(
    four: ProcessPoolExecutor, url: str, opened: Open, tmp_path: Path
) -> Iterator[tuple[OverlayStore, Future[int]]]:
    """Return a store in which another process goes on replacing both levels of a chain."""
    store = opened(url)
    two_levels(store)
    stop = tmp_path / "stop"
    working = four.submit(workers.replace_chain, url, str(stop), True)
    try:
        while number(store.chain("ada", scope=SITE)[0]) == 0:
            assert not working.done(), working.result()
        yield store, working
    finally:
        stop.touch()
    working.result(workers.WAIT_SECONDS)


def test_a_chain_is_never_torn(writer: tuple[OverlayStore, Future[int]]) -> None:
    """C27: ten thousand reads, while another process replaces both levels at once."""
    store, _ = writer
    seen = set()
    for _ in range(READS):
        broad, narrow = store.chain("ada", scope=SITE)
        assert number(broad) == number(narrow)
        seen.add(number(broad))
    assert len(seen) > 20, "there was hardly a write to be torn by"


def test_a_walk_level_by_level_is_torn(writer: tuple[OverlayStore, Future[int]]) -> None:
    """The same check sees it where the levels are read one by one: this is what C27 is about."""
    store, _ = writer
    for _ in range(READS):
        broad, narrow = (store.get_for_agent_at("ada", at, scope=SITE) for at in (ACME, SITE))
        if number(broad) != number(narrow):
            return
    pytest.fail("ten thousand walks, and none met a write")


def test_two_single_updates_are_seen_torn(
    four: ProcessPoolExecutor, url: str, opened: Open, tmp_path: Path
) -> None:
    """And where the writer's transaction is taken away: the reader of the chain sees it."""
    store = opened(url)
    two_levels(store)
    stop = tmp_path / "stop"
    working = four.submit(workers.replace_chain, url, str(stop), False)
    try:
        for _ in range(READS):
            broad, narrow = store.chain("ada", scope=SITE)
            if number(broad) != number(narrow):
                return
        pytest.fail("ten thousand reads, and none met a half")
    finally:
        stop.touch()
        working.result(workers.WAIT_SECONDS)


def test_what_was_acknowledged_outlives_a_kill(url: str, opened: Open) -> None:
    """Killed in the middle of writes, again and again: nothing is lost, nothing half written."""
    for worker in range(3):
        hear, tell = SPAWN.Pipe(duplex=False)
        process = SPAWN.Process(
            target=workers.write_until_killed, args=(url, worker, tell), daemon=True
        )
        process.start()
        tell.close()
        told = [hear.recv() for _ in range(10 + 7 * worker)]
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        try:
            while True:
                told.append(hear.recv())
        except EOFError:
            pass
        finally:
            hear.close()
        assert process.exitcode == -signal.SIGKILL
        store = open_store(url)
        created = max(value for what, value in told if what == "created")
        updated = max(value for what, value in told if what == "updated")
        names = {one.agent for one in store.list(scope=ACME, limit=1000)}
        for value in range(1, created + 1):
            assert f"{worker}-{value}" in names
        broad, narrow = store.chain(f"chain {worker}", scope=SITE)
        # The last write may have been done without a chance to say so; never half of it.
        assert number(broad) == number(narrow)
        assert number(broad) in (updated, updated + 1)
        later = store.update(numbered(broad, -1), scope=ACME)
        assert store.get(later.id, scope=ACME) == later
        store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_store_is_used_on_both_sides_of_a_fork(url: str, opened: Open) -> None:
    """Each side has its own connections, and neither side's end breaks the other's."""
    store = opened(url)
    made = store.create(Overlay(agent="ada", patches=(Patch("count", "0"),)), scope=ACME)

    def work(store: OverlayStore) -> None:
        read = store.get(made.id, scope=ACME)
        store.update(numbered(read, number(read) + 1), scope=ACME)
        gc.collect()

    with warnings.catch_warnings():
        # What is warned of, a fork where threads run, is what a host may do, and what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        for _ in range(3):
            workers.in_child(work, store)
            work(store)
    assert number(store.get(made.id, scope=ACME)) == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_fork_in_the_middle_of_a_write_spoils_nothing(url: str, opened: Open) -> None:
    """The child neither ends nor undoes what the parent has begun."""
    store = opened(url)
    two_levels(store)
    chain = store.chain("ada", scope=SITE)

    def look(store: OverlayStore) -> None:
        assert [number(one) for one in store.chain("ada", scope=SITE)] == [0, 0]
        gc.collect()

    begun, go_on = threading.Event(), threading.Event()

    def work(session: Session) -> None:
        for one in chain:
            update_all([numbered(one, 1)], ACME)(session)
            begun.set()
            assert go_on.wait(workers.WAIT_SECONDS)

    writer = threading.Thread(target=lambda: store.run(work, write=True))
    writer.start()
    assert begun.wait(workers.WAIT_SECONDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        workers.in_child(look, store)
    go_on.set()
    writer.join()
    assert [number(one) for one in store.chain("ada", scope=SITE)] == [1, 1]
