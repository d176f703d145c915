"""Overlays in memory: for tests, and for hosts that keep them elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from .base import AsyncOverlayStore, OverlayStore, Row, Session, Work

__all__ = ["AsyncMemoryStore", "MemoryStore"]

T = TypeVar("T")


class MemoryStore(OverlayStore):
    """Overlays of this process; they go with it.

    >>> from agentprompts.overlays import Overlay, Scope, use_scope
    >>> store = MemoryStore()
    >>> with use_scope(Scope.of(workspace="acme")):
    ...     made = store.create(Overlay(agent="ada", tools_removed=["shell"]))
    ...     store.chain("ada") == [made]
    True
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rows: dict[str, Row] = {}
        self._ids: dict[tuple[str, str], str] = {}
        self._changes = 0

    def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work with no other in between; where it raises, what it did is undone."""
        with self._lock:
            session = _Session(self._rows, self._ids, self._changes)
            try:
                result = work(session)
            except BaseException:
                session.undo()
                raise
            self._changes += write
            return result

    def close(self) -> None:
        """Keep everything: the overlays live as long as the object does."""


class AsyncMemoryStore(AsyncOverlayStore):
    """`MemoryStore` for asyncio; it never waits.

    Args:
        store: The overlays to work on, by default its own.
    """

    def __init__(self, store: MemoryStore | None = None) -> None:
        self._store = store or MemoryStore()

    async def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work at once."""
        return self._store.run(work, write=write)

    async def close(self) -> None:
        """Keep everything: the overlays live as long as the object does."""


class _Session(Session):
    def __init__(self, rows: dict[str, Row], ids: dict[tuple[str, str], str], changes: int) -> None:
        self._rows = rows
        self._ids = ids
        self._changes = changes
        self._undo: list[Callable[[], object]] = []

    def undo(self) -> None:
        """Take back what was done, the last first."""
        for step in reversed(self._undo):
            step()

    def insert(self, row: Row) -> bool:
        place = row.agent, row.scope
        if place in self._ids:
            return False
        self._put(row)
        return True

    def by_id(self, id: str) -> Row | None:
        return self._rows.get(id)

    def in_scopes(self, agent: str, scopes: Sequence[str]) -> list[Row]:
        ids = [self._ids[agent, scope] for scope in scopes if (agent, scope) in self._ids]
        return [self._rows[id] for id in ids]

    def beneath(
        self, scope: str, agent: str | None, exact: bool, limit: int, offset: int
    ) -> list[Row]:
        found = [
            row
            for row in self._rows.values()
            if (row.scope == scope or (not exact and row.scope.startswith(scope + "/")))
            and (agent is None or row.agent == agent)
        ]
        found.sort(key=lambda row: (row.created_at, row.id))
        return found[offset : offset + limit]

    def rewrite(self, id: str, revision: int, content: str) -> bool:
        old = self._rows.get(id)
        if old is None or old.revision != revision:
            return False
        self._rows[id] = old._replace(revision=revision + 1, content=content)
        self._undo.append(lambda: self._rows.__setitem__(id, old))
        return True

    def remove(self, id: str, revision: int) -> bool:
        old = self._rows.get(id)
        if old is None or old.revision != revision:
            return False
        self._take(old)
        self._undo.append(lambda: self._put(old))
        return True

    def changes(self) -> int:
        return self._changes

    def _put(self, row: Row) -> None:
        self._rows[row.id] = row
        self._ids[row.agent, row.scope] = row.id
        self._undo.append(lambda: self._take(row))

    def _take(self, row: Row) -> None:
        del self._rows[row.id], self._ids[row.agent, row.scope]
