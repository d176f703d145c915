"""One text as TOML, and an edit of a file that leaves all its other bytes as they were."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

from ..errors import PromptError
from .positions import Path, locate

__all__ = ["quote_key", "quote_text", "replace_text", "splice"]

# What TOML 1.0 lets stand in a literal string: all but these. A CR would be read as LF after LF.
_NOT_LITERAL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOT_BASIC = re.compile(r'[\x00-\x08\x0b-\x1f\x7f"\\]')
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NAMED = {"\b": "\\b", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def quote_key(parts: Iterable[str]) -> str:
    """Return a key as TOML has it, its parts bare where they can be.

    >>> quote_key(["tool", "a b"])
    'tool."a b"'
    """
    return ".".join(
        part if _BARE.fullmatch(part) else f'"{_escaped(part)}"'.replace("\n", "\\n")
        for part in parts
    )


def quote_text(text: str, literal: bool = True) -> str:
    """Return a text as a TOML string.

    Args:
        text: Any text without lone surrogates.
        literal: Whether to write it in `'` or `'''` where it can stand there unescaped.

    >>> print(quote_text('{"op": "ADD"}'))
    '{"op": "ADD"}'
    >>> print(quote_text("it's\\ntwo lines"))
    '''
    it's
    two lines'''
    """
    if literal and _NOT_LITERAL.search(text) is None:
        if "\n" not in text and "'" not in text:
            return f"'{text}'"
        if "'''" not in text and not text.endswith("'"):
            return f"'''\n{text}'''"
    escaped = _escaped(text)
    return f'"""\n{escaped}"""' if "\n" in text else f'"{escaped}"'


def _escaped(text: str) -> str:
    return _NOT_BASIC.sub(lambda match: _NAMED.get(match[0], f"\\u{ord(match[0]):04X}"), text)


def replace_text(source: str, path: Path, text: str) -> str:
    """Return a TOML text with one of its strings replaced, and every other character kept.

    Args:
        source: The file's text, whatever its line ends; the new text's are made the same.
        path: The parts of the string's key.
        text: The new text. It is quoted as the old one was, literally or not, where it can be.

    Raises:
        PromptError: There is no string under this key.
    """
    unix = source.replace("\r\n", "\n")
    found = locate(unix).strings.get(path)
    if found is None:
        raise PromptError(f"Cannot edit: no text under the key {'.'.join(map(str, path))!r}")
    old = unix[found.start : found.end]
    quoted = quote_text(text, literal=old[0] == "'")
    if old.startswith("'''") and quoted.startswith("'") and not quoted.startswith("'''"):
        # A text of one line in the quotes of many stays there.
        quoted = f"'''{chr(10) if old[3] == chr(10) else ''}{text}'''"
    return splice(source, [(found.start, found.end, quoted)])


def splice(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with stretches of it replaced, and every other character kept.

    Args:
        source: The file's text, whatever its line ends; those of what is put in are made the same.
        edits: (start, end, new text), in code points of the text with LF, none over another.
    """
    # Each CRLF before an offset moves it by a character.
    ends = [match.start() - number for number, match in enumerate(re.finditer("\r\n", source))]
    parts, done = [], 0
    for start, end, new in sorted(edits):
        first, last = (at + bisect_left(ends, at) for at in (start, end))
        parts += [source[done:first], new.replace("\n", "\r\n") if ends else new]
        done = last
    return "".join([*parts, source[done:]])
