"""A catalog of localized prompt templates whose slots and protocol tokens are protected."""

from .diagnostics import Diagnostic, Place
from .errors import PromptError, UnknownPromptError
from .registry import Origin, PromptNamespace, PromptRef, PromptRegistry
from .template import PromptTemplate

__all__ = [
    "Diagnostic",
    "Origin",
    "Place",
    "PromptError",
    "PromptNamespace",
    "PromptRef",
    "PromptRegistry",
    "PromptTemplate",
    "UnknownPromptError",
]
