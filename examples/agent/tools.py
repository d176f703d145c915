"""Tools, and what the model is told of them: every word comes from the agent's registry."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agentprompts import PromptRef, PromptRegistry

from .tokens import Boundary

MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Document:
    """A text that can be found."""

    title: str
    content: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model can call.

    Its descriptions are live handles, not strings: they follow every update of the prompts.
    """

    name: str
    description: PromptRef
    parameters: Mapping[str, PromptRef]
    run: Callable[..., str]
    outside: bool = False
    """Whether its results are written by others, so that they are no instructions."""


class DeniedError(Exception):
    """The host does not permit a call."""


class Toolbox:
    """The tools of an agent, listed and called in the words of its prompts."""

    def __init__(self, prompts: PromptRegistry, tools: list[Tool]) -> None:
        self.prompts = prompts
        self.tools = {tool.name: tool for tool in tools}

    def listing(self) -> str:
        """Return the list that the model chooses from."""
        return "\n".join(
            self.prompts.render(
                "tool.entry",
                name=tool.name,
                description=tool.description,
                parameters="\n".join(f"  {name}: {ref}" for name, ref in tool.parameters.items()),
            )
            for tool in self.tools.values()
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Run a tool and return what the model is to read, be it a result or an error."""
        say = self.prompts.render
        tool = self.tools.get(name)
        if tool is None:
            return say("tool.error.not_found", name=name, available=", ".join(self.tools))
        if set(arguments) != set(tool.parameters):
            reason = f"{sorted(arguments)} != {sorted(tool.parameters)}"
            return say("tool.error.invalid_arguments", name=name, reason=reason)
        try:
            result = tool.run(**arguments)
        except DeniedError:
            return say("tool.error.denied", name=name)
        except TimeoutError as error:
            return say("tool.error.timeout", name=name, seconds=error.args[0])
        except Exception as error:  # whatever a tool raises is for the model to read
            return say("tool.error.failed", name=name, error=error)
        if len(result) > MOST_CHARACTERS:
            note = say("tool.result.truncated", shown=MOST_CHARACTERS, total=len(result))
            result = f"{result[:MOST_CHARACTERS]}\n{note}"
        if tool.outside:
            return say("tool.result.untrusted", name=name, content=harmless(result))
        return result


def harmless(text: str) -> str:
    """Return text from outside that cannot close the tags around it."""
    for tag in Boundary:
        text = text.replace(tag.value, tag.value.replace("<", "&lt;"))
    return text


def calculator(prompts: PromptRegistry) -> Tool:
    """Return the tool that evaluates arithmetic."""
    return Tool(
        "calculator",
        prompts.ref("tool.calculator.description"),
        {"expression": prompts.ref("tool.calculator.parameter.expression")},
        lambda expression: f"{_value(ast.parse(expression, mode='eval').body):g}",
    )


_SIGNS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _SIGNS[type(node.op)](_value(node.operand))
    raise ValueError(ast.unparse(node))


def search(prompts: PromptRegistry, documents: list[Document]) -> Tool:
    """Return the tool that looks for passages."""
    return Tool(
        "search",
        prompts.ref("tool.search.description"),
        {"query": prompts.ref("tool.search.parameter.query")},
        lambda query: "\n\n".join(f"{d.title}\n{d.content}" for d in find(documents, query)),
        outside=True,
    )


def delegate(prompts: PromptRegistry, run: Callable[[str], str]) -> Tool:
    """Return the tool that hands a task to a sub-agent."""
    return Tool(
        "delegate",
        prompts.ref("tool.delegate.description"),
        {"task": prompts.ref("tool.delegate.parameter.task")},
        lambda task: run(task),
    )


def find(documents: list[Document], query: str, most: int = 3) -> list[Document]:
    """Return the documents that share most with the query: words, or pairs of characters."""
    wanted = _features(query)
    scored = [(len(wanted & _features(f"{d.title} {d.content}")), d) for d in documents]
    best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
    return [document for _, document in best[:most]]


def _features(text: str) -> set[str]:
    words = text.lower().split()
    pairs = {a + b for a, b in pairwise(text) if a > "\u2e80" and b > "\u2e80"}
    return {word.strip(".,;:?!") for word in words if len(word) > 3} | pairs
