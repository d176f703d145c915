"""The tools of an agent that works on files: listed, permitted, called, and their errors told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import CancelledError
from datetime import datetime
from typing import Any

from agentprompts import PromptRegistry

from .filetools import file_tools
from .notes import Notes
from .outside import BusyError, ask_user, clock, fetch
from .permissions import Permissions
from .shell import shell
from .tools import DeniedError, Toolbox, harmless
from .workspace import Workspace
from .worktool import FaultError, WorkTool

MOST_CHARACTERS = 20_000


class Workbench(Toolbox):
    """A toolbox whose tools have typed parameters and ask for leave before they change things."""

    def __init__(
        self, prompts: PromptRegistry, tools: Iterable[WorkTool], permissions: Permissions
    ) -> None:
        self.work = {tool.name: tool for tool in tools}
        super().__init__(prompts, list(self.work.values()))
        self.permissions = permissions

    def listing(self) -> str:
        """Return the list of the tools that may be called now."""
        return "\n".join(tool.shown(self.prompts) for tool in self.open())

    def open(self) -> list[WorkTool]:
        """Return the tools that may be called now: while planning, those that change nothing."""
        planning = self.permissions.planning
        return [tool for tool in self.work.values() if not (planning and tool.changes)]

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Run a tool and return what the model is to read, be it a result or an error."""
        tool = self.work.get(name)
        if tool is None:
            known = ", ".join(each.name for each in self.open())
            return self.prompts.render("tool.error.not_found", name=name, available=known)
        try:
            return self._run(tool, arguments)
        except Exception as error:  # whatever a tool raises is for the model to read
            return self._words(name, error)

    def _run(self, tool: WorkTool, arguments: Mapping[str, Any]) -> str:
        bound = tool.bound(self.prompts, arguments)
        note = self.permissions.check(tool, bound)
        result = tool.run(**bound)
        if len(result) > MOST_CHARACTERS:
            cut = self.prompts.render(
                "tool.result.truncated", shown=MOST_CHARACTERS, total=len(result)
            )
            result = f"{result[:MOST_CHARACTERS]}\n{cut}"
        if tool.outside:
            result = self.prompts.render(
                "tool.result.untrusted", name=tool.name, content=harmless(result)
            )
        return f"{note}\n\n{result}" if note else result

    def _words(self, name: str, error: Exception) -> str:
        """Return an error in words. A host that stops one call has it raise `CancelledError`."""
        say = self.prompts.render
        match error:
            case FaultError():
                return say(error.key, {"name": name, **error.values})
            case DeniedError():
                return say("tool.error.denied", name=name)
            case BusyError():
                return say("tool.error.rate_limited", name=name, seconds=error.seconds)
            case TimeoutError(args=(int() | float() as seconds,)):
                return say("tool.error.timeout", name=name, seconds=seconds)
            case ConnectionError() | TimeoutError():
                return say("tool.error.unavailable", name=name)
            case CancelledError():
                return say("tool.error.cancelled", name=name)
            case _:
                return say("tool.error.failed", name=name, error=error)


def workbench(
    prompts: PromptRegistry,
    root: str | os.PathLike[str],
    *,
    permissions: Permissions,
    get: Callable[[str], str],
    ask: Callable[[str], str],
    now: Callable[[], datetime] = datetime.now,
) -> Workbench:
    """Return a workbench with every tool.

    Args:
        prompts: The agent's prompts; the tools hold live handles into them.
        root: The folder to work in.
        permissions: Whether a call may be made.
        get: Returns the text of a web page; see `fetch`.
        ask: Asks the user a question; see `ask_user`.
        now: The present time.
    """
    tools = [
        *file_tools(prompts, Workspace(prompts, root)),
        shell(prompts, root),
        fetch(prompts, get),
        ask_user(prompts, ask),
        *Notes(prompts).tools(),
        clock(prompts, now),
    ]
    return Workbench(prompts, tools, permissions)
