"""The rules of a text: which parts are slots, whether a protocol token stands, what is wrong.

This package is the only place that searches a text for a slot or a token. Every door through which
a text can come (a constructor, an override, a pack, a file) calls `check`.

- `contract` what a text must hold: slots, tokens, a note for translators
- `slots` where the declared slots stand, and which brackets the text writes them in
- `tokens` whether a protocol token stands as a word of its own
- `terms` the same for the words of a glossary, inflected ones included
- `keys` what a key may look like
- `rules` `check`, the one verdict on a text
- `glance` a first look that settles most texts
- `nearmiss` why something is missing: what stands there instead, and how to mend it
"""

from .contract import Contract
from .keys import key_faults
from .rules import check
from .slots import Slots, find_slots, guess_slots
from .terms import find_terms, holds_term
from .tokens import find_token, find_tokens

__all__ = [
    "Contract",
    "Slots",
    "check",
    "find_slots",
    "find_terms",
    "find_token",
    "find_tokens",
    "guess_slots",
    "holds_term",
    "key_faults",
]
