"""The stores that the tests of this folder run on: memory, SQLite, PostgreSQL, sync and async."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
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
from tests.stores.postgres import MissingPostgres, Postgres, postgres

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


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return where a new, empty database of a kind is: its URL."""
    with ExitStack() as stack:

        def find(kind: str) -> str:
            number = next(_numbers)
            if kind == "sqlite":
                return f"sqlite:///{tmp_path}/overlays-{number}.db"
            server: Postgres = request.getfixturevalue("postgres_server")
            name = f"agentprompts_test_{os.getpid()}_{number}"
            with server.connect() as connection:
                connection.execute(f"CREATE SCHEMA {name}".encode())
            stack.callback(_drop, server, name)
            return server.schema(name)

        yield find


def _drop(server: Postgres, name: str) -> None:
    with server.connect() as connection:
        connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


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


@pytest.fixture(params=[f"{kind}-{mode}" for kind in KINDS for mode in ("sync", "async")])
def store(request: pytest.FixtureRequest, place: Place) -> Iterator[OverlayStore]:
    """Return an empty store of every kind, sync and async."""
    kind, mode = request.param.split("-")
    made: OverlayStore
    if mode == "sync":
        made = MemoryStore() if kind == "memory" else open_store(place(kind))
    else:
        made = awaited(AsyncMemoryStore() if kind == "memory" else open_async_store(place(kind)))
    yield made
    made.close()


@pytest.fixture
def acme() -> Iterator[Scope]:
    """Return the scope that is set for the test."""
    with use_scope(Scope.of(workspace="acme")) as scope:
        yield scope
