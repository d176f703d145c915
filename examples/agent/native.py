"""An agent whose model calls tools by itself, kept at work until its task is done."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from agentprompts import PromptRegistry

from .model import Message, Model
from .parsers import Call, UnreadableError, load_json
from .replanning import missing
from .tools import Toolbox

MOST_REPEATS = 2
PATIENCE = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """What an API with tool calls of its own returns: a text, calls, or both."""

    text: str
    calls: tuple[Call, ...]


class NativeAgent:
    """Works on one task, through empty answers, repetitions, dead ends and interruptions.

    Args:
        prompts: Its prompts.
        model: What answers, as JSON in the form of such an API.
        toolbox: Its tools.
        most_turns: Turns before it must answer.
        limit: The same in words, for the model to read.
    """

    def __init__(
        self,
        prompts: PromptRegistry,
        model: Model,
        toolbox: Toolbox,
        *,
        most_turns: int = 20,
        limit: str = "20",
    ) -> None:
        self.prompts = prompts
        self.model = model
        self.toolbox = toolbox
        self.most_turns = most_turns
        self.limit = limit
        self.task = ""
        self.messages: list[Message] = []
        self._made: Counter[str] = Counter()
        self._known: set[str] = set()
        self._stale = 0  # how many of the last results brought nothing new

    def run(self, task: str) -> str | None:
        """Work on a task and return the answer; nothing where the user interrupted the work."""
        self.task = task
        self._made.clear()
        self._known.clear()
        self._stale = 0
        self.messages = [
            Message("system", self.prompts.text("agent.instructions")),
            Message("user", task),
        ]
        return self._work()

    def resume(self, what: str) -> str | None:
        """Go on after an interruption, knowing what happened meanwhile."""
        self._tell(self.prompts.render("agent.resumed", what=what))
        return self._work()

    def _work(self) -> str | None:
        for _ in range(self.most_turns):
            turn = self._turn()
            if turn.calls:
                try:
                    self._carry_out(turn.calls)
                except KeyboardInterrupt:
                    self._tell(self.prompts.text("agent.interrupted"))
                    return None
            elif not turn.text:
                self._tell(self.prompts.text("agent.empty_answer"))
            elif reason := missing(self.prompts, self.model, self.task, turn.text):
                self._tell(self.prompts.render("agent.continue", reason=reason))
            else:
                return turn.text
        self._tell(self.prompts.render("agent.out_of_budget", limit=self.limit))
        return self._turn().text

    def _turn(self) -> Turn:
        answer = self.model.complete(self.messages)
        self.messages.append(Message("assistant", answer))
        return parse_native(answer)

    def _carry_out(self, calls: tuple[Call, ...]) -> None:
        say = self.prompts.render
        for call in calls:
            made = f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
            count = self._made[made]
            if count >= MOST_REPEATS:
                result = say("agent.repeated_call", name=call.tool, count=count)
                new = False
            else:
                self._made[made] += 1
                result = self.toolbox.call(call.tool, call.arguments)
                new = result not in self._known
                self._known.add(result)
            self._stale = 0 if new else self._stale + 1
            self.messages.append(Message("tool", result))
        if self._stale >= PATIENCE:
            self._tell(say("agent.stuck", count=self._stale))
            self._stale = 0

    def _tell(self, text: str) -> None:
        self.messages.append(Message("user", text))


def parse_native(answer: str) -> Turn:
    """Read one turn: {"text": …, "calls": [{"name": …, "arguments": {…}}]}, both optional."""
    found = load_json(answer)
    if not isinstance(found, Mapping):
        raise UnreadableError(f"{answer!r}")
    text, calls = found.get("text") or "", found.get("calls") or []
    if not isinstance(text, str) or not isinstance(calls, list):
        raise UnreadableError(f"{answer!r}")
    return Turn(text.strip(), tuple(parse_call(call) for call in calls))


def parse_call(found: object) -> Call:
    """Read a call as JSON has it: a name and an object of arguments."""
    name = found.get("name") if isinstance(found, Mapping) else None
    arguments = found.get("arguments", {}) if isinstance(found, Mapping) else None
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise UnreadableError(f"{found!r}")
    return Call(name, arguments)
