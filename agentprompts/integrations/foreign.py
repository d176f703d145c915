"""Texts with slots in other people's formats: taken apart there, put together here, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from string import Formatter
from typing import TYPE_CHECKING, Protocol

from ..errors import PromptError
from ..scanner import Contract, check, find_slots
from ..template import PromptTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..scanner import Slots

__all__ = ["Prompts", "extra", "format_parts", "format_text", "numbered", "template_of", "written"]


class Prompts(Protocol):
    """What texts are read from: a registry, its view in a locale, or a namespace of it."""

    def __getitem__(self, key: str, /) -> PromptTemplate:
        """Return the template in force."""
        ...


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say which extra to install where a library is missing.

    Raises:
        PromptError: The import inside failed.
    """
    try:
        yield
    except ImportError as error:
        raise PromptError(
            f"{error.name or name} is not installed: pip install 'agentprompts[{name}]'"
        ) from error


def template_of(parts: Sequence[str], names: Sequence[str], contract: Contract) -> PromptTemplate:
    """Return a template from literals and the slots between them, in a style that keeps both.

    Braces are the usual style; angle brackets are taken where braces around a slot are literal.

    Raises:
        PromptError: Neither style can say it, as where the slot's own `{name}` is literal, too.

    >>> template_of(["{", "}"], ["q"], Contract(["q"])).template
    '{<q>}'
    """
    faults = []
    for left, right in ("{}", "<>"):
        slots = [f"{left}{name}{right}" for name in names]
        text = "".join(a + b for a, b in zip(parts, [*slots, ""], strict=True))
        found = find_slots(text, contract)
        faults = check(text, contract)
        if not faults and found.parts == tuple(parts) and found.names == tuple(names):
            return PromptTemplate.from_contract(text, contract)
    raise PromptError(
        f"Cannot take over the text {''.join(parts)[:60]!r}: slots and literal text read alike "
        "in it, in braces and in angle brackets",
        faults,
    )


def written(slots: Slots, literal: Callable[[str], str] = str) -> str:
    """Return a text with its slots in braces, and its literals as the other format has them."""
    names = [f"{{{name}}}" for name in slots.names]
    return "".join(literal(a) + b for a, b in zip(slots.parts, [*names, ""], strict=True))


def format_text(template: PromptTemplate) -> str:
    """Return a template's text as `str.format` reads it: literal braces doubled.

    >>> format_text(PromptTemplate('{q} as {"a": 1}', variables=["q"]))
    '{q} as {{"a": 1}}'
    """
    slots = find_slots(template.template, template.contract)
    return written(slots, lambda part: part.replace("{", "{{").replace("}", "}}"))


def format_parts(text: str) -> tuple[list[str], list[str]]:
    """Return the literals of a text for `str.format`, and the names between them.

    Raises:
        PromptError: It is no such text, or fills a slot by more than its name.

    >>> format_parts('{q} as {{"a": 1}}')
    (['', ' as {"a": 1}'], ['q'])
    """
    parts, names = [""], []
    try:
        pieces = list(Formatter().parse(text))
    except ValueError as error:
        raise PromptError(f"Cannot read the format string {text[:60]!r}: {error}") from None
    for literal, name, spec, conversion in pieces:
        parts[-1] += literal
        if name is None:
            continue
        if spec or conversion or not name.isidentifier():
            shown = name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
            raise PromptError(
                f"Cannot take over the slot {{{shown}}}: a slot is a name alone, without format, "
                "conversion or access. Pass the value ready, under a plain name"
            )
        names.append(name)
        parts.append("")
    return parts, names


def numbered(names: Iterable[str]) -> list[str]:
    """Return names with repeats told apart: `user`, `user_2`."""
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return made
