"""Checks of a text against its source, one class each, by topic.

- `base` what a check is, and what it looks at
- `structure` counts, JSON examples, fences, tags, headings, lists, addresses
- `characters` edges, invisible characters, normal form, broken encodings, numbers
- `codes` what every code of a finding means
- `language` terms, untranslated, in another script, much shorter or longer

What makes a text an error, a missing slot or token, is judged by `scanner.check`; these look at
all else. They find, and never print.
"""

from ..diagnostics import Diagnostic
from .base import Check, Unit
from .characters import EdgeSpace, Invisible, Mojibake, NotNormal, Numbers
from .language import Glossary, Length, Unchanged, WrongScript
from .structure import (
    CodeFence,
    Heading,
    JsonExample,
    NumberedList,
    SlotCount,
    SlotDoubled,
    SlotUnknown,
    TokenCount,
    Url,
    XmlTag,
)

__all__ = ["ALL_CHECKS", "STRUCTURE", "Check", "Unit", "review"]

STRUCTURE: tuple[Check, ...] = (
    TokenCount(),
    SlotCount(),
    SlotDoubled(),
    SlotUnknown(),
    JsonExample(),
    CodeFence(),
    XmlTag(),
    Heading(),
    NumberedList(),
    Url(),
    Numbers(),
)
"""The checks that compare form, whatever the two languages are."""

ALL_CHECKS: tuple[Check, ...] = (
    *STRUCTURE,
    EdgeSpace(),
    Invisible(),
    NotNormal(),
    Mojibake(),
    Glossary(),
    Unchanged(),
    WrongScript(),
    Length(),
)
"""Every check of a text, in the order of its findings."""


def review(unit: Unit) -> list[Diagnostic]:
    """Return everything to be said about a text: first errors against its contract, then the rest.

    >>> from agentprompts import PromptTemplate
    >>> source = PromptTemplate("ADD or NOOP; ADD if new.", protected=["ADD", "NOOP"])
    >>> unit = Unit("memory.pick", "de", source, "ADD oder NOOP; wenn neu, hinzufügen.")
    >>> [found.message for found in review(unit)]
    ["'ADD' stands 1 times here, 2 times in the source"]
    """
    faults = unit.source.check(unit.text)
    found = [fault.at(key=unit.key, locale=unit.locale) for fault in faults]
    if any(fault.code in ("text-type", "text-invalid", "text-empty") for fault in found):
        return found
    return [*found, *(finding for check in ALL_CHECKS for finding in check.find(unit))]
