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


class Field(StrEnum):
    """Keys of JSON objects, with their quotes, as they stand in a prompt's examples."""

    MERGE = '"merge"'
    INSIGHT = '"insight"'
    BECAUSE = '"because"'
    NUMBER = '"number"'
    SCORE = '"score"'
    REASON = '"reason"'
    AGENT = '"agent"'
    TASK = '"task"'
    KIND = '"kind"'
    TEXT = '"text"'
    BETTER = '"better"'
    CLAIM = '"claim"'
    VERDICT = '"verdict"'
    NAME = '"name"'
    ARGUMENTS = '"arguments"'

    @property
    def bare(self) -> str:
        """The key without its quotes."""
        return self.value.strip('"')


class Bound(StrEnum):
    """The ends of scales."""

    ZERO = "0"
    ONE = "1"
    FIVE = "5"
    TEN = "10"


class Nothing(StrEnum):
    """The words for having nothing to give: in plain text, and as a value in JSON."""

    NONE = "NONE"
    NULL = "null"


class Clarity(StrEnum):
    """Whether a message can be acted on."""

    CLEAR = "CLEAR"
    ASK = "ASK:"
    ASSUME = "ASSUME:"


class Grade(StrEnum):
    """Whether a passage helps."""

    YES = "YES"
    NO = "NO"


class Reference(StrEnum):
    """Stands for the answer to an earlier question."""

    FIRST = "#1"


class Check(StrEnum):
    """Whether a task is done."""

    DONE = "DONE"
    NOT_DONE = "NOT DONE"


class Critique(StrEnum):
    """A draft without faults, and the label of each fault."""

    PASSED = "PASS"
    FAULT = "FAULT:"


class Safety(StrEnum):
    """Whether a text tries to steer its reader."""

    SAFE = "SAFE"
    UNSAFE = "UNSAFE"


class Admission(StrEnum):
    """Whether a message may be acted on."""

    ALLOW = "ALLOW"
    REFUSE = "REFUSE:"


class Leak(StrEnum):
    """What must not leave the system."""

    SECRET = "SECRET"
    PERSONAL = "PERSONAL"


class Better(StrEnum):
    """Which of two answers is better."""

    A = "A"
    B = "B"
    TIE = "TIE"


class Support(StrEnum):
    """What the sources say of a claim."""

    SUPPORTED = "SUPPORTED"
    UNSUPPORTED = "UNSUPPORTED"
    CONTRADICTED = "CONTRADICTED"


class Agreement(StrEnum):
    """How an answer compares with the reference."""

    CORRECT = "CORRECT"
    PARTIAL = "PARTIAL"
    INCORRECT = "INCORRECT"


class Marker(StrEnum):
    """Around tool calls and results that are written out in the text."""

    CALL = "[TOOL_CALL]"
    CALL_END = "[/TOOL_CALL]"
    RESULT = "[TOOL_RESULT]"
    RESULT_END = "[/TOOL_RESULT]"


_STRINGS = (Json.NAME, Json.EMPTY)
_MARK = (Json.NAME, Field.REASON, Field.SCORE, Bound.ONE, Bound.FIVE)
_CALL = (Marker.CALL, Marker.CALL_END, Field.NAME, Field.ARGUMENTS)


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
    "chat.follow_ups": _STRINGS,
    "chat.clarify": tuple(Clarity),
    "memory.consolidate": (*_STRINGS, Field.MERGE, Key.CONTENT),
    "memory.importance": (Bound.ONE, Bound.TEN),
    "memory.recall": _STRINGS,
    "memory.forget": _STRINGS,
    "memory.reflect": (*_STRINGS, Field.INSIGHT, Field.BECAUSE),
    "memory.describe_session": (Nothing.NONE,),
    "rag.queries": (Json.NAME,),
    "rag.decompose": (Json.NAME, Reference.FIRST),
    "rag.rerank": (*_STRINGS, Field.NUMBER, Field.SCORE, Bound.ZERO, Bound.TEN),
    "rag.excerpt": (Nothing.NONE,),
    "rag.grade": tuple(Grade),
    "rag.choose_collection": _STRINGS,
    "plan.revise": (*_STRINGS, Key.STEPS),
    "plan.check": tuple(Check),
    "reflection.critique": tuple(Critique),
    "route.choose": (Json.NAME, Field.AGENT, Nothing.NONE),
    "team.manager": (Json.NAME, Field.AGENT, Field.TASK, Check.DONE),
    "structured.extract": (Json.NAME, Nothing.NULL),
    "structured.classify": (Nothing.NONE,),
    "structured.repair": (Json.NAME,),
    "structured.choice_retry": (Nothing.NONE,),
    "guard.instructions": (Boundary.RESULT, Boundary.SOURCE),
    "guard.injection": tuple(Safety),
    "guard.input": tuple(Admission),
    "guard.output": (*_STRINGS, Field.KIND, Field.TEXT, *Leak),
    "judge.score": _MARK,
    "judge.compare": (Json.NAME, Field.REASON, Field.BETTER, *Better),
    "judge.grounded": (*_STRINGS, Field.CLAIM, Field.VERDICT, *Support),
    "judge.correct": (Json.NAME, Field.REASON, Field.VERDICT, *Agreement),
    "judge.relevance": _MARK,
    "emulation.instruction": (*_CALL, Marker.RESULT, Json.NAME),
    "emulation.result": (Marker.RESULT, Marker.RESULT_END),
    "emulation.retry": _CALL,
    "emulation.no_tool": (Marker.CALL,),
}
