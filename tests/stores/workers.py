"""What other processes do to a store in the tests: they are started by spawn, so it stands here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

from agentprompts.overlays import Overlay, Patch, Scope
from agentprompts.stores import (
    AlreadyExistsError,
    ConflictError,
    OverlayCache,
    OverlayStore,
    open_store,
)

ACME = Scope.of(workspace="acme")
SITE = Scope.of(workspace="acme", project="site")
WAIT_SECONDS = 120

_together: Barrier | None = None


def start(barrier: Barrier) -> None:
    """Get ready in a new process: `together` waits at this barrier."""
    global _together
    _together = barrier


def together() -> None:
    """Wait until every process has come here."""
    assert _together is not None
    _together.wait(WAIT_SECONDS)


def number(overlay: Overlay) -> int:
    return int(overlay.patches[0].body)


def numbered(overlay: Overlay, value: int) -> Overlay:
    return replace(overlay, patches=(Patch("count", str(value)),))


def create_all(url: str, keys: int, worker: int) -> list[int]:
    """Create an overlay for each key, as the first call to the store; return those that we made."""
    store = open_store(url)
    made = []
    together()
    for key in range(keys):
        mine = Overlay(agent=f"agent {key}", patches=(Patch("worker", str(worker)),))
        try:
            store.create(mine, scope=ACME)
            made.append(key)
        except AlreadyExistsError:
            continue
    store.close()
    return made


def count_up(url: str, id: str, times: int) -> int:
    """Read, change and write an overlay so many times; return the number of conflicts."""
    store = open_store(url)
    conflicts = 0
    together()
    for _ in range(times):
        while True:
            read = store.get(id, scope=ACME)
            try:
                store.update(numbered(read, number(read) + 1), scope=ACME)
                break
            except ConflictError:
                conflicts += 1
    store.close()
    return conflicts


def replace_chain(url: str, stop: str, at_once: bool) -> int:
    """Set both levels of a chain to the same new number until a file says stop."""
    store = open_store(url)
    value = 0
    chain = store.chain("ada", scope=SITE)
    while not os.path.exists(stop):
        value += 1
        new = [numbered(one, value) for one in chain]
        if at_once:
            chain = store.update_all(new, scope=ACME)
        else:
            chain = [store.update(one, scope=ACME) for one in new]
    store.close()
    return value


def write_until_killed(url: str, worker: int, told: Connection) -> None:
    """Create, and count up over two levels, without end; tell each write that is acknowledged."""
    store = open_store(url)
    chain = [
        store.create(Overlay(agent=f"chain {worker}", patches=(Patch("count", "0"),)), scope=scope)
        for scope in (ACME, SITE)
    ]
    value = 0
    while True:
        value += 1
        store.create(Overlay(agent=f"{worker}-{value}"), scope=ACME)
        told.send(("created", value))
        chain = store.update_all([numbered(one, value) for one in chain], scope=ACME)
        told.send(("updated", value))


def read_by_cache(url: str, ready: str, value: int) -> float:
    """Read by a cache until it gives this value; return how old the answers were at most."""
    store = open_store(url)
    cache = OverlayCache(store, seconds=0.2)
    cache.chain("ada", scope=ACME)
    with open(ready, "w"):
        pass
    begun = time.monotonic()
    while number(cache.chain("ada", scope=ACME)[0]) != value:
        if time.monotonic() - begun > WAIT_SECONDS:
            raise TimeoutError
        time.sleep(0.001)
    store.close()
    return time.time()


def in_child(work: Callable[[OverlayStore], object], store: OverlayStore) -> None:
    """Work on a store in a forked process that leaves at once, with no clean-up of Python's."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work(store)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
