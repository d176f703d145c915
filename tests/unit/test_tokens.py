"""When a protocol token holds (DESIGN, rule 7), and how often it stands in a text."""

from __future__ import annotations

import pytest

from agentprompts.scanner import Contract, find_slots, find_token, find_tokens
from tests.growth import LINEAR, growth

# Texts in which the token after the bar holds.
HOLDS = [
    # at the ends, beside blanks and signs
    ("ADD", "ADD"),
    ("ADD.", "ADD"),
    ("(ADD)", "ADD"),
    ("one of: ADD, UPDATE", "ADD"),
    ("ADD/UPDATE|DELETE", "UPDATE"),
    ("x\tADD\r\nx", "ADD"),
    ("ADD-ONS", "ADD"),
    ("re-ADD", "ADD"),
    ("`ADD`", "ADD"),
    ('{"op":"ADD"}', "ADD"),
    ("ADDITIONAL, but ADD", "ADD"),
    ("ADDADD ADD", "ADD"),
    ("op=ADD&x", "ADD"),
    ("ADD\u00a0x", "ADD"),
    ("ADD😀", "ADD"),
    ("①ADD②", "ADD"),
    ("x²ADD", "ADD"),
    ("⚠\ufe0fADD", "ADD"),  # the mark belongs to the sign before it
    # other scripts around it
    ("使用ADD操作", "ADD"),
    ("テストADDする", "ADD"),
    ("が\u3099ADD", "ADD"),
    ("データーADDー", "ADD"),
    ("추가ADD를", "ADD"),
    ("คำสั่งADDและ", "ADD"),
    ("ที่ADDให้", "ADD"),
    ("किADDको", "ADD"),
    ("क्षाADD", "ADD"),
    ("والADDة", "ADD"),
    ("مُADDو", "ADD"),
    ("הADDו", "ADD"),
    ("Команда ADD-операция", "ADD"),
    ("командаADDы", "ADD"),
    ("τοADDα", "ADD"),
    ("ბრძანებაADDს", "ADD"),
    ("օրADDը", "ADD"),
    # suffixes after an apostrophe, a colon, a hyphen
    ("ADD'yi kullan", "ADD"),
    ("ADD’yi kullan", "ADD"),
    ("ADD:n", "ADD"),
    ("ADD-Operation", "ADD"),
    ("l'ADD", "ADD"),
    ("d’ADD", "ADD"),
    # underscores that join it to nothing
    ("__ADD__", "ADD"),
    ("_ADD_ _", "ADD"),
    ("ADD_", "ADD"),
    ("_ADD", "ADD"),
    ("用_ADD_吧", "ADD"),
    ("__UPDATE__", "UPDATE"),
    ("я__ADD__я", "ADD"),
    # escapes of a quoted string
    (r'"…\nAction:"', "Action:"),
    (r'"x\nAction: y"', "Action:"),
    (r'"\tADD"', "ADD"),
    (r'"\rADD\b"', "ADD"),
    (r'"\fADD"', "ADD"),
    (r'"\0ADD"', "ADD"),
    (r'"\n\tADD\n"', "ADD"),
    (r'"caf\u00e9ADD"', "ADD"),
    (r'"\xe9ADD"', "ADD"),
    (r'"\U0001F600ADD"', "ADD"),
    (r'"\\\nADD"', "ADD"),
    (r'"\n__ADD__"', "ADD"),
    (r'"\u00e9_ADD_"', "ADD"),
    # tokens with signs
    ("Action:", "Action:"),
    ("Action:x", "Action:"),
    ("**Action:**", "Action:"),
    ("Final Answer: 7", "Final Answer:"),
    ('{"tool": 1}', '"tool"'),
    ('x"tool"y', '"tool"'),
    ("#N", "#N"),
    ("##N.", "#N"),
    ("第#N条", "#N"),
    ("x#N", "#N"),
    ("wow!!!", "!!"),
    ("a!!b", "!!"),
    ("a\u0301!!\u0301b", "!!"),
    ("x_ADD", "_ADD"),
    ("ADD_x", "ADD_"),
    ("a->b", "->"),
    ("```json", "json"),
    ("x</answer>y", "</answer>"),
    # digits
    ("0.5", "0"),
    ("第1步", "1"),
    ("-1", "1"),
    ("v2.0", "0"),
    # tokens in other scripts
    ("工具A", "工具"),
    ("使用工具。", "工具"),
    ("工具2", "工具"),
    ("도구를", "도구"),
    ("ใช้เครื่องมือ", "เครื่องมือ"),
    ("Да.", "Да"),
    ("ΝΑΙ!", "ΝΑΙ"),
    ("نعم،", "نعم"),
    ("हाँ।", "हाँ"),
    ("NÃO.", "NÃO"),
    ("e\u0301 ok", "e\u0301"),
]

