"""A catalog of localized prompt templates whose slots and protocol tokens are protected."""

from typing import TYPE_CHECKING, Any

from .agent import PromptsMixin
from .catalog import DEFAULT_PROMPTS, load_catalog
from .diagnostics import Diagnostic, Place
from .errors import PromptError, PromptWarning, UnknownPromptError
from .registry import Origin, PromptRef, PromptRegistry
from .template import PromptTemplate

if TYPE_CHECKING:
    from .registry import LocalizedRegistry, PromptNamespace

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


def __getattr__(name: str) -> Any:  # the views, which a registry imports on use, too
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .registry import views

    return getattr(views, name)
