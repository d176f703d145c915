"""The checks of a text against its source: what each finds, and that good texts are left alone."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from agentprompts import PromptTemplate
from agentprompts.checks import ALL_CHECKS, Unit, review
from agentprompts.checks.base import HEADINGS
from agentprompts.cli.check import mend_text


class Pair(NamedTuple):
    """A source, a text, the codes that must be found, and words of a message."""

    source: str
    text: str
    codes: tuple[str, ...]
    words: str = ""
    locale: str = "fr"
    slots: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    glossary: tuple[str, ...] = ()


FENCE = "Answer:\n```json\n{}\n```\nNo more than that, please, and nothing else at all."
FOUND = {
    "a translated term": Pair(
        "Write Markdown.", "Schreibe Abschlag.", ("glossary",), "the term 'Markdown'", "de",
        glossary=("Markdown",),
    ),
    # Rows of CASES, "Overrides and packs"
    "one of two ADDs translated": Pair(
        "ADD if new. After ADD, stop.",
        "ADD si nouveau. Après AJOUT, arrêtez.",
        ("token-count",),
        "'ADD' stands 1 times here, 2 times in the source",
        tokens=("ADD",),
    ),
    '"event" translated in a JSON example': Pair(
        'Write {"event": "party", "n": 1}',
        'Écrivez {"événement": "fête", "n": 1}',
        ("json-example",),
        "event, n",
    ),
    "typographic quotes in a JSON example": Pair(
        'Write {"event": "party"}', "Écrivez {“event”: “fête”}", ("json-example",), "event"
    ),
    "full-width colon in a JSON example": Pair(
        'Write {"op": "ADD"}', '写 {"op"： "ADD"}', ("json-example",), locale="zh-Hans"
    ),
    "an unclosed code fence": Pair(
        FENCE, "Réponse :\n```json\n{}\nPas plus que cela, s'il vous plaît, rien d'autre.",
        ("code-fence",), "1 code fences here, and 2",
    ),
    "a translated closing tag": Pair(
        "<source>x</source>", "<source>x</quelle>", ("xml-tag",), "</source>", "de"
    ),
    # CASES, "Rendering": `{{city}}` is literal, and `check` says that it is no slot
    "{{city}} beside a good one": Pair(
        "Weather in {city}", "Météo de {city} ({{city}})", ("slot-in-double-brackets",),
        "'{{city}}' is no slot", slots=("city",),
    ),
    "{{city}} alone": Pair(
        "Weather in {city}", "Météo de {{city}}", ("slot-doubled",), "{{city}}", slots=("city",)
    ),
    # The other checks
    "a name that nothing fills": Pair(
        "Answer {q}", "Réponds à {q}, {utilisateur}", ("slot-unknown",), "{utilisateur}",
        slots=("q",),
    ),
    "a slot less often": Pair("{q} or {q}", "{q}", ("slot-count",), "'q'", slots=("q",)),
    "a heading lost": Pair("# A\n## B\nx", "# A\nB\nx", ("markdown-heading",)),
    "an item lost": Pair("1. a\n2. b\n3. c", "1. a\n2. b", ("numbered-list",), "[1, 2]"),
    "an address changed": Pair(
        "See https://a.org/docs.", "Voir https://a.org/aide.", ("url",), "https://a.org/docs"
    ),
    "a number changed": Pair("At most 30 words", "Au plus 20 mots", ("number",), "30"),
    "a decimal lost": Pair("0.75 of it", "une partie", ("number",), "0.75"),
    "a newline lost at the end": Pair("Result:\n", "Résultat :", ("edge-space",), "ends"),
    "a space lost at the begin": Pair(" and", "et", ("edge-space",), "begins"),
    "a zero-width space": Pair("answer", "ré\u200bponse", ("invisible-character",), "U+200B"),
    "a joiner in a Latin word": Pair("answer", "ré\u200dponse", ("invisible-character",), "U+200D"),
    "a soft hyphen": Pair("answer", "ré\u00adponse", ("invisible-character",), "U+00AD"),
    "a letter taken apart": Pair("answer", "re\u0301ponse", ("not-nfc",)),
    "a broken encoding": Pair("define it", "dÃ©finir", ("mojibake",), "Ã©"),
    "Cyrillic in a broken encoding": Pair("be polite", "Ð‘ÑƒÐ´ÑŒ", ("mojibake",), locale="ru"),
    "Chinese in a broken encoding": Pair("answer", "è¯·ç®€", ("mojibake",), locale="zh-Hans"),
    "one letter in a broken encoding": Pair("a", "dosyayÄ± sor", ("mojibake",), locale="tr"),
    "an emoji in a broken encoding": Pair("hello 😀", "bonjour ðŸ˜€", ("mojibake",)),
    "a part of a date": Pair("as of 2024.05.31", "au 2024.05.30", ("number",), "31"),
    "a replacement character": Pair("define it", "d\ufffdfinir", ("mojibake",)),
    "untranslated": Pair("Answer in one sentence.", "Answer in one sentence.", ("unchanged",)),
    "another script": Pair(
        "Summarize it.", "Обобщите всё, что было сказано.", ("wrong-script",), "Latn"
    ),
    "traditional for simplified": Pair(
        "Summarize it.", "請總結這段對話並說明結論為何", ("wrong-script",), locale="zh-Hans"
    ),
    "simplified for traditional": Pair(
        "Summarize it.", "请总结这段对话并说明结论为何", ("wrong-script",), locale="zh-Hant"
    ),
    "much too short": Pair("word " * 30 + ".", "mot.", ("length",)),
    "much too long": Pair("word " * 20 + ".", "mot " * 90 + ".", ("length",)),
}  # fmt: skip
GOOD = {
    "a name in brackets that the source has": Pair(
        "{q} as {name}", "{q} : {name}", (), slots=("q",)
    ),
    "a doubled name that the source has": Pair("{q} {{q}}", "{{q}} {q}", (), slots=("q",)),
    "a JSON example with its slot": Pair(
        'Write {"text": {q}}', 'Écrivez {"text": {q}}', (), slots=("q",)
    ),
    "values of a JSON example": Pair('["a", "b"]', '["x", "y"]', ()),
    "a letter before quotation marks": Pair("to A", "à\u00a0«\u00a0A\u00a0» ou É\u00a0»", ()),
    "accented letters in a row": Pair("nothing", "åššéšš ÑŠÉŠ", ()),
    "thousands in another way": Pair("1,000 of 2.5", "1\u202f000 sur 2,5", ()),
    "figures in a list": Pair("0,1,2 or 10,11,12", "0, 1, 2 ou 10, 11, 12", ()),
    "numbers in other digits": Pair("At most 30 words", "۳۰ کلمه", (), locale="fa"),
    "a decimal comma": Pair("0.75 of it", "0,75 du tout", ()),
    "a joiner where the script needs it": Pair("I go", "می\u200cروم", (), locale="fa"),
    "an emoji sequence": Pair("family", "familia 👨\u200d👩\u200d👧", (), locale="es"),
    "a mark of direction in Hebrew": Pair("use {q}", "השתמש\u200f {q}", (), "", "he", ("q",)),
    "a no-break space in French": Pair("Result: x", "Résultat\u00a0: x", ()),
    "words that are no tags": Pair("<your answer>", "<votre réponse>", ()),
    "terms only": Pair("JSON", "JSON", ()),
    "Japanese kana": Pair("Summarize it.", "これを要約してください。", (), locale="ja"),
    "Serbian in Latin": Pair("Summarize it.", "Sažmite razgovor u jednoj rečenici.", (),
                             locale="sr-Latn"),
    "Chinese is shorter": Pair("word " * 20 + ".", "词语" * 18 + "。", (), locale="zh-Hans"),
    "Portuguese capitals": Pair("Do NOT do it", "NÃO «faça» isso", (), locale="pt"),
}  # fmt: skip


def unit(pair: Pair) -> Unit:
    source = PromptTemplate(pair.source, variables=pair.slots, protected=pair.tokens)
    return Unit("a.b", pair.locale, source, pair.text, pair.glossary)


@pytest.mark.parametrize("pair", FOUND.values(), ids=FOUND)
def test_a_fault_is_found(pair: Pair) -> None:
    found = review(unit(pair))
    assert {one.code for one in found} >= set(pair.codes)
    named = [one for one in found if one.code == pair.codes[0]]
    assert any(pair.words in one.message for one in named)
    assert all(one.mend and one.key == "a.b" and one.locale == pair.locale for one in found)


@pytest.mark.parametrize("pair", GOOD.values(), ids=GOOD)
def test_a_good_text_is_left_alone(pair: Pair) -> None:
    assert review(unit(pair)) == []


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.id)
def test_a_check_is_documented_and_proved(check: object) -> None:
    """Each has its four headings, an example above, and an id of its own."""
    doc = type(check).__doc__ or ""
    places = [doc.index(f"## {heading}") for heading in HEADINGS]
    assert places == sorted(places)
    assert any(check.id in pair.codes for pair in FOUND.values())  # type: ignore[attr-defined]
    assert [other.id for other in ALL_CHECKS].count(check.id) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("pair", "mended"),
    [
        (Pair("Ask {q}", "Demande { q }", (), slots=("q",)), "Demande {q}"),
        (Pair("Ask {q}", "Demande ｛q｝", (), slots=("q",)), "Demande {q}"),
        (Pair("Ask {q} {r}", "Demande <q> {r}", (), slots=("q", "r")), "Demande {q} {r}"),
        (Pair("Ask {q}", "Demande {{q}}", (), slots=("q",)), "Demande {q}"),
        (Pair("DELETE it", "DЕLETE ça", (), tokens=("DELETE",)), "DELETE ça"),
        (Pair("ADD it\n", "A\u200bDD ça", (), tokens=("ADD",)), "ADD ça\n"),
        (Pair("answer", "re\u0301ponse\u200b", ()), "réponse"),
        (Pair("Ask {q}", "Demande", (), slots=("q",)), "Demande"),
        (Pair("ADD it", "ajoute ça", (), tokens=("ADD",)), "ajoute ça"),
        (Pair("ADD it", "add ça", (), tokens=("ADD",)), "add ça"),
    ],
)
def test_certain_mends_are_applied_and_no_others(pair: Pair, mended: str) -> None:
    assert mend_text(unit(pair)) == mended
