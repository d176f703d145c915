"""A section of a system prompt: where it stands, what its body is, and when it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..registry import PromptRegistry
from ..scanner import Contract, check
from ..template import PromptTemplate

__all__ = [
    "Band",
    "Body",
    "FromCatalog",
    "Piece",
    "Section",
    "Tier",
    "in_order",
    "pieces_of",
]

C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)

Tier = Literal["static", "session", "turn"]
"""How often a section's text can change: never, when something declared changes, every time."""

_MOST_ID = 200
_MOST_ORDER = 2**53
"""From here on floats skip whole numbers, so that one more may not be higher."""
_PLAIN = Contract()


class Band(IntEnum):
    """Where each producer's sections stand; any number in between is a host's."""

    ROLE = 1000
    PERSONA = 2000
    SKILL = 3000
    KNOWLEDGE = 4000
    TRAIT = 5000


class Piece(NamedTuple):
    """A stretch of an assembled prompt and where it comes from.

    `layer` is `separator`, `title`, `section` (the host's own text), `catalog` (a key's text),
    `overlay` or `run`; `origin` names it closer: the key and its layer, the overlay's scope.
    `patch` is the number of an overlay's patch, counted from 0.
    """

    text: str
    layer: str
    origin: str = ""
    patch: int | None = None


class CustomBody(Protocol[C_contra]):
    """A body that knows where each piece of it comes from."""

    @property
    def fixed(self) -> bool:
        """Whether the same text comes out in every context."""

    def pieces(self, context: C_contra, prompts: PromptRegistry | None) -> tuple[Piece, ...]:
        """Return the body for a context."""


# Generic classes have no slots: `Section[Context](…)` could not be called.
@dataclass(frozen=True)
class FromCatalog(Generic[C]):
    """A body that is a prompt of the catalog: localized, overridden and checked like any other.

    Args:
        key: The prompt's key.
        values: What fills its slots: a mapping, or a function of the context and the registry,
            which may take other prompts from it.
        text: Another wording, in every language; it must honour the key's contract.
    """

    key: str
    values: Mapping[str, Any] | Callable[[C, PromptRegistry], Mapping[str, Any]] | None = None
    text: str | None = None

    @property
    def fixed(self) -> bool:
        """Whether the same text comes out in every context."""
        if callable(self.values):
            return False
        return all(isinstance(value, str | int | float) for value in (self.values or {}).values())

    def pieces(self, context: C, prompts: PromptRegistry | None) -> tuple[Piece, ...]:
        """Return the rendered prompt.

        Raises:
            PromptError: There is no such prompt, or a slot has no value.
        """
        text = self.template(prompts).render(self.values_for(context, prompts))
        layer = "reworded" if self.text is not None else _given(prompts, self).origin(self.key)
        return (Piece(text, "catalog", f"{self.key}, {layer}"),)

    def template(self, prompts: PromptRegistry | None) -> PromptTemplate:
        """Return the template in force, reworded where the body says so.

        Raises:
            PromptError: There is no such prompt, or the wording breaks its contract.
        """
        template = _given(prompts, self).get(self.key)
        return template if self.text is None else template.with_text(self.text)

    def values_for(self, context: C, prompts: PromptRegistry | None) -> Mapping[str, Any] | None:
        """Return what fills the slots in a context."""
        return self.values(context, _given(prompts, self)) if callable(self.values) else self.values


Body: TypeAlias = str | FromCatalog[C] | CustomBody[C] | Callable[[C], str]


@dataclass(frozen=True)
class Section(Generic[C]):
    """One addressable piece of a system prompt. Frozen.

    Args:
        id: What patches and modes name it by.
        body: A text, a prompt of the catalog, or a function of the context.
        order: Lower stands first; among equals, the id decides. Without one, the section comes
            after those that are there when it is added.
        title: Put on a line of its own before the body.
        source: What produced it, for the reader of a report. Nothing depends on it.
        locked: An overlay may append to it, and change nothing else.
        condition: Whether it is there in a context.
        depends: What its text depends on: a function that takes something hashable out of the
            context, such as `operator.attrgetter("cwd")`. The text is then made again only when
            that has changed; without it, a body or a condition that is a function runs each time.

    Raises:
        PromptError: The id is blank, or a field is not what it should be.

    >>> Section("tone", "Be brief.", Band.TRAIT).id
    'tone'
    """

    id: str
    body: Body[C] = ""
    order: float | None = None
    title: str = ""
    source: str = ""
    locked: bool = False
    condition: Callable[[C], bool] | None = None
    depends: Callable[[C], Hashable] | None = None

    def __post_init__(self) -> None:
        raise_faults("Invalid section", _faults(self))

    @property
    def tier(self) -> Tier:
        """How often its text can change, as far as it declares."""
        body = self.body
        fixed = isinstance(body, str) or bool(getattr(body, "fixed", False))
        if fixed and self.condition is None:
            return "static"
        return "turn" if self.depends is None else "session"

    def text(self, context: Any = None, prompts: PromptRegistry | None = None) -> str:
        """Return its title and body as they come out in a context; nothing where it is not there.

        Raises:
            PromptError: It cannot be built.
        """
        body = self.body
        if not callable(body) or self.title or self.condition is not None:
            return "".join([piece.text for piece in pieces_of(self, context, prompts)])
        # A function and nothing more is what changes most: without pieces, in a third of the time.
        try:
            text = body(context)
        except Exception as error:
            raise _failed(self, error) from error
        if type(text) is not str or not text.isascii() or "\0" in text:
            _refuse(self, text)
        return text


