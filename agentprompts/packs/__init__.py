"""The shipped packs by name: every text of the default catalog in another language.

>>> from agentprompts.packs import CHINESE_PROMPTS, chinese_registry
>>> len(CHINESE_PROMPTS) == len(chinese_registry())
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..catalog import DEFAULT_PROMPTS, default_directory, read_pack_file
from ..errors import PromptError
from ..locales import canonical
from ..registry import PromptRegistry

__all__ = ["CHINESE_PROMPTS", "available_locales", "chinese_registry", "load_pack"]

if TYPE_CHECKING:
    CHINESE_PROMPTS: Mapping[str, str]
    """Every text of the default catalog in simplified Chinese, by key; read-only."""


def available_locales() -> tuple[str, ...]:
    """Return the locales that the default catalog has texts in, the source's included."""
    return DEFAULT_PROMPTS.locales


def load_pack(locale: str) -> dict[str, str]:
    """Return the texts of a shipped pack by key, as they stand in its file.

    Args:
        locale: One of `available_locales()`, in any spelling.

    Raises:
        PromptError: There is no such pack.
    """
    tag = canonical(locale)
    if tag not in available_locales():
        known = ", ".join(available_locales())
        raise PromptError(f"There is no pack {locale!r}; there are {known}")
    return dict(read_pack_file(default_directory(), tag).texts)


def chinese_registry() -> PromptRegistry:
    """Return a new registry of the default prompts with every text in simplified Chinese."""
    return DEFAULT_PROMPTS.with_overrides(_chinese())


@cache
def _chinese() -> Mapping[str, str]:
    return MappingProxyType(load_pack("zh-Hans"))


def __getattr__(name: str) -> Mapping[str, str]:
    if name == "CHINESE_PROMPTS":  # read on first use, as everything of the catalog is
        return _chinese()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
