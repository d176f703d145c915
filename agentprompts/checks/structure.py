"""Checks of what a model or a parser takes by its form: JSON, fences, tags, headings, lists."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from ..diagnostics import Diagnostic
from ..scanner import find_tokens
from ..scanner.nearmiss import doubled_slots, unknown_slots
from .base import Check, Unit

__all__ = [
    "CodeFence",
    "Heading",
    "JsonExample",
    "NumberedList",
    "SlotCount",
    "SlotDoubled",
    "SlotUnknown",
    "TokenCount",
    "Url",
    "XmlTag",
]


class TokenCount(Check):
    """A protocol token stands less often than in the source.

    ## What it does
    Counts each protocol token in the source and in the text.

    ## Why is this bad?
    The model is told a word once by its name and once by another; it may answer with the other,
    which the parser never finds.

    ## Example
    `Answer ADD or NOOP. With ADD, …` translated as `Antworte ADD oder NOOP. Bei Hinzufügen: …`

    ## Use instead
    `Antworte ADD oder NOOP. Bei ADD: …`
    """

    id = "token-count"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield tokens that stand less often, if at all."""
        for token in unit.source.contract.tokens:
            before = len(find_tokens(unit.source.template, token, unit.source_slots))
            found = find_tokens(unit.text, token, unit.slots)
            if 0 < len(found) < before:
                yield self.found(
                    unit,
                    f"{token.literal!r} stands {len(found)} times here, "
                    f"{before} times in the source",
                    f"write {token.literal!r} wherever the source has it",
                    found[0],
                    token.literal,
                )


class SlotCount(Check):
    """A slot stands less often than in the source.

    ## What it does
    Counts each slot in the source and in the text.

    ## Why is this bad?
    A place that the program fills stays without its value.

    ## Example
    `Search for {query}. If {query} is not found, …` translated with one `{query}`

    ## Use instead
    A text with both; or, where one is enough in your language, an ignore that says so.
    """

    id = "slot-count"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield slots that stand less often, if at all."""
        before, now = Counter(unit.source_slots.names), Counter(unit.slots.names)
        places = dict(zip(reversed(unit.slots.names), reversed(unit.slots.spans()), strict=True))
        for name, count in before.items():
            if 0 < now[name] < count:
                at = places[name][0]
                yield self.found(
                    unit,
                    f"{name!r} stands {now[name]} times here, {count} times in the source",
                    f"put {name!r} wherever the source has it",
                    at,
                    name,
                )


class SlotDoubled(Check):
    """A slot's name stands in double brackets, where the source has it in single ones.

    ## What it does
    Looks for declared names in double brackets, beside those that the source has.

    ## Why is this bad?
    Doubled brackets are plain text here: the model reads `{{city}}`, and no city.

    ## Example
    `Weather in {city}` translated as `Météo de {city} ({{city}})`

    ## Use instead
    `Météo de {city} ({city})`
    """

    id = "slot-in-double-brackets"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield each name once."""
        contract = unit.source.contract
        known = {near.name for near in doubled_slots(unit.source.template, contract)}
        for near in doubled_slots(unit.text, contract):
            if near.name not in known and near.name in unit.slots.names:
                known.add(near.name)
                yield self.found(
                    unit,
                    f"{near.written!r} is no slot: double brackets make it plain text",
                    f"write {near.written[1:-1]!r} if a value belongs there",
                    near.offset,
                    near.name,
                )


