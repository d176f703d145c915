"""What a translation was made from: so that a changed source text is noticed, and can be shown.

It stands in `packs/.state/<locale>.toml`, where no translation tool offers it as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from .tomltext import TomlFile

__all__ = ["Made", "read_state", "stale_texts", "updated", "write_state"]


@dataclass(frozen=True, slots=True)
class Made:
    """How one text was made.

    Args:
        source: Fingerprint of the source text that it was translated from.
        text: Fingerprint of the translation, as it was when this was written down.
        translated: The source text itself.
    """

    source: str
    text: str
    translated: str


def fingerprint(text: str) -> str:
    """Return sixteen hexadecimal digits that stand for a text."""
    return blake2b(text.encode(), digest_size=8).hexdigest()


def made_from(source: str, text: str) -> Made:
    """Return how a text was made that has just been translated."""
    return Made(fingerprint(source), fingerprint(text), source)


def read_state(file: TomlFile | None) -> dict[str, Made]:
    """Return what is written down, by key; what is none of ours is passed over."""
    found = {}
    for key, entry in (file.data if file is not None else {}).items():
        if isinstance(entry, Mapping):
            values = [entry.get(name) for name in ("source", "text", "translated")]
            if all(isinstance(value, str) for value in values):
                found[key] = Made(*map(str, values))
    return found


def write_state(state: Mapping[str, Made]) -> str:
    """Return the file's text."""
    import tomli_w

    data = {
        key: {"source": made.source, "text": made.text, "translated": made.translated}
        for key, made in state.items()
    }
    head = "# Written by `agentprompts update`: which source text each text was translated from.\n"
    # In a string of many lines, a carriage return would be read back as a line's end.
    lines = not any("\r" in made.translated for made in state.values())
    return head + tomli_w.dumps(data, multiline_strings=lines)


def stale_texts(
    state: Mapping[str, Made], sources: Mapping[str, str], texts: Mapping[str, str]
) -> dict[str, str]:
    """Return the source text that each stale text was translated from, by key.

    A text that was changed since it was written down counts as translated anew.
    """
    return {
        key: made.translated
        for key, made in state.items()
        if key in texts
        and key in sources
        and made.text == fingerprint(texts[key])
        and made.source != fingerprint(sources[key])
    }


def updated(
    state: Mapping[str, Made],
    sources: Mapping[str, str],
    texts: Mapping[str, str],
    confirmed: frozenset[str] = frozenset(),
) -> dict[str, Made]:
    """Return what to write down: new and changed texts as made from today's source.

    Args:
        state: What is written down.
        sources: The source texts of today by key.
        texts: The translations by key, without those that only hold a place.
        confirmed: Stale texts that a translator has found to be right as they are.
    """
    stale = stale_texts(state, sources, texts)
    return {
        key: state[key] if key in stale and key not in confirmed else made_from(sources[key], text)
        for key, text in texts.items()
        if key in sources
    }
