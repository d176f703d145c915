"""XML helpers: whatever goes in, a parser brings back."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from agentprompts import PromptError
from agentprompts.xml import cdata, close_tag, escape, is_xml_text, open_tag, safe_body, wrap

HOSTILE = (
    "]]>",
    "a]]>b]]>c",
    "]]",
    "]",
    ">",
    "<![CDATA[x]]>",
    "<![CDATA[",
    "</part>",
    "</PART >",
    "<part>",
    "<Part/>",
    "<!-- </part> -->",
    "<?part?>",
    "<!DOCTYPE x>",
    "&amp;",
    "&",
    "&undefined;",
    "a < b > c & d \"e\" 'f'",
    "carriage\rreturn\r\nline",
    "\ttab\n\nlines\n",
    "<b>unclosed",
    "</part><part>",
    "<x:y>prefix</x:y>",
    "名前 🙂 \u2028",
)


def read_back(text: str) -> str:
    return "".join(ElementTree.fromstring(text).itertext())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_parser_reads_back_what_was_escaped_or_put_into_cdata(text: str) -> None:
    """N8, N9: `]]>` is split, a carriage return survives."""
    assert read_back(f"<r>{escape(text)}</r>") == text
    assert read_back(f"<r>{cdata(text)}</r>") == text
    element = ElementTree.fromstring(f"{open_tag('r', name=text)}{close_tag('r')}")
    assert element.get("name") == text


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_wrapped_is_one_element_whatever_it_says(text: str) -> None:
    """N10: no content closes its element or opens another of that name, in any spelling."""
    element = ElementTree.fromstring(wrap("part", text, name="n"))
    assert element.tag == "part"
    assert [inner.tag.lower() for inner in element.iter()].count("part") == 1
    if text != "<![CDATA[x]]>":  # that one is markup, and says so itself
        content = "".join(element.itertext())
        assert content.removeprefix("\n").removesuffix("\n") == text.removesuffix("\n")


def test_markup_stays_markup() -> None:
    """N7, N8."""
    markup = '<skills>\n  <skill name="a&amp;b">x &lt; y</skill>\n</skills>'
    assert safe_body(markup) == markup
    for name in ("part", "r"):
        assert wrap(name, markup) == f"<{name}>\n{markup}\n</{name}>"


@pytest.mark.parametrize(
    ("content", "wrapped"),
    [
        ("", ""),
        ("a", "<t>\na\n</t>"),
        ("a\n", "<t>\na\n</t>"),
        ("a\n\n", "<t>\na\n\n</t>"),
        (" ", "<t>\n \n</t>"),
    ],
)
def test_tags_stand_on_lines_of_their_own(content: str, wrapped: str) -> None:
    """N7, N8: a final newline is not doubled, and wrapping nothing gives nothing."""
    assert wrap("t", content) == wrapped


def test_attributes_come_as_a_mapping_or_as_keywords() -> None:
    assert open_tag("t", {"a-b": "1"}, c='"') == '<t a-b="1" c="&quot;">'
    assert wrap("t", "x", {"a.b": "<"}) == '<t a.b="&lt;">\nx\n</t>'
    assert cdata("") == ""


@pytest.mark.parametrize(
    "name", ["", "a b", "1a", "<a", "a>", "a\n", 'a" b="c', "-a", "a:b", "²", "a²"]
)
def test_what_is_no_name_of_a_tag_is_refused(name: str) -> None:
    for make in (open_tag, close_tag):
        with pytest.raises(PromptError, match="no name of a tag"):
            make(name)
    with pytest.raises(PromptError, match="no name of a tag"):
        open_tag("t", {name: "x"})


@pytest.mark.parametrize("char", ["\0", "\x0b", "\x1b", "\ud800", "\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_refused_with_its_place(char: str) -> None:
    assert not is_xml_text(char)
    for make in (escape, cdata, safe_body, lambda text: open_tag("t", a=text)):
        with pytest.raises(PromptError, match=f"U\\+{ord(char):04X}") as caught:
            make(f"a\n{char}")
        [found] = caught.value.diagnostics
        assert found.place is not None
        assert (found.place.line, found.place.column) == (2, 1)
