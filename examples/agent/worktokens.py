"""The literals that the tools of the workbench and the parsers of a coding agent look for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum

from .tokens import Json


class Quoted(StrEnum):
    """Names of parameters, with their quotes, that a message tells the model to set."""

    ALL = '"all"'
    OFFSET = '"offset"'


class Step(StrEnum):
    """The state of a step, at the start of an item of the list of steps."""

    OPEN = "[ ]"
    IN_WORK = "[>]"
    DONE = "[x]"


class FindingKey(StrEnum):
    """Keys of a finding, with their quotes, as they stand in the prompt's example."""

    PATH = '"path"'
    LINE = '"line"'
    SEVERITY = '"severity"'
    PROBLEM = '"problem"'
    MEND = '"mend"'

    @property
    def bare(self) -> str:
        """The key without its quotes."""
        return self.value.strip('"')


class Severity(StrEnum):
    """How grave a finding is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Tag(StrEnum):
    """Tags around material; a copy of one in the material is made harmless."""

    DIFF = "<diff>"
    DIFF_END = "</diff>"
    COMMITS = "<commits>"
    COMMITS_END = "</commits>"
    COMMAND = "<command>"
    COMMAND_END = "</command>"
    OUTPUT = "<output>"
    OUTPUT_END = "</output>"


WORK_TOKENS: Mapping[str, tuple[Enum, ...]] = {
    "tool.error.several_matches": (Quoted.ALL,),
    "tool.result.more_lines": (Quoted.OFFSET,),
    "tool.todo.parameter.items": tuple(Step),
    "coding.review": (
        Json.NAME,
        Json.EMPTY,
        *FindingKey,
        *Severity,
        Tag.DIFF,
        Tag.DIFF_END,
    ),
    "coding.commit_message": (Tag.COMMITS, Tag.COMMITS_END, Tag.DIFF, Tag.DIFF_END),
    "coding.explain_failure": (Tag.COMMAND, Tag.COMMAND_END, Tag.OUTPUT, Tag.OUTPUT_END),
}