class SlotUnknown(Check):
    """A name in brackets that the source does not have, and that no value will fill.

    ## What it does
    Looks for names in braces that neither the contract nor the source has.

    ## Why is this bad?
    It stays as it is: the model reads the braces.

    ## Example
    `Answer {query}` translated as `Réponds à {query}, {utilisateur}`

    ## Use instead
    `Réponds à {query}`
    """

    id = "slot-unknown"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield each name once, where no slot is missing: there it is told as what it was."""
        if set(unit.slots.names) != set(unit.source.variables) or not unit.source.variables:
            return
        found = unknown_slots(unit.text, unit.source.contract, unit.source.template)
        for name, written, at in {one[0]: one for one in reversed(found)}.values():
            if written.startswith("{"):
                yield self.found(
                    unit, f"{written!r} is no slot of this prompt", "take it out", at, name
                )


class JsonExample(Check):
    """A JSON example no longer parses, or its keys have changed.

    ## What it does
    Reads every JSON object and array in the source, and looks for one of the same keys in the text.

    ## Why is this bad?
    Models imitate examples. One with translated keys, typographic quotes or full-width colons
    brings answers that the parser cannot read.

    ## Example
    `{"event": "party"}` translated as `{"événement": "fête"}` or as `{“event”: “fête”}`

    ## Use instead
    `{"event": "fête"}`
    """

    id = "json-example"

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the source's examples that have no counterpart."""
        theirs = _json_examples(unit.source_plain)
        ours = _json_examples(unit.plain)
        left = [keys for _, keys in ours]
        missing = []
        for _, keys in theirs:
            if keys in left:
                left.remove(keys)
            else:
                missing.append(keys)
        if not missing:
            return
        at = _broken_json(unit.plain, ours)
        strange = [where for where, keys in ours if keys in left]
        for keys in missing:
            where = strange.pop(0) if strange else at
            names = ", ".join(sorted(set(keys))) or "no keys"
            yield self.found(
                unit,
                f"a JSON example of the source ({names}) has no counterpart that parses here",
                'keep keys, quotes ", colons and commas as they are; translate values only',
                where,
            )


_OPENING = re.compile(r"[{\[]")
_LIKE_JSON = re.compile(r"""[{\[｛［]\s*["'“”„«‘’「＂{\[]""")
_DECODER = json.JSONDecoder()


