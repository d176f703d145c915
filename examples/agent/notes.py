"""What an agent writes down: facts for later conversations, and the list of its steps."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .tools import Document, find
from .worktokens import Step
from .worktool import Kind, Parameter, WorkTool, work_tool


class Notes:
    """The facts and the steps of one agent."""

    def __init__(self, prompts: PromptRegistry) -> None:
        self.prompts = prompts
        self.facts: list[str] = []
        self.steps: list[tuple[Step, str]] = []

    def remember(self, fact: str) -> str:
        """Keep a fact, once."""
        if fact not in self.facts:
            self.facts.append(fact)
        return self.prompts.render("tool.result.remembered", fact=fact)

    def recall(self, query: str) -> str:
        """Return the facts that fit a query best."""
        found = find([Document("", fact) for fact in self.facts], query)
        if not found:
            return self.prompts.render("tool.result.no_matches", pattern=query)
        return "\n".join(f"- {document.content}" for document in found)

    def todo(self, items: list[str]) -> str:
        """Put a new list of steps in the place of the old one and return it."""
        self.steps = [_step(item) for item in items]
        done = sum(state is Step.DONE for state, _ in self.steps)
        listed = "\n".join(f"{state.value} {text}" for state, text in self.steps)
        return self.prompts.render(
            "tool.result.todo",
            done=done,
            total=len(self.steps),
            items=listed or self.prompts.text("tool.label.none"),
        )

    def tools(self) -> list[WorkTool]:
        """Return the tools that write down and look up."""
        ref = self.prompts.ref
        return [
            work_tool(
                "remember",
                ref("tool.remember.description"),
                self.remember,
                Parameter(name="fact", about=ref("tool.remember.parameter.fact")),
            ),
            work_tool(
                "recall",
                ref("tool.recall.description"),
                self.recall,
                Parameter(name="query", about=ref("tool.recall.parameter.query")),
            ),
            work_tool(
                "todo",
                ref("tool.todo.description"),
                self.todo,
                Parameter(name="items", about=ref("tool.todo.parameter.items"), kind=Kind.LIST),
            ),
        ]


def _step(item: str) -> tuple[Step, str]:
    """Read an item; one without a mark is open."""
    for state in Step:
        if item.startswith(state.value):
            return state, item.removeprefix(state.value).strip()
    return Step.OPEN, item.strip()
