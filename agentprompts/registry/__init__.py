"""The catalog in memory: key to template, shared between copies until they differ.

- `registry` `PromptRegistry`, the one class that users meet
- `handles` a live handle on one prompt, and where a text is from
- `faults` what it says of a key that it cannot take
- `state` what a registry points at, and how copies share it
- `localepacks` the texts of other locales, read when first asked for
- `views` the registry in one locale, under one namespace, or pinned
- `compare` fingerprints and differences
"""

from typing import TYPE_CHECKING, Any

from .handles import Origin, PromptRef
from .localepacks import LocalePacks
from .registry import PromptRegistry

if TYPE_CHECKING:
    from .compare import RegistryDiff
    from .views import LocalizedRegistry, PromptNamespace

__all__ = [
    "LocalePacks",
    "LocalizedRegistry",
    "Origin",
    "PromptNamespace",
    "PromptRef",
    "PromptRegistry",
    "RegistryDiff",
]


def __getattr__(name: str) -> Any:  # on use: together they are a tenth of the start-up
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import compare, views

    return getattr(views, name, None) or getattr(compare, name)
