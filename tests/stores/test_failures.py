"""Databases that are not there, break, or are not ours: an error of our own, and nothing lost."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from agentprompts import PromptError
from agentprompts.overlays import Overlay, Patch
from agentprompts.stores import OverlayStore, StoreError, open_async_store, open_store, sql
from agentprompts.stores.base import Session, create, update_all
from tests.stores.conftest import Open, awaited
from tests.stores.postgres import Postgres
from tests.stores.workers import ACME, SITE, number, numbered

ADA = Overlay(agent="ada", patches=[Patch("count", "0")])
SECRET = "hunter2"


@contextmanager
def plain(url: str) -> Iterator[sa.Connection]:
    """Open the database beside the store."""
    name = "postgresql+psycopg" if url.startswith("postgresql") else "sqlite"
    engine = sa.create_engine(sa.make_url(url).set(drivername=name))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def openers(url: str) -> list[OverlayStore]:
    return [open_store(url), awaited(open_async_store(url))]


def refused(url: str) -> list[str]:
    """Return what reading and writing say, sync and async; each is an error of the store's."""
    said = []
    for store in openers(url):
        for write in (False, True):
            with pytest.raises(StoreError) as caught:
                store.create(ADA, scope=ACME) if write else store.list(scope=ACME)
            said.append(str(caught.value))
        store.close()
    return said


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a/folder/that/is/not/there.db", None, "unable to open"),
        ("folder", None, "unable to open"),
        (
            "text.db",
            b"This is no database, but a text that is long enough to be one.\n" * 9,
            "not a",
        ),
        ("cut.db", b"SQLite format 3\0" + b"\xff" * 200, ""),
    ],
)
def test_a_file_that_is_no_database(
    tmp_path: Path, name: str, content: bytes | None, reason: str
) -> None:
    (tmp_path / "folder").mkdir()
    if content is not None:
        (tmp_path / name).write_bytes(content)
    for said in refused(f"sqlite:///{tmp_path / name}"):
        assert reason in said
        assert "Cannot use the store sqlite" in said
    if content is not None:
        assert (tmp_path / name).read_bytes() == content


def test_a_server_that_is_not_there() -> None:
    """And no password is ever shown."""
    for said in refused(f"postgresql://ada:{SECRET}@127.0.0.1:1/none"):
        assert "refused" in said
        assert SECRET not in said


def test_a_wrong_password_is_told_and_not_shown(postgres_server: Postgres) -> None:
    url = sa.make_url(postgres_server.url).set(password=SECRET)
    for said in refused(url.render_as_string(hide_password=False)):
        assert "password authentication failed" in said
        assert SECRET not in said


def test_a_role_that_may_not_write_reads_on(postgres_server: Postgres, opened: Open) -> None:
    """The tables are there, so that a reader needs no right to make them."""
    url = postgres_server.new_schema()
    opened(url).create(ADA, scope=ACME)
    with plain(url) as connection:
        schema = connection.execute(sa.text("select current_schema()")).scalar_one()
        connection.execute(sa.text("drop role if exists reader"))
        connection.execute(sa.text(f"create role reader login password '{SECRET}'"))
        connection.execute(sa.text(f"grant usage on schema {schema} to reader"))
        connection.execute(sa.text(f"grant select on all tables in schema {schema} to reader"))
    reader = sa.make_url(url).set(username="reader", password=SECRET)
    for store in openers(reader.render_as_string(hide_password=False)):
        assert number(store.get_for_agent("ada", scope=ACME)) == 0
        with pytest.raises(StoreError, match="permission denied"):
            store.create(Overlay(agent="bob"), scope=ACME)
        store.close()


