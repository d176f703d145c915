"""An XML parser reads back every name and body of a section unchanged."""

from __future__ import annotations

from functools import partial
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from agentprompts.sections import PluginSections, PromptBuilder, Section
from agentprompts.xml import is_xml_text

PIECES = st.sampled_from(
    ["]]>", "<![CDATA[", "</prompt_section>", "</PROMPT_SECTION >", "<prompt_section name='x'>",
     "<system_instructions>", "&", "&lt;", "<", ">", "\r", "\n", '"', "<b>", "</b>", "<!--", "-->",
     "<?x?>", "a", " ", "é", "🙂"]
)  # fmt: skip
BODIES = (st.lists(PIECES, min_size=1).map("".join) | st.text(min_size=1)).filter(is_xml_text)
NAMES = st.text(min_size=1, max_size=20).filter(
    lambda name: name.isprintable() and bool(name.strip()) and is_xml_text(name)
)


def same(element: ElementTree.Element, body: str) -> bool:
    """Whether an element holds a body, to the letter, or as markup where it is markup."""
    body = body.removesuffix("\n")
    content = "".join(element.itertext()).removeprefix("\n").removesuffix("\n")
    if content == body:
        return len(element) == 0
    again = ElementTree.fromstring(f"<r>{body}</r>")
    assert len(again) or "<![CDATA[" in body, "what has no markup of its own is data"
    tags = [inner.tag for inner in element.iter()][1:]
    return content == "".join(again.itertext()) and tags == [e.tag for e in again.iter()][1:]


@given(st.dictionaries(NAMES, BODIES, max_size=4), st.just("") | BODIES)
def test_plugins_sections_come_back_from_a_parser(sections: dict[str, str], base: str) -> None:
    """N5, N7, N10, N12."""
    plugins = PluginSections()
    for name, body in sections.items():
        plugins.register(name, 0, partial(str, body))
    text = plugins.apply(base)
    document = ElementTree.fromstring(f"<r>{text}</r>")
    children = list(document)
    if base:
        assert children[0].tag == "system_instructions"
        assert same(children.pop(0), base)
    assert [child.get("name") for child in children] == list(sections)
    for child, body in zip(children, sections.values(), strict=True):
        assert child.tag == "prompt_section"
        assert same(child, body)
    inner = [e.tag.lower() for child in document for e in list(child.iter())[1:]]
    assert not {"prompt_section", "system_instructions"} & set(inner)
    assert text == "" or (text.endswith("\n") and not text.endswith("\n\n"))


@given(st.dictionaries(NAMES, BODIES, min_size=1, max_size=4))
def test_a_builders_sections_come_back_from_a_parser(sections: dict[str, str]) -> None:
    builder: PromptBuilder[None] = PromptBuilder(
        [Section(name, body) for name, body in sections.items()]
    )
    children = list(ElementTree.fromstring(f"<r>{builder.assemble().to_xml()}</r>"))
    assert [child.get("name") for child in children] == list(sections)
    assert all(same(child, body) for child, body in zip(children, sections.values(), strict=True))