HOLDS_NOT = [
    ("", "ADD"),
    ("add", "ADD"),
    ("AD D", "ADD"),
    ("ADDITIONAL", "ADD"),
    ("ADDRESS", "ADD"),
    ("MADD", "ADD"),
    ("ADDs", "ADD"),
    ("ADDADD", "ADD"),
    ("ADD1", "ADD"),
    ("1ADD", "ADD"),
    ("ADD٣", "ADD"),
    ("３ADD", "ADD"),
    ("NOÇÃO", "NO"),
    ("ÇNO", "NO"),
    ("ADDé", "ADD"),
    ("éADD", "ADD"),
    ("ADDß", "ADD"),
    ("ＡADD", "ADD"),
    ("ADDİ", "ADD"),
    ("ADDyi kullan", "ADD"),
    # combining marks
    ("ADD\u0301", "ADD"),
    ("ADD\u0301 x", "ADD"),
    ("e\u0301ADD", "ADD"),
    ("ADD\u0327", "ADD"),
    ("ADD\u064e", "ADD"),
    ("NO\u0303", "NO"),
    # underscores that join it
    ("ADD_ALL", "ADD"),
    ("DO_ADD", "ADD"),
    ("ADD__x", "ADD"),
    ("x__ADD__", "ADD"),
    ("__ADD__1", "ADD"),
    ("1_ADD", "ADD"),
    ("e\u0301_ADD", "ADD"),
    ("ADD_é", "ADD"),
    ("用_ADD_x", "ADD"),
    # what only looks like an escape
    (r'"\\nADD"', "ADD"),
    (r'"\\\\nADD"', "ADD"),
    (r'"\\u00e9ADD"', "ADD"),
    (r'"\u00eADD"', "ADD"),
    (r'"\u00gaADD"', "ADD"),
    (r'"u00e9ADD"', "ADD"),
    (r'"\xADD"', "ADD"),
    (r'"\gADD"', "ADD"),
    ("nADD", "ADD"),
    ("/nADD", "ADD"),
    (r'"\nxADD"', "ADD"),
    (r'"\\n__ADD__"', "ADD"),
    (r'"\nx_ADD"', "ADD"),
    # tokens with one end of a letter
    ("ReAction:", "Action:"),
    ("x_Action:", "Action:"),
    ("#NAME", "#N"),
    ("#N1", "#N"),
    ("#N\u0301", "#N"),
    ("!", "!!"),
    ("! !", "!!"),
    ("“tool”", '"tool"'),
    # digits
    ("10", "0"),
    ("01", "0"),
    ("a1", "1"),
    ("1a", "1"),
    ("1_0", "0"),
    ("1٣", "1"),
    # tokens in other scripts
    ("具工", "工具"),
    ("ДАННЫЕ", "ДА"),
    ("ВДА", "ДА"),
    ("ΑΝΑ", "ΑΝ"),
    ("Դա", "Դ"),
    ("აბ", "ა"),
    ("เครื่องมือ", "เครื่องม"),  # a vowel sign follows
    ("NÃOx", "NÃO"),
    ("e\u0301x", "e\u0301"),
    ("e\u0301\u0327", "e\u0301"),
]
TABLE = [(*row, True) for row in HOLDS] + [(*row, False) for row in HOLDS_NOT]


