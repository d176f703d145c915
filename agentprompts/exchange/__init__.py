"""Texts in other forms, and back.

- `pseudo` the pseudo-locale
- `texts` JSON, and a catalog from other people's JSON of prompts
- `po` gettext's PO files
- `schema` a JSON Schema of packs, for editors
"""

from .po import PoText, read_po, write_po
from .pseudo import PSEUDO_LOCALE, pseudo_text
from .schema import write_schema
from .texts import contracts_for, read_json, write_json

__all__ = [
    "PSEUDO_LOCALE",
    "PoText",
    "contracts_for",
    "pseudo_text",
    "read_json",
    "read_po",
    "write_json",
    "write_po",
    "write_schema",
]