def _faults(section: Section[Any]) -> list[Diagnostic]:
    name, order = section.id, section.order
    wrong: list[tuple[str, str]] = []
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        wrong.append((f"the id {name!r} is none", "write a word, such as 'tone'"))
    elif len(name) > _MOST_ID:
        wrong.append((f"the id {name[:40]!r}… is longer than {_MOST_ID}", "shorten it"))
    if order is not None and (
        isinstance(order, bool)
        or not isinstance(order, int | float)
        or not abs(order) <= _MOST_ORDER
    ):
        wrong.append(
            (f"the order {order!r} is no number that can be", "write one, such as Band.SKILL + 10")
        )
    if not isinstance(section.title, str) or not (section.title or "x").isprintable():
        wrong.append((f"the title {section.title!r} is no line of text", "write one line"))
    body = section.body
    found = [
        Diagnostic(code="section-invalid", message=message, mend=mend, key=str(name))
        for message, mend in wrong
    ]
    if isinstance(body, str):
        found += [fault.at(key=name) for fault in check(body, _PLAIN)]
    elif not callable(body) and not hasattr(body, "pieces"):
        message = f"the body is {type(body).__name__}"
        mend = "give a text, FromCatalog(key), or a function of the context"
        found.append(Diagnostic(code="section-invalid", message=message, mend=mend, key=name))
    return found


def in_order(sections: Iterable[Section[C]]) -> list[Section[C]]:
    """Return sections by order, then id; one without an order gets one after all before it.

    Raises:
        PromptError: Two of them have one id.
    """
    placed: dict[str, Section[C]] = {}
    for section in sections:
        if section.id in placed:
            raise PromptError(
                f"There are two sections {section.id!r}: give one of them another id, or replace it"
            )
        if section.order is None:
            orders = (one.order or 0 for one in placed.values())
            section = replace(section, order=max(orders, default=Band.ROLE - 10) + 10)
        placed[section.id] = section
    return sorted(placed.values(), key=lambda one: (one.order, one.id))


def pieces_of(section: Section[C], context: C, prompts: PromptRegistry | None) -> tuple[Piece, ...]:
    """Return a section's title and body for a context; nothing where it is not there.

    Raises:
        PromptError: A function of it raises or returns no text; the section is named.
    """
    try:
        if section.condition is not None and not section.condition(context):
            return ()
        body = section.body
        if isinstance(body, str):
            found: tuple[Piece, ...] = (Piece(body, "section", section.source),)
        elif hasattr(body, "pieces"):
            found = body.pieces(context, prompts)
        else:
            found = (Piece(body(context), "section", section.source),)
    except Exception as error:
        raise _failed(section, error) from error
    for piece in found:
        _refuse(section, piece.text)
    found = tuple(piece for piece in found if piece.text)
    if not section.title:
        return found
    title = Piece(section.title, "title", section.id)
    return (title, Piece("\n", "separator"), *found) if found else (title,)


def _failed(section: Section[Any], error: Exception) -> PromptError:
    """Return the error of a section whose function has raised another one."""
    why, found = (
        (error.headline, error.diagnostics) if isinstance(error, PromptError) else (repr(error), ())
    )
    return PromptError(f"Cannot build the section {section.id!r}: {why}", found)


def _refuse(section: Section[Any], text: object) -> None:
    """Refuse what a section's function returned where it is no text."""
    if faults := check(text, _PLAIN):
        raise PromptError(f"Cannot build the section {section.id!r}: {faults[0].message}", faults)


def _given(prompts: PromptRegistry | None, body: FromCatalog[Any]) -> PromptRegistry:
    if prompts is None:
        raise PromptError(f"The prompt {body.key!r} needs a registry: pass prompts=DEFAULT_PROMPTS")
    return prompts
