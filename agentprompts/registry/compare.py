"""Which exact set of texts this is, and what differs between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["RegistryDiff", "diff_texts", "fingerprint"]


class RegistryDiff(NamedTuple):
    """What changed from one set of texts to another. False where nothing did."""

    added: dict[str, str]
    """Texts of keys that only the second has."""
    removed: dict[str, str]
    """Texts of keys that only the first has."""
    changed: dict[str, tuple[str, str]]
    """(before, after) of keys that both have."""

    def __bool__(self) -> bool:
        return any(self[:])


def diff_texts(old: Mapping[str, str], new: Mapping[str, str]) -> RegistryDiff:
    """Compare two sets of texts by key.

    >>> diff_texts({"a": "1", "b": "2"}, {"b": "3", "c": "4"})
    RegistryDiff(added={'c': '4'}, removed={'a': '1'}, changed={'b': ('2', '3')})
    """
    return RegistryDiff(
        {key: text for key, text in new.items() if key not in old},
        {key: text for key, text in old.items() if key not in new},
        {k: (old[k], text) for k, text in new.items() if k in old and old[k] != text},
    )


def fingerprint(texts: Mapping[str, str]) -> str:
    """Return 32 hexadecimal digits that differ as soon as a key or a text does.

    The order of the keys does not count; lengths stand before the strings, so that no two sets
    spell the same bytes.
    """
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for key in sorted(texts):
        for part in (key, texts[key]):
            data = part.encode()
            digest.update(b"%d:" % len(data))
            digest.update(data)
    return digest.hexdigest()
