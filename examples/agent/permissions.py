"""Who may call what: the user is asked, remembers a yes, or has the agent plan only."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentprompts import PromptRegistry

from .tools import DeniedError
from .worktool import FaultError, WorkTool


@dataclass(frozen=True, slots=True)
class Decision:
    """The user's decision on a call.

    `lasting` extends a yes to the rest of the session; `reason` is what the user says with a no.
    """

    allowed: bool
    lasting: bool = False
    reason: str = ""


class Permissions:
    """The permissions of a session.

    Args:
        prompts: The agent's prompts, in which the user is asked, too.
        ask: Shows the user a question and returns the decision.
        planning: Whether nothing may be changed for now. It can be set at any time.
    """

    def __init__(
        self,
        prompts: PromptRegistry,
        ask: Callable[[str], Decision],
        *,
        planning: bool = False,
    ) -> None:
        self.prompts = prompts
        self.ask = ask
        self.planning = planning
        self._lasting: set[str] = set()

    def note(self, tools: Iterable[WorkTool]) -> str:
        """Return what the system prompt says of the tools that the user is asked about."""
        names = [tool.name for tool in tools if tool.changes and tool.name not in self._lasting]
        if self.planning or not names:
            return ""
        return self.prompts.render("tool.permission.always_ask", names=", ".join(names))

    def check(self, tool: WorkTool, arguments: Mapping[str, Any]) -> str:
        """Let a call pass, and return what the model is to know of it, mostly nothing.

        Raises:
            DeniedError: The user did not allow it and gave no reason.
            FaultError: The user did not allow it, and said why; or the agent only plans.
        """
        if not tool.changes:
            return ""
        if self.planning:
            raise FaultError("tool.permission.not_in_plan_mode")
        if tool.name in self._lasting:
            return ""
        shown = json.dumps(arguments, ensure_ascii=False, indent=2)
        decision = self.ask(
            self.prompts.render("tool.permission.ask", name=tool.name, arguments=shown)
        )
        if not decision.allowed:
            if decision.reason:
                raise FaultError("tool.permission.refused_by_user", reason=decision.reason)
            raise DeniedError
        if not decision.lasting:
            return ""
        self._lasting.add(tool.name)
        return self.prompts.render("tool.permission.granted", name=tool.name)
