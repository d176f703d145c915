"""Stores of overlays: one set of rules over memory, SQLite and PostgreSQL.

- `base` the rules: stamps, scopes, revisions; and the errors
- `memory` overlays of one process
- `sql` overlays in SQLite or PostgreSQL, by the extra `stores`
- `cache` a process's own copy, at most a second old
"""

from __future__ import annotations

from .base import (
    AlreadyExistsError,
    AsyncOverlayStore,
    ConflictError,
    NotFoundError,
    OverlayStore,
    StoreError,
)
from .cache import AsyncOverlayCache, OverlayCache
from .memory import AsyncMemoryStore, MemoryStore

__all__ = [
    "AlreadyExistsError",
    "AsyncMemoryStore",
    "AsyncOverlayCache",
    "AsyncOverlayStore",
    "ConflictError",
    "MemoryStore",
    "NotFoundError",
    "OverlayCache",
    "OverlayStore",
    "StoreError",
    "open_async_store",
    "open_store",
]


def open_store(url: str) -> OverlayStore:
    """Return the store of a URL: `sqlite:///overlays.db`, `postgresql://…`.

    Raises:
        StoreError: The URL is none of these.
        PromptError: The extra `stores` is not installed.
    """
    from .sql import SqlStore

    return SqlStore(url)


def open_async_store(url: str) -> AsyncOverlayStore:
    """Return the store of a URL for asyncio; see `open_store`."""
    from .sql import AsyncSqlStore

    return AsyncSqlStore(url)