KILL = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_connection_that_dies_between_two_calls_is_replaced(
    postgres_server: Postgres, mode: str
) -> None:
    url = postgres_server.new_schema()
    store = open_store(url) if mode == "sync" else awaited(open_async_store(url))
    store.create(ADA, scope=ACME)
    postgres_server.execute(KILL)
    assert number(store.get_for_agent("ada", scope=ACME)) == 0
    store.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_connection_that_dies_in_the_middle_of_a_write_leaves_nothing_half_written(
    postgres_server: Postgres, mode: str
) -> None:
    url = postgres_server.new_schema()
    store = open_store(url) if mode == "sync" else awaited(open_async_store(url))
    chain = [store.create(ADA, scope=scope) for scope in (ACME, SITE)]
    before = store.changes()

    def work(session: Session) -> None:
        create(Overlay(agent="bob"), ACME)(session)
        update_all([numbered(chain[0], 1)], ACME)(session)
        postgres_server.execute(KILL)
        update_all([numbered(chain[1], 1)], ACME)(session)

    with pytest.raises(StoreError, match="read again what was written"):
        store.run(work, write=True)
    assert [number(one) for one in store.chain("ada", scope=SITE)] == [0, 0]
    assert [one.agent for one in store.list(scope=ACME)] == ["ada", "ada"]
    assert store.changes() == before
    store.update_all([numbered(one, 2) for one in chain], scope=ACME)
    assert [number(one) for one in store.chain("ada", scope=SITE)] == [2, 2]
    store.close()


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path, opened: Open) -> None:
    """By SQLite's own limit of pages: the write fails, what was acknowledged stays."""
    store = opened(f"sqlite:///{tmp_path}/small.db")
    store.create(ADA, scope=ACME)

    def limit(session: Any) -> None:
        pages = session._connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        session._connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        large = Overlay(agent="bob", patches=[Patch("a", "x" * 500_000)])
        create(large, ACME)(session)

    with pytest.raises(StoreError, match="full"):
        store.run(limit, write=True)
    assert [one.agent for one in store.list(scope=ACME)] == ["ada"]


def test_a_writer_that_holds_the_file_for_too_long_is_told(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_BUSY_SECONDS", 0.1)
    store = opened(f"sqlite:///{tmp_path}/busy.db")
    store.create(ADA, scope=ACME)
    other = sqlite3.connect(tmp_path / "busy.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked"):
        store.create(Overlay(agent="bob"), scope=ACME)
    other.execute("ROLLBACK")
    other.close()
    store.create(Overlay(agent="bob"), scope=ACME)


# The schema and its versions


def test_a_database_of_a_newer_version_is_refused(
    url: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And left as it is: an older program must not write into it."""
    opened(url).create(ADA, scope=ACME)
    with plain(url) as connection:
        connection.execute(sa.text("update agentprompts_meta set value = 99 where name = 'schema'"))
    for said in refused(url):
        assert "version 99" in said
        assert "install a newer agentprompts" in said


def test_a_database_of_an_older_version_is_brought_forward(
    url: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One step at a time, once, and with everything that is in it."""
    made = opened(url).create(ADA, scope=ACME)
    steps: list[str] = []

    def second(connection: sa.Connection) -> None:
        steps.append("second")
        connection.execute(sa.text("alter table agentprompts_overlays add column note text"))

    def third(connection: sa.Connection) -> None:
        steps.append("third")
        connection.execute(sa.text("update agentprompts_overlays set note = 'kept'"))

    monkeypatch.setattr(sql, "MIGRATIONS", (*sql.MIGRATIONS, second, third))
    for _ in range(2):
        assert opened(url).get(made.id, scope=ACME) == made
    assert steps == ["second", "third"]
    with plain(url) as connection:
        row = connection.execute(sa.text("select note from agentprompts_overlays")).scalar_one()
    assert row == "kept"


def test_a_migration_that_fails_changes_nothing(
    url: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = opened(url).create(ADA, scope=ACME)

    def broken(connection: sa.Connection) -> None:
        connection.execute(sa.text("alter table agentprompts_overlays add column note text"))
        connection.execute(sa.text("select * from nowhere"))

    first = sql.MIGRATIONS
    monkeypatch.setattr(sql, "MIGRATIONS", (*first, broken))
    with pytest.raises(StoreError, match="nowhere"):
        opened(url).get(made.id, scope=ACME)
    monkeypatch.setattr(sql, "MIGRATIONS", first)
    assert opened(url).get(made.id, scope=ACME) == made
    with plain(url) as connection:
        columns = {
            one["name"] for one in sa.inspect(connection).get_columns("agentprompts_overlays")
        }
    assert "note" not in columns


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "cannot be read"),
        ("nonsense", "cannot be read"),
        ("mysql://a/b", "not in 'mysql'"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
    ],
)
def test_a_url_that_is_none_is_refused_at_once(url: str, message: str) -> None:
    for opener in (open_store, open_async_store):
        with pytest.raises(StoreError, match=message):
            opener(url)


def test_an_old_name_of_postgresql_is_understood(postgres_server: Postgres) -> None:
    url = postgres_server.new_schema().replace("postgresql://", "postgres://")
    store = open_store(url)
    assert store.list(scope=ACME) == []
    store.close()


def test_without_the_extra_it_is_said_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, "agentprompts.stores.sql")
    with pytest.raises(PromptError, match=r"pip install 'agentprompts\[stores\]'"):
        open_store("sqlite:///x.db")
