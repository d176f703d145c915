"""The catalog in memory: key to template, shared between copies until they differ.

- `registry` `PromptRegistry`, the one class that users meet
- `handles` a live handle on one prompt, and where a text is from
- `state` what a registry points at, and how copies share it
- `localepacks` the texts of other locales, read when first asked for
- `views` the registry in one locale, under one namespace, or pinned
- `compare` fingerprints and differences
"""

from .compare import RegistryDiff
from .handles import Origin, PromptRef
from .localepacks import LocalePacks
from .registry import PromptRegistry
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
