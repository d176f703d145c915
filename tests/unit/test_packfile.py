"""Contracts and packs: what is read, and each fault with its place and its mend."""

from __future__ import annotations

import pytest

from agentprompts import Diagnostic, Place, PromptError
from agentprompts.packfile import Contracts, Pack, read_contracts, read_pack, source_templates
from agentprompts.scanner import Contract
from agentprompts.tomltext import read_toml
from tests.growth import LINEAR, growth

Finding = tuple[int, int, str, str | None]
"""Line, column, code, key."""

FIELDS = ("description", "variables", "protected", "renamed_from")
HEADER = "[catalog]\nsource = 'en'\n"


def contracts(body: str, header: str = HEADER) -> Contracts:
    return read_contracts(read_toml((header + body).encode(), "catalog.toml"))


def pack(text: str, locale: str = "fr") -> Pack:
    return read_pack(read_toml(text.encode(), f"{locale}.toml"), locale)


def findings(error: PromptError) -> list[Finding]:
    """Return (line, column, code, key) of each finding of an error."""
    assert all(found.place and found.place.file for found in error.diagnostics)
    return [
        (found.place.line, found.place.column, found.code, found.key)
        for found in error.diagnostics
        if found.place is not None
    ]


# Contracts


def test_contracts_are_read_from_one_flat_table_a_key() -> None:
    read = contracts(
        """
["memory.reconcile"]
description = "Picks one operation."
protected = ["ADD", "NOOP"]
["context.question"]
variables = ["query", "名前"]
renamed_from = "question"
["empty.one"]
["x.y"]
renamed_from = ["x.z", "old"]
"""
    )
    assert read.source == "en"
    assert list(read.contracts.items()) == [
        ("memory.reconcile", Contract((), ("ADD", "NOOP"), "Picks one operation.")),
        ("context.question", Contract(("query", "名前"))),
        ("empty.one", Contract()),
        ("x.y", Contract()),
    ]
    assert read.renamed == {"question": "context.question", "x.z": "x.y", "old": "x.y"}
    assert read.file.place(read.paths["x.y"]) == Place(11, 2, "catalog.toml")


