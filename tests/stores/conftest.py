"""The stores that the tests of this folder run on: memory, SQLite, PostgreSQL, sync and async."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast

import pytest

from agentprompts.overlays import Scope, use_scope
from agentprompts.stores import (
    AsyncMemoryStore,
    AsyncOverlayStore,
    MemoryStore,
    OverlayStore,
    open_async_store,
    open_store,
)
from agentprompts.stores.base import Session
from tests.stores.postgres import MissingPostgres, Postgres, postgres

MODES = ["sync", "async"]
DATABASES = ["sqlite", "postgresql"]
KINDS = ["memory", *DATABASES]

Place = Callable[[str], str]
Open = Callable[[str], OverlayStore]

_ran_on: list[Postgres] = []
_numbers = itertools.count(1)


class Awaited:
    """A store for asyncio, called as the others are: every method is awaited at once."""

    def __init__(self, store: AsyncOverlayStore) -> None:
        self._store = store
        self._runner = asyncio.Runner()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def wait(*args: Any, **named: Any) -> Any:
            return await method(*args, **named)

        def call(*args: Any, **named: Any) -> Any:
            here = contextvars.copy_context()  # a runner has a context, and so a scope, of its own
            return self._runner.run(wait(*args, **named), context=here)

        return call

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()


def awaited(store: AsyncOverlayStore) -> OverlayStore:
    return cast(OverlayStore, Awaited(store))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres())
        except MissingPostgres as error:
            if os.environ.get("CI", "false").lower() not in ("", "0", "false"):
                pytest.fail(str(error))
            pytest.skip(str(error))
        _ran_on.append(server)
        yield server


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for server in _ran_on:
        terminalreporter.write_line(f"stores: PostgreSQL {server.version}, from {server.where}")


@pytest.fixture(scope="session")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return what makes a new, empty database of a kind, and tells its URL."""
    folder = tmp_path_factory.mktemp("stores")

    def find(kind: str) -> str:
        if kind == "sqlite":
            return f"sqlite:///{folder}/overlays-{next(_numbers)}.db"
        server: Postgres = request.getfixturevalue("postgres_server")
        return server.new_schema()

    return find


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, place: Place) -> str:
    """Return the URL of a new SQLite file, and of a new schema in PostgreSQL."""
    return place(request.param)


@pytest.fixture
def opened() -> Iterator[Open]:
    """Return what opens a store of a URL, and closes it at the end of the test."""
    with ExitStack() as stack:

        def open(url: str) -> OverlayStore:
            store = open_store(url)
            stack.callback(store.close)
            return store

        yield open


@pytest.fixture(scope="session", params=[f"{kind}-{mode}" for kind in KINDS for mode in MODES])
def _store(request: pytest.FixtureRequest, place: Place) -> Iterator[OverlayStore]:
    kind, mode = request.param.split("-")
    made: OverlayStore
    if mode == "sync":
        made = MemoryStore() if kind == "memory" else open_store(place(kind))
    else:
        made = awaited(AsyncMemoryStore() if kind == "memory" else open_async_store(place(kind)))
    yield made
    made.close()


def empty(store: OverlayStore) -> None:
    """Take everything out of a store, whatever its scope."""

    def work(session: Session) -> None:
        inside = cast(Any, session)
        if hasattr(inside, "_connection"):
            inside._connection.exec_driver_sql("DELETE FROM agentprompts_overlays")
        else:
            inside._rows.clear()
            inside._ids.clear()

    store.run(work, write=True)


@pytest.fixture
def store(_store: OverlayStore) -> OverlayStore:
    """Return an empty store of every kind, sync and async."""
    empty(_store)
    return _store


@pytest.fixture
def acme() -> Iterator[Scope]:
    """Return the scope that is set for the test."""
    with use_scope(Scope.of(workspace="acme")) as scope:
        yield scope