def _json_examples(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return (offset, keys) of the outermost JSON objects, and arrays of more than numbers."""
    found: list[tuple[int, tuple[str, ...]]] = []
    at = 0
    while (match := _OPENING.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        keys = tuple(_keys(value))
        if keys or (isinstance(value, list) and any(isinstance(v, str) for v in value)):
            found.append((match.start(), keys))
    return found


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value[:1]:
            yield from _keys(inner)


def _broken_json(text: str, good: list[tuple[int, tuple[str, ...]]]) -> int | None:
    starts = {where for where, _ in good}
    matches = (match.start() for match in _LIKE_JSON.finditer(text))
    return next((at for at in matches if at not in starts), None)


class CodeFence(Check):
    """A code fence is missing or not closed.

    ## What it does
    Counts the lines that begin with three backticks.

    ## Why is this bad?
    All that follows an unclosed fence reads as code.

    ## Example
    A block that begins with three backticks in the source and is never closed in the text.

    ## Use instead
    The same fences as in the source.
    """

    id = "code-fence"
    _fence = re.compile(r"^[ \t]*```", re.MULTILINE)

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a difference in the number of fences."""
        if "```" not in unit.source.template and "```" not in unit.text:
            return
        before = len(self._fence.findall(unit.source.template))
        fences = list(self._fence.finditer(unit.text))
        if len(fences) != before:
            at = fences[-1].start() if fences else None
            yield self.found(
                unit,
                f"there are {len(fences)} code fences here, and {before} in the source",
                "open and close the same blocks with ``` on lines of their own",
                at,
            )


class XmlTag(Check):
    """A tag that encloses something is missing, translated, or not closed.

    ## What it does
    Compares the tags that the source both opens and closes with those of the text.

    ## Why is this bad?
    The tags tell the model where material begins and ends, and what it is called elsewhere.

    ## Example
    `<sources>…</sources>` translated as `<quellen>…</quellen>`, or as `<sources>…</quellen>`

    ## Use instead
    `<sources>…</sources>`: names of tags are not translated.
    """

    id = "xml-tag"
    _tag = re.compile(r"<(/?)([A-Za-z_][\w.-]*)(?:\s[^<>]*)?>")

    def _tags(self, text: str) -> list[tuple[str, int]]:
        return [(match[1] + match[2], match.start()) for match in self._tag.finditer(text)]

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the tags that stand less often than in the source."""
        if "</" not in unit.source_plain:
            return
        before = Counter(name for name, _ in self._tags(unit.source_plain))
        paired = {n.lstrip("/") for n in before if n.startswith("/") and n[1:] in before}
        tags = self._tags(unit.plain)
        now = Counter(name for name, _ in tags)
        strange = [at for name, at in tags if name.lstrip("/") not in before]
        for name, count in before.items():
            if name.lstrip("/") in paired and now[name] < count:
                yield self.found(
                    unit,
                    f"the tag <{name}> stands {now[name]} times here, and {count} in the source",
                    f"write <{name}>, not translated",
                    strange.pop(0) if strange else None,
                    name,
                )


class Heading(Check):
    """A Markdown heading is missing or of another level.

    ## What it does
    Compares the levels of the headings, in their order.

    ## Why is this bad?
    Headings structure a prompt for the model; a lost one puts its section under the one before.

    ## Example
    `## Rules` translated as `Regeln`

    ## Use instead
    `## Regeln`
    """

    id = "markdown-heading"
    # Begins with a character and not with `^`, so that `re` leaps from # to #.
    _heading = re.compile(r"(#(?<![^\n]#)#{0,5})[ \t]+\S")

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a difference in the headings' levels."""
        before = self._heading.findall(unit.source.template)
        found = list(self._heading.finditer(unit.text))
        now = [match[1] for match in found]
        if before != now:
            pairs = zip(before, now, strict=False)
            first = next((i for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
            yield self.found(
                unit,
                f"the headings are {' '.join(now) or 'none'} here, {' '.join(before) or 'none'} "
                "in the source",
                "keep every heading and its number of #",
                None if first is None else found[first].start(),
            )


class NumberedList(Check):
    """An item of a numbered list is missing or out of order.

    ## What it does
    Compares the numbers at the begin of lines, in their order.

    ## Why is this bad?
    Instructions get lost, and references to a number point elsewhere.

    ## Example
    A list of five rules translated as a list of four.

    ## Use instead
    The same items under the same numbers.
    """

    id = "numbered-list"
    _item = re.compile(r"^[ \t]*(\d{1,3})[.)、．)）][ \t]*(?!\d)", re.MULTILINE)

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield a difference in the items' numbers."""
        before = [int(number) for number in self._item.findall(unit.source_plain)]
        found = list(self._item.finditer(unit.plain))
        now = [int(match[1]) for match in found]
        if before != now:
            pairs = zip(before, now, strict=False)
            first = next((i for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
            yield self.found(
                unit,
                f"the items are numbered {now or 'not'} here, {before or 'not'} in the source",
                "keep every item and its number",
                None if first is None else found[first].start(),
            )


class Url(Check):
    """An address on the web is missing or changed.

    ## What it does
    Looks for every address of the source in the text.

    ## Why is this bad?
    A changed address leads elsewhere, or nowhere.

    ## Example
    `https://example.org/docs` translated as `https://example.org/Unterlagen`

    ## Use instead
    The address as it is; or, where a page has a translation, an ignore that says so.
    """

    id = "url"
    _url = re.compile(r"https?://[^\s<>\"'`()\[\]{}，。；：、！？（）《》「」]+")

    def find(self, unit: Unit) -> Iterator[Diagnostic]:
        """Yield the addresses that are not there."""
        for url in dict.fromkeys(self._url.findall(unit.source_plain)):
            url = url.rstrip(".,;:!?")
            if url not in unit.text:
                found = self._url.search(unit.plain)
                at = found.start() if found else None
                yield self.found(unit, f"{url} is not there", f"write {url}", at, url)
