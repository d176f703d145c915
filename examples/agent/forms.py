"""The forms that answers have in common: a line, a label, a number, JSON. See `parsers`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from .parsers import UnreadableError, load_json
from .tokens import Bound, Field, Key, Nothing

E = TypeVar("E", bound=Enum)


def parse_text(answer: object) -> str:
    """Read text of any kind, as long as there is some."""
    if not isinstance(answer, str) or not answer.strip():
        raise UnreadableError(f"{answer!r}")
    return answer.strip()


def parse_optional(answer: str) -> str | None:
    """Read text, or the word for there being none."""
    text = parse_text(answer)
    return None if text == Nothing.NONE.value else text


def parse_line(answer: str, most: int = 300) -> str:
    """Read text that has to fit one line."""
    line = parse_text(answer)
    if "\n" in line or len(line) > most:
        raise UnreadableError(f"{line[:most]!r}")
    return line


def parse_label(answer: str, labels: type[E]) -> tuple[E, str]:
    """Read the label at the head of an answer, and what follows it.

    A label that ends in a colon needs a text behind it; any other stands alone on its line.
    """
    answer = answer.strip()
    first, _, rest = answer.partition("\n")
    for label in labels:
        value = str(label.value)
        if value.endswith(":"):
            text = answer.removeprefix(value).strip()
            if answer.startswith(value) and text:
                return label, text
        elif first.strip() == value:
            return label, rest.strip()
    raise UnreadableError(f"{first!r}")


def parse_word(value: object, words: type[E]) -> E:
    """Read one word of a fixed set."""
    try:
        return words(value)
    except ValueError:
        raise UnreadableError(f"{value!r}") from None


def parse_score(value: object, low: Bound, high: Bound) -> int:
    """Read a whole number on a scale, be it JSON or text."""
    if isinstance(value, str):
        value = load_json(value)
    if type(value) is not int or not int(low.value) <= value <= int(high.value):
        raise UnreadableError(f"{value!r}")
    return value


def parse_strings(answer: str) -> list[str]:
    """Read a JSON array of strings, none of them blank."""
    found = load_json(answer)
    if not isinstance(found, list):
        raise UnreadableError(f"{answer!r}")
    return [parse_text(text) for text in found]


def parse_numbers(found: object, count: int) -> list[int]:
    """Read numbers from a list of `count` entries; the indexes returned count from 0."""
    if not isinstance(found, list) or any(type(number) is not int for number in found):
        raise UnreadableError(f"{found!r}")
    if unknown := [number for number in found if not 1 <= number <= count]:
        raise UnreadableError(f"{unknown[0]} ?")
    return [number - 1 for number in dict.fromkeys(found)]


def parse_object(answer: str, *fields: Field | Key) -> list[Any]:
    """Read a JSON object and return the values of some of its keys."""
    return _values(load_json(answer), fields)


def parse_objects(answer: str, *fields: Field | Key) -> list[list[Any]]:
    """Read a JSON array of objects and return the values of some of their keys."""
    found = load_json(answer)
    if not isinstance(found, list):
        raise UnreadableError(f"{answer!r}")
    return [_values(entry, fields) for entry in found]


def _values(found: object, fields: tuple[Field | Key, ...]) -> list[Any]:
    if not isinstance(found, Mapping):
        raise UnreadableError(f"{found!r}")
    if missing := [field.bare for field in fields if field.bare not in found]:
        raise UnreadableError(f"{missing[0]} ?")
    return [found[field.bare] for field in fields]
