"""What stands in the place of something missing, and how to mend it (DESIGN, rule 8)."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from agentprompts.diagnostics import Diagnostic, place_at
from agentprompts.scanner import Contract, check
from tests.growth import LINEAR, growth


class Miss(NamedTuple):
    """A text, what it owes, what the finding must say, and where (line, column) it points."""

    text: str
    owed: str
    words: tuple[str, ...]
    at: tuple[int, int] | None
    mend: str
    base: str | None = None
    others: str = ""


# Slots: `owed` is the missing one, `others` are declared, too.
SLOTS = {
    "blanks": Miss("x { query } y", "query", ("'{ query }'", "space"), (1, 3), "'{query}'"),
    "one blank": Miss("x {query } y", "query", ("'{query }'", "space"), (1, 3), "'{query}'"),
    "link_start": Miss("{ link_start }", "link_start", ("space",), (1, 1), "'{link_start}'"),
    "blanks in angle brackets": Miss("< query >", "query", ("'< query >'",), (1, 1), "'{query}'"),
    "line ends": Miss("a\n {\nquery\n}", "query", ("U+000A",), (2, 2), "'{query}'"),
    "no-break space": Miss(
        "é\n {\u00a0query}",
        "query",
        ("U+00A0 NO-BREAK SPACE", "column 3"),
        (2, 2),
        "'{query}'",
    ),
    "narrow no-break space": Miss(
        "{query\u202f}", "query", ("U+202F NARROW NO-BREAK SPACE", "column 7"), (1, 1), "'{query}'"
    ),
    "zero-width space": Miss(
        "x {que\u200bry}", "query", ("U+200B ZERO WIDTH SPACE", "column 7"), (1, 3), "'{query}'"
    ),
    "right-to-left mark": Miss(
        "{query\u200f}", "query", ("U+200F RIGHT-TO-LEFT MARK", "column 7"), (1, 1), "'{query}'"
    ),
    "soft hyphen": Miss(
        "{que\u00adry}", "query", ("U+00AD SOFT HYPHEN", "column 5"), (1, 1), "'{query}'"
    ),
    "full-width braces": Miss(
        "x ｛query｝",
        "query",
        (
            "U+FF5B FULLWIDTH LEFT CURLY BRACKET",
            "column 3",
            "U+FF5D FULLWIDTH RIGHT CURLY BRACKET",
            "column 9",
        ),
        (1, 3),
        "'{query}'",
    ),
    "full-width name": Miss("｛name｝", "name", ("U+FF5B", "column 1"), (1, 1), "'{name}'"),
    "full-width angle brackets": Miss(
        "＜query＞", "query", ("U+FF1C FULLWIDTH LESS-THAN SIGN",), (1, 1), "'{query}'"
    ),
    "ornamental braces": Miss(
        "❴query❵", "query", ("U+2774", "instead of '{'", "instead of '}'"), (1, 1), "'{query}'"
    ),
    "accented": Miss("{quéry}", "query", ("U+00E9", "column 4"), (1, 1), "'{query}'"),
    "guillemets": Miss(
        "«query»",
        "query",
        ("U+00AB LEFT-POINTING DOUBLE ANGLE QUOTATION MARK",),
        (1, 1),
        "'{query}'",
    ),
    "corner brackets": Miss("【query】", "query", ("U+3010",), (1, 1), "'{query}'"),
    "square brackets": Miss("x [query]", "query", ("'[query]'",), (1, 3), "'{query}'"),
    "Cyrillic letter": Miss(
        "{quеry}",
        "query",
        ("U+0435 CYRILLIC SMALL LETTER IE", "column 4", "'e'"),
        (1, 1),
        "'{query}'",
    ),
    "Greek letter": Miss(
        "{n\u03bfte}", "note", ("U+03BF GREEK SMALL LETTER OMICRON", "'o'"), (1, 1), "'{note}'"
    ),
    "full-width letters": Miss("{ｑuery}", "query", ("U+FF51", "'q'"), (1, 1), "'{query}'"),
    "name taken apart": Miss(
        "{cafe\u0301}", "café", ("U+0301 COMBINING ACUTE ACCENT",), (1, 1), "'{café}'"
    ),
    "dotted capital": Miss("{LİNK}", "LINK", ("U+0130",), (1, 1), "'{LINK}'"),
    "title case": Miss("x {Query}", "query", ("'{Query}'", "case"), (1, 3), "'{query}'"),
    "upper case": Miss("{QUERY}", "query", ("'{QUERY}'", "case"), (1, 1), "'{query}'"),
    "lower case": Miss("{query}", "Query", ("'{query}'", "case"), (1, 1), "'{Query}'"),
    "misspelt": Miss("x {qurey}", "query", ("'{qurey}'", "did you mean"), (1, 3), "'{query}'"),
    "one letter more": Miss("{queryy}", "query", ("'{queryy}'",), (1, 1), "'{query}'"),
    "one letter less": Miss("{soure}", "source", ("'{soure}'",), (1, 1), "'{source}'"),
    "misspelt and spaced": Miss("{ qurey }", "query", ("'{ qurey }'",), (1, 1), "'{query}'"),
    "misspelt beside unknown ones": Miss(
        "{x} {qurey} {y}", "query", ("'{qurey}'",), (1, 5), "'{query}'"
    ),
    "four letters": Miss("{x} {nmae}", "name", ("'{nmae}'",), (1, 5), "'{name}'"),
    "closed by the other bracket": Miss("x {query>", "query", ("'{query>'",), (1, 3), "'{query}'"),
    "opened by the other bracket": Miss("x <query}", "query", ("'<query}'",), (1, 3), "'{query}'"),
    "not closed": Miss("x {query y", "query", ("'{query'", "not closed"), (1, 3), "'{query}'"),
    "turned": Miss("x }query{ y", "query", ("'}query{'", "wrong way round"), (1, 3), "'{query}'"),
    "not opened": Miss("x query} y", "query", ("'query}'", "not opened"), (1, 3), "'{query}'"),
    "doubled on one side": Miss("{{ query }", "query", ("'{ query }'",), (1, 2), "'{query}'"),
    "doubled on the other side": Miss("{ query }}", "query", ("'{ query }'",), (1, 1), "'{query}'"),
    "a broken one rather than a doubled one": Miss(
        "{{query}} { query }", "query", ("'{ query }'",), (1, 11), "'{query}'"
    ),
    "the first of several": Miss("{Query} {QUERY}", "query", ("'{Query}'",), (1, 1), "'{query}'"),
    "doubled": Miss("x {{query}}", "query", ("'{{query}}'", "literal"), (1, 3), "'{query}'"),
    "doubled angle brackets": Miss(
        "<<query>>", "query", ("'<<query>>'", "literal"), (1, 1), "'{query}'"
    ),
    "doubled in another case": Miss(
        "{{CONTEXT}}", "context", ("'{{CONTEXT}}'", "literal", "case"), (1, 1), "'{context}'"
    ),
    "doubled and translated": Miss("{{nombre}}", "name", ("'{{nombre}}'",), (1, 1), "'{name}'"),
    "LaTeX": Miss(r"\textbf{{name}}", "name", ("'{{name}}'", "literal"), (1, 8), r"'{<name>}'"),
    "LaTeX beside a slot in braces": Miss(
        r"{x} \textbf{{name}}",
        "name",
        ("literal",),
        (1, 12),
        "all other slots of this text in angle brackets",
        others="x",
    ),
    "LaTeX beside a slot in angle brackets": Miss(
        r"<x> \textbf{{name}}", "name", ("literal",), (1, 12), "'{<name>}'", others="x"
    ),
    "the other style": Miss(
        "{a} <query>", "query", ("'<query>'", "braces"), (1, 5), "'{query}'", others="a"
    ),
    "the other style, plain before": Miss(
        "unter <messages>:",
        "messages",
        ("'<messages>'", "braces"),
        (1, 7),
        "'{messages}'",
        base="under <messages>: {messages}",
    ),
    "in the style of the text": Miss(
        "<a> < query >", "query", ("'< query >'",), (1, 5), "'<query>'", others="a"
    ),
    "in the style of the old text": Miss(
        "x { query }", "query", ("'{ query }'",), (1, 3), "'<query>'", base="<query>"
    ),
    "misspelt in angle style": Miss(
        "<a> <qurey>", "query", ("'<qurey>'",), (1, 5), "'<query>'", others="a"
    ),
    "translated": Miss("{запрос}", "query", ("'{запрос}'", "did you mean"), (1, 1), "'{query}'"),
    "translated to Hindi": Miss(
        "{परीक्षण}", "test", ("'{परीक्षण}'", "did you mean '{test}'"), (1, 1), "'{test}'"
    ),
    "translated, unknown before": Miss(
        "{x} {ville}", "city", ("'{ville}'",), (1, 5), "'{city}'", base="{x} {city}"
    ),
    "a good one beside": Miss(
        "{a} { query }", "query", ("'{ query }'",), (1, 5), "'{query}'", others="a"
    ),
    "nothing like it": Miss("x", "query", ("'{query}'",), None, "'{query}'"),
    "nothing like it, old in angle style": Miss(
        "x", "query", ("'<query>'",), None, "'<query>'", base="<query>"
    ),
    "only the word": Miss("the query is above", "query", ("'{query}'",), None, "'{query}'"),
    "short names are not guessed": Miss("{x} {ba}", "ab", ("'{ab}'",), None, "'{ab}'"),
    "three letters are not guessed": Miss("{x} {abcd}", "abc", ("'{abc}'",), None, "'{abc}'"),
    "the end of another word": Miss("myquery} x", "query", ("'{query}'",), None, "'{query}'"),
    "the beginning of another word": Miss("{query_x y", "query", ("'{query}'",), None, "'{query}'"),
    "an aside is no misspelling": Miss("(qurey) [qurey]", "query", (), None, "'{query}'"),
    "a declared name in another case is none": Miss(
        "{query} <query>", "Query", ("'{Query}'",), None, "'{Query}'", others="query"
    ),
    "a declared name is no misspelling": Miss(
        "{query}", "quert", ("'{quert}'",), None, "'{quert}'", others="query"
    ),
    "an old unknown name is no translation": Miss(
        "{x}", "city", ("'{city}'",), None, "'{city}'", base="{x} {city}"
    ),
}

# Tokens.
TOKENS = {
    "lower case": Miss("use add.", "ADD", ("'add'", "case"), (1, 5), "'ADD'"),
    "title case": Miss("x\n Final answer:", "Final Answer:", ("case",), (2, 2), "'Final Answer:'"),
    "Cyrillic letter": Miss(
        "DЕLETE",
        "DELETE",
        ("U+0415 CYRILLIC CAPITAL LETTER IE", "column 2", "'E'"),
        (1, 1),
        "'DELETE'",
    ),
    "Greek letter": Miss(
        "x ΑDD", "ADD", ("U+0391 GREEK CAPITAL LETTER ALPHA", "column 3"), (1, 3), "'ADD'"
    ),
    "Turkish dotted capital": Miss(
        "ACTİVE",
        "ACTIVE",
        ("U+0130 LATIN CAPITAL LETTER I WITH DOT ABOVE", "column 4"),
        (1, 1),
        "'ACTIVE'",
    ),
    "Turkish dotless i": Miss("actıve", "active", ("U+0131",), (1, 1), "'active'"),
    "zero-width space": Miss(
        "x\nA\u200bDD", "ADD", ("U+200B ZERO WIDTH SPACE", "column 2"), (2, 1), "'ADD'"
    ),
    "zero-width joiner": Miss("AD\u200dD", "ADD", ("U+200D",), (1, 1), "'ADD'"),
    "word joiner": Miss("A\u2060DD", "ADD", ("U+2060",), (1, 1), "'ADD'"),
    "right-to-left mark": Miss("A\u200fDD", "ADD", ("U+200F RIGHT-TO-LEFT MARK",), (1, 1), "'ADD'"),
    "soft hyphen": Miss("A\u00adDD", "ADD", ("U+00AD SOFT HYPHEN", "column 2"), (1, 1), "'ADD'"),
    "full-width letters": Miss(
        "ＡＤＤ", "ADD", ("U+FF21 FULLWIDTH LATIN CAPITAL LETTER A", "'A'"), (1, 1), "'ADD'"
    ),
    "full-width and hyphenated": Miss("ＵＰ-DATE", "UPDATE", ("U+FF35",), (1, 1), "'UPDATE'"),
    "hyphenated": Miss("UP-DATE", "UPDATE", ("'UP-DATE'", "'-'"), (1, 1), "'UPDATE'"),
    "hyphenated at a line end": Miss("x UP-\nDATE", "UPDATE", ("'-'",), (1, 3), "'UPDATE'"),
    "spaced": Miss("A D D", "ADD", ("'A D D'", "space"), (1, 1), "'ADD'"),
    "full-width colon": Miss(
        "Action：x", "Action:", ("U+FF1A FULLWIDTH COLON", "column 7"), (1, 1), "'Action:'"
    ),
    "space before the colon": Miss("Action : x", "Action:", ("space",), (1, 1), "'Action:'"),
    "no-break space inside": Miss(
        "Final\u00a0Answer:", "Final Answer:", ("U+00A0 NO-BREAK SPACE", "column 6"), (1, 1), "'Fin"
    ),
    "no-break space before the colon": Miss(
        "Action\u00a0: x", "Action:", ("U+00A0 NO-BREAK SPACE", "column 7"), (1, 1), "'Action:'"
    ),
    "narrow no-break space before the colon": Miss(
        "Action\u202f: x", "Action:", ("U+202F NARROW NO-BREAK SPACE",), (1, 1), "'Action:'"
    ),
    "no-break space in a word": Miss("UP\u00a0DATE", "UPDATE", ("U+00A0",), (1, 1), "'UPDATE'"),
    "accented inside": Miss("ÀDD", "ADD", ("U+00C0",), (1, 1), "'ADD'"),
    "accented, and the mark apart": Miss("A\u0300DD", "ADD", ("U+0300",), (1, 1), "'ADD'"),
    "accented": Miss("NÓ", "NO", ("U+00D3",), (1, 1), "'NO'"),
    "in a longer word": Miss("see ADDRESS", "ADD", ("'ADDRESS'", "longer word"), (1, 5), "'ADD'"),
    "in the middle of a word": Miss("a MADDER x", "ADD", ("'MADDER'",), (1, 4), "'ADD'"),
    "in a longer word of marks": Miss(
        "ADD\u0301", "ADD", ("longer word", "U+0301 COMBINING ACUTE ACCENT"), (1, 1), "'ADD'"
    ),
    "in a longer word, accented": Miss("um NOÇÃO", "NO", ("'NOÇÃO'",), (1, 4), "'NO'"),
    "in a longer word by underscores": Miss("ADD_ALL", "ADD", ("'ADD_ALL'",), (1, 1), "'ADD'"),
    "in a slot's name": Miss("x {ADD}", "ADD", ("slot's name",), (1, 4), "'ADD'", others="ADD"),
    "in a name and a word": Miss(
        "{ADD} ADDRESS", "ADD", ("'ADDRESS'", "longer word"), (1, 7), "'ADD'", others="ADD"
    ),
    "the likeliest of three": Miss("add, ADd, Add", "ADD", ("'ADd'",), (1, 6), "'ADD'"),
    "the likeliest of several": Miss("paddle Add", "ADD", ("'Add'", "case"), (1, 8), "'ADD'"),
    "translated": Miss("ajouter", "ADD", ("'ADD'",), None, "'ADD'"),
    # Letters in the middle of other words are no near miss: naming them misleads.
    "in another case inside a word": Miss("una palabra normal", "NO", (), None, "'NO'"),
    "spread over words": Miss("La edad del usuario", "ADD", (), None, "'ADD'"),
}


def text_of(found: Diagnostic) -> str:
    return f"{found.message} {found.mend}"


@pytest.mark.parametrize("miss", SLOTS.values(), ids=SLOTS)
def test_the_near_miss_of_a_slot_is_named(miss: Miss) -> None:
    """Rule 8, and M3: with the character, its code point, its place, and the mend."""
    contract = Contract([*miss.others.split(), miss.owed])
    found = [finding for finding in check(miss.text, contract, miss.base) if finding.lacks]
    assert [(finding.lacks, finding.subject) for finding in found] == [("slot", miss.owed)]
    says(found[0], miss)


@pytest.mark.parametrize("miss", TOKENS.values(), ids=TOKENS)
def test_the_near_miss_of_a_token_is_named(miss: Miss) -> None:
    """Rule 8, and M3: with the character, its code point, its place, and the mend."""
    contract = Contract(miss.others.split(), [miss.owed])
    found = check(miss.text, contract, miss.base)
    assert [(finding.lacks, finding.subject) for finding in found] == [("token", miss.owed)]
    says(found[0], miss)


def says(found: Diagnostic, miss: Miss) -> None:
    assert [word for word in miss.words if word not in found.message] == []
    assert miss.mend in str(found.mend)
    assert (found.place and (found.place.line, found.place.column)) == miss.at, found.message
    assert found.severity == "error"
    if found.offset is not None:
        assert found.place == place_at(miss.text, found.offset)


@pytest.mark.parametrize(
    ("text", "names", "base", "pointed"),
    [
        ("{histoire} {objectif}", "backstory goal", "{backstory} {goal}", [0, 11]),
        ("{strumento} {input_strumento}", "tool tool_input", None, [0, 12]),
        ("{a1} {b1} {c1}", "first second", None, [None, None]),  # no guess: which is which?
        ("{sorce}", "source other", None, [0, None]),
        ("{x} {x}", "city", None, [0]),  # one unknown name, twice
        ("{city} {x}", "name city", "{x} {name} {city}", [None]),
    ],
)
def test_translated_names_are_matched_in_order_where_their_number_fits(
    text: str, names: str, base: str | None, pointed: list[int | None]
) -> None:
    found = check(text, Contract(names.split()), base)
    assert [finding.offset for finding in found] == pointed


def test_a_doubled_slot_in_latex_is_mended_as_told() -> None:
    """CASES, and rule 3: `\\textbf{<name>}` honours the contract."""
    contract = Contract(["name"])
    [found] = check(r"\textbf{{name}}", contract, r"\textbf{<name>}")
    assert r"{<name>}" in str(found.mend)
    assert check(r"\textbf{<name>}", contract, "{name}") == []


def test_columns_are_told_only_where_they_are_on_the_line_of_the_slot() -> None:
    [found] = check("{que\u200b\nry}", Contract(["query"]))
    assert "U+200B" in found.message
    assert "column" not in found.message


def test_a_blank_stands_instead_of_nothing() -> None:
    """A no-break space reads as a space, and a slot has none."""
    [found] = check("{\u00a0query}", Contract(["query"]))
    assert "instead" not in found.message


def test_a_doubled_slot_without_latex_has_a_plain_mend() -> None:
    [found] = check("see {{name}}", Contract(["name"]))
    assert "<name>" not in text_of(found)


def test_each_of_many_missing_things_has_its_own_near_miss() -> None:
    contract = Contract(["first", "other"], ["ADD", "NOOP"])
    found = check("{First} { other } add NO-OP", contract)
    assert [(finding.subject, finding.offset) for finding in found] == [
        ("first", 0),
        ("other", 8),
        ("ADD", 18),
        ("NOOP", 22),
    ]


def test_more_than_three_odd_characters_are_summed_up() -> None:
    [found] = check("ＡＣＴＩＯＮ", Contract((), ["ACTION"]))
    assert found.message.count("U+FF") == 2
    assert "4 more" in found.message


# What stands in the text between bars is mended for certain; without bars, only a person can tell.
MENDS = {
    "blanks": Miss("x |{ q }| y", "q", (), None, "{q}"),
    "no-break space": Miss("|{\u00a0q}|", "q", (), None, "{q}"),
    "full-width braces": Miss("a|｛q｝|", "q", (), None, "{q}"),
    "the other bracket": Miss("|{q>| x", "q", (), None, "{q}"),
    "zero-width space": Miss("|{qu\u200bery}|", "query", (), None, "{query}"),
    "a Cyrillic letter in a slot": Miss("|{quеry}|", "query", (), None, "{query}"),
    "blanks in angle style": Miss("<a> |< q >|", "q", (), None, "<q>", others="a"),
    "blanks, old text in angle style": Miss("|{ q }|", "q", (), None, "<q>", base="<q>"),
    "beside a good one": Miss("{q} |{ q }|", "q", (), None, "{q}", base="{q}"),
    "full-width letters": Miss("x |ＡＤＤ|", "!ADD", (), None, "ADD"),
    "zero-width space in a token": Miss("|A\u200bDD|.", "!ADD", (), None, "ADD"),
    "a Cyrillic letter in a token": Miss("|DЕLETE|", "!DELETE", (), None, "DELETE"),
    "full-width colon": Miss("|Action：| x", "!Action:", (), None, "Action:"),
    # Not certain: prose in quotes, an aside, markup.
    "French quotes": Miss("la « question » posée", "question", (), None, ""),
    "an aside": Miss("the query (query) is", "query", (), None, ""),
    "a link": Miss("see [query] there", "query", (), None, ""),
    "plain text of the old one": Miss(
        "unter <messages>:", "messages", (), None, "", base="under <messages>: {messages}"
    ),
    "a pair of tags": Miss("<q>{q}</q>", "q", (), None, "", base="Ask {q}"),
    "LaTeX": Miss(r"\textbf{{name}}", "name", (), None, ""),
    # Not certain: another word of the language.
    "two words": Miss("do the to do", "!todo", (), None, ""),
    "a Russian word": Miss("НЕТ, НО", "!HO", (), None, ""),
    "another case": Miss("the answer is no", "!NO", (), None, ""),
    "an accent": Miss("um NÓ", "!NO", (), None, ""),
    "a longer word": Miss("ADDRESS", "!ADD", (), None, ""),
}


@pytest.mark.parametrize("miss", MENDS.values(), ids=MENDS)
def test_only_what_is_certain_is_mended_without_asking(miss: Miss) -> None:
    """DESIGN, section 6: `check --fix` applies the certain mends; `!` marks a token."""
    names = [name for name in (*miss.others.split(), miss.owed) if name[0] != "!"]
    contract = Contract(names, [miss.owed[1:]] if miss.owed[0] == "!" else [])
    before, *broken = miss.text.split("|")
    start, end = len(before), len(before) + len(broken[0]) if broken else 0
    fixes = [finding.fix for finding in check(miss.text.replace("|", ""), contract, miss.base)]
    assert [fix for fix in fixes if fix] == ([(start, end, miss.mend)] if broken else [])


@pytest.mark.parametrize(
    ("text", "owed", "code"),
    [
        ("x", "query", "slot-missing"),
        ("{ query }", "query", "slot-mangled"),
        ("{query>", "query", "slot-mangled"),
        ("｛query｝", "query", "slot-mangled"),
        ("{query", "query", "slot-mangled"),
        ("{{query}}", "query", "slot-doubled"),
        ("{a} <query>", "query", "slot-style"),
        ("{Query}", "query", "slot-misspelt"),
        ("{qurey}", "query", "slot-misspelt"),
        ("{запрос}", "query", "slot-translated"),
        ("x", "!ADD", "token-missing"),
        ("ADDRESS", "!ADD", "token-embedded"),
        ("{ADD}", "!ADD", "token-embedded"),
        ("add", "!ADD", "token-recased"),
        ("АDD", "!ADD", "token-lookalike"),
        ("A\u200bDD", "!ADD", "token-lookalike"),
        ("A-DD", "!ADD", "token-split"),
    ],
)
def test_each_kind_of_near_miss_has_its_code(text: str, owed: str, code: str) -> None:
    names = ["ADD"] if text == "{ADD}" else ["a"] if "{a}" in text else []
    contract = Contract(
        [*names, *([] if owed[0] == "!" else [owed])], [owed[1:]] * (owed[0] == "!")
    )
    assert [found.code for found in check(text, contract)] == [code]


def test_many_slots_that_hold_the_missing_token_are_passed_in_linear_time() -> None:
    """Looking through all slots at each of them would take the square of their number."""
    contract = Contract(["ADD"], ["ADD"])
    [found] = check("{ADD}" * 100, contract)
    assert found.code == "token-embedded"
    assert growth(lambda size: check("{ADD}" * size, contract), 3_000) < LINEAR
