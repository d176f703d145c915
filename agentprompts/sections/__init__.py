"""A system prompt as an ordered set of addressable sections.

- `section` a section: its place, its body, and when it is there
- `assembled` the prompt that sections make, its origins, and the forms that hosts send
- `builder` named sections, modes derived from it, and nothing made twice
- `plugins` sections that plugins add while a program runs
- `defaults` the sections of a coding agent's prompt, from the default catalog
"""

from .assembled import AssembledPrompt, Part, Span, assemble
from .builder import PromptBuilder
from .defaults import CodingContext, GitState, Tool, default_builder, plan_builder
from .plugins import PluginSections
from .section import Band, Body, FromCatalog, Piece, Section

__all__ = [
    "AssembledPrompt",
    "Band",
    "Body",
    "CodingContext",
    "FromCatalog",
    "GitState",
    "Part",
    "Piece",
    "PluginSections",
    "PromptBuilder",
    "Section",
    "Span",
    "Tool",
    "assemble",
    "default_builder",
    "plan_builder",
]
