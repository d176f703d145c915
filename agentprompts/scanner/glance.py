"""A first look at a text: most are good, and a third of the time shows it.

A fast path, and no more: where it answers False, the rules themselves decide.
"""

from __future__ import annotations

from .contract import Contract
from .slots import BRACE, FOREIGN_LEFT, Slots
from .tokens import Token, find_token, text_fault

__all__ = ["plainly_good"]

_SHORT = 500
_NO_SLOTS = Slots(BRACE, (), (), False)
_APART = frozenset(
    ["", *(sign for sign in map(chr, range(128)) if sign != "_" and not sign.isalnum())]
)
"""What joins no token to a longer word: the text's ends, and the ASCII signs but the underscore."""


def plainly_good(text: str, contract: Contract) -> bool:
    """Whether there is surely nothing to find in a text, whatever text it replaces.

    So it is without `<` and its look-alikes, with each slot in braces, and with nothing else in
    braces that begins as a slot does. 60 characters take 0.3 µs instead of 2.3, 1,500 take 4 of 7,
    and as many in Chinese 6 of 40.
    """
    if "\0" in text or "<" in text or not (text.isascii() or _plainly_foreign(text, contract)):
        return False
    written = contract.written
    if not written:
        if not contract.tokens and not text.strip():
            return False
    elif len(text) < _SHORT and text.count("{") == len(written):
        # Each bracket opens another slot, if each slot is there: none is doubled or mangled.
        for slot in written:
            if slot not in text:
                return False
    elif not _all_in_braces(text, contract):
        return False
    for token in contract.tokens:
        if not _surely_stands(text, token) and (
            token.in_names or find_token(text, token, _NO_SLOTS) < 0
        ):
            return False
    return True


def _plainly_foreign(text: str, contract: Contract) -> bool:
    """Whether a text beyond ASCII is one, with no bracket nor name beyond ASCII to look into."""
    for bracket in FOREIGN_LEFT:
        if bracket in text:
            return False
    return "".join(contract.variables).isascii() and text_fault(text) is None


def _all_in_braces(text: str, contract: Contract) -> bool:
    """Whether each slot stands in braces, and no other brace begins as a slot does."""
    names, heads, longest = contract.names, contract.heads, contract.longest
    found = set()
    at = text.find("{")
    while at >= 0:
        start = at + 1
        head = text[start : start + 1]
        if head in heads or not "!" <= head <= "~":
            end = text.find("}", start, start + longest)
            name = text[start:end]
            if end < 0 or name not in names or text[at - 1 : at] == "{":
                return False
            found.add(name)
            start = end
        at = text.find("{", start)
    return len(found) == len(names)


def _surely_stands(text: str, token: Token) -> bool:
    """Whether a token stands where it first occurs, beside nothing that could join it."""
    literal = token.literal
    at = text.find(literal)
    if at < 0 or token.in_names or text[at - 1 : at] not in _APART:
        return False
    end = at + len(literal)
    return text[end : end + 1] in _APART
