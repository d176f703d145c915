"""Which parts of a text are slots (DESIGN, rules 1 to 4), and where they stand."""

from __future__ import annotations

import pytest

from agentprompts.scanner import Contract, check, find_slots

# (the text, its slots between bars), the declared names, the style. A bar stands at each end of
# a slot, so that a row reads as the text does.
TAKEN_APART = [
    # Rule 1: only declared slots; all else is literal.
    ("Ask |{query}|.", "query", "{}"),
    ("|{query}|", "query", "{}"),
    ("|{a}||{b}|", "a b", "{}"),
    ("|{a}|{b}|{a}|", "a", "{}"),
    ("no slot at all", "query", "{}"),
    ("", "query", "{}"),
    ("{query}", "", "{}"),
    ('{"name": "x"} |{text}| {"a": {}}', "text", "{}"),
    ("} { |{a}| { } }{", "a", "{}"),
    ("{a |{a}|", "a", "{}"),
    ("|{a}| {a", "a", "{}"),
    ("a} |{a}|", "a", "{}"),
    ("{} |{a}| {}", "a", "{}"),
    ("{ab} {_a} {a_} |{a}|", "a", "{}"),
    ("{A} |{a}|", "a", "{}"),
    ("{ a } |{a}|", "a", "{}"),
    ("{a:x} {a!r} {a.b} {a[0]} {0} |{a}|", "a", "{}"),
    ("%a% %(a)s $a [a] (a) {{a |{a}|", "a", "{}"),
    ("$|{a}| \\|{a}| %|{a}|", "a", "{}"),
    ("{na|{name}|me}", "name na me", "{}"),
    ("{name\n} |{name}|\n", "name", "{}"),
    # Rule 2: one text, one style.
    ("Ask |<query>|.", "query", "<>"),
    ("|<a>||<b>|<c>", "a b", "<>"),
    ("|{a}| <a> <b>", "a b", "{}"),
    ("<a> |{b}| <a>", "a b", "{}"),
    ('{"a": "|<a>|"}', "a", "<>"),
    ("{A} { a } {a |<a>|", "a", "<>"),
    ("< a> </a > <A> <a |<a>|", "a", "<>"),
    ("5 < 6 > 4, |<a>| <", "a", "<>"),
    ("\\textbf{|<name>|}", "name", "<>"),
    ("{|<a>|} {{|<a>|}}", "a", "<>"),
    ("<|{a}|>", "a", "{}"),
    # Rule 3: one more bracket of its kind on both sides.
    ("{{a}}", "a", "{}"),
    ("{{a}} |{a}|", "a", "{}"),
    ("{{{a}}} |{a}|", "a", "{}"),
    ("{{{{a}}}}", "a", "{}"),
    ("<<a>>", "a", "{}"),
    ("<<a>> |<a>|", "a", "<>"),
    ("{{a}} |<a>|", "a", "<>"),
    ("{{a}} {{b}} |<a>| |<b>|", "a b", "<>"),
    ("<<a>> |{a}|", "a", "{}"),
    ('{"a": |{x}|}', "x", "{}"),
    ("{|{a}| }", "a", "{}"),
    ("{ |{a}|}", "a", "{}"),
    ("{|{a}|", "a", "{}"),
    ("|{a}|}", "a", "{}"),
    ("{|{a}||{b}|}", "a b", "{}"),
    ("|{a}|}{|{b}|", "a b", "{}"),
    ("|{a}|} {", "a", "{}"),  # nothing stands before the first
    ("|<a>|> <", "a", "<>"),
    ("{{a}}|{a}|}", "a", "{}"),
    ("{<a>}", "b", "{}"),
    ("<|<a>|", "a", "<>"),
    ("|<a>|>", "a", "<>"),
    ("(|<a>|>)", "a", "<>"),
    # Names of any script, and names that are Python's.
    ("|{名前}| {名} |{परीक्षण}|", "名前 परीक्षण", "{}"),
    ("|<имя>| {имя }", "имя", "<>"),
    ("|{café}| {cafe\u0301}", "café", "{}"),
    ("|{self}||{key}||{values}||{class}||{None}|", "self key values class None", "{}"),
    ("😀|{a}|𝒳|{b}|", "a b", "{}"),
]


@pytest.mark.parametrize(("marked", "names", "style"), TAKEN_APART)
def test_declared_slots_and_nothing_else_are_slots(marked: str, names: str, style: str) -> None:
    text = marked.replace("|", "")
    pieces = marked.split("|")
    slots = find_slots(text, Contract(names.split()))
    assert slots.style == style
    assert list(slots.names) == [slot[1:-1] for slot in pieces[1::2]]
    assert [text[start:end] for start, end in slots.spans()] == pieces[1::2]
    assert list(slots.parts) == pieces[::2]


def test_parts_are_the_literals_around_the_slots() -> None:
    found = find_slots('{"op": {op}} as <op>', Contract(["op"]))
    assert (found.style, found.parts, found.names, found.odd) == (
        "{}",
        ('{"op": ', "} as <op>"),
        ("op",),
        True,  # `<op>` begins as a slot does
    )


def test_spans_count_code_points() -> None:
    assert find_slots("😀é{a}名{bc}", Contract(["a", "bc"])).spans() == [(2, 5), (6, 10)]


def test_the_order_of_names_is_that_of_the_text() -> None:
    assert find_slots("{b}{a}{b}", Contract(["a", "b"])).names == ("b", "a", "b")


@pytest.mark.parametrize(
    ("text", "names", "ambiguous"),
    [
        ("<a>x</a>", "a", "a"),
        ("</a> <a>", "a", "a"),
        ("<a> <b>x</b>", "a b", "b"),
        ("<a><b></b></a></b>", "a b", "a b"),
        ("<a> <a> </a> </a>", "a", "a"),
        ("<a> </A> </a > < /a> </aa> /a>", "a", ""),
        ("<a> </b>", "a", ""),
        ("{a} <a>x</a>", "a", ""),
        ("{a} {b} <a>x</a>", "a b", ""),
        ("{a} </a>", "a", ""),
    ],
)
def test_a_closing_tag_makes_an_angle_slot_ambiguous(text: str, names: str, ambiguous: str) -> None:
    """Rule 4: an error at the closing tag, whose mend is to write the slot in braces."""
    errors = [found for found in check(text, Contract(names.split())) if found.severity == "error"]
    assert [(found.code, found.subject, found.offset) for found in errors] == [
        ("slot-ambiguous", name, text.index(f"</{name}>")) for name in ambiguous.split()
    ]
    assert all(f"'{{{found.subject}}}'" in str(found.mend) for found in errors)
