"""The catalog in memory: key to template, shared between copies until they differ.

- `registry` `PromptRegistry`, the one class that users meet, and `PromptRef`
- `state` what a registry points at, and how copies share it
- `localepacks` the texts of other locales, read when first asked for
- `views` the registry in one locale, under one namespace, or pinned
- `compare` fingerprints and differences
"""

from .compare import RegistryDiff
from .localepacks import LocalePacks
from .registry import Origin, PromptRef, PromptRegistry
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
