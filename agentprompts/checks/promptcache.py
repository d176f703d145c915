"""A check for the model's prompt cache: does the beginning of the system prompt stay the same?

Model services keep what they have computed of a prompt's beginning, and reuse it up to the first
character that differs. What changes early makes all that follows it slow and dear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import Any

from ..diagnostics import Diagnostic, place_at
from ..registry import PromptRegistry
from ..sections import AssembledPrompt, Part, Section
from ..sections.assembled import assemble_parts

__all__ = ["check_prompt_cache"]

_SECONDS = re.compile(r"\b\d{1,2}:\d{2}:\d{2}\b")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_SPELLINGS = (
    "{y}-{m:02}-{d:02}",
    "{d:02}.{m:02}.{y}",
    "{d}.{m}.{y}",
    "{m:02}/{d:02}/{y}",
    "{m}/{d}/{y}",
    "{d:02}/{m:02}/{y}",
    "{month} {d}, {y}",
    "{d} {month} {y}",
    "{y}年{m}月{d}日",
)
_SHORT = 40
"""Fewest characters behind a part that changes for which it is worth moving it."""


def check_prompt_cache(
    sections: Iterable[Section[Any]],
    context: Any = None,
    prompts: PromptRegistry | None = None,
    *,
    today: date | None = None,
) -> list[Diagnostic]:
    """Return what keeps a model's cache from holding the beginning of a prompt; all are warnings.

    Args:
        sections: A builder, or its sections.
        context: What to build it for. It is built twice, to see what changes by itself.
        prompts: Where bodies from the catalog take their texts.
        today: The date to look for, by default today's.

    >>> from agentprompts.sections import Section
    >>> now = Section("now", lambda context: "It is 12:30:45.", 1)
    >>> [found.code for found in check_prompt_cache([now, Section("rules", "Be kind. " * 9, 2)])]
    ['cache-order', 'cache-seconds']
    """
    listed = list(sections)
    prompt = assemble_parts(listed, context, prompts)
    again = {part.id: part.text for part in assemble_parts(listed, context, prompts).parts}
    found = [*_out_of_order(prompt)]
    for number, part in enumerate(prompt.parts):
        behind = sum(len(other.text) for other in prompt.parts[number + 1 :])
        found += _unstable(part, again.get(part.id, ""))
        found += _times(part, behind, today or date.today())
    return found


def _out_of_order(prompt: AssembledPrompt) -> Iterator[Diagnostic]:
    """Find sections that can change and stand before ones that change less often."""
    order = {"static": 0, "session": 1, "turn": 2}
    for number, part in enumerate(prompt.parts):
        steadier = [
            other for other in prompt.parts[number + 1 :] if order[other.tier] < order[part.tier]
        ]
        size = sum(len(other.text) for other in steadier)
        if size < _SHORT:
            continue
        often = "at every call" if part.tier == "turn" else "when what it depends on does"
        yield _found(
            "cache-order",
            part,
            f"it changes {often}, and {size:,} characters that change less often stand behind it",
            "the cache ends where the prompt first differs",
            "give it a higher order, or send the prompt's stable_first()",
        )


def _unstable(part: Part, again: str) -> Iterator[Diagnostic]:
    """Find a text that comes out otherwise when it is made a second time."""
    text = part.text
    if text == again:
        return
    parts = (re.split(r"[\s,;]+", one) for one in (text, again))
    if len({tuple(sorted(words)) for words in parts}) == 1:
        yield _found(
            "cache-unordered",
            part,
            "the same content comes in another order each time",
            "a set, or a listing of files, has no order of its own",
            "sort it",
        )
    elif part.tier != "turn":
        yield _found(
            "cache-unstable",
            part,
            "it changes although what it declares to depend on stays the same",
            "it is remembered, so the change would not be seen",
            "let `depends` name all that its text is made from",
        )


def _times(part: Part, behind: int, today: date) -> Iterator[Diagnostic]:
    """Find seconds, and dates with something behind them."""
    if part.tier == "static" and all(piece.layer == "catalog" for piece in part.pieces):
        return  # the catalog's own words are the same tomorrow
    text = part.text
    if (match := _SECONDS.search(text)) is not None:
        yield _found(
            "cache-seconds",
            part,
            f"{match[0]!r} changes every second",
            "no two requests begin alike, and nothing is ever found in the cache",
            "say the day, or leave the time to a tool",
            match.start(),
        )
        return
    if behind < _SHORT:
        return
    if part.tier == "static":
        at = _todays_date(text, today)
    else:
        match = _DATE.search(text)
        at = _todays_date(text, today) if match is None else match.start()
    if at is not None:
        yield _found(
            "cache-date",
            part,
            f"a date stands here, and {behind:,} characters behind it",
            "all that follows is computed anew when the date changes",
            "put the date into a section at the end",
            at,
        )


def _todays_date(text: str, today: date) -> int | None:
    for day in (today, today - timedelta(days=1), today + timedelta(days=1)):
        parts = {"y": day.year, "m": day.month, "d": day.day, "month": day.strftime("%B")}
        for spelling in _SPELLINGS:
            if (at := text.find(spelling.format(**parts))) >= 0:
                return at
    return None


def _found(
    code: str, part: Part, message: str, why: str, mend: str, at: int | None = None
) -> Diagnostic:
    return Diagnostic(
        code=code,
        message=message,
        why=why,
        mend=mend,
        severity="warning",
        key=part.id,
        place=None if at is None else place_at(part.text, at),
        offset=at,
    )
