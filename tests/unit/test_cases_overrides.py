"""The table "Overrides and packs" of CASES, as far as one text beside its old one can show it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from agentprompts import PromptError, PromptTemplate


class Case(NamedTuple):
    """An old text, what it holds, a new one, and what the refusal must say: nothing, if fine."""

    old: str
    names: str
    tokens: str
    new: str
    says: tuple[str, ...] = ()


SLOT = "missing placeholder"
TOKEN = "missing required protocol token"

CASES = {
    # `{tuple_delimiter>` beside a good one (graphrag-accelerator#256)
    "{tuple_delimiter> beside a good one": Case(
        "{tuple_delimiter} x",
        "tuple_delimiter",
        "",
        "({tuple_delimiter}x{tuple_delimiter>y)",
        ("'{tuple_delimiter>'", "column 20", "write '{tuple_delimiter}'"),
    ),
    "{tuple_delimiter> that the old text has": Case(
        "{tuple_delimiter} x {tuple_delimiter>",
        "tuple_delimiter",
        "",
        "({tuple_delimiter}x{tuple_delimiter>y)",
    ),
    # legitimate angle brackets and braces
    "<tool> beside {tools}": Case(
        "Use <tool> of {tools}.", "tools", "", "Nimm <tool> aus {tools}: <tool>."
    ),
    "<Query>{query}</Query>": Case(
        "<Query>{query}</Query>", "query", "", "<Query>\n{query}\n</Query>"
    ),
    "<Query>{query}</Query>, new tags": Case(
        "Query: {query}", "query", "", "<Query>{query}</Query>"
    ),
    r"\frac{n}{m}": Case(r"\frac{n}{m} {q}", "q", "", r"{q}: \frac{n}{m}"),
    # under <messages>
    "<messages> is no change of style": Case(
        "under <messages>: {messages}",
        "messages",
        "",
        "unter <messages>:",
        (f"{SLOT} ['messages']", "'<messages>'", "write '{messages}'"),
    ),
    # \textbf{{name}}
    r"\textbf{{name}}": Case(
        "{name}",
        "name",
        "",
        r"\textbf{{name}}",
        (f"{SLOT} ['name']", "'{{name}}'", r"write '{<name>}'"),
    ),
    r"\textbf{<name>}": Case("{name}", "name", "", r"\textbf{<name>}"),
    # words and marks
    "NO in NOÇÃO": Case("NO", "", "NO", "NOÇÃO", (f"{TOKEN} ['NO']", "'NOÇÃO'")),
    "ADD before a combining accent": Case(
        "ADD", "", "ADD", "ADD\u0301", (f"{TOKEN} ['ADD']", "U+0301")
    ),
    "__UPDATE__": Case("UPDATE", "", "UPDATE", "__UPDATE__"),
    "Action in a JSON example": Case("Action: x", "", "Action:", r'{"a": "x\nAction: y"}'),
    # translated and mangled names
    "{परीक्षण} for {test}": Case(
        "{test}", "test", "", "{परीक्षण}", (f"{SLOT} ['test']", "unknown; did you mean '{test}'")
    ),
    "{ link_start }": Case(
        "{link_start}",
        "link_start",
        "",
        "{ link_start }",
        (f"{SLOT} ['link_start']", "'{ link_start }'", "write '{link_start}'"),
    ),
    "{{nombre}}": Case(
        "{name}", "name", "", "{{nombre}}", (f"{SLOT} ['name']", "'{{nombre}}'", "write '{name}'")
    ),
    "{{CONTEXT}}": Case(
        "{context}",
        "context",
        "",
        "{{CONTEXT}}",
        (f"{SLOT} ['context']", "'{{CONTEXT}}'", "write '{context}'"),
    ),
    # code points and columns
    "｛name｝": Case(
        "{name}", "name", "", "x ｛name｝", (f"{SLOT} ['name']", "U+FF5B", "column 3", "U+FF5D")
    ),
    "a no-break space in a slot": Case(
        "{name}", "name", "", "{name\u00a0}", (f"{SLOT} ['name']", "U+00A0", "column 6")
    ),
    "U+200F in a slot": Case(
        "{name}", "name", "", "{name\u200f}", (f"{SLOT} ['name']", "U+200F", "column 6")
    ),
    "U+200B in a slot": Case(
        "{name}", "name", "", "{\u200bname}", (f"{SLOT} ['name']", "U+200B", "column 2")
    ),
    "U+200B in a second copy of a slot": Case(
        "{name}", "name", "", "{name} {\u200bname}", ("U+200B", "column 9", "write '{name}'")
    ),
    "a no-break space in a token": Case(
        "ADD", "", "ADD", "A\u00a0DD", (f"{TOKEN} ['ADD']", "U+00A0", "column 2")
    ),
    "a no-break space before a token's colon": Case(
        "Action: x",
        "",
        "Action:",
        "Action\u00a0: x",
        (f"{TOKEN} ['Action:']", "U+00A0", "column 7"),
    ),
    "U+200F in a token": Case(
        "ADD", "", "ADD", "A\u200fDD", (f"{TOKEN} ['ADD']", "U+200F", "column 2")
    ),
    "U+200B in a token": Case(
        "ADD", "", "ADD", "AD\u200bD", (f"{TOKEN} ['ADD']", "U+200B", "column 3")
    ),
    # look-alikes
    "DЕLETE with a Cyrillic letter": Case(
        "DELETE", "", "DELETE", "DЕLETE", (f"{TOKEN} ['DELETE']", "U+0415 CYRILLIC", "column 2")
    ),
    "ACTİVE": Case("ACTIVE", "", "ACTIVE", "ACTİVE", (f"{TOKEN} ['ACTIVE']", "U+0130", "column 4")),
    "full-width ＡＤＤ": Case(
        "ADD", "", "ADD", "ＡＤＤ", (f"{TOKEN} ['ADD']", "U+FF21 FULLWIDTH", "column 1")
    ),
    "full-width ＵＰ-DATE": Case(
        "UPDATE", "", "UPDATE", "ＵＰ-DATE", (f"{TOKEN} ['UPDATE']", "'ＵＰ-DATE'", "U+FF35")
    ),
    "ADDRESS": Case("ADD", "", "ADD", "ADDRESS", (f"{TOKEN} ['ADD']", "'ADDRESS'")),
    "a token inside a slot's name": Case(
        "ADD {ADD_x}", "ADD_x", "ADD", "{ADD_x}", (f"{TOKEN} ['ADD']",)
    ),
    "a token that is a slot's name": Case(
        "ADD {ADD}", "ADD", "ADD", "{ADD}", (f"{TOKEN} ['ADD']", "slot's name")
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_text_is_taken_or_refused_with_its_reason(case: Case) -> None:
    """M3, and M11 for packs: both ask `with_text` of the old text."""
    old = PromptTemplate(case.old, variables=case.names.split(), protected=case.tokens.split())
    if not case.says:
        assert old.with_text(case.new).template == case.new
        return
    with pytest.raises(PromptError) as caught:
        old.with_text(case.new)
    message = str(caught.value)
    assert message.startswith("Invalid prompt override: ")
    assert [words for words in case.says if words not in message] == []
