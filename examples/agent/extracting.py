"""Data out of texts: fields by a schema, a label out of several, and JSON that is broken."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agentprompts import PromptRegistry

from .asking import ask, sealed
from .forms import parse_optional
from .model import Message, Model
from .parsers import UnreadableError, load_json


def extract(
    prompts: PromptRegistry, model: Model, schema: Mapping[str, Any], text: str
) -> dict[str, Any]:
    """Return the fields that a text has of a schema; what it does not say has no key.

    Raises:
        UnreadableError: The answer is no object, has a field that was not asked for, or lacks one
            that is required.
    """
    shown = json.dumps(schema, ensure_ascii=False, indent=2)
    answer = ask(prompts, model, "structured.extract", schema=shown, text=text)
    found = load_or_repair(prompts, model, answer)
    if not isinstance(found, dict):
        raise UnreadableError(f"{answer!r}")
    if unknown := [name for name in found if name not in schema["properties"]]:
        raise UnreadableError(f"{unknown[0]!r} ?")
    given = {name: value for name, value in found.items() if value is not None}
    if missing := [name for name in schema.get("required", ()) if name not in given]:
        raise UnreadableError(f"{missing[0]!r} ?")
    return given


def load_or_repair(prompts: PromptRegistry, model: Model, answer: str) -> Any:
    """Read JSON; where it is broken, have it mended once."""
    try:
        return load_json(answer)
    except UnreadableError as error:
        return load_json(ask(prompts, model, "structured.repair", text=answer, error=error))


def classify(
    prompts: PromptRegistry, model: Model, labels: Sequence[str], text: str, tries: int = 2
) -> str | None:
    """Return the label that fits a text, if one does.

    Raises:
        UnreadableError: None of the tries gave one of the labels.
    """
    listed = "\n".join(labels)
    request = sealed(prompts, "structured.classify", labels=listed, text=text)
    messages = [Message("user", request)]
    while True:
        answer = model.complete(messages)
        tries -= 1
        label = parse_optional(answer)
        if label is None or label in labels:
            return label
        if tries == 0:
            raise UnreadableError(f"{label!r} ?")
        retry = prompts.render("structured.choice_retry", answer=label, labels=listed)
        messages += [Message("assistant", answer), Message("user", retry)]
