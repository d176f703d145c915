"""The terms of a glossary: words that stay as they are in every language, such as `JSON`.

They stand by the rules of tokens, but no parser looks for them: a translation may inflect them.
"""

from __future__ import annotations

from collections.abc import Iterable

from .contract import Contract
from .slots import Slots, find_slots
from .tokens import Token, find_token

__all__ = ["find_terms", "holds_term"]


def find_terms(text: str, contract: Contract, glossary: Iterable[str]) -> tuple[Token, ...]:
    """Return the terms that stand in a text as words; the contract's tokens are not among them.

    >>> find_terms("As JSON, no JSONL", Contract(), ["JSON", "JSONL", "Python"])[1].literal
    'JSONL'
    """
    left = [term for term in glossary if term not in contract.protected]
    if not left:
        return ()
    slots = find_slots(text, contract)
    terms = Contract(contract.variables, left).tokens
    return tuple(term for term in terms if find_token(text, term, slots) >= 0)


def holds_term(text: str, term: Token, slots: Slots) -> bool:
    """Whether a term stands in a translation, with whatever ending its language gives it.

    >>> contract = Contract((), ["JSON"])
    >>> texts = "JSON'u", "JSON-Objekt", "v JSONu", "使用JSON格式", "GEOJSON"
    >>> [holds_term(text, contract.tokens[0], find_slots(text, contract)) for text in texts]
    [True, True, True, True, False]
    """
    any_ending = Token(term.literal, term.in_names)
    any_ending.after = ""
    return find_token(text, any_ending, slots) >= 0
