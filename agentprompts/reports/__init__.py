"""Findings as text, one renderer a format: all are given the same diagnostics.

- `text` for people: the line with a caret under it, the reason, the mend
- `machines` one line each, JSON, SARIF 2.1.0, GitHub annotations
"""

from collections.abc import Callable, Mapping, Sequence

from ..diagnostics import Diagnostic
from .machines import concise, github, json_list, sarif
from .text import full

__all__ = ["FORMATS", "concise", "full", "github", "json_list", "sarif"]

FORMATS: dict[str, Callable[[Sequence[Diagnostic], Mapping[str, str]], str]] = {
    "text": full,
    "concise": concise,
    "json": json_list,
    "sarif": sarif,
    "github": github,
}
"""Renderers by name. Each takes the findings, and the texts of the files they stand in by name."""
