"""Texts by key as JSON, flat or nested, and a catalog from other people's JSON of prompts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import PromptError
from ..scanner import Contract, check, find_slots, find_tokens, guess_slots

__all__ = ["contracts_for", "flat_texts", "read_json", "write_json"]


def write_json(texts: Mapping[str, str], nested: bool = False) -> str:
    """Return texts as JSON: one flat object, or an object for each segment of the keys.

    >>> print(write_json({"a.b": "x"}, nested=True))
    {
      "a": {
        "b": "x"
      }
    }
    <BLANKLINE>
    """
    made: dict[str, Any] = {}
    for key, text in texts.items():
        if not nested:
            made[key] = text
            continue
        *above, name = key.split(".")
        place = made
        for segment in above:
            place = place.setdefault(segment, {})
        place[name] = text
    return json.dumps(made, ensure_ascii=False, indent=2) + "\n"


def read_json(text: str) -> dict[str, str]:
    """Read what `write_json` writes, or any JSON of texts: nested keys are joined by dots.

    Raises:
        PromptError: It is no JSON, holds a value that is no text, or a key twice.
    """
    try:
        data = json.loads(text, object_pairs_hook=_no_repeats)
    except (ValueError, RecursionError) as error:
        raise PromptError(f"Cannot read the JSON: {error}") from None
    if not isinstance(data, Mapping):
        raise PromptError("Cannot read the JSON: an object of texts by key belongs here")
    return flat_texts(data)


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return made


def flat_texts(data: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """Return the texts of nested mappings by keys joined with dots.

    Raises:
        PromptError: A value is neither a text nor a mapping of texts, or a key comes up twice.
    """
    found: dict[str, str] = {}
    for name, value in data.items():
        key = f"{above}{name}"
        inner = flat_texts(value, f"{key}.") if isinstance(value, Mapping) else {key: value}
        for one, text in inner.items():
            if not isinstance(text, str):
                raise PromptError(f"{one!r} is {type(text).__name__}, where a text belongs")
            if one in found:
                raise PromptError(f"the key {one!r} is there twice")
            found[one] = text
    return found


def contracts_for(texts: Mapping[str, str], protect: Iterable[str]) -> dict[str, Contract]:
    """Return a contract for each text: the slots it seems to have, the tokens that it holds.

    Args:
        texts: Source texts by key.
        protect: Literals that a parser looks for; each is set for the texts that hold it.

    A guess, for a person to confirm.
    """
    tokens = Contract((), protect).tokens
    made = {}
    for key, text in texts.items():
        slots = Contract(guess_slots(text))
        if check(text, slots):  # a name that only stands doubled, or is closed like a tag
            slots = Contract()
        found = find_slots(text, slots)
        held = [token.literal for token in tokens if find_tokens(text, token, found)]
        made[key] = Contract(slots.variables, held)
    return made
