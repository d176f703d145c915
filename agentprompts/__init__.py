"""A catalog of localized prompt templates whose slots and protocol tokens are protected."""

from .agent import PromptsMixin
from .catalog import DEFAULT_PROMPTS, load_catalog
from .diagnostics import Diagnostic, Place
from .errors import PromptError, PromptWarning, UnknownPromptError
from .registry import LocalizedRegistry, Origin, PromptNamespace, PromptRef, PromptRegistry
from .template import PromptTemplate

__all__ = [
    "DEFAULT_PROMPTS",
    "Diagnostic",
    "LocalizedRegistry",
    "Origin",
    "Place",
    "PromptError",
    "PromptNamespace",
    "PromptRef",
    "PromptRegistry",
    "PromptTemplate",
    "PromptWarning",
    "PromptsMixin",
    "UnknownPromptError",
    "load_catalog",
]
