"""The literals that the parsers look for. A prompt that asks for one protects it.

`TOKENS` says which prompt asks for which: the test that holds the catalog's contracts equal to it
is what keeps a reworded or translated prompt from ever drifting away from its parser.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum


class Label(StrEnum):
    """The labels at the start of a line in the agent loop."""

    THOUGHT = "Thought:"
    ACTION = "Action:"
    INPUT = "Action Input:"
    OBSERVATION = "Observation:"
    ANSWER = "Final Answer:"


class Operation(StrEnum):
    """What to do with a new fact."""

    ADD = "ADD"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    NOOP = "NOOP"


class Key(StrEnum):
    """Keys of JSON objects, with their quotes, as they stand in a prompt's examples."""

    OP = '"op"'
    INDEX = '"index"'
    CONTENT = '"content"'
    STEPS = '"steps"'

    @property
    def bare(self) -> str:
        """The key without its quotes."""
        return self.value.strip('"')


class Status(StrEnum):
    """The first line of a sub-agent's report."""

    DONE = "STATUS: DONE"
    BLOCKED = "STATUS: BLOCKED"


class Source(StrEnum):
    """Citations, and the word for having none."""

    CITATION = "[1]"
    NONE = "NO_ANSWER"


class Json(StrEnum):
    """The format's name (JSON modes of models ask for it in the prompt) and the empty array."""

    NAME = "JSON"
    EMPTY = "[]"


class Boundary(StrEnum):
    """Tags around text from outside; a copy of one in that text is made harmless."""

    RESULT = "<tool_result>"
    RESULT_END = "</tool_result>"
    SOURCE = "<source"
    SOURCE_END = "</source>"


TOKENS: Mapping[str, tuple[Enum, ...]] = {
    "react.style": tuple(Label),
    "react.observation": (Label.OBSERVATION,),
    "react.retry_format": (Label.ACTION, Label.INPUT, Label.ANSWER),
    "react.out_of_steps": (Label.ANSWER,),
    "tool.result.untrusted": (Boundary.RESULT, Boundary.RESULT_END),
    "memory.extract": (Json.NAME, Json.EMPTY),
    "memory.reconcile": (*Operation, Key.OP, Key.INDEX, Key.CONTENT, Json.NAME),
    "rag.answer": tuple(Source),
    "rag.source": (Boundary.SOURCE, Boundary.SOURCE_END),
    "structured.instruction": (Json.NAME,),
    "structured.retry": (Json.NAME,),
    "plan.create": (Json.NAME, Key.STEPS),
    "subagent.brief": tuple(Status),
}
