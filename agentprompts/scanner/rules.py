"""The one verdict on a text: `check`. Whatever brings a text in, a door, calls it."""

from __future__ import annotations

from dataclasses import replace

from ..diagnostics import Diagnostic, place_at
from .contract import Contract
from .glance import plainly_good
from .slots import ANGLE, BRACE, Slots, find_slots, split_slots, write_slot
from .tokens import find_token, text_fault

__all__ = ["check"]


def check(text: object, contract: Contract, base: str | None = None) -> list[Diagnostic]:
    """Return what is wrong with a text; an empty list means that it may take effect.

    Args:
        text: The new text. Anything but a `str` is a finding, too.
        contract: What it must hold.
        base: The text that it replaces or translates, which already honours the contract. Without
            one, the text is a source, and only what is missing counts (DESIGN, rules 9 and 10).

    >>> [found.message for found in check("The question is above.", Contract(["query"]))]
    ["the slot '{query}' does not stand in the text"]
    """
    if type(text) is str and plainly_good(text, contract):
        return []
    if not isinstance(text, str):
        return [_fault("text-type", f"the text is {text!r}, which is no str", "pass a str")]
    if (broken := text_fault(text)) is not None:
        what, at = broken
        fault = _fault("text-invalid", f"the text {what} at offset {at}", "take the character out")
        return [replace(fault, place=place_at(text, at), offset=at)]
    if base and base.strip() and not text.strip():
        return [
            _fault(
                "text-empty",
                "the text is empty",
                "write a text; to go back to the default, take this entry out",
            )
        ]
    slots = find_slots(text, contract)
    if base is not None and slots.style == ANGLE and slots.names:
        slots = _kept_style(text, contract, slots, base)
    missing = [name for name in contract.variables if name not in slots.names]
    absent = [token for token in contract.tokens if find_token(text, token, slots) < 0]
    found: list[Diagnostic] = []
    if missing or absent:
        # Slow, and needed after a miss only.
        from .nearmiss import explain_slots, explain_tokens

        found += explain_slots(text, contract, slots, missing, base)
        found += explain_tokens(text, absent, slots)
    if slots.style == ANGLE and slots.names:
        found += _closed(text, slots)
    if base is not None and contract.names:
        found += _mangled(text, contract, slots, base, frozenset(missing))
    return found


def _fault(code: str, message: str, mend: str) -> Diagnostic:
    return Diagnostic(code=code, message=message, mend=mend)


def _kept_style(text: str, contract: Contract, slots: Slots, base: str) -> Slots:
    """Read angle brackets as plain text where `base` has the same ones as plain text.

    `under <messages>: {messages}` without its slot has not changed its style; it lost the slot.
    """
    before = find_slots(base, contract)
    if before.style == BRACE and before.names and split_slots(base, contract, ANGLE).names:
        return split_slots(text, contract, BRACE)
    return slots


def _closed(text: str, slots: Slots) -> list[Diagnostic]:
    """Find slots in angle brackets that have a closing tag, and so may be meant as tags."""
    return [
        Diagnostic(
            code="slot-ambiguous",
            message=f"'<{name}>' is a slot here, and '</{name}>' closes it like a tag",
            why="one of the two readings would lose a part of the text",
            mend=f"write the slots of this text in braces: '{{{name}}}'",
            subject=name,
            place=place_at(text, at),
            offset=at,
        )
        for name in dict.fromkeys(slots.names)
        if (at := text.find(f"</{name}>")) >= 0
    ]


def _mangled(
    text: str, contract: Contract, slots: Slots, base: str, missing: frozenset[str]
) -> list[Diagnostic]:
    """Find broken copies of slots that stand beside good ones, and that `base` does not have."""
    if not slots.odd and text.isascii():
        return []
    from .nearmiss import mangled_slots

    known: set[str] | None = None
    found = []
    for near in mangled_slots(text, contract, slots):
        if near.name in missing:
            continue  # explained already
        if known is None:
            before = mangled_slots(base, contract, find_slots(base, contract))
            known = {old.written for old in before}
        if near.written not in known:
            found.append(
                Diagnostic(
                    code="slot-mangled",
                    message=f"{near.written!r} is no slot: {near.reason}",
                    why="the text that this one replaces has no such string",
                    mend=f"write {write_slot(near.name, slots.style)!r}",
                    subject=near.name,
                    fix=near.certain(),
                    place=place_at(text, near.offset),
                    offset=near.offset,
                )
            )
    return found
