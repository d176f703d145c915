"""Overlays in SQLite, for one machine, and in PostgreSQL, for several. By SQLAlchemy's Core."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import PromptError
from .base import AsyncOverlayStore, OverlayStore, Row, Session, StoreError, Work

try:
    import sqlalchemy as sa
    from sqlalchemy import event
    from sqlalchemy.engine import URL, Connection, Engine, make_url
    from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
except ImportError as error:
    raise PromptError(
        "Overlays in a database need SQLAlchemy: pip install 'agentprompts[stores]'"
    ) from error

if TYPE_CHECKING:
    import asyncio

    from sqlalchemy.ext.asyncio import AsyncEngine

__all__ = ["AsyncSqlStore", "SqlStore"]

T = TypeVar("T")

_BUSY_SECONDS = 30
"""How long a writer waits for another one."""
_CONNECT_SECONDS = 10
_LOCK = 0x61677072
"""Ours among PostgreSQL's advisory locks: one process at a time migrates."""
_WRITES = "agentprompts_writes"
# Until 3.51.3 two connections that write and checkpoint at the same moment can corrupt a database
# in WAL mode (SQLite's release notes); a rollback journal is slower and safe on every version.
_WAL_SINCE = (3, 51, 3)

_METADATA = sa.MetaData()
# Scopes and names are compared byte for byte, whatever language the database is set to.
_EXACT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_META = sa.Table(
    "agentprompts_meta",
    _METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.BigInteger, nullable=False),
)
_OVERLAYS = sa.Table(
    "agentprompts_overlays",
    _METADATA,
    sa.Column("id", _EXACT, primary_key=True),
    sa.Column("agent", _EXACT, nullable=False),
    sa.Column("scope", _EXACT, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("created_at", _EXACT, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.UniqueConstraint("agent", "scope", name="agentprompts_overlays_place"),
    sa.Index("agentprompts_overlays_scope", "scope", "created_at"),
)


def _first_schema(connection: Connection) -> None:
    _METADATA.create_all(connection)
    rows = [{"name": "schema", "value": 0}, {"name": "changes", "value": 0}]
    connection.execute(sa.insert(_META), rows)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_first_schema,)
"""What brings a database from each version of the schema to the next one."""


class _SqlSession(Session):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def insert(self, row: Row) -> bool:
        try:
            self._connection.execute(sa.insert(_OVERLAYS), row._asdict())
        except IntegrityError:
            return False
        return True

    def by_id(self, id: str) -> Row | None:
        found = self._rows(sa.select(_OVERLAYS).where(_OVERLAYS.c.id == id))
        return found[0] if found else None

    def in_scopes(self, agent: str, scopes: Sequence[str]) -> list[Row]:
        here = (_OVERLAYS.c.agent == agent) & _OVERLAYS.c.scope.in_(scopes)
        return self._rows(sa.select(_OVERLAYS).where(here))

    def beneath(
        self, scope: str, agent: str | None, exact: bool, limit: int, offset: int
    ) -> list[Row]:
        column = _OVERLAYS.c.scope
        here = column == scope
        if not exact:
            # A range takes the index and, unlike LIKE, knows no case: "0" comes right after "/".
            here |= (column >= scope + "/") & (column < scope + "0")
        query = sa.select(_OVERLAYS).where(here)
        if agent is not None:
            query = query.where(_OVERLAYS.c.agent == agent)
        query = query.order_by(_OVERLAYS.c.created_at, _OVERLAYS.c.id)
        return self._rows(query.limit(limit).offset(offset))

    def rewrite(self, id: str, revision: int, content: str) -> bool:
        here = (_OVERLAYS.c.id == id) & (_OVERLAYS.c.revision == revision)
        change = sa.update(_OVERLAYS).where(here).values(content=content, revision=revision + 1)
        return self._connection.execute(change).rowcount == 1

    def remove(self, id: str, revision: int) -> bool:
        here = (_OVERLAYS.c.id == id) & (_OVERLAYS.c.revision == revision)
        return self._connection.execute(sa.delete(_OVERLAYS).where(here)).rowcount == 1

    def changes(self) -> int:
        query = sa.select(_META.c.value).where(_META.c.name == "changes")
        return int(self._connection.execute(query).scalar_one())

    def count_change(self) -> None:
        """Count a write. It comes first, and so also makes writers wait for each other."""
        here = _META.c.name == "changes"
        self._connection.execute(sa.update(_META).where(here).values(value=_META.c.value + 1))

    def _rows(self, query: sa.Select[Any]) -> list[Row]:
        return [Row(*row) for row in self._connection.execute(query)]


def _worked(connection: Connection, work: Work[T], write: bool) -> T:
    session = _SqlSession(connection)
    if write:
        session.count_change()
    return work(session)


def _migrated(connection: Connection) -> None:
    """Bring the schema up to date, one process at a time."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    version = _version(connection)
    if version > len(MIGRATIONS):
        raise StoreError(
            f"The database has version {version} of the schema, and this library knows "
            f"{len(MIGRATIONS)}: install a newer agentprompts"
        )
    for migrate in MIGRATIONS[version:]:
        migrate(connection)
    if version < len(MIGRATIONS):
        here = _META.c.name == "schema"
        connection.execute(sa.update(_META).where(here).values(value=len(MIGRATIONS)))


def _version(connection: Connection) -> int:
    if not sa.inspect(connection).has_table(_META.name):
        return 0
    query = sa.select(_META.c.value).where(_META.c.name == "schema")
    return int(connection.execute(query).scalar_one())


class SqlStore(OverlayStore):
    """Overlays in a database.

    Args:
        url: `sqlite:///overlays.db`, or `postgresql://user:password@host/database`.

    The tables are made on first use, and brought up to date by newer versions.

    Raises:
        StoreError: The URL is none of the two; later, that the database cannot be reached.
    """

    def __init__(self, url: str) -> None:
        self._url = _read_url(url, {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"})
        self._lock = threading.Lock()
        self._engine: tuple[int, Engine] | None = None

    def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work in one transaction of the database."""
        with _own_errors(self._url):
            engine = self._ready_engine()
            if write:
                engine = engine.execution_options(**{_WRITES: True})
            with engine.begin() as connection:
                return _worked(connection, work, write)

    def close(self) -> None:
        """Close all connections; the next call opens new ones."""
        with self._lock:
            if self._engine is not None:
                self._engine[1].dispose()
            self._engine = None

    def _ready_engine(self) -> Engine:
        # A connection must not be used on both sides of a fork.
        found = self._engine
        if found is not None and found[0] == os.getpid():
            return found[1]
        with self._lock:
            if self._engine is None or self._engine[0] != os.getpid():
                engine = sa.create_engine(self._url, **_engine_options(self._url))
                _set_up(engine)
                with engine.connect() as connection:
                    current = _version(connection) == len(MIGRATIONS)
                if not current:
                    with engine.execution_options(**{_WRITES: True}).begin() as connection:
                        _migrated(connection)
                self._engine = os.getpid(), engine
            return self._engine[1]


class AsyncSqlStore(AsyncOverlayStore):
    """`SqlStore` for asyncio, by aiosqlite or psycopg's own asyncio.

    Args:
        url: As for `SqlStore`.
    """

    def __init__(self, url: str) -> None:
        drivers = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg_async"}
        self._url = _read_url(url, drivers)
        self._engine: tuple[int, asyncio.AbstractEventLoop, AsyncEngine] | None = None

    async def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work in one transaction of the database."""
        with _own_errors(self._url):
            engine = await self._ready_engine()
            if write:
                engine = engine.execution_options(**{_WRITES: True})
            async with engine.begin() as connection:
                return await connection.run_sync(_worked, work, write)

    async def close(self) -> None:
        """Close all connections; the next call opens new ones."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine[2].dispose()

    async def _ready_engine(self) -> AsyncEngine:
        import asyncio

        from sqlalchemy.ext.asyncio import create_async_engine

        # Connections belong to the process and to the event loop that opened them.
        found, here = self._engine, (os.getpid(), asyncio.get_running_loop())
        if found is not None and found[:2] == here:
            return found[2]
        engine = create_async_engine(self._url, **_engine_options(self._url))
        _set_up(engine.sync_engine)
        async with engine.connect() as connection:
            current = await connection.run_sync(_version) == len(MIGRATIONS)
        if not current:
            async with engine.execution_options(**{_WRITES: True}).begin() as connection:
                await connection.run_sync(_migrated)
        self._engine = (*here, engine)
        return engine


def _read_url(url: str, drivers: dict[str, str]) -> URL:
    try:
        found = make_url(url)
    except ArgumentError:
        raise StoreError(
            "The store's URL cannot be read: write sqlite:///overlays.db, or "
            "postgresql://user:password@host/database"
        ) from None
    name = {"postgres": "postgresql"}.get(found.get_backend_name(), found.get_backend_name())
    if name not in drivers:
        raise StoreError(f"Overlays are kept in {' or '.join(drivers)}, not in {name!r}")
    if name == "sqlite":
        if found.database in (None, "", ":memory:"):
            raise StoreError("A SQLite store needs a file; MemoryStore keeps overlays in memory")
        # The process may change its directory before the file is opened.
        found = found.set(database=os.path.abspath(str(found.database)))
    return found.set(drivername=drivers[name])


def _engine_options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {"connect_args": {"timeout": _BUSY_SECONDS}}
    # A connection that died while it lay in the pool is noticed before it is used.
    return {"pool_pre_ping": True, "connect_args": {"connect_timeout": _CONNECT_SECONDS}}


def _set_up(engine: Engine) -> None:
    if engine.dialect.name != "sqlite":
        return

    @event.listens_for(engine, "connect")
    def connected(connection: Any, record: object) -> None:
        connection.isolation_level = None  # the driver begins no transactions of its own
        cursor = connection.cursor()
        mode = "WAL" if sqlite3.sqlite_version_info >= _WAL_SINCE else "DELETE"
        cursor.execute(f"PRAGMA journal_mode={mode}")
        cursor.execute("PRAGMA synchronous=FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        # A writer that begins as a reader can be refused in the middle; one that says so waits.
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _own_errors(url: URL) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        lost = "; the connection broke, so read again what was written before you repeat it"
        reason = str(error.orig).strip().split("\n")[0]
        raise StoreError(
            f"Cannot use the store {url.render_as_string()}: {reason}"
            f"{lost if error.connection_invalidated else ''}"
        ) from error
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise StoreError(f"Cannot use the store {url.render_as_string()}: {error}") from error
    except ImportError as error:
        raise StoreError(
            f"The database's driver is missing: {error}; pip install 'agentprompts[stores]'"
        ) from error
