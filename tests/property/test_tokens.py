"""Where a protocol token holds, against a naive reading of DESIGN's rule 7."""

from __future__ import annotations

import regex
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from agentprompts.scanner import Contract, find_slots, find_token, find_tokens

# Pieces of a text: words and their parts, marks, underscores, escapes, letters of many scripts.
PIECES = [
    *("ADD", "ADD", "ADD", "A", "DD", "x", "z", "é", "ß", "ﬁ", "Ａ"),
    *("e\u0301", "\u0301", "\u0327", "\u0651", "ที่", "ท", "कि", "が"),
    *("_", "_", "__", " ", "\n", ".", "-", "'", '"', "#", "!", "!!", ":", "#N", "Action", "N"),
    *("\\n", "\\", "\\\\", "\\t", "\\u00e9", "\\x4a", "\\U0001f600", "n", "u00e9"),
    *("0", "1", "٣", "２", "10", "²", "①"),
    *("使", "用", "使用", "テ", "도구", "я", "Ω", "ع", "ה", "հ", "😀", "\u200b", "\u00a0"),
    *("{ADD}", "<ADD>", "{x}", "{{ADD}}", "{xADD_}", "{"),
]
TOKENS = ["ADD", "A", "DD", "N", "é", "#N", "!!", "!", "Action:", '"A', "_A", "A_", "ADD x"]
TOKENS += ["0", "10", "٣", "x1", "使用", "使", "ที่", "ท", "도구", "A使", "使A", "e\u0301", "\u0301"]
texts = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)

LATIN_OR_DIGIT = regex.compile(r"[\p{Latin}&&\p{L}]|\p{Nd}", regex.V1)
ESCAPE = regex.compile(
    r"(?<!\\)(?:\\\\)*\\(?:[abfnrtv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})$"
)


def joined_before(before: str, first: str) -> bool:
    """Whether what stands before makes the token, which begins with `first`, part of a word."""
    if not LATIN_OR_DIGIT.match(first):
        return False
    bare = before.rstrip("_")
    if ESCAPE.search(bare):
        return False
    base = regex.sub(r"\p{M}+$", "", bare)  # a mark belongs to the letter that it stands on
    return bool(base and LATIN_OR_DIGIT.match(base[-1]))


def joined_after(after: str, last: str) -> bool:
    """Whether what stands after makes the token, which ends with `last`, part of a word."""
    if not regex.match(r"[\p{L}\p{Nd}]", last):
        return False
    if regex.match(r"\p{M}", after):
        return True
    return bool(LATIN_OR_DIGIT.match(last) and LATIN_OR_DIGIT.match(after.lstrip("_")))


def naive(text: str, token: str, names: list[str]) -> list[int]:
    """Every place, overlapping ones included, where the token holds."""
    last = regex.sub(r"(?<=.)\p{M}+$", "", token)[-1]
    in_names: set[int] = set()
    for start, end in find_slots(text, Contract(names)).spans():
        in_names.update(
            at for at in range(start + 1, end - len(token)) if text[at : end - 1].startswith(token)
        )
    return [
        at
        for at in range(len(text) - len(token) + 1)
        if text.startswith(token, at)
        and at not in in_names
        and not joined_before(text[:at], token[0])
        and not joined_after(text[at + len(token) :], last)
    ]


def without_overlaps(places: list[int], size: int) -> list[int]:
    kept: list[int] = []
    for at in places:
        if not kept or at >= kept[-1] + size:
            kept.append(at)
    return kept


@settings(max_examples=4000, deadline=None)
@given(
    texts,
    st.sampled_from(TOKENS),
    st.lists(st.sampled_from(["ADD", "x", "xADD_"]), unique=True, max_size=2),
    st.integers(0, 12),
)
@example(r'"\n__ADD__"', "ADD", [], 0)
@example("ที่ADD", "ADD", [], 0)
@example("{ADD}{ADD}ADD", "ADD", ["ADD"], 0)
def test_a_token_holds_where_the_rule_says(
    text: str, token: str, names: list[str], start: int
) -> None:
    """Rule 7: the first place from any start on, and every place."""
    # What a mark does on the letter of an escape, or after an underscore, no rule says.
    assume(not regex.search(r"(?:\\.|[0-9a-f]{2})\p{M}|_\p{M}", text))
    contract = Contract(names, [token])
    slots, places = find_slots(text, contract), naive(text, token, names)
    found = find_token(text, contract.tokens[0], slots, start)
    assert found == next((at for at in places if at >= start), -1)
    assert find_tokens(text, contract.tokens[0], slots) == without_overlaps(places, len(token))