# The same two contracts, `memory.one` with the slot `a`, `memory.two` with the token `B`.
SPELLINGS = {
    "quoted": "['memory.one']\nvariables = ['a']\n['memory.two']\nprotected = ['B']\n",
    "nested": "[memory.one]\nvariables = ['a']\n[memory.two]\nprotected = ['B']\n",
    "nested under an empty table": (
        "[memory]\n[memory.one]\nvariables = ['a']\n[memory.two]\nprotected = ['B']\n"
    ),
    "dotted": "[memory]\none.variables = ['a']\ntwo.protected = ['B']\n",
    "inline": "[memory]\none = {variables = ['a']}\ntwo = {protected = ['B']}\n",
    "mixed": "['memory'.one]\nvariables = ['a']\n[memory.\"two\"]\nprotected = ['B']\n",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_of_a_contract_gives_the_same_key(name: str) -> None:
    assert contracts(SPELLINGS[name]).contracts == {
        "memory.one": Contract(["a"]),
        "memory.two": Contract((), ["B"]),
    }


@pytest.mark.parametrize(
    ("source", "expected"), [("en", "en"), ("zh_hans", "zh-Hans"), ("PT-br", "pt-BR")]
)
def test_the_source_language_is_read_in_its_usual_spelling(source: str, expected: str) -> None:
    assert contracts("", f"[catalog]\nsource = '{source}'\n").source == expected


# What is wrong below the header, from line 3 on: (text, what is found, words)
BAD_CONTRACTS: dict[str, tuple[str, list[Finding], str]] = {
    "unknown field, a near one": (
        "['m.x']\nprotectd = ['A']\n",
        [(4, 1, "contract-invalid", "m.x")],
        "did you mean 'protected'?",
    ),
    "unknown field": (
        "['m.x']\n zzz = 1\n",
        [(4, 2, "contract-invalid", "m.x")],
        "description, variables, protected, renamed_from",
    ),
    "a bare string as slots": (
        "['m.x']\nvariables = 'query'\n",
        [(4, 1, "contract-invalid", "m.x")],
        "must be a collection of str",
    ),
    "a table as slots": (
        "['m.x']\ndescription = 'd'\nvariables = {query = 'q'}\n",
        [(5, 1, "contract-invalid", "m.x")],
        "variables",
    ),
    "a table as tokens": (
        "['m.x']\ndescription = 'd'\nprotected = {ADD = true}\n",
        [(5, 1, "contract-invalid", "m.x")],
        "protected",
    ),
    "a number as tokens": (
        "['m.x']\nprotected = 5\n",
        [(4, 1, "contract-invalid", "m.x")],
        "must be a collection of str",
    ),
    "numbers among the tokens": (
        "['m.x']\nprotected = ['A', 5, true]\n",
        [(4, 1, "contract-invalid", "m.x"), (4, 1, "contract-invalid", "m.x")],
        "5 is no str",
    ),
    "a slot that is no name": (
        "['m.x']\nvariables = [\n  'ok', 'not ok',\n]\n",
        [(4, 1, "contract-invalid", "m.x")],
        "'not ok' is no identifier",
    ),
    "a blank token": (
        "['m.x']\nprotected = [' ']\n",
        [(4, 1, "contract-invalid", "m.x")],
        "is blank",
    ),
    "a description that is none": (
        "['m.x']\ndescription = ['d']\n",
        [(4, 1, "contract-invalid", "m.x")],
        "is no str",
    ),
    "several in one contract": (
        "['m.x']\ndescription = 1\nvariables = 'q'\nprotected = ['']\nzzz = 1\n",
        [
            (7, 1, "contract-invalid", "m.x"),
            (5, 1, "contract-invalid", "m.x"),
            (6, 1, "contract-invalid", "m.x"),
            (4, 1, "contract-invalid", "m.x"),
        ],
        "zzz",
    ),
    "in several contracts": (
        "['m.x']\nzzz = 1\n['m.y']\n['m.z']\nvariables = ['1']\n",
        [(4, 1, "contract-invalid", "m.x"), (7, 1, "contract-invalid", "m.z")],
        "2 faults in 2 prompts",
    ),
    "an array of tables": (
        "[[memory]]\nvariables = ['a']\n",
        [(3, 3, "contract-invalid", None)],
        'write a table: ["memory"]',
    ),
    "a value among tables": (
        "[memory]\n[memory.x]\n[memory.y]\n[a]\nb = 'text'\n",
        [(7, 1, "contract-invalid", "a")],
        "unknown field 'b'",
    ),
    "a blank segment": ("['m..x']\n", [(3, 2, "key-invalid", "m..x")], "blank segment"),
    "a blank": ("['m. x']\n", [(3, 2, "key-invalid", "m. x")], "white space"),
    "a line end": ('["m.x\\n"]\n', [(3, 2, "key-invalid", "m.x\n")], "white space"),
    "the same key in two spellings": (
        "['m.x']\n[n]\n[m.x]\nvariables = ['a']\n",
        [(5, 2, "key-duplicate", "m.x")],
        "see also: catalog.toml:3:2",
    ),
    "the same key, first by dots": (
        "[m]\nx.description = 'd'\n['m.x']\n",
        [(5, 2, "key-duplicate", "m.x")],
        "see also: catalog.toml:4:1",
    ),
    "the same key, then by dots": (
        "['m.x']\n[m]\nx.description = 'd'\n",
        [(5, 1, "key-duplicate", "m.x")],
        "see also: catalog.toml:3:2",
    ),
    "a key that another begins with": (
        "['m.x.y']\n['m']\n['m.x']\n",
        [
            (3, 2, "key-prefix", "m.x.y"),
            (3, 2, "key-prefix", "m.x.y"),
            (5, 2, "key-prefix", "m.x"),
        ],
        "'m' is the beginning of the key 'm.x.y'",
    ),
    "a key that another begins with, nested": (
        "[m]\ndescription = 'd'\n[m.x]\ndescription = 'e'\n",
        [(5, 2, "key-prefix", "m.x")],
        "'m' is the beginning of the key 'm.x'",
    ),
    "an old name that is no text": (
        "['m.x']\nrenamed_from = 5\n",
        [(4, 1, "contract-invalid", "m.x")],
        "renamed_from is no key",
    ),
    "old names that are not all text": (
        "['m.x']\nrenamed_from = ['a', 5]\n",
        [(4, 1, "contract-invalid", "m.x")],
        "renamed_from is no key",
    ),
    "an old name that is no key": (
        "['m.x']\nrenamed_from = 'old. name'\n",
        [(4, 1, "key-invalid", "m.x")],
        "white space",
    ),
    "an old name that is empty": (
        "['m.x']\nrenamed_from = ['']\n",
        [(4, 1, "key-invalid", "m.x")],
        "blank segment",
    ),
    "an old name that is a key": (
        "['m.x']\nrenamed_from = 'm.y'\n['m.y']\n",
        [(4, 1, "key-renamed", "m.x")],
        "'m.y' is the old name of 'm.x', and a key of its own",
    ),
    "its own old name": (
        "['m.x']\nrenamed_from = 'm.x'\n",
        [(4, 1, "key-renamed", "m.x")],
        "take one of the two out",
    ),
    "one old name of two keys": (
        "['m.x']\nrenamed_from = 'old'\n['m.y']\nrenamed_from = ['old']\n",
        [(6, 1, "key-renamed", "m.y")],
        "'old'",
    ),
}


@pytest.mark.parametrize("name", BAD_CONTRACTS)
def test_a_fault_in_the_contracts_is_found_at_its_place(name: str) -> None:
    body, expected, words = BAD_CONTRACTS[name]
    with pytest.raises(PromptError, match=r"^Invalid catalog catalog\.toml: ") as caught:
        contracts(body)
    assert findings(caught.value) == expected
    assert words in str(caught.value)


@pytest.mark.parametrize("name", BAD_CONTRACTS)
def test_every_fault_in_the_contracts_comes_with_its_mend(name: str) -> None:
    with pytest.raises(PromptError) as caught:
        contracts(BAD_CONTRACTS[name][0])
    assert all(found.mend for found in caught.value.diagnostics)


BAD_HEADERS: dict[str, tuple[str, list[tuple[int, int, str]], str]] = {
    "no header": ("# contracts\n", [(1, 1, "catalog-invalid")], "begin the file with [catalog]"),
    "no source": ("\n[catalog]\n", [(2, 2, "catalog-invalid")], "source language is not said"),
    "source is no text": ("[catalog]\nsource = 1\n", [(1, 2, "catalog-invalid")], "not said"),
    "header is no table": ("catalog = 'en'\n", [(1, 1, "catalog-invalid")], "not said"),
    "source is no locale": (
        "[catalog]\nsource = 'en_US@x=../..'\n",
        [(2, 1, "locale-invalid")],
        'write source = "en"',
    ),
    "an unknown field": (
        "[catalog]\nsource = 'en'\nversion = 2\nname = 'x'\n",
        [(3, 1, "catalog-invalid"), (4, 1, "catalog-invalid")],
        "unknown field 'version'",
    ),
    "a glossary that is a text": (
        "[catalog]\nsource = 'en'\nglossary = 'JSON'\n",
        [(3, 1, "catalog-invalid")],
        "the glossary: is no list",
    ),
    "terms that no text could hold": (
        "[catalog]\nsource = 'en'\nglossary = ['JSON', ' ', 1]\n",
        [(3, 1, "catalog-invalid"), (3, 1, "catalog-invalid")],
        "the glossary: 1 is no str",
    ),
}


@pytest.mark.parametrize("name", BAD_HEADERS)
def test_a_fault_in_the_header_is_found_beside_those_in_the_contracts(name: str) -> None:
    header, expected, words = BAD_HEADERS[name]
    with pytest.raises(PromptError) as caught:
        contracts("['m.x']\nzzz = 1\n", header)
    line = header.count("\n") + 2
    assert findings(caught.value) == [
        *((*place, None) for place in expected),
        (line, 1, "contract-invalid", "m.x"),
    ]
    assert words in str(caught.value)


def test_the_name_of_the_header_is_reserved_at_the_top_only() -> None:
    read = contracts("['catalog.x']\n[a.catalog]\ndescription = 'd'\n")
    assert list(read.contracts) == ["catalog.x", "a.catalog"]


# Packs: every spelling flattens to the same key.

TEXTS = {"memory.none": "aucun", "context.section.plan": "plan"}
PACKS = {
    "tables": "[memory]\nnone = 'aucun'\n[context.section]\nplan = 'plan'\n",
    "dotted": "memory.none = 'aucun'\ncontext.section.plan = 'plan'\n",
    "quoted": "'memory.none' = 'aucun'\n\"context.section.plan\" = 'plan'\n",
    "dotted in a table": "[memory]\nnone = 'aucun'\n[context]\nsection.plan = 'plan'\n",
    "quoted in a table": "[memory]\n'none' = 'aucun'\n[context]\n'section.plan' = 'plan'\n",
    "a quoted table": "['memory']\nnone = 'aucun'\n['context.section']\nplan = 'plan'\n",
    "inline": "memory = {none = 'aucun'}\ncontext = {section.plan = 'plan'}\n",
    "every kind of string": (
        "memory.none = \"auc\\u0075n\"\ncontext.section.plan = '''\nplan'''\n[empty]\n"
    ),
}


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_every_spelling_of_a_pack_gives_the_same_texts(name: str, lines: str) -> None:
    read = pack(PACKS[name].replace("\n", lines))
    assert (read.texts, read.locale, list(read.paths)) == (TEXTS, "fr", list(TEXTS))


# What is wrong in a pack: (text, what is found, words)
BAD_PACKS: dict[str, tuple[str, list[Finding], str]] = {
    "what is no text": (
        "a = 1\nb = 1.5\n[t]\nc = true\n d = 1979-05-27\ne = ['x']\nf = 'ok'\n",
        [
            (1, 1, "text-type", "a"),
            (2, 1, "text-type", "b"),
            (4, 1, "text-type", "t.c"),
            (5, 2, "text-type", "t.d"),
            (6, 1, "text-type", "t.e"),
        ],
        "write '''text'''",
    ),
    "an array of tables": (
        "a = 'x'\n[[b]]\nc = 'y'\n",
        [(2, 3, "text-type", "b")],
        "list where a text belongs",
    ),
    "in an inline table": (
        "a = {b = 'x', c = 1}\n",
        [(1, 15, "text-type", "a.c")],
        "int where a text belongs",
    ),
    "no key": ("[t]\n'' = 'x'\n", [(2, 1, "key-invalid", "t.")], "blank segment"),
    "a blank in a key": ("'a b' = 'x'\n", [(1, 1, "key-invalid", "a b")], "white space"),
    "an invisible character in a key": (
        "'a\u200b' = 'x'\n",
        [(1, 1, "key-invalid", "a\u200b")],
        "cannot be seen",
    ),
    "the same key, quoted": (
        "a.b = 'x'\n'a.b' = 'y'\n",
        [(2, 1, "key-duplicate", "a.b")],
        "see also: fr.toml:1:1",
    ),
    "the same key, by tables": (
        "[a]\nb.c = 'x'\n['a.b']\n c = 'y'\n['a'.'b.c']\n",
        [(4, 2, "key-duplicate", "a.b.c")],
        "see also: fr.toml:2:1",
    ),
    "the same key three times": (
        "'a.b.c' = '1'\n'a.b'.c = '2'\na.'b.c' = '3'\n",
        [(2, 1, "key-duplicate", "a.b.c"), (3, 1, "key-duplicate", "a.b.c")],
        "keep one of the two",
    ),
    "a key that another begins with": (
        "'a' = 'x'\n'a.b.c' = 'y'\n[t]\n'a.b' = 'no fault'\n",
        [(2, 1, "key-prefix", "a.b.c")],
        "'a' is the beginning of the key 'a.b.c'",
    ),
    "a key that another begins with, later": (
        "'a.b' = 'x'\n'a' = 'y'\n'ab' = 'no fault'\n",
        [(1, 1, "key-prefix", "a.b")],
        "rename one of the two",
    ),
    "all at once": (
        "a = 1\n'b b' = 'x'\n'c.d' = 'x'\nc.d = 'y'\n'c.d.e' = 'z'\n",
        [
            (1, 1, "text-type", "a"),
            (2, 1, "key-invalid", "b b"),
            (4, 1, "key-duplicate", "c.d"),
            (5, 1, "key-prefix", "c.d.e"),
        ],
        "Invalid pack fr.toml: 4 faults in 4 prompts",
    ),
}


@pytest.mark.parametrize("name", BAD_PACKS)
@pytest.mark.parametrize("lines", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_fault_in_a_pack_is_found_at_its_place(name: str, lines: str) -> None:
    text, expected, words = BAD_PACKS[name]
    with pytest.raises(PromptError, match=r"^Invalid pack fr\.toml: ") as caught:
        pack(text.replace("\n", lines))
    assert findings(caught.value) == expected
    assert words in str(caught.value)
    assert all(found.mend for found in caught.value.diagnostics)


# Keys of more parts than any catalog has, by ways on which no single TOML key has too many.
DEEP = {
    "a quoted key of 5,000 parts": "x = 'y'\n'" + "a." * 4999 + "a' = 'x'\n",
    "a quoted table of 5,000 parts": "x = 'y'\n['" + "a." * 4999 + "a']\nb = 'x'\n",
    "tables of long keys": "x = 'y'\n" + f"{'a.' * 59}a = {{" * 20 + "b = 'x'" + "}" * 20 + "\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_a_key_of_thousands_of_parts_is_one_finding_whatever_its_spelling(name: str) -> None:
    with pytest.raises(PromptError) as caught:
        pack(DEEP[name])
    [found] = caught.value.diagnostics
    assert found.place is not None
    assert found.place.line in (2, 3)  # the header's line, or that of the key below it


def test_a_key_of_64_parts_is_read_and_one_of_65_is_not_whatever_its_spelling() -> None:
    for quote in ("", "'"):
        assert list(pack(f"{quote}{'a.' * 63}a{quote} = 'x'\n").texts) == ["a." * 63 + "a"]
        with pytest.raises(PromptError):
            pack(f"{quote}{'a.' * 64}a{quote} = 'x'\n")


# Source texts


def test_a_source_has_the_templates_of_its_contracts_in_their_order() -> None:
    made = source_templates(
        contracts("['b.x']\nvariables = ['q']\n['a.y']\nprotected = ['ADD']\n['c.z']\n"),
        pack("c.z = ''\na.y = 'ADD'\nb.x = '{q}'\n", "en"),
    )
    assert [(key, one.template, one.variables, one.protected) for key, one in made.items()] == [
        ("b.x", "{q}", ("q",), ()),
        ("a.y", "ADD", (), ("ADD",)),
        ("c.z", "", (), ()),
    ]


def test_a_source_reports_every_text_contract_and_breach_at_once() -> None:
    with pytest.raises(
        PromptError, match=r"^Invalid catalog catalog\.toml: 5 faults in 4"
    ) as caught:
        source_templates(
            contracts("['m.x']\nvariables = ['q', 'r']\n['m.y']\n['m.z']\nprotected = ['ADD']\n"),
            pack("[m]\nx = '''\nHello\n{q }'''\nz = 'add'\nw = 'one more'\n", "en"),
        )
    assert findings(caught.value) == [
        (6, 1, "contract-missing", "m.w"),
        (4, 1, "slot-mangled", "m.x"),
        (2, 1, "slot-missing", "m.x"),
        (5, 2, "text-missing", "m.y"),
        (5, 6, "token-recased", "m.z"),
    ]
    by_code = {found.code: found for found in caught.value.diagnostics}
    assert by_code["text-missing"].mend == "write it in en.toml"
    assert by_code["text-missing"].place == Place(5, 2, "catalog.toml")
    assert by_code["contract-missing"].mend == 'add a table ["m.w"] to catalog.toml'


# Packs against their source

CATALOG = """\
['ask']
variables = ['query']
['memory.reconcile']
protected = ['ADD']
renamed_from = ['memory.merge', 'reconcile']
['plain']
['blank']
"""
SOURCE = "ask = 'Ask: {query}'\nmemory.reconcile = 'ADD'\nplain = 'Hello.'\nblank = ''\n"


def judged(text: str) -> tuple[dict[str, str], list[Diagnostic]]:
    read = contracts(CATALOG)
    sources = source_templates(read, pack(SOURCE, "en"))
    templates, found = pack(text).judged(sources, read.renamed)
    for key, template in templates.items():
        assert template.contract is sources[key].contract
    return {key: template.template for key, template in templates.items()}, list(found)


def test_a_pack_may_be_partial_and_a_good_one_has_no_findings() -> None:
    texts = {"ask": "Demande : {query}", "memory.reconcile": "ADD"}
    assert judged("ask = 'Demande : {query}'\nmemory.reconcile = 'ADD'\n") == (texts, [])
    assert judged("") == ({}, [])


def test_a_text_that_breaks_its_contract_is_left_out_and_the_others_are_not() -> None:
    texts, found = judged("ask = 'Demande'\nmemory.reconcile = 'AJOUTER'\nplain = 'Bonjour.'\n")
    assert texts == {"plain": "Bonjour."}
    assert [(one.code, one.key, one.locale, str(one.place)) for one in found] == [
        ("slot-missing", "ask", "fr", "fr.toml:1:1"),
        ("token-missing", "memory.reconcile", "fr", "fr.toml:2:1"),
    ]


def test_a_blank_text_holds_the_place_of_a_translation() -> None:
    assert judged("ask = ''\nplain = ' \\n'\nblank = ''\n".replace("'", '"')) == ({"blank": ""}, [])


UNKNOWN = {
    "memory.reconsile": "did you mean 'memory.reconcile'?",
    "plane": "did you mean 'plain'?",
    "something.else": "take the entry out",
}


@pytest.mark.parametrize("key", UNKNOWN)
def test_a_key_that_the_catalog_has_not_is_named_with_the_nearest_one(key: str) -> None:
    texts, [found] = judged(f"plain = 'Bonjour.'\n{key} = 'x'\n")
    assert texts == {"plain": "Bonjour."}
    assert (found.code, found.severity, found.mend) == ("key-unknown", "error", UNKNOWN[key])
    assert found.place == Place(2, 1, "fr.toml")
    assert found.locale == "fr"


@pytest.mark.parametrize("old", ["memory.merge", "reconcile"])
def test_an_old_key_goes_on_working_with_a_warning(old: str) -> None:
    texts, [found] = judged(f"\n{old} = 'ADD!'\n")
    assert texts == {"memory.reconcile": "ADD!"}
    assert (found.code, found.severity, found.key) == ("key-renamed", "warning", old)
    assert "'memory.reconcile'" in found.message
    assert found.place == Place(2, 1, "fr.toml")


@pytest.mark.parametrize("first", [True, False], ids=["old first", "new first"])
def test_a_text_under_the_key_of_today_wins_over_one_under_an_old_key(first: bool) -> None:
    lines = ["reconcile = 'ADD old'", "memory.reconcile = 'ADD new'"]
    texts, found = judged("\n".join(lines if first else lines[::-1]))
    assert texts == {"memory.reconcile": "ADD new"}
    assert [one.code for one in found] == ["key-renamed"]


def test_a_broken_text_under_an_old_key_has_both_findings_and_is_left_out() -> None:
    texts, found = judged("reconcile = 'AJOUTER'\n")
    assert texts == {}
    assert [(one.code, one.severity) for one in found] == [
        ("key-renamed", "warning"),
        ("token-missing", "error"),
    ]


# A mangled slot in a text of lines. The mark stands before it, and is no part of the file.
MANGLED = {
    "literal": "ask = '''\nUne question :\n  ▸{ query } {query}'''\n",
    "first line": "ask = '''▸{ query } {query}'''\n",
    "literal, CRLF": "ask = '''\r\nUne question :\r\n\r\n é漢😀 ▸{ query } {query}'''\r\n",
    "after escapes": 'ask = "\\u00e9\\t\\"▸{ query } {query}"\n',
    "after a line continuation": 'ask = """\\\n  Une\\n\\\n\n   question ▸{ query } {query}"""\n',
    "quotes at the end": "ask = '''\n{query}\n▸{ query }'''''\n",
}


@pytest.mark.parametrize("name", MANGLED)
def test_a_mangled_slot_is_placed_at_its_character_in_the_file(name: str) -> None:
    marked = MANGLED[name]
    before = marked[: marked.index("▸")].replace("\r\n", "\n").split("\n")
    texts, [found] = judged(marked.replace("▸", ""))
    assert texts == {}
    assert (found.code, found.key) == ("slot-mangled", "ask")
    assert found.place == Place(len(before), len(before[-1]) + 1, "fr.toml")


@pytest.mark.parametrize(
    ("text", "character"),
    [('plain = "Bon\\u0000"\n', "U+0000"), ('plain = """\nBon\n\\u0000"""\n', "U+0000")],
)
def test_a_character_that_no_text_may_hold_is_placed_where_it_is_written(
    text: str, character: str
) -> None:
    texts, [found] = judged(text)
    assert texts == {}
    assert found.code == "text-invalid"
    assert character in found.message
    lines = text[: text.index("\\u")].split("\n")
    assert found.place == Place(len(lines), len(lines[-1]) + 1, "fr.toml")


# What a person reads, whole: (message, mend) by code; of contracts, packs, and the two together.

SAID = {
    "['a'.b]\nzzz = 1\n": ("unknown field 'zzz'", f"there are {', '.join(FIELDS)}"),
    "['a']\nprotected = 'A'\n": (
        "protected is 'A', but must be a collection of str",
        'write protected = ["…"]',
    ),
    "['a']\nrenamed_from = 1\n": ("renamed_from is no key", 'write "the.old.key"'),
    "['a']\nrenamed_from = 'b'\n['b']\n": (
        "'b' is the old name of 'a', and a key of its own",
        "take one of the two out",
    ),
    "['a']\nrenamed_from = 'o'\n['b']\nrenamed_from = 'o'\n": (
        "'o' is the old name of 'a' already",
        "take one of the two out",
    ),
    "['a.b']\n[a.b]\n": ("the key 'a.b' is there twice", "keep one of the two"),
    "[[b]]\n": ("'b' stands outside of a prompt", 'write a table: ["b"]'),
    "['a']\n['a.b']\n": (
        "the key 'a' is the beginning of the key 'a.b'",
        "rename one of the two: tools that write nested TOML lose one of them",
    ),
    "['" + "a." * 64 + "a']\n": (
        f"the key '{'a.' * 20}…' has more than 64 segments",
        "shorten it",
    ),
}


@pytest.mark.parametrize("body", SAID, ids=lambda body: body[:24])
def test_a_fault_in_the_contracts_is_told_in_these_words(body: str) -> None:
    with pytest.raises(PromptError) as caught:
        contracts(body)
    [found] = caught.value.diagnostics
    assert (found.message, found.mend) == SAID[body]


def test_faults_in_packs_are_told_in_these_words() -> None:
    with pytest.raises(PromptError) as caught:
        pack("a = 1\n")
    [found] = caught.value.diagnostics
    assert (found.message, found.mend) == ("int where a text belongs", "write '''text'''")
    with pytest.raises(PromptError) as caught:
        source_templates(contracts("['a']\n"), pack("b = 'x'\n", "en"))
    assert [(found.message, found.mend) for found in caught.value.diagnostics] == [
        ("there is no contract", 'add a table ["b"] to catalog.toml'),
        ("there is no text", "write it in en.toml"),
    ]
    found = judged("zzz = 'x'\n")[1][0]
    assert (found.message, found.mend) == ("the catalog has no key 'zzz'", "take the entry out")
    found = judged("reconcile = 'ADD'\n")[1][0]
    assert (found.message, found.mend) == (
        "the key 'reconcile' is called 'memory.reconcile' today",
        "rename it in this file",
    )
    with pytest.raises(PromptError) as caught:
        contracts("", "[catalog]\nname = 'x'\n")
    [found] = caught.value.diagnostics
    assert (found.message, found.mend) == (
        "the source language is not said",
        'begin the file with [catalog] and source = "en"',
    )


# Comments for the checks

IGNORES = {
    "# ignore number: spelled out\nplain = 'x'": {"number": "spelled out"},
    "# ignore number\n\t#ignore  end-sign :a: b \nplain = 'x'": {"number": "", "end-sign": "a: b"},
    "# ignore number: no\n\nplain = 'x'": {},
    "ask = 'x' # ignore number: no\nplain = 'x'": {},
    "# ignore\n# do not ignore number: no\n# ignore Number: no\nplain = 'x'": {},
    "plain = 'x' # ignore number: no": {},
    "# ignore number: a\nplain = 'x'\n# ignore other: no": {"number": "a"},
}


@pytest.mark.parametrize("text", IGNORES)
def test_comments_right_above_a_key_set_checks_aside(text: str) -> None:
    assert pack(text).ignores("plain") == IGNORES[text]


# Time. A pack of an older or a newer catalog is a common thing, and no reason to wait.


def test_the_nearest_key_is_looked_for_a_number_of_times() -> None:
    names = "".join(f"plainn{n} = 'x'\n" for n in range(100))
    guesses = [one.mend for one in judged(names)[1]]
    assert guesses[0] == "did you mean 'plain'?"
    assert guesses[-1] == "take the entry out"
    assert 10 <= guesses.count("did you mean 'plain'?") <= 50


def test_a_pack_whose_keys_are_all_unknown_is_judged_in_linear_time() -> None:
    names = [f"prompts.of_a_library.number_{n}" for n in range(400)]
    read = contracts("".join(f"['{name}']\n" for name in names))
    sources = source_templates(read, pack("".join(f"{name} = 'x'\n" for name in names), "en"))
    packs = {
        size: pack("".join(f"prompts.of_the_library.text_{n} = 'x'\n" for n in range(size)))
        for size in (500, 2000)
    }

    def judge(size: int) -> None:
        _, found = packs[size].judged(sources, read.renamed)
        assert len(found) == size

    assert growth(judge, 500) < LINEAR


def test_a_pack_of_many_faults_is_read_in_time_that_grows_with_its_size() -> None:
    files = {
        size: read_toml(b"".join(b"key_%d = 1\n" % n for n in range(size)), "fr.toml")
        for size in (5_000, 20_000)
    }

    def read(size: int) -> None:
        with pytest.raises(PromptError) as caught:
            read_pack(files[size], "fr")
        assert len(caught.value.diagnostics) == size

    assert growth(read, 5_000) < LINEAR


def test_a_catalog_of_contracts_in_dotted_keys_without_texts_is_refused_in_linear_time() -> None:
    """A table that only dotted keys make has its place looked up, not searched for."""

    def made(size: int) -> Contracts:
        return contracts("[m]\n" + "".join(f"key_{n}.description = 'd'\n" for n in range(size)))

    read = {size: made(size) for size in (1_000, 4_000)}
    empty = pack("", "en")

    def refuse(size: int) -> None:
        with pytest.raises(PromptError) as caught:
            source_templates(read[size], empty)
        last = (size + 3, 1, "text-missing", f"m.key_{size - 1}")
        assert findings(caught.value)[-1] == last

    assert growth(refuse, 1_000) < LINEAR
