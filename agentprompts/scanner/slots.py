"""Where the declared slots of a text stand, and which brackets it writes them in."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .contract import Contract

__all__ = [
    "ANGLE",
    "BRACE",
    "FOREIGN_LEFT",
    "Slots",
    "Style",
    "find_slots",
    "guess_slots",
    "split_slots",
    "write_slot",
]

Style = Literal["{}", "<>"]
BRACE: Style = "{}"
ANGLE: Style = "<>"

FOREIGN_LEFT = "｛﹛❴＜﹤⟨"
"""Opening brackets that editors, input methods and translation engines put for `{` and `<`."""


class Slots:
    """A text taken apart at its slots.

    `parts` are the literals around them, one more than there are slots: the text is
    `parts[0]`, the slot of `names[0]`, `parts[1]`, and so on. `odd` tells whether something else
    in the text begins as a slot does and may be a mangled one.
    """

    __slots__ = ("names", "odd", "parts", "style")

    def __init__(
        self, style: Style, parts: tuple[str, ...], names: tuple[str, ...], odd: bool
    ) -> None:
        self.style = style
        self.parts = parts
        self.names = names
        self.odd = odd

    def spans(self) -> list[tuple[int, int]]:
        """Return (start, end) of each slot, brackets included, in code points."""
        spans, at = [], 0
        for part, name in zip(self.parts, self.names, strict=False):
            start = at + len(part)
            at = start + len(name) + 2
            spans.append((start, at))
        return spans


def write_slot(name: str, style: Style = BRACE) -> str:
    """Return the slot as it is written in a text.

    >>> write_slot("goal"), write_slot("goal", ANGLE)
    ('{goal}', '<goal>')
    """
    return style[0] + name + style[1]


def find_slots(text: str, contract: Contract) -> Slots:
    """Take a text apart at its declared slots (DESIGN, rules 1 to 3).

    One text uses one style: braces if any declared slot stands in braces, else angle brackets.

    >>> from agentprompts.scanner import Contract
    >>> find_slots('{"op": {op}} as <op>', Contract(["op"])).parts
    ('{"op": ', '} as <op>')
    """
    braces = split_slots(text, contract, BRACE)
    if braces.names and "<" not in text:
        return braces
    angles = split_slots(text, contract, ANGLE)
    if angles.names and not braces.names:
        return Slots(ANGLE, angles.parts, angles.names, angles.odd or braces.odd)
    # Angle brackets in a text of braces are literal, and worth a look all the same.
    odd = braces.odd or angles.odd or bool(angles.names)
    return Slots(BRACE, braces.parts, braces.names, odd)


def guess_slots(text: str) -> list[str]:
    """Return the names that a text of unknown contract seems to have slots for, in their order.

    What stands in single braces and is a name: a guess, for a person to confirm.

    >>> guess_slots('Ask {query} as {"a": {{x}}}, {2}')
    ['query']
    """
    names: dict[str, None] = {}
    before = ""
    for piece in text.split("{"):
        name, closed, rest = piece.partition("}")
        doubled = before == "" and rest.startswith("}")
        if closed and name.isidentifier() and not doubled:
            names[name] = None
        before = piece
    return list(names)


def split_slots(text: str, contract: Contract, style: Style) -> Slots:
    """Take a text apart at the slots that it writes in one style, whichever it uses."""
    # Splitting on the opening bracket, and looking closer only at pieces whose first character
    # can begin a declared name, costs about twice the bare `str.split`; a regular expression
    # over the whole text costs ten times as much (20 kB, 12 slots).
    left, right = style
    pieces = text.split(left)
    names, heads = contract.names, contract.heads
    parts: list[str] = []
    found: list[str] = []
    done, at, odd = 0, len(pieces[0]), False
    for piece in islice(pieces, 1, None):
        if piece[:1] in heads:
            end = piece.find(right)
            if (name := piece[:end]) in names and end > 0:
                after = at + end + 2
                # One more bracket of its kind on both sides makes it literal.
                if at == 0 or text[at - 1] != left or text[after : after + 1] != right:
                    parts.append(text[done:at])
                    found.append(name)
                    done = after
                else:
                    odd = True
            else:
                odd = True
        at += len(piece) + 1
    parts.append(text[done:])
    return Slots(style, tuple(parts), tuple(found), odd)
