"""A JSON Schema of a catalog's packs, so that an editor completes keys and shows the source text.

A pack names it in its first line: `#:schema ./schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from ..packedit import notes
from ..template import PromptTemplate

__all__ = ["write_schema"]


def write_schema(
    templates: Mapping[str, PromptTemplate],
    renamed: Mapping[str, str] | None = None,
    glossary: Sequence[str] = (),
) -> str:
    """Return a schema (draft 2020-12) of every spelling of a pack: tables, dotted and quoted keys.

    Args:
        templates: The source's templates by key.
        renamed: The key of today by the key that it had, which packs may still use.
        glossary: The catalog's terms, named beside the texts that hold them.
    """
    paths = {tuple(key.split(".")): _reference(key) for key in templates}
    for old, key in (renamed or {}).items():
        paths[tuple(old.split("."))] = {**_reference(key), "deprecated": True}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "A pack names this file in its first line: #:schema ./schema.json",
        "title": "Texts of prompts in one language",
        **_table(paths),
        "$defs": {key: _text(template, glossary) for key, template in templates.items()},
    }
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


def _reference(key: str) -> dict[str, Any]:
    return {"$ref": "#/$defs/" + quote(key.replace("~", "~0").replace("/", "~1"), safe="~")}


def _table(paths: Mapping[tuple[str, ...], dict[str, Any]]) -> dict[str, Any]:
    """Return what a table may hold: of each path, any first part as a table, or all as a key."""
    properties: dict[str, Any] = {}
    inner: dict[str, dict[tuple[str, ...], dict[str, Any]]] = {}
    for path, text in paths.items():
        properties[".".join(path)] = text
        for size in range(1, len(path)):
            inner.setdefault(".".join(path[:size]), {})[path[size:]] = text
    for name, rest in inner.items():
        table = _table(rest)
        # A key that was renamed may be the beginning of another one, or go on from it.
        properties[name] = {"anyOf": [properties[name], table]} if name in properties else table
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _text(template: PromptTemplate, glossary: Sequence[str]) -> dict[str, Any]:
    # Editors show a description as Markdown, where tags and stars of a prompt would get lost.
    ticks = "```"
    while ticks in template.template:
        ticks += "`"
    shown = [*notes(template, glossary), f"{ticks}text\n{template.template}\n{ticks}"]
    # No `default`: editors write it down for the key that they complete.
    return {
        "type": "string",
        "description": "\n\n".join(shown),
        "examples": [template.template],
    }
