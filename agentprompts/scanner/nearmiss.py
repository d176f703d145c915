"""Why a slot or a token is missing: what stands there instead, and how to mend it.

Called only after something was missed, or where a text looks as if a slot in it were broken; so
this module may be slow, and imports `regex` for what `re` cannot tell: marks and letters of any
script (`\\p{M}`, `\\p{L}`), which a translated slot's name consists of.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from bisect import bisect_right
from typing import NamedTuple

import regex

from ..diagnostics import Diagnostic, place_at
from .contract import Contract
from .fold import Folded, describe, fold, oddities, skeleton
from .slots import ANGLE, BRACE, FOREIGN_LEFT, Slots, Style, find_slots, split_slots, write_slot
from .tokens import Token, occurrences

__all__ = [
    "Near",
    "doubled_slots",
    "explain_slots",
    "explain_tokens",
    "mangled_slots",
    "unknown_slots",
]

# Brackets that editors, input methods and translation engines put for `{}` and `<>`.
_LEFT = "{<" + FOREIGN_LEFT
_RIGHT = "}｝﹜❵>＞﹥⟩"
# Those that quote a word or enclose an aside, too: worth naming where a slot is missing, and no
# mangled copy of one that is there.
_OTHER_LEFT, _OTHER_RIGHT = "[(（【「〈‹«《", "])）】」〉›»》"

_KIND: dict[Style, str] = {BRACE: "braces", ANGLE: "angle brackets"}

_BRACED = re.compile(rf"[{_LEFT}][^{_LEFT}{_RIGHT}]{{1,120}}[{_RIGHT}]")
_BRACKETED = regex.compile(
    rf"{_BRACED.pattern}"
    rf"|[\[(（【「〈‹«《][^{_LEFT}{_RIGHT}\[\]()（）【】「」〈〉‹›«»《》]{{1,120}}[\])）】」〉›»》]"
)
_NAME = regex.compile(r"[\s\p{Cf}]*([\p{L}_][\p{L}\p{M}\p{N}_]*)[\s\p{Cf}]*")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}_]")
_MOST_CANDIDATES = 50


class Near(NamedTuple):
    """What stands in a text where a slot was meant."""

    name: str
    written: str
    offset: int
    reason: str
    mend: str | None = None
    code: str = "slot-mangled"
    fix: str | None = None
    """What to write instead of `written`, where that is certain."""

    def certain(self) -> tuple[int, int, str] | None:
        """Return the mend as (start, end, replacement)."""
        if self.fix is None:
            return None
        return self.offset, self.offset + len(self.written), self.fix


def explain_slots(
    text: str, contract: Contract, slots: Slots, missing: list[str], base: str | None
) -> list[Diagnostic]:
    """Return a finding for each missing slot, with its near miss where the text has one."""
    if not slots.names and base is not None:
        slots = Slots(find_slots(base, contract).style, slots.parts, slots.names, slots.odd)
    strangers = unknown_slots(text, contract, base)
    found = []
    for name in missing:
        near = _nearest(text, contract, slots, name)
        near = near or _guess(name, missing, strangers, slots.style)
        if near is not None and base is not None and near.written in base:
            near = near._replace(fix=None)  # plain text of the old one, and no broken slot
        wanted = write_slot(name, slots.style)
        message = f"the slot {wanted!r} does not stand in the text"
        if near is not None:
            message += f": {near.written!r} {near.reason}"
        found.append(
            Diagnostic(
                code=near.code if near else "slot-missing",
                message=message,
                mend=(near and near.mend) or f"write {wanted!r} where its value belongs",
                subject=name,
                lacks="slot",
                fix=near.certain() if near else None,
                place=place_at(text, near.offset) if near else None,
                offset=near.offset if near else None,
            )
        )
    return found


def mangled_slots(text: str, contract: Contract, slots: Slots) -> list[Near]:
    """Return the broken copies of declared slots: wrong brackets, blanks or look-alikes inside.

    A slot in double brackets is not among them (it is literal by rule 3), nor one in another case.
    """
    good = {start for start, _ in slots.spans()}
    names = {skeleton(name): name for name in contract.variables}
    found = []
    for match in _BRACED.finditer(text):
        written, offset = match.group(), match.start()
        inner = written[1:-1]
        if offset in good:
            continue
        if inner[0] in "\"'/":
            continue  # of JSON, or a closing tag
        name = inner if inner in contract.names else names.get(skeleton(inner))
        if name is None or (inner != name and inner in contract.names):
            continue
        if _doubled(text, offset, written):
            continue
        if written in (write_slot(name, BRACE), write_slot(name, ANGLE)):
            reason = f"the slots of this text are written in {_KIND[slots.style]}"
        else:
            reason = oddities(text, offset, written, write_slot(name, slots.style))
        fix: str | None = write_slot(name, slots.style)
        if f"</{name}>" in text:
            fix = None  # a pair of tags, perhaps
        found.append(Near(name, written, offset, reason, fix=fix))
    return found


def _nearest(text: str, contract: Contract, slots: Slots, name: str) -> Near | None:
    """Return the string that most likely was meant as the slot `name`."""
    folded = fold(name)
    good = {start for start, _ in slots.spans()}
    best: tuple[int, Near] | None = None
    for match in _BRACKETED.finditer(text, overlapped=True):
        written, offset = match.group(), match.start()
        inner = written[1:-1]
        if (
            offset in good
            or fold("".join(inner.split())) != folded
            or (inner != name and inner in contract.names)
        ):
            continue
        rank, near = _judge(text, contract, slots, name, written, offset)
        if best is None or rank < best[0]:
            best = rank, near
    return best[1] if best else _half_open(text, slots, name)


def _judge(
    text: str, contract: Contract, slots: Slots, name: str, written: str, offset: int
) -> tuple[int, Near]:
    inner = written[1:-1]
    style: Style = BRACE if written[0] in "{｛﹛❴" else ANGLE
    wanted = write_slot(name, slots.style)
    if _doubled(text, offset, written):
        both = written[0] + written + written[-1]
        reason = "stands in double brackets, which make it literal"
        if inner != name:
            reason += f", and {oddities(text, offset, written, write_slot(name, style))}"
        mend = f"write {wanted!r}"
        fix: str | None = wanted
        if regex.search(r"\\[A-Za-z]+$", text[max(0, offset - 40) : offset - 1]):
            angle = f"{{{write_slot(name, ANGLE)}}}"
            mend, fix = f"to keep braces around the value, write {angle!r}", None
            if split_slots(text, contract, BRACE).names:
                mend += ", and all other slots of this text in angle brackets, too"
        return 1, Near(name, both, offset - 1, reason, mend, "slot-doubled", fix)
    if written == write_slot(name, style):
        reason = f"is plain text: the slots of this text are written in {_KIND[slots.style]}"
        return 2, Near(name, written, offset, reason, f"write {wanted!r}", "slot-style", wanted)
    reason = oddities(text, offset, written, write_slot(name, style))
    recased = inner != name and inner.casefold() == name.casefold()
    code = "slot-misspelt" if recased else "slot-mangled"
    # What stands in quotes or parentheses may be prose.
    certain = wanted if written[0] in _LEFT and not recased else None
    reason, mend = f"is no slot: {reason}", f"write {wanted!r}"
    return 0, Near(name, written, offset, reason, mend, code, certain)


def _doubled(text: str, offset: int, written: str) -> bool:
    end = offset + len(written)
    return text[offset - 1 : offset] == written[0] and text[end : end + 1] == written[-1]


def _half_open(text: str, slots: Slots, name: str) -> Near | None:
    """Find the name with a bracket on one side only, or with two the wrong way round."""
    for at in occurrences(text, name):
        end = at + len(name)
        left, right = text[at - 1 : at] if at else "", text[end : end + 1]
        if left and right and left in _RIGHT and right in _LEFT:
            reason = "is no slot: its brackets are the wrong way round"
            return Near(name, left + name + right, at - 1, reason)
        if left and left in _LEFT and not (right.isalnum() or right == "_"):
            return Near(name, left + name, at - 1, "is not closed", None)
        if right and right in _RIGHT and not (left.isalnum() or left == "_"):
            return Near(name, name + right, at, "is not opened", None)
    return None


def doubled_slots(text: str, contract: Contract) -> list[Near]:
    """Return the declared names in double brackets: plain text, and perhaps meant as slots."""
    if "{{" not in text and "<<" not in text:
        return []
    return [
        Near(name, written[0] + written + written[-1], match.start() - 1, "is plain text")
        for match in _BRACED.finditer(text)
        for written, name in [(match.group(), match.group()[1:-1])]
        if name in contract.names
        and written in (write_slot(name, BRACE), write_slot(name, ANGLE))
        and _doubled(text, match.start(), written)
    ]


def unknown_slots(text: str, contract: Contract, base: str | None) -> list[tuple[str, str, int]]:
    """Return (name, as written, offset) of names in brackets that no contract declares.

    Those that `base` has, too, are left out.
    """
    found = []
    for match in _BRACED.finditer(text):
        written, at = match.group(), match.start()
        if written[1:-1] in contract.names or written[1] in "\"'/":
            continue
        inner = _NAME.fullmatch(written[1:-1])
        if inner is not None and inner[1] not in contract.names:
            if _doubled(text, at, written):
                written, at = written[0] + written + written[-1], at - 1
            found.append((inner[1], written, at))
    if found and base is not None:
        known = {name for name, _, _ in unknown_slots(base, contract, None)}
        found = [one for one in found if one[0] not in known]
    return found


def _guess(
    name: str, missing: list[str], strangers: list[tuple[str, str, int]], style: Style
) -> Near | None:
    """Take an unknown name for a misspelt or a translated one."""
    wanted = write_slot(name, style)
    if len(name) >= 4:
        names = [stranger for stranger, _, _ in strangers]
        for close in difflib.get_close_matches(name, names, 1, 0.7):
            written, offset = next((w, at) for n, w, at in strangers if n == close)
            reason = f"is unknown; did you mean {wanted!r}?"
            return Near(name, written, offset, reason, f"write {wanted!r}", "slot-misspelt")
    first: dict[str, int] = {}
    for _, written, offset in strangers:
        first.setdefault(written, offset)
    if len(first) == len(missing):
        written, offset = list(first.items())[missing.index(name)]
        reason = f"is unknown; did you mean {wanted!r}? Names of slots are never translated"
        return Near(name, written, offset, reason, f"write {wanted!r}", "slot-translated")
    return None


def explain_tokens(text: str, tokens: list[Token], slots: Slots) -> list[Diagnostic]:
    """Return a finding for each missing token, with what stands in its place."""
    spans = slots.spans()
    folded = {squeezed: fold(text, squeezed) for squeezed in (False, True)}
    found = []
    for token in tokens:
        literal = token.literal
        near = _inside(text, literal, spans) or _alike(text, literal, folded)
        message = f"the protocol token {literal!r} does not stand in the text"
        found.append(
            Diagnostic(
                code=near.code if near else "token-missing",
                message=f"{message}: {near.reason}" if near else message,
                why="the program that reads the model's answer looks for it, letter by letter",
                mend=f"write {literal!r}, not translated, as a word of its own",
                subject=literal,
                lacks="token",
                fix=near.certain() if near else None,
                place=place_at(text, near.offset) if near else None,
                offset=near.offset if near else None,
            )
        )
    return found


def _inside(text: str, literal: str, spans: list[tuple[int, int]]) -> Near | None:
    """Find the literal where it does not count: in a longer word, or in a slot's name."""
    in_name: Near | None = None
    starts = [start for start, _ in spans]
    for at in occurrences(text, literal):
        span = bisect_right(starts, at) - 1
        if span >= 0 and at < spans[span][1]:
            reason = "it stands only inside a slot's name"
            in_name = in_name or Near(literal, literal, at, reason, code="token-embedded")
            continue
        word = _word_around(text, at, at + len(literal))
        reason = f"it stands only inside the longer word {word!r}{_marks(word)}"
        return Near(literal, word, at, reason, code="token-embedded")
    return in_name


