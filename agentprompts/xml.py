"""XML that any parser reads back unchanged: escape, CDATA, tags, and text of unknown kind.

Prompts use tags to tell a model where one part ends and the next begins. What a user or a model
wrote must not be able to end a part or begin one, so it stands in CDATA, or escaped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from xml.parsers import expat

from .diagnostics import Diagnostic, place_at
from .errors import PromptError

__all__ = ["cdata", "close_tag", "element", "escape", "open_tag", "safe_body", "wrap"]

# XML 1.0, production 2: what may stand in a document at all.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAME = re.compile(r"[^\W\d][\w.-]*")


def escape(text: str) -> str:
    """Return a text as it stands between tags or in an attribute's quotes.

    A parser takes a bare carriage return for a line feed, so that one is written as a reference.

    Raises:
        PromptError: XML cannot hold one of the characters.

    >>> escape('a < b & "c"')
    'a &lt; b &amp; &quot;c&quot;'
    """
    _refuse_illegal(text)
    for char, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(char, written)
    return text.replace("\r", "&#13;")


def cdata(text: str) -> str:
    """Return a text in CDATA sections, as many as it takes: `]]>` cannot stand in one.

    Raises:
        PromptError: XML cannot hold one of the characters.

    >>> cdata("x = a[b[0]]>1")
    '<![CDATA[x = a[b[0]]]]><![CDATA[>1]]>'
    """
    _refuse_illegal(text)
    if not text:
        return ""
    text = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{text}]]>"


def open_tag(name: str, attributes: Mapping[str, str] | None = None, /, **more: str) -> str:
    """Return an opening tag; attributes come as a mapping, as keywords, or both.

    Raises:
        PromptError: A name is none, or XML cannot hold a value.

    >>> open_tag("skill", name='a" y="z')
    '<skill name="a&quot; y=&quot;z">'
    """
    parts = [_checked_name(name)]
    for key, value in {**(attributes or {}), **more}.items():
        # A parser makes a blank of a bare tab or line feed in an attribute.
        quoted = escape(value).replace("\t", "&#9;").replace("\n", "&#10;")
        parts.append(f'{_checked_name(key)}="{quoted}"')
    return f"<{' '.join(parts)}>"


def close_tag(name: str) -> str:
    """Return a closing tag."""
    return f"</{_checked_name(name)}>"


def wrap(
    name: str, content: str, attributes: Mapping[str, str] | None = None, /, **more: str
) -> str:
    """Return content between tags on lines of their own; nothing where there is no content.

    The content is markup where it is well-formed, and else stands in CDATA: see `safe_body`. A
    final line feed of the content is not doubled.

    Raises:
        PromptError: A name is none, or XML cannot hold one of the characters.

    >>> print(wrap("item", "a < b", kind="rule"))
    <item kind="rule">
    <![CDATA[a < b]]>
    </item>
    >>> wrap("item", "")
    ''
    """
    return element(name, content, {**(attributes or {}), **more}, (name,))


def element(
    name: str, content: str, attributes: Mapping[str, str], reserved: Collection[str]
) -> str:
    """Return content between tags, of which it can neither open nor close the reserved ones."""
    if not content:
        return ""
    body = safe_body(content.removesuffix("\n"), reserved)
    return f"{open_tag(name, attributes)}\n{body}\n{close_tag(name)}"


def safe_body(text: str, reserved: Collection[str] = ()) -> str:
    """Return a text as it can stand inside an element: markup as it is, anything else as data.

    It is markup where it is well-formed and has an element or a CDATA section of its own. A parser
    reads back everything else to the letter, `&lt;` included.

    Args:
        text: Markup or plain text, nobody knows which.
        reserved: Names of tags, in any case, that it may neither open nor close.

    Raises:
        PromptError: XML cannot hold one of the characters.

    >>> safe_body("<b>so</b> it is"), safe_body("</Part >", ["part"])
    ('<b>so</b> it is', '<![CDATA[</Part >]]>')
    """
    _refuse_illegal(text)
    if "<" not in text and "&" not in text and "]]>" not in text and "\r" not in text:
        return text
    return text if "\r" not in text and _is_markup(text, reserved) else cdata(text)


def is_xml_text(text: str) -> bool:
    """Whether XML can hold every character of a text."""
    return _ILLEGAL.search(text) is None


def _is_markup(text: str, reserved: Collection[str]) -> bool:
    names = {name.lower() for name in reserved}
    clean, found = True, -1  # the element that we put around it is no finding

    def started(name: str = "", attributes: object = None) -> None:
        nonlocal clean, found
        clean = clean and (found < 0 or name.lower() not in names)
        found += 1

    def dropped(*content: object) -> None:
        nonlocal clean
        clean = False

    # With a separator the parser looks after prefixes, too: an undeclared one is an error.
    parser = expat.ParserCreate("utf-8", "}")
    parser.StartElementHandler = parser.StartCdataSectionHandler = started
    # A comment would be markup that a parser drops and a model reads.
    parser.CommentHandler = parser.ProcessingInstructionHandler = dropped
    try:
        parser.Parse(f"<r>{text}</r>".encode(), True)
    except expat.ExpatError:
        return False
    return clean and found > 0


def _checked_name(name: str) -> str:
    if _NAME.fullmatch(name):
        try:
            expat.ParserCreate().Parse(f"<{name}/>".encode(), True)
        except expat.ExpatError:
            pass
        else:
            return name
    raise PromptError(f"{name!r} is no name of a tag: write letters, digits, '_', '-' and '.'")


def _refuse_illegal(text: str) -> None:
    if (match := _ILLEGAL.search(text)) is not None:
        found = Diagnostic(
            code="xml-character",
            message=f"XML cannot hold U+{ord(match[0]):04X}",
            mend="take the character out before the text comes here",
            place=place_at(text, match.start()),
            offset=match.start(),
        )
        raise PromptError("", [found])
