"""The pseudo-locale: every text accented, longer and in brackets, with its contract kept.

Run an agent under it, and whatever reaches the model unmarked was hard-coded; a text that is cut
shows it by its missing bracket. CLDR's and Android's name for such a locale is `en-XA`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..scanner import find_slots, find_terms, find_tokens
from ..template import PromptTemplate

__all__ = ["LEFT", "PSEUDO_LOCALE", "RIGHT", "pseudo_text"]

PSEUDO_LOCALE = "en-XA"
LEFT, RIGHT = "⟦", "⟧"

_ACCENTED = str.maketrans(
    "AaBCcDdEeGgHhIiJjKkLlNnOoRrSsTtUuWwYyZz",
    "ÅåƁÇçÐďÉéĜĝĤĥÎîĴĵĶķĻļÑñÖöŔŕŠšŢţÛûŴŵÝýŽž",
)
# What a translator leaves alone too: tags, JSON, code, addresses, escapes, names with underscores.
_KEPT = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|</?[A-Za-z][^<>\n]*>|https?://\S+|\{[^\n]*\}|\[[^\n]*\]"
    r'|\\[a-z]+|"[^"\n]*"\s*:|\w*_\w*|&\w+;|^\s*(?:[-*#>]+|\d+[.)])\s',
    re.DOTALL | re.MULTILINE,
)
# These are heading, quotation or item at the begin of a line only.
_MARK = re.compile(r"(?:[-*#>]+|\d+[.)])[ \t]+")


def pseudo_text(template: PromptTemplate, glossary: Iterable[str] = ()) -> str:
    """Return a template's text in the pseudo-locale. It keeps contract and glossary.

    >>> pseudo_text(PromptTemplate("Ask {query}: ADD?", variables=["query"], protected=["ADD"]))
    '⟦Åšķ {query}: ADD? ·····⟧'
    """
    text = template.template
    body = text.strip()
    if not body:
        return text
    start = text.index(body)
    end = start + len(body)
    slots = find_slots(text, template.contract)
    kept = [match.span() for match in _KEPT.finditer(text)] + slots.spans()
    terms = find_terms(text, template.contract, glossary)
    for token in (*template.contract.tokens, *terms):
        kept += [(at, at + len(token.literal)) for at in find_tokens(text, token, slots)]
    mark = _MARK.match(body)
    if mark and not any(left < start + mark.end() < right for left, right in kept):
        start += mark.end()
    out, at = [text[:start], LEFT], start
    for left, right in sorted(kept):
        if left > at:
            out.append(text[at:left].translate(_ACCENTED))
        out.append(text[max(at, left) : right] if right > at else "")
        at = max(at, right)
    out.append(text[at:end].translate(_ACCENTED) if at < end else "")
    out += [" ", "·" * max(1, len(body) // 3), RIGHT, text[end:]]
    return "".join(out)
