"""Ten thousand overlays: an agent's own chain is all that is read, of however many tenants."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from agentprompts.overlays import Agent, Overlay, Patch, Scope, layer
from agentprompts.sections import Section
from agentprompts.stores import OverlayStore
from agentprompts.stores.base import Session
from agentprompts.stores.sql import _OVERLAYS
from tests.stores.conftest import Open

MANY = 10_000
DEEP = Scope.of(workspace="acme", project="site", user="ada")


def fill(store: OverlayStore, tenants: int) -> None:
    """Give an agent three levels of its own, and tenants with as many overlays of their own."""
    for number, scope in enumerate(DEEP.ancestors()):
        store.create(
            Overlay(agent="a", patches=[Patch("role", f"{number}", "append")]), scope=scope
        )

    def work(session: Any) -> None:
        rows = [
            {
                "id": f"{number:032}",
                "agent": "a" if number % 2 else f"agent {number}",
                "scope": f"workspace=tenant{number}",
                "revision": 1,
                "created_at": "2026-01-01T00:00:00.000000+00:00",
                "content": "{}",
            }
            for number in range(tenants)
        ]
        if rows:
            session._connection.execute(sa.insert(_OVERLAYS), rows)

    store.run(work, write=True)


@pytest.fixture
def rows_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that takes down how many rows each query brings."""
    seen: list[int] = []
    execute = sa.Connection.execute

    def counted(self: sa.Connection, query: Any, *rest: Any, **named: Any) -> Any:
        result = execute(self, query, *rest, **named)
        if not result.returns_rows:
            return result
        frozen = result.freeze()
        seen.append(len(frozen.data))
        return frozen()

    monkeypatch.setattr(sa.Connection, "execute", counted)
    return seen


def test_only_the_agents_own_chain_is_read(url: str, opened: Open, rows_read: list[int]) -> None:
    """C27: three rows at depth three, in one statement, of ten thousand."""
    store = opened(url)
    fill(store, MANY)
    rows_read.clear()
    chain = store.chain("a", scope=DEEP)
    assert rows_read == [3]
    agent: Agent[None] = Agent(sections=[Section("role", "Ada")])
    assert layer(agent, chain).assemble().text == "Ada\n0\n1\n2"


def plan(store: OverlayStore) -> str:
    """Return how the database looks for the chain."""

    def work(session: Any) -> str:
        found: list[str] = []

        class Explained:
            def execute(self, query: sa.Select[Any]) -> list[Any]:
                connection = session._connection
                options = {"literal_binds": True}
                text = str(query.compile(connection, compile_kwargs=options))
                sqlite = connection.dialect.name == "sqlite"
                word = "EXPLAIN QUERY PLAN" if sqlite else "EXPLAIN"
                # `%` would be read as a parameter's mark.
                result = connection.exec_driver_sql(f"{word} {text}".replace("%", "%%"))
                found.extend(str(row) for row in result)
                return []

        inside: Session = type(session)(Explained())
        inside.in_scopes("a", [str(scope) for scope in DEEP.ancestors()])
        return "\n".join(found)

    return store.run(work)


def test_the_chain_is_found_by_the_index(url: str, opened: Open) -> None:
    """So the cost does not grow with the number of tenants."""
    store = opened(url)
    fill(store, MANY)
    if url.startswith("postgresql"):
        store.run(lambda session: session._connection.exec_driver_sql("ANALYZE"), write=True)  # type: ignore[attr-defined]
    shown = plan(store)
    assert "agentprompts_overlays_place" in shown or "autoindex" in shown
    assert "Seq Scan" not in shown
    assert "SCAN " not in shown


@pytest.mark.parametrize("tenants", [0, 100, MANY])
def test_as_many_steps_whatever_the_number_of_tenants(
    tmp_path: Any, opened: Open, tenants: int
) -> None:
    """Steps of SQLite's own machine, which are the same on any computer."""
    store = opened(f"sqlite:///{tmp_path}/many.db")
    fill(store, tenants)
    store.chain("a", scope=DEEP)

    def steps(session: Any) -> int:
        raw = session._connection.connection.driver_connection
        count = 0

        def step() -> int:
            nonlocal count
            count += 1
            return 0

        raw.set_progress_handler(step, 1)
        session.in_scopes("a", [str(scope) for scope in DEEP.ancestors()])
        raw.set_progress_handler(None, 1)
        return count

    assert store.run(steps) < 200