def _word_around(text: str, start: int, end: int) -> str:
    while start and _WORD.match(text[start - 1]):
        start -= 1
    while end < len(text) and _WORD.match(text[end]):
        end += 1
    return text[start:end]


def _alike(text: str, literal: str, folded: dict[bool, Folded]) -> Near | None:
    """Find what looks like the literal: other case, other script, split, invisible characters."""
    for squeezed, source in folded.items():
        wanted = fold(literal, squeezed)
        found = occurrences(source, wanted)[:_MOST_CANDIDATES] if wanted else []
        spans = [source.slice(at, at + len(wanted)) for at in found]
        spans = [span for span in spans if not _in_word(text, *span)]
        if spans:
            start, end = min(spans, key=lambda span: _unlike(text, literal, *span))
            written = text[start:end]
            reason = f"{written!r} differs: {oddities(text, start, written, literal)}"
            code = "token-split" if squeezed else "token-lookalike"
            if written.casefold() == literal.casefold():
                code = "token-recased"
            certain = code == "token-lookalike" and _is_disguise(written, literal)
            return Near(literal, written, start, reason, None, code, literal if certain else None)
    return None


def _is_disguise(written: str, literal: str) -> bool:
    """Whether it can only be the literal, and no word of another script that looks like it."""
    if skeleton(written) != literal:
        return False
    visible = "".join(char for char in written if unicodedata.category(char) != "Cf")
    return (
        any(char.isascii() and char.isalpha() for char in written)
        or unicodedata.normalize("NFKC", visible) == literal
    )


def _in_word(text: str, start: int, end: int) -> bool:
    """Whether a letter of an alphabet stands right beside: the match is a part of some word."""
    for at, beside in ((start, start - 1), (end - 1, end)):
        if 0 <= beside < len(text) and text[at].isalnum():
            plain = fold(text[beside])
            if plain.isascii() and plain.isalnum():
                return True
    return False


def _unlike(text: str, literal: str, start: int, end: int) -> float:
    return -difflib.SequenceMatcher(None, text[start:end], literal, autojunk=False).ratio()


def _marks(word: str) -> str:
    """Name the combining marks in a word: a reader may not see them."""
    marks = [char for char in word if regex.match(r"\p{M}", char)]
    return f", with {describe(marks[0])}" if marks else ""
