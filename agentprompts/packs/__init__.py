"""The shipped packs by name: every text of the default catalog in another language.

>>> from agentprompts.packs import CHINESE_PROMPTS, chinese_registry
>>> len(CHINESE_PROMPTS) == len(chinese_registry())
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ..catalog import DEFAULT_PROMPTS, default_directory, read_pack_file
from ..locales import canonical
from ..registry import PromptRegistry

__all__ = ["CHINESE_PROMPTS", "available_locales", "chinese_registry", "load_pack"]

if TYPE_CHECKING:
    CHINESE_PROMPTS: Mapping[str, str]


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
    return dict(read_pack_file(default_directory(), canonical(locale)).texts)


def chinese_registry() -> PromptRegistry:
    """Return a new registry of the default prompts with every text in simplified Chinese."""
    return DEFAULT_PROMPTS.with_overrides(_chinese())


@cache
def _chinese() -> dict[str, str]:
    return load_pack("zh-Hans")


def __getattr__(name: str) -> Mapping[str, str]:
    if name == "CHINESE_PROMPTS":  # read on first use, as everything of the catalog is
        return _chinese()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
