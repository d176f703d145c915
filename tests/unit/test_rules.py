"""The verdict on a text, alone and beside the text that it replaces (DESIGN, rules 9 and 10)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import pytest

from agentprompts.diagnostics import place_at
from agentprompts.scanner import Contract, check


class Op(StrEnum):
    ADD = "ADD {q}"


class Word(str):
    __slots__ = ()


def errors(text: object, contract: Contract, base: str | None = None) -> list[str | None]:
    found = check(text, contract, base)
    return [finding.subject for finding in found if finding.severity == "error"]


# A template that is made from nothing: the names, the tokens, a text in which nothing is wrong.
SOURCES = [
    ("", "", "No slot. {a} <b> {{c}} }{ <"),
    ("tools", "", "Use <tool> for one of {tools}."),
    ("query", "", "<Query>{query}</Query>"),
    ("query", "", "<query>{query}</query>"),
    ("query", "", "Repeat {query}, {{query}}, <query>, <<query>>."),
    ("question", "", r"Write \frac{n}{m}. {question}"),
    ("name", "", r"\textbf{<name>}"),
    ("messages", "", "The messages are under <messages>: {messages}"),
    ("text", "", '{"name": "x", "text": "{text}", "n": {}}'),
    ("n", "", "if x < n and n > 2: return {n}"),
    ("a b", "ADD", "<a> ADD <b> </c>"),
    ("a", "a", "{a} a"),
    ("class self", "#N !!", "{class} {self} #N!!"),
    # Broken copies beside good ones: warnings at most.
    ("query", "", "{query} {query>"),
    ("query", "", "{query} { query } ｛query｝ {Query} {qurey} {query"),
    ("query", "", "<query> {query>"),
    ("query", "", "« query » {query}"),
]


@pytest.mark.parametrize(("names", "tokens", "text"), SOURCES)
def test_a_source_text_that_holds_everything_is_fine(names: str, tokens: str, text: str) -> None:
    """Rule 9: without an older text only what is missing is an error."""
    assert errors(text, Contract(names.split(), tokens.split())) == []


@pytest.mark.parametrize(("names", "tokens", "text"), SOURCES)
def test_a_text_may_stay_as_it_is(names: str, tokens: str, text: str) -> None:
    assert check(text, Contract(names.split(), tokens.split()), text) == []


class Change(NamedTuple):
    """An older text and one that replaces or translates it."""

    names: str
    old: str
    new: str
    tokens: str = ""


GOOD = {
    "reworded": Change("q", "Ask {q}.", "Frage: {q}."),
    "slot repeated": Change("q", "Ask {q}.", "{q}? {q}!"),
    "slot said less often": Change("q", "{q} {q}", "{q}"),
    "slots reordered": Change("a b", "{a} of {b}", "{b}の{a}"),
    "literal kept": Change("tools", "<tool> of {tools}", "{tools}中的<tool>"),
    "literal slot kept": Change("q", "{q} in <q>", "<q>: {q}"),
    "literal slot dropped": Change("q", "{q} in <q>", "{q}"),
    "mangled copy kept": Change("q", "{q} {q>", "{q>: {q}"),
    "spaced copy kept": Change("q", "{q} { q }", "{ q } → {q}"),
    "full-width copy kept": Change("q", "{q} ｛q｝", "｛q｝、{q}"),
    "doubled copy new": Change("q", "{q}", "{q} in {{q}}"),
    "doubled copy of the other style": Change("q", "{q}", "{q} in <<q>>"),
    "braces doubled, slot in angle brackets": Change("q", "{q}", "{{q}}: <q>"),
    "doubled copy with blanks kept": Change("q", "{q} {{ q }}", "{{ q }} {q}"),
    "JSON example new": Change("q", "{q}", '{"q": "{q}", "r": {"q": 1}}'),
    "to angle brackets": Change("q", "Ask {q}.", "Frage <q>."),
    "to braces": Change("q", "Ask <q>.", "Frage {q}."),
    "to braces beside another tag": Change("q", "<tool> <q>", "<tool> {q}"),
    "to angle brackets beside other braces": Change("q", '{"a": 1} {q}', '{"a": 1} <q>'),
    "tag in another case": Change("query", "{query}", "<Query>{query}</Query>"),
    "unknown names": Change("q", "{q} {x}", "{q} {y} <z>"),
    "comparison": Change("n", "n below 5: {n}", "3 < n < 5 > 4: {n}"),
    "LaTeX": Change("q", "{q}", r"\frac{n}{m} {q}"),
    # Brackets that are quotation marks, or marks of titles, in other languages.
    "French quotes": Change("question", 'The "question": {question}', "« question » : {question}"),
    "French quotes, no-break": Change("q", '"q" {q}', "«\u00a0q\u00a0» {q}"),
    "Russian quotes": Change("query", "The query: {query}", "Поле «query»: {query}"),
    "Spanish quotes": Change("query", "'query' is {query}", "«query» es {query}"),
    "German quotes": Change("query", '"a" query "b" {query}', "»a« query »b« {query}"),
    "Swiss quotes": Change("query", "'query' is {query}", "‹query› ist {query}"),
    "French quotes around the slot": Change("q", '"{q}"', "« {q} »"),
    "Chinese title marks": Change("query", "query: {query}", "《query》：{query}"),
    "Korean title marks": Change("query", "query: {query}", "〈query〉: {query}"),
    "Japanese quotes": Change("query", '"query" {query}', "「query」は{query}"),
    "French quotes in angle style": Change("query", '"query" <query>', "« query » <query>"),
    # Tokens in the middle of another language.
    "Chinese": Change("", "Use ADD or NOOP.", "使用ADD或NOOP。", "ADD NOOP"),
    "Thai": Change("", "Use ADD.", "คำสั่งADDนี้", "ADD"),
    "Hindi": Change("", "Use ADD.", "कि ADDका", "ADD"),
    "Turkish": Change("", "Use ADD.", "ADD'yi kullan", "ADD"),
    "Russian": Change("", "Use ADD.", "через ADD-операцию", "ADD"),
    "Arabic": Change("", "Use ADD.", "استخدم وADD", "ADD"),
    "markup": Change("", "Use ADD.", "**ADD** __ADD__ `ADD`", "ADD"),
    "escape": Change("", "Action: x", r'{"x": "…\nAction: x"}', "Action:"),
    "escape and markup": Change("", "Use ADD.", r'{"x": "a\n__ADD__"}', "ADD"),
    "token less often": Change("", "ADD, ADD", "ADD", "ADD"),
    # Emptiness.
    "both empty": Change("", "", ""),
    "both blank": Change("", " ", "\n"),
    "blank and empty": Change("", "\n", ""),
    "empty before": Change("", "", "x"),
}


@pytest.mark.parametrize("change", GOOD.values(), ids=GOOD)
def test_a_good_change_is_fine(change: Change) -> None:
    """Zero false errors on good human translations is worth more than one more check."""
    contract = Contract(change.names.split(), change.tokens.split())
    assert errors(change.old, contract) == []
    assert check(change.new, contract, change.old) == []


# The broken string stands between bars.
BROKEN = {
    "closed by the other bracket": Change("q", "{q}", "{q} |{q>|"),
    "opened by the other bracket": Change("q", "{q}", "|<q}| {q}"),
    "blanks": Change("q", "{q}", "{q} |{ q }|"),
    "one blank": Change("q", "{q}", "|{q }| {q}"),
    "a tab": Change("q", "{q}", "{q} |{\tq}|"),
    "a line end": Change("q", "{q}", "{q} |{\nq\n}|"),
    "no-break spaces": Change("q", "{q}", "{q} |{\u00a0q\u202f}|"),
    "zero-width space": Change("ab", "{ab}", "{ab} |{a\u200bb}|"),
    "right-to-left mark": Change("ab", "{ab}", "{ab} |{ab\u200f}|"),
    "soft hyphen": Change("ab", "{ab}", "{ab} |{a\u00adb}|"),
    "variation selector": Change("ab", "{ab}", "{ab} |{a\ufe0fb}|"),
    "full-width braces": Change("q", "{q}", "{q}|｛q｝|"),
    "one full-width brace": Change("q", "{q}", "|{q｝|{q}"),
    "full-width braces and blanks": Change("q", "{q}", "{q}|｛ q ｝|"),
    "full-width letters": Change("q", "{q}", "{q} |{ｑ}|"),
    "a Cyrillic letter": Change("ace", "{ace}", "{ace} |{aсe}|"),
    "a name taken apart": Change("café", "{café}", "{café} |{cafe\u0301}|"),
    "a literal in angle brackets": Change("q", "{q}", "{q} |<q>|"),
    "a literal in angle brackets and a tag": Change("q", "{q}", "{q} |<q>|x"),
    "another literal": Change("a b", "{a} {b} <a>", "{a} {b} <a> |<b>|"),
    "another mangled copy": Change("q", "{q} { q }", "{q} { q } |{q }|"),
    "in angle style": Change("q", "<q>", "<q> |<q}|"),
    "blanks in angle style": Change("q", "<q>", "<q> |< q >|"),
    "spaced braces in angle style": Change("q", "<q>", "<q> |{ q }|"),
    "after a change of style": Change("q", "{q}", "<q> |{q>|"),
    "far below": Change("q", "{q}", "{q}\n\n x\n  |{ q}|\n"),
    "in JSON": Change("q", "{q}", '{q} {"a": |{ q }|}'),
}


@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_broken_copy_that_the_old_text_has_not_is_an_error(change: Change) -> None:
    """Rule 9: beside a good copy, at its very place, and nothing if the old text has it, too."""
    before, written, after = change.new.split("|")
    new, contract = before + written + after, Contract(change.names.split())
    assert errors(new, contract) == []
    found = check(new, contract, change.old)
    assert [(finding.severity, finding.offset) for finding in found] == [("error", len(before))]
    assert found[0].place == place_at(new, len(before))
    assert repr(written) in found[0].message
    assert found[0].subject in contract.names
    assert check(new, contract, f"{change.old} {written}") == []


@pytest.mark.parametrize("name", ["e", "е"])
def test_of_two_names_that_look_alike_the_written_one_is_named(name: str) -> None:
    """One is Latin, the other Cyrillic; both are declared, so neither is a broken other."""
    contract = Contract(["e", "е"])
    [found] = check(f"{{e}} {{е}} <{name}>", contract, "{e} {е}")
    assert found.subject == name


def test_every_broken_copy_is_found() -> None:
    found = check("{a} {a> { a } {b} <b>", Contract(["a", "b"]), "{a} {b}")
    assert [(finding.subject, finding.offset) for finding in found] == [
        ("a", 4),
        ("a", 8),
        ("b", 18),
    ]


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("under <m>: {m}", "unter <m>:", "m"),
        ("{a} {b} <a>", "<a> <b>", "a b"),
        ("{a} {b} <a>", "<b> {a}", "b"),
        ("{a} {b}", "<a> {b}", "a"),
        ("<a> <b>", "{a} <b>", "b"),
        ("{m}", "{{m}}", "m"),
        ("{m}", "<<m>>", "m"),
        ("{m}", "{{m}} <<m>>", "m"),
    ],
)
def test_a_slot_in_the_style_that_the_text_does_not_use_is_missing(
    old: str, new: str, missing: str
) -> None:
    """Rule 9: no change of style where the old text has the other style's slot as plain text."""
    contract = Contract(sorted({char for char in old if char.isalpha()} & set("abm")))
    found = [finding for finding in check(new, contract, old) if finding.lacks == "slot"]
    assert [finding.subject for finding in found] == missing.split()


