"""The bridges' tests run the real libraries, without network; what cannot run here is told.

Each test module needs one library. Where that is not installed, the module is left out: the summary
says so, and with the environment variable `AGENTPROMPTS_TEST_BRIDGES` set the run fails.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

# The library and the extra that brings it, by the test module that needs them.
LIBRARIES = {
    "test_crewai.py": ("crewai", "crewai"),
    "test_langchain.py": ("langchain-core", "langchain"),
    "test_llama_index.py": ("llama-index-core", "llama-index"),
    "test_openai_agents.py": ("openai-agents", "bridges"),
    "test_pydantic_ai.py": ("pydantic-ai-slim", "bridges"),
}


def installed(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


LEFT_OUT: list[str] = []


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    library, extra = LIBRARIES.get(collection_path.name, ("pytest", ""))
    if installed(library) is not None:
        return None
    LEFT_OUT.append(f"{collection_path.name} is LEFT OUT: no {library}, see the extra {extra!r}")
    return True


def pytest_collection_finish() -> None:
    if LEFT_OUT and os.environ.get("AGENTPROMPTS_TEST_BRIDGES"):
        raise pytest.UsageError("No bridge may be left out here:", *LEFT_OUT)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    there = [(library, installed(library)) for library, _ in LIBRARIES.values()]
    ran = ", ".join(f"{library} {release}" for library, release in there if release)
    for line in (f"tested with {ran or 'none'}", *LEFT_OUT):
        terminalreporter.write_line(f"bridges: {line}")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every connection, and fail the test that tried one, in whichever thread."""
    tried: list[object] = []

    def refuse(_: object, address: Any) -> None:
        tried.append(address)
        raise OSError(f"no network in tests: {address}")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_, **kw: refuse(None, host))
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "LANGSMITH_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    yield
    assert tried == []
