"""The first look at a text against the rules: it never says of a bad one that it is good."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentprompts.scanner import Contract, check, find_slots, find_token
from agentprompts.scanner.glance import plainly_good
from agentprompts.scanner.nearmiss import mangled_slots

NAMES = ["a", "ab", "query", "op", "é"]
TOKENS = ["ADD", "Action:", "#N", "op", "0", "使用"]
PIECES = [
    *(f"{left}{name}{right}" for name in NAMES for left in "{<" for right in "}>"),
    *NAMES, *TOKENS, "{{", "}}", "{ query }", "{\n", '{"', "_", "é", "\u0301", "\0", "\ud800", " ",
    ". ", "\\n", "<", "A", "9", "text " * 120, "中文", "｛query｝", "{query｝",
    "{quеry}", "{\u200bab}", "{e\u0301}", "{\x0bquery}", "⟨ab⟩", "{中",
]  # fmt: skip


def by_the_rules(text: str, contract: Contract, base: str | None) -> bool:
    """Whether `check` finds nothing when it does not look first."""

    class Plain(str):
        """No exact `str`, so that `check` takes the long way."""

    return check(Plain(text), contract, base) == []


@given(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.sets(st.sampled_from(NAMES), max_size=3).map(sorted),
    st.sets(st.sampled_from(TOKENS), max_size=2).map(sorted),
)
@example("{query} {query}", ["query"], [])
@example("{{query}}", ["query"], [])
@example("{query", ["query"], [])
@example("{query" + "x" * 600, ["query"], [])
@example("{{query}} {query}" + " text" * 120, ["query"], [])
@example("{query}{ query }" + " text" * 120, ["query"], [])
@example("{op} op", ["op"], ["op"])
@example("{op}", ["op"], ["op"])
@example("text " * 120 + "{queryx", ["query"], [])
@example("{query} {quick}" + "text " * 120, ["op", "query"], [])
@example("ADD_ALL", [], ["ADD"])
@example("xADD", [], ["ADD"])
@example("ADD \0", [], ["ADD"])
@example("ADD \ud800", [], ["ADD"])
@example("<query> {query}", ["query"], [])
@example("｛query｝ {query}", ["query"], [])
@example("{é} {e\u0301}", ["é"], [])
@example("中文{query}{\x0bquery}", ["query"], [])
@example("", [], [])
def test_what_looks_good_is_good(text: str, names: list[str], tokens: list[str]) -> None:
    contract = Contract(names, tokens)
    if plainly_good(text, contract):
        assert by_the_rules(text, contract, None)
        assert by_the_rules(text, contract, "another text")
        slots = find_slots(text, contract)
        assert set(slots.names) == set(names)
        assert mangled_slots(text, contract, slots) == []
        assert all(find_token(text, token, slots) >= 0 for token in contract.tokens)


def test_a_good_text_of_any_size_looks_good() -> None:
    """Else the first look would only cost."""
    contract = Contract(["query", "op"], ["ADD", "Action:"])
    short = "ADD or not, {query} in {op}.\n\nAction: answer."
    assert plainly_good(short, contract)
    assert plainly_good(short + '\n{"ADD": {"a": 1}, "b": {op}}', contract)
    assert plainly_good(short + " text" * 1000, contract)
    assert plainly_good("No slot at all.", Contract())
    assert plainly_good("使用ADD操作：{query}、{op}。Action: ", contract)
