"""Reading a text as an eye does: look-alikes, invisible characters, case and width made equal."""

from __future__ import annotations

import unicodedata

__all__ = ["Folded", "describe", "fold", "oddities", "skeleton"]

# Letters of other scripts that look like Latin ones; after the intent of Unicode's confusables
# (UTS #39), cut down to what keyboards of those languages put into words by accident.
_LOOKALIKE = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХЗаеѕіјорсухԁһ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιν" + "ƖⅠ" + "ՕՏոս",
        "ABESIJKMHOPCTYX3aesijopcyxdh" + "ABEZHIKMNOPTYXoiv" + "lI" + "OSnu",
        strict=True,
    )
)
_DOTLESS = {"İ": "i", "ı": "i", "ſ": "s"}
_BRACKETS = {
    **dict.fromkeys("❴", "{"),
    **dict.fromkeys("❵", "}"),
    **dict.fromkeys("〈⟨‹«《", "<"),
    **dict.fromkeys("〉⟩›»》", ">"),
}
_JOINTS = frozenset("-‐‑‒–—_ \t\n·.")


class Folded(str):
    """A folded text that knows which code point of the original each of its characters was."""

    origin: list[int]

    def slice(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) in the original of a slice of the folded text."""
        return self.origin[start], self.origin[end - 1] + 1


def fold(text: str, squeezed: bool = False) -> Folded:
    """Return the text without case, width, accents, invisible characters and look-alikes.

    Args:
        text: Any text.
        squeezed: Whether to drop hyphens, blanks, dots and underscores, too.

    >>> fold("АDD me")  # the first letter is Cyrillic
    'add me'
    """
    out: list[str] = []
    origin: list[int] = []
    for at, char in enumerate(text):
        plain = _plain(char)
        if squeezed and plain in _JOINTS:
            continue
        for folded in unicodedata.normalize("NFKD", plain).casefold():
            if unicodedata.category(folded)[0] != "M":
                out.append(folded)
                origin.append(at)
    result = Folded("".join(out))
    result.origin = origin
    return result


def skeleton(text: str) -> str:
    """Return a name without blanks, invisible characters and look-alikes, its case kept."""
    if text.isascii():
        return "".join(text.split())
    plain = "".join(_plain(char) for char in text if not char.isspace())
    return unicodedata.normalize("NFKC", plain)


def _plain(char: str) -> str:
    """Return what the eye takes one character for; nothing for an invisible one."""
    if char.isascii():
        return char
    if unicodedata.category(char) == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""
    known = _LOOKALIKE.get(char) or _DOTLESS.get(char) or _BRACKETS.get(char)
    return known or unicodedata.normalize("NFKC", char)


def describe(char: str) -> str:
    """Return a character's code point and name.

    >>> describe("\\u200b")
    'U+200B ZERO WIDTH SPACE'
    """
    return f"U+{ord(char):04X} {unicodedata.name(char, 'without a name')}"


def oddities(text: str, offset: int, written: str, wanted: str) -> str:
    """Return in words how `written`, at `offset` of `text`, differs from `wanted`."""
    start = offset - text.rfind("\n", 0, offset)
    notes = [
        f"{_name(char)} stands at column {start + at}{_instead(char, wanted)}"
        if "\n" not in written
        else f"{_name(char)} stands in it"
        for at, char in enumerate(written)
        if char not in wanted and char.casefold() not in wanted.casefold()
    ]
    if len(notes) > 3:
        notes[2:] = [f"and {len(notes) - 2} more such characters"]
    if notes:
        return "; ".join(notes)
    if written.casefold() == wanted.casefold():
        return f"the case of its letters is not that of {wanted!r}"
    return f"it is not {wanted!r}, letter by letter"


def _name(char: str) -> str:
    if char == " ":
        return "a space"
    return repr(char) if char.isascii() and char.isprintable() else describe(char)


def _instead(char: str, wanted: str) -> str:
    plain = _plain(char)
    return f" instead of {plain!r}" if plain and plain != char and plain in wanted else ""