def offset(text: str, token: str, names: str = "", start: int = 0) -> int:
    contract = Contract(names.split(), [token])
    return find_token(text, contract.tokens[0], find_slots(text, contract), start)


@pytest.mark.parametrize(("text", "token", "holds"), TABLE)
def test_a_token_holds_verbatim_and_as_a_word_of_its_own(
    text: str, token: str, holds: bool
) -> None:
    """Rule 7, and M3: what a parser depends on."""
    at = offset(text, token)
    assert (at >= 0) == holds
    assert not holds or text[at : at + len(token)] == token


@pytest.mark.parametrize(
    ("text", "token", "at"),
    [
        ("ADDRESS, ADD_ALL, 使用ADD操作", "ADD", 20),
        ("xADD ADD ADD", "ADD", 5),
        ("aa_aa aa", "aa", 6),
        ("!!!", "!!", 0),
        ("😀ADD", "ADD", 1),
    ],
)
def test_the_first_place_where_it_holds_is_found(text: str, token: str, at: int) -> None:
    assert offset(text, token) == at


@pytest.mark.parametrize(("start", "at"), [(0, 0), (1, 9), (9, 9), (10, -1)])
def test_the_search_starts_where_it_is_told(start: int, at: int) -> None:
    """The neighbours before the start are still seen: the `ADD` in `xADD` is none."""
    assert offset("ADD xADD ADD", "ADD", start=start) == at
    assert offset("ADD xADD ADD", "ADD", start=5) == 9


@pytest.mark.parametrize(
    ("text", "token", "names", "at"),
    [
        ("{ADD}", "ADD", "ADD", -1),
        ("{ADD} ADD", "ADD", "ADD", 6),
        ("ADD {ADD}", "ADD", "ADD", 0),
        ("<ADD>", "ADD", "ADD", -1),
        ("<ADD> {ADD}", "ADD", "ADD", 1),  # in brace style, angle brackets are plain text
        ("{ADD}", "ADD", "", 1),  # not declared, so no slot
        ("{{ADD}}", "ADD", "ADD", 2),  # doubled, so no slot
        ("{_ADD_}", "ADD", "_ADD_", -1),
        ("{工具A}", "工具", "工具A", -1),
        ("{ADD}", "{ADD}", "ADD", 0),
        ("{x}", "x", "x", -1),
        ("{x}x", "x", "x", 3),
        ("{x}{y}x{x}", "x", "x y", 6),
    ],
)
def test_a_slots_name_does_not_hold_a_token(text: str, token: str, names: str, at: int) -> None:
    assert offset(text, token, names) == at


@pytest.mark.parametrize(
    ("text", "token", "names", "count"),
    [
        ("", "ADD", "", 0),
        ("ADD ADD, ADD.", "ADD", "", 3),
        ("ADD ADDRESS ADD_ALL 用ADD", "ADD", "", 2),
        ("!!!!", "!!", "", 2),
        ("!!!!!", "!!", "", 2),
        ("-->-->", "-->", "", 2),
        ("{ADD} ADD {ADD} ADD", "ADD", "ADD", 2),
        ("{ADD} {ADD}", "ADD", "ADD", 0),
        ("工具工具 工具", "工具", "", 3),
    ],
)
def test_tokens_are_counted_without_overlaps(text: str, token: str, names: str, count: int) -> None:
    contract = Contract(names.split(), [token])
    assert len(find_tokens(text, contract.tokens[0], find_slots(text, contract))) == count


@pytest.mark.parametrize(("piece", "end"), [("{ADD}", " ADD"), ("{ADD} ADD ", "")])
def test_many_slots_that_hold_the_token_are_passed_in_linear_time(piece: str, end: str) -> None:
    """Looking through all slots at each of them would take the square of their number."""
    contract = Contract(["ADD"], ["ADD"])

    def find(size: int) -> None:
        text = piece * size + end
        slots = find_slots(text, contract)
        assert find_token(text, contract.tokens[0], slots) >= 0
        assert len(find_tokens(text, contract.tokens[0], slots)) == text.count(" ADD")

    assert growth(find, 3_000) < LINEAR
