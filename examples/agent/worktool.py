"""A tool with typed parameters: shown to the model, and checked, in the words of the catalog."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agentprompts import PromptRef, PromptRegistry

from .tools import Tool

MOST_SHOWN = 60


class Kind(StrEnum):
    """Types of values, by their names in JSON Schema, which models know in every language."""

    TEXT = "string"
    NUMBER = "integer"
    FLAG = "boolean"
    LIST = "array"

    def fits(self, value: object) -> bool:
        """Say whether a value is of this type; a list is one of texts."""
        if self is Kind.NUMBER:
            return isinstance(value, int) and not isinstance(value, bool)
        if self is Kind.LIST:
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        return isinstance(value, bool if self is Kind.FLAG else str)


class FaultError(Exception):
    """What went wrong: a prompt's key and the values of its slots, said in the agent's language."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool.

    Args:
        name: What the model calls it.
        about: What it is for, as a live handle.
        kind: The type of its values.
        default: What counts where none is given; without one, the parameter is required.
        choices: The only values that it takes, if they are few.
        example: A value that shows what is meant.
        least: The smallest number.
        most: The largest number.
        blank: Whether a required text may be empty.
    """

    name: str
    about: PromptRef
    kind: Kind = Kind.TEXT
    default: Any = None
    choices: tuple[str, ...] = ()
    example: str = ""
    least: int = 0
    most: int = 0
    blank: bool = False

    def shown(self, prompts: PromptRegistry) -> str:
        """Return its line in the list of tools."""
        say, text = prompts.render, prompts.text
        notes = [self.kind.value]
        if self.default is None:
            notes.append(text("tool.label.required"))
        else:
            notes += [
                text("tool.label.optional"),
                say("tool.label.default", value=as_json(self.default)),
            ]
        if self.choices:
            notes.append(say("tool.label.choices", values=", ".join(self.choices)))
        if self.example:
            notes.append(say("tool.label.example", example=self.example))
        return say(
            "tool.label.parameter", name=self.name, notes=" · ".join(notes), description=self.about
        )

    def value(self, arguments: Mapping[str, Any]) -> Any:
        """Return its value in a call.

        Raises:
            FaultError: It is missing, of another type, or not allowed.
        """
        given = arguments.get(self.name)
        if given is None or (given == "" and not self.blank):
            if self.default is None:
                raise FaultError("tool.error.missing_parameter", parameter=self.name)
            return self.default
        if not self.kind.fits(given):
            raise FaultError(
                "tool.error.wrong_type",
                parameter=self.name,
                expected=self.kind.value,
                given=as_json(given),
            )
        within = not self.most or self.least <= given <= self.most
        if not within or (self.choices and given not in self.choices):
            allowed = ", ".join(self.choices) or f"{self.least}-{self.most}"
            raise out_of_range(self.name, given, allowed)
        return given


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTool(Tool):
    """A tool whose parameters have types.

    `parameters` of a plain tool, which knows no types, are left empty.
    """

    accepts: tuple[Parameter, ...] = ()
    changes: bool = False
    """Whether it can change something, so that it needs leave and is closed while planning."""

    def shown(self, prompts: PromptRegistry) -> str:
        """Return its entry in the list of tools."""
        heading = prompts.text("tool.label.parameters")
        if self.accepts:
            lines = [f"  {heading}", *(f"  {each.shown(prompts)}" for each in self.accepts)]
        else:
            lines = [f"  {heading} {prompts.text('tool.label.none')}"]
        return prompts.render(
            "tool.entry",
            name=self.name,
            description=self.description,
            parameters="\n".join(lines),
        )

    def bound(self, prompts: PromptRegistry, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of all parameters for a call.

        Raises:
            FaultError: A parameter is unknown, or a value cannot be used.
        """
        known = [each.name for each in self.accepts]
        for name in arguments:
            if name not in known:
                raise FaultError(
                    "tool.error.unknown_parameter",
                    parameter=name,
                    known=", ".join(known) or prompts.text("tool.label.none"),
                )
        return {each.name: each.value(arguments) for each in self.accepts}


def work_tool(
    name: str,
    description: PromptRef,
    run: Callable[..., str],
    *accepts: Parameter,
    outside: bool = False,
    changes: bool = False,
) -> WorkTool:
    """Return a tool; see `Tool` and `WorkTool`."""
    return WorkTool(
        name=name,
        description=description,
        parameters={},
        run=run,
        outside=outside,
        accepts=accepts,
        changes=changes,
    )


def out_of_range(parameter: str, given: object, allowed: str) -> FaultError:
    """Return the fault of a value that is not allowed."""
    return FaultError(
        "tool.error.out_of_range", parameter=parameter, given=as_json(given), allowed=allowed
    )


def as_json(value: object) -> str:
    """Return a value as JSON, cut where it is long; what is no Unicode stands as an escape."""
    text = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