@pytest.mark.parametrize("text", [None, b"{q} ADD", bytearray(b"x"), 7, ["{q}"], object(), Op])
@pytest.mark.parametrize("base", [None, "{q} ADD"])
def test_what_is_no_str_is_no_text(text: object, base: str | None) -> None:
    found = check(text, Contract(["q"], ["ADD"]), base)
    assert [(finding.code, finding.severity) for finding in found] == [("text-type", "error")]


@pytest.mark.parametrize("text", [Op.ADD, Word("{q} ADD")])
def test_a_str_of_any_class_is_a_text(text: str) -> None:
    assert check(text, Contract(["q"], ["ADD"]), "{q} ADD") == []


@pytest.mark.parametrize("new", ["", " ", "\n\t", "\u00a0\u2003"])
def test_a_text_is_empty_only_where_the_source_is(new: str) -> None:
    """Rule 10."""
    found = check(new, Contract(), "x")
    assert [(finding.code, finding.severity) for finding in found] == [("text-empty", "error")]
    assert check(new, Contract(), "") == check(new, Contract(), " \n") == []
    assert check(new, Contract()) == []


@pytest.mark.parametrize("base", [None, "{q} ADD"])
def test_an_empty_text_that_owes_something_is_refused(base: str | None) -> None:
    assert errors("", Contract(["q"], ["ADD"]), base) != []


