"""Answers as JSON that fits a schema, asked for again with the reason where one does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentprompts import PromptRegistry

from .model import Message, Model
from .parsers import UnreadableError, load_json

_TYPES: Mapping[str, type] = {"string": str, "integer": int, "array": list, "object": dict}


def ask_json(
    prompts: PromptRegistry, model: Model, question: str, schema: Mapping[str, Any], tries: int = 3
) -> Any:
    """Return an answer to a question that fits the schema.

    Raises:
        UnreadableError: None of the tries did.
    """
    shown = json.dumps(schema, ensure_ascii=False, indent=2)
    messages = [
        Message("system", prompts.render("structured.instruction", schema=shown)),
        Message("user", prompts.render("context.current_question", query=question)),
    ]
    while True:
        answer = model.complete(messages)
        tries -= 1
        try:
            return _fitting(load_json(answer), schema)
        except UnreadableError as error:
            if tries == 0:
                raise
            retry = prompts.render("structured.retry", error=error)
            messages = [*messages, Message("assistant", answer), Message("user", retry)]


def _fitting(value: object, schema: Mapping[str, Any]) -> object:
    """Check the part of JSON Schema that the example needs: types and required keys."""
    if not isinstance(value, _TYPES[schema["type"]]):
        raise UnreadableError(f"{value!r} != {schema['type']}")
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    for name, inner in schema.get("properties", {}).items():
        if name in given:
            _fitting(given[name], inner)
        elif name in schema.get("required", ()):
            raise UnreadableError(f"{name!r} ?")
    return value
