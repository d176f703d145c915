"""The agent: a loop of thoughts, tool calls and observations, around the parts of this package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentprompts import PromptRegistry, PromptsMixin

from .memory import Memory
from .model import Message, Model
from .parsers import Answer, UnreadableError, parse_report, parse_step
from .planning import carry_out
from .retrieval import SourcedAnswer, answer_from_sources
from .structured import ask_json
from .tokens import Status
from .tools import Document, Tool, Toolbox, calculator, delegate, search


class Agent(PromptsMixin):
    """An assistant with two tools, a memory, sources, plans, and a sub-agent.

    Args:
        name: Its name, for logs.
        model: What answers.
        prompts: Its registry; by default a copy of the default catalog of its own. Every part
            holds this very object, so that one `update_prompts` reaches all of them.
        documents: What it can search.
        tools: Tools of the host, beside its own.
        most_steps: Turns of the loop before it must answer.
        child: Whether it is a sub-agent, which cannot delegate.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        *,
        prompts: PromptRegistry | None = None,
        documents: Iterable[Document] = (),
        tools: Iterable[Tool] = (),
        most_steps: int = 6,
        child: bool = False,
    ) -> None:
        super().__init__(prompts=prompts)
        self.name = name
        self.model = model
        self.documents = list(documents)
        self.most_steps = most_steps
        self.memory = Memory(self.prompts, model)
        self.summary = ""
        own = [calculator(self.prompts), search(self.prompts, self.documents)]
        if not child:
            own.append(delegate(self.prompts, self.delegate))
        self.toolbox = Toolbox(self.prompts, [*own, *tools])

    def system(self) -> str:
        """Return the system prompt: persona, manner of working, history and memory."""
        text = self.prompts.text
        parts = [
            text("chat.persona"),
            self.prompts.render("react.style", tools=self.toolbox.listing()),
            f"{text('context.section.memory')}\n{self.memory.listing()}",
        ]
        if self.summary:
            parts.append(f"{text('context.section.history')}\n{self.summary}")
        return "\n\n".join(parts)

    def run(self, task: str) -> str:
        """Answer a question, calling tools on the way."""
        say = self.prompts.render
        question = say("context.current_question", query=task)
        messages = [Message("system", self.system()), Message("user", question)]
        for _ in range(self.most_steps):
            answer = self.model.complete(messages)
            try:
                step = parse_step(answer)
            except UnreadableError as error:
                reply = say("react.retry_format", error=error)
            else:
                if isinstance(step, Answer):
                    return step.text
                result = self.toolbox.call(step.tool, step.arguments)
                reply = say("react.observation", result=result)
            messages += [Message("assistant", answer), Message("user", reply)]
        messages.append(Message("user", say("react.out_of_steps", limit=self.most_steps)))
        last = parse_step(self.model.complete(messages))
        return last.text if isinstance(last, Answer) else ""

    def learn(self, conversation: str) -> None:
        """Remember what a conversation says about the user."""
        self.memory.learn(conversation)

    def summarize(self, conversation: str) -> None:
        """Put a summary in the place of a long conversation."""
        ask = self.prompts.render("summary.history", conversation=conversation)
        self.summary = self.model.complete([Message("user", ask)])

    def ask_sources(self, query: str) -> SourcedAnswer:
        """Answer from the documents, with citations."""
        return answer_from_sources(self.prompts, self.model, self.documents, query)

    def ask_json(self, question: str, schema: Mapping[str, Any]) -> Any:
        """Answer with JSON that fits a schema."""
        return ask_json(self.prompts, self.model, question, schema)

    def carry_out(self, task: str) -> str:
        """Plan a task and carry the plan out."""
        return carry_out(self.prompts, self.model, task, self.toolbox.listing(), self.run)

    def delegate(self, task: str) -> str:
        """Hand a task to a sub-agent, which reads the same prompts, and return its report."""
        helper = Agent(
            f"{self.name}/helper",
            self.model,
            prompts=self.prompts,
            documents=self.documents,
            child=True,
        )
        status, text = parse_report(helper.run(self.prompts.render("subagent.brief", task=task)))
        if status is Status.BLOCKED:
            return self.prompts.render("subagent.blocked", reason=text)
        return self.prompts.render("subagent.report", report=text)
