"""TOML text with positions: what tomllib reads, and where each key and each character stands.

- `reader` bytes to data, strictly, every fault with its place
- `positions` where keys and values stand, down to each character of a multi-line string
- `writer` one text as TOML, and an edit of a file that leaves all else as it was
"""

from .positions import MOST_DEPTH, Positions, StringValue, locate
from .reader import MOST_BYTES, TomlFile, decoded, read_toml, refuse_controls
from .writer import quote_key, quote_text, replace_text, splice

__all__ = [
    "MOST_BYTES",
    "MOST_DEPTH",
    "Positions",
    "StringValue",
    "TomlFile",
    "decoded",
    "locate",
    "quote_key",
    "quote_text",
    "read_toml",
    "refuse_controls",
    "replace_text",
    "splice",
]