@pytest.mark.parametrize(
    ("char", "named"),
    [
        ("\0", "U+0000"),
        ("\ud800", "U+D800"),
        ("\udfff", "U+DFFF"),
        ("\ud83d\ude00", "U+D83D"),  # a pair of halves is still two lone ones in a `str`
    ],
)
@pytest.mark.parametrize("base", [None, "{q} ADD", "{q} ADD \0"])
def test_nul_and_lone_surrogates_are_refused(char: str, named: str, base: str | None) -> None:
    """Rule 10: the finding names the character and where it stands."""
    found = check(f"é {{q}} ADD {char}", Contract(["q"], ["ADD"]), base)
    assert [(finding.code, finding.severity) for finding in found] == [("text-invalid", "error")]
    assert named in found[0].message
    assert "offset 10" in found[0].message


@pytest.mark.parametrize(
    "char", ["\x01", "\x7f", "\x85", "\u2028", "\ufeff", "\uffff", "\U0010ffff"]
)
def test_any_other_character_is_text(char: str) -> None:
    assert check(char + "{q}", Contract(["q"]), "{q}") == []


def test_all_faults_of_a_text_come_at_once_in_the_order_of_the_contract() -> None:
    contract = Contract(["a", "b", "c"], ["ADD", "NOOP", "X"])
    found = check("{b} {b> NOOP", contract, "{a} {b} {c} ADD NOOP X")
    assert [(finding.lacks, finding.subject) for finding in found] == [
        ("slot", "a"),
        ("slot", "c"),
        ("token", "ADD"),
        ("token", "X"),
        (None, "b"),
    ]
    assert {finding.severity for finding in found} == {"error"}


def test_a_closing_tag_is_ambiguous_in_an_override_too() -> None:
    """Rule 4."""
    found = check("<a>x</a>", Contract(["a"]), "<a>")
    assert [(finding.code, finding.offset) for finding in found] == [("slot-ambiguous", 4)]


def test_every_finding_on_a_text_says_how_to_mend_it() -> None:
    contract = Contract(["a", "b"], ["ADD"])
    for text in (None, "", "\0", "<a> </a>", "{ a } {b} {b>", "add", "{b} ADDRESS"):
        found = check(text, contract, "{a} {b} ADD")
        assert found
        assert [finding.message for finding in found if not finding.mend] == []
