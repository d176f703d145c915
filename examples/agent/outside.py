"""The world outside the folder: the web, the user and the clock, each through a function."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlsplit

from agentprompts import PromptRegistry

from .worktool import FaultError, Parameter, WorkTool, work_tool


class BusyError(Exception):
    """A service refuses calls for some seconds, as with HTTP's status 429."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def fetch(prompts: PromptRegistry, get: Callable[[str], str]) -> WorkTool:
    """Return the tool that fetches a web page.

    Args:
        prompts: The agent's prompts.
        get: Returns the text of a page. It raises `BusyError`, `ConnectionError` or
            `TimeoutError(seconds)`, and refuses addresses of the host's own network.
    """

    def run(url: str) -> str:
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise FaultError("tool.error.invalid_url", url=url)
        return get(url).strip() or prompts.text("tool.result.empty")

    return work_tool(
        "fetch",
        prompts.ref("tool.fetch.description"),
        run,
        Parameter(
            name="url",
            about=prompts.ref("tool.fetch.parameter.url"),
            example="https://example.org/guide",
        ),
        outside=True,
    )


def ask_user(prompts: PromptRegistry, ask: Callable[[str], str]) -> WorkTool:
    """Return the tool that asks the user; `ask` returns the answer, or an empty text."""

    def run(question: str) -> str:
        return ask(question).strip() or prompts.text("tool.result.no_answer")

    return work_tool(
        "ask_user",
        prompts.ref("tool.ask_user.description"),
        run,
        Parameter(name="question", about=prompts.ref("tool.ask_user.parameter.question")),
    )


def clock(prompts: PromptRegistry, now: Callable[[], datetime]) -> WorkTool:
    """Return the tool that tells the time."""

    def run() -> str:
        moment = now().astimezone()
        return f"{moment:%Y-%m-%d %H:%M:%S} {moment.tzname()} (UTC{moment:%z})"

    return work_tool("clock", prompts.ref("tool.clock.description"), run)
