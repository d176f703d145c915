"""Rendering and rewording of any text, against a naive reading of DESIGN's rules 1 to 5."""

from __future__ import annotations

import re
from typing import NamedTuple

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from agentprompts import PromptError, PromptTemplate
from agentprompts.diagnostics import place_at
from agentprompts.scanner import Contract, check, find_slots

NAMES = ["a", "ab", "b", "name", "na", "self", "key", "_x", "é", "名"]
PIECES = [
    *"{}<>[]()/\"':,.$%\\ \t\n",
    *NAMES,
    *(left + name + right for name in NAMES for left, right in ("{}", "<>")),
    *"｛｝«»＜＞",
    "{{",
    "}}",
    "</a>",
    "{ a }",
    "{a>",
    "<b}",
    "{A}",
    "Name",
    "0",
    "\u200b",
    "\u00a0",
    "е",
    "😀",
    "\r\n",
    "e\u0301",
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
names = st.lists(st.sampled_from(NAMES), unique=True, max_size=5)
anything = st.text(st.characters(exclude_categories=()), max_size=20)
values = (
    texts
    | anything.filter(lambda text: text.isascii())
    | st.sampled_from(["{a}", "<a>", "{a!r:>9}", r"\1\g<0>", "$&%s", "{0}", "{{a}}", "%(a)s", "\\"])
)
fast = settings(max_examples=400, deadline=None)


class Read(NamedTuple):
    """A text as the rules read it: literals at even places, names at odd ones."""

    style: str
    pieces: list[str]


def naive(text: str, declared: list[str]) -> Read:
    """Rules 1 to 3 by one regular expression a style."""
    read = Read("{}", [text])
    for left, right in ("{}", "<>"):
        any_name = "|".join(map(re.escape, declared)) or r"(?!)"
        slot = f"{left}(?:{any_name}){right}"
        # A doubled slot is passed as a literal; what is left are slots.
        found = re.finditer(f"(?<={left}){slot}(?={right})|({slot})", text)
        spans = [match.span() for match in found if match[1]]
        if spans:
            pieces, done = [], 0
            for start, end in spans:
                pieces += [text[done:start], text[start + 1 : end - 1]]
                done = end
            return Read(left + right, [*pieces, text[done:]])
    return read


def filled(read: Read, values: dict[str, str]) -> str:
    return "".join(values[piece] if at % 2 else piece for at, piece in enumerate(read.pieces))


@st.composite
def accepted(draw: st.DrawFn) -> PromptTemplate:
    """A template that holds what it declares: the slots that a random text happens to have."""
    text = draw(texts)
    declared = draw(names)
    standing = naive(text, declared).pieces[1::2]
    try:
        return PromptTemplate(text, variables=sorted(set(standing)))
    except PromptError:  # ambiguous by rule 4
        plain = text.replace("</", "")
        return PromptTemplate(plain, variables=sorted({*naive(plain, declared).pieces[1::2]}))


@fast
@given(texts, names)
def test_a_text_is_taken_apart_as_the_rules_say(text: str, declared: list[str]) -> None:
    """M2, rules 1 to 3."""
    slots, read = find_slots(text, Contract(declared)), naive(text, declared)
    assert [slots.style, *slots.names] == [read.style, *read.pieces[1::2]]
    assert list(slots.parts) == read.pieces[::2]


@fast
@given(texts | anything, names)
def test_parts_and_slots_joined_are_the_text(text: str, declared: list[str]) -> None:
    """Parsing is a partition of the text, and spans are where its slots stand."""
    slots = find_slots(text, Contract(declared))
    joined = slots.parts[0]
    for (start, end), name, part in zip(slots.spans(), slots.names, slots.parts[1:], strict=True):
        assert start == len(joined)
        joined += slots.style[0] + name + slots.style[1]
        assert end == len(joined)
        joined += part
    assert joined == text
    assert set(slots.names) <= set(declared)


@fast
@given(accepted(), st.data())
def test_rendering_equals_the_naive_one(template: PromptTemplate, data: st.DataObject) -> None:
    """M2, rule 5."""
    given = {name: data.draw(values, name) for name in template.variables}
    wanted = filled(naive(template.template, list(template.variables)), given)
    assert template.render(given) == wanted
    assert template.render(**given) == wanted
    assert template.render({**given, "other": "{a}", "b ": None}) == wanted
    some = {name: given[name] for name in data.draw(st.sets(st.sampled_from(NAMES))) & {*given}}
    rest = {name: given[name] for name in {*given} - {*some}}
    assert template.partial(some).render(rest) == wanted


@fast
@given(accepted(), st.data())
def test_no_value_is_read_again(template: PromptTemplate, data: st.DataObject) -> None:
    """Rule 5: whatever a value contains, it comes out as if it had been put in by hand."""
    marks = {name: chr(0xE000 + at) for at, name in enumerate(template.variables)}
    given = {name: data.draw(values, name) for name in template.variables}
    by_hand = template.render(marks)
    for name, mark in marks.items():
        by_hand = by_hand.replace(mark, given[name])
    assert template.render(given) == by_hand


@fast
@given(texts | anything.filter(lambda text: "\0" not in text and text.isprintable()), names)
def test_a_text_without_declared_slots_comes_out_byte_for_byte(
    text: str, extras: list[str]
) -> None:
    """Rule 1: nothing is a slot but what is declared."""
    assert PromptTemplate(text).render(dict.fromkeys(extras, "x")) == text


@fast
@given(accepted())
def test_a_text_that_a_template_holds_may_replace_itself(template: PromptTemplate) -> None:
    """Rule 9: compared with itself, no text has anything new that is wrong."""
    text = template.template
    assert check(text, template.contract, text) == []
    again = template.with_text(text)
    assert again == template
    assert again.with_text(text) == template


@fast
@given(accepted(), texts)
def test_a_text_is_refused_or_honours_the_contract(template: PromptTemplate, text: str) -> None:
    """The one promise: what `with_text` takes has every slot, in the style that it is read in."""
    try:
        taken = template.with_text(text)
    except PromptError as error:
        assert error.diagnostics  # noqa: PT017  # either way may be right, and each has its own test
        return
    assert {*naive(text, list(template.variables)).pieces[1::2]} == {*template.variables}
    given = {name: f"[{name}]" for name in template.variables}
    assert taken.render(given) == filled(naive(text, list(template.variables)), given)


@settings(fast, suppress_health_check=[HealthCheck.filter_too_much])
@given(accepted(), st.data())
def test_a_lost_slot_is_missing(template: PromptTemplate, data: st.DataObject) -> None:
    """M3: whatever else the text has, a slot that is taken out of it is named."""
    assume(template.variables)
    lost = data.draw(st.sampled_from(template.variables))
    read = naive(template.template, list(template.variables))
    without = filled(
        read,
        {
            name: "" if name == lost else read.style[0] + name + read.style[1]
            for name in template.variables
        },
    )
    assume(without.strip())  # an empty text is refused as such
    now = naive(without, list(template.variables)).pieces[1::2]
    missing = {f.subject for f in template.check(without) if f.lacks == "slot"}
    assert missing >= {*template.variables} - {*now}


@fast
@given(texts | anything, names, st.none() | texts, st.lists(st.sampled_from(PIECES), max_size=2))
def test_check_answers_for_any_text(
    text: str, declared: list[str], base: str | None, tokens: list[str]
) -> None:
    """It never raises, and each place that it names is in the text and agrees with its offset."""
    contract = Contract(declared, [token for token in tokens if token.strip()])
    for found in check(text, contract, base):
        assert found.message
        if found.offset is not None:
            assert 0 <= found.offset < len(text)
            assert found.place == place_at(text, found.offset)
        if found.fix is not None:
            start, end, written = found.fix
            assert found.offset == start < end <= len(text)
            assert written in (f"{{{found.subject}}}", f"<{found.subject}>", found.subject)


@fast
@given(accepted(), texts)
def test_a_certain_mend_mends(template: PromptTemplate, text: str) -> None:
    """After it is applied, what was missing stands in the text."""
    for found in template.check(text):
        if found.fix is not None and found.lacks == "slot":
            start, end, written = found.fix
            mended = text[:start] + written + text[end:]
            assert found.subject in naive(mended, list(template.variables)).pieces[1::2]
