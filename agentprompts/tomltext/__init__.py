"""TOML text with positions: what tomllib reads, and where each key and each character stands.

- `reader` bytes to data, strictly, every fault with its place
- `positions` where keys and values stand, down to each character of a multi-line string
- `writer` one text as TOML, and an edit of a file that leaves all else as it was
"""

from typing import TYPE_CHECKING, Any

from .reader import MOST_BYTES, MOST_DEPTH, TomlFile, decoded, read_toml, refuse_controls

if TYPE_CHECKING:
    from .positions import Positions, StringValue, locate
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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import positions, writer  # 3 ms, and not needed where a file is in order and only read

    return getattr(positions, name, None) or getattr(writer, name)
