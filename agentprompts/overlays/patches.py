"""Patches: changes to single sections, each with an outcome that says what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from ..diagnostics import Diagnostic
from ..errors import PromptError
from ..registry import PromptRegistry
from ..scanner import Contract, check, find_slots
from ..sections import FromCatalog, Piece, Section
from ..sections.section import Body, in_order, pieces_of
from ..template import PromptTemplate

__all__ = ["Outcome", "Patch", "Patched", "apply_patches"]

C = TypeVar("C")

MODES = ("replace", "append")
_MOST_BODY = 1_000_000
_PLAIN = Contract()


class Patch(NamedTuple):
    """A change to the section of one id.

    `mode` is `replace`, which it also is where it is empty, or `append`; a patch of any other mode
    is declined and changes nothing. A patch cannot move a section: it carries no order.
    """

    id: str
    body: str
    mode: str = ""


class Outcome(NamedTuple):
    """What became of a patch, or of another wish of an overlay.

    `result` is `applied`, `created` (there was no such section), or `declined`, with its reason.
    `origin` names the overlay's scope, `number` is the patch's place in its list.
    """

    subject: str
    result: Literal["applied", "created", "declined"]
    reason: str = ""
    number: int | None = None
    origin: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Patched(Generic[C]):
    """A body that patches have changed: what is left of the section's own, and what was added."""

    base: Body[C] | None
    """The section's own body, `None` once it was replaced."""
    source: str
    added: tuple[Piece, ...] = ()
    prompt: FromCatalog[C] | None = None
    """The prompt of the catalog whose contract holds for the text."""

    @property
    def fixed(self) -> bool:
        """Whether the same text comes out in every context."""
        if self.prompt is not None:
            return self.prompt.fixed
        return self.base is None or Section("body", self.base).tier == "static"

    def pieces(self, context: C, prompts: PromptRegistry | None) -> tuple[Piece, ...]:
        """Return the body for a context, piece by piece."""
        if self.prompt is not None:
            return self._rendered(self.prompt, context, prompts)
        own: tuple[Piece, ...] = ()
        if self.base is not None:
            own = pieces_of(Section("body", self.base, source=self.source), context, prompts)
        return _joined(own, self.added)

    def template_pieces(self, prompts: PromptRegistry | None) -> tuple[Piece, ...]:
        """Return the text before its slots are filled, piece by piece."""
        assert self.prompt is not None
        own: tuple[Piece, ...] = ()
        if self.base is not None:
            text = self.prompt.template(prompts).template
            own = (Piece(text, "catalog", self.prompt.key),)
        return _joined(own, self.added)

    def _rendered(
        self, prompt: FromCatalog[C], context: C, prompts: PromptRegistry | None
    ) -> tuple[Piece, ...]:
        # Rendered as one text, whose slots have one style, and cut where its pieces meet.
        pieces = self.template_pieces(prompts)
        text = "".join(piece.text for piece in pieces)
        template = prompt.template(prompts).with_text(text)
        values = prompt.values_for(context, prompts)
        whole = template.render(values)
        found, start, at = [], 0, 0
        for piece in pieces:
            at += len(piece.text)
            end = len(whole) if piece is pieces[-1] else _rendered_length(template, at, values)
            found.append(piece._replace(text=whole[start:end]))
            start = end
        return tuple(found)


def _joined(own: tuple[Piece, ...], added: tuple[Piece, ...]) -> tuple[Piece, ...]:
    found = [piece for piece in own if piece.text]
    for piece in added:
        found.append(piece._replace(text="\n" + piece.text) if found else piece)
    return tuple(found)


def _rendered_length(template: PromptTemplate, end: int, values: Any) -> int:
    """Return how long the beginning of a template is when it is rendered."""
    slots = find_slots(template.template, template.contract)
    inside = tuple(
        name for name, (_, stop) in zip(slots.names, slots.spans(), strict=True) if stop <= end
    )
    head = PromptTemplate(template.template[:end], variables=inside)
    return len(head.render(values))


def apply_patches(
    sections: Iterable[Section[C]],
    patches: Iterable[Patch],
    prompts: PromptRegistry | None = None,
    *,
    origin: str = "",
    layer: Literal["overlay", "run"] = "overlay",
    strict: bool = False,
) -> tuple[list[Section[C]], list[Outcome]]:
    """Return sections with patches applied, and the outcome of each patch. Inputs stay as they are.

    Patches apply in their order, and compose. A locked section takes an append and nothing else.
    An unknown id makes a section after every one that is there. A text for a section from the
    catalog must honour the prompt's contract.

    Args:
        sections: In any order.
        patches: What to change.
        prompts: Has the contracts of sections from the catalog.
        origin: Names the overlay in outcomes and in `explain`.
        layer: What `explain` calls the layer.
        strict: Raise where a patch is declined, instead of going on without it.

    Raises:
        PromptError: Two sections have one id; or, when strict, a patch was declined.

    >>> role = Section("role", "You are Ada.", locked=True)
    >>> patched, outcomes = apply_patches([role], [Patch("role", "You are Bob.")])
    >>> patched[0].text(), outcomes[0].result, outcomes[0].reason
    ('You are Ada.', 'declined', "the section is locked: it takes mode 'append' only")
    """
    found = {section.id: section for section in in_order(sections)}
    outcomes = []
    for number, patch in enumerate(patches):
        outcome = _apply(found, patch, prompts, Piece("", layer, origin, number))
        outcomes.append(outcome._replace(number=number, origin=origin))
    declined = [one for one in outcomes if one.result == "declined"]
    if strict and declined:
        raise PromptError(
            f"Cannot apply {len(declined)} of {len(outcomes)} patches",
            [_told(one) for one in declined],
        )
    return list(found.values()), outcomes


def _told(outcome: Outcome) -> Diagnostic:
    return Diagnostic(
        code="patch-declined",
        message=f"the patch {outcome.number} of section {outcome.subject!r} is declined",
        why=outcome.reason,
        mend="change the patch, or take it out",
        key=outcome.origin or None,
    )


def _apply(
    found: dict[str, Section[C]], patch: Patch, prompts: PromptRegistry | None, mark: Piece
) -> Outcome:
    id, body, mode = patch
    if faults := _faults(patch):
        return Outcome(str(id), "declined", faults)
    piece = mark._replace(text=body)
    old = found.get(id)
    if old is None:
        last = max((section.order or 0 for section in found.values()), default=0)
        # One whole number further on, so that no id sorts it before the last.
        made: Patched[C] = Patched(None, "", (piece,) if body else ())
        found[id] = Section(id, made, last + 1, source=mark.layer)
        return Outcome(id, "created")
    if old.locked and mode != "append":
        return Outcome(id, "declined", "the section is locked: it takes mode 'append' only")
    if mode == "append" and not body:
        return Outcome(id, "applied", "there is nothing to add")
    new = _appended(old, piece) if mode == "append" else _replaced(old, piece)
    if new.prompt is not None:
        try:
            template = new.prompt.template(prompts)
        except PromptError as error:
            return Outcome(id, "declined", error.headline, diagnostics=error.diagnostics)
        text = "".join(one.text for one in new.template_pieces(prompts))
        if wrong := template.check(text):
            reason = "; ".join(fault.message for fault in wrong)
            told = tuple(fault.at(key=new.prompt.key) for fault in wrong)
            return Outcome(id, "declined", reason, diagnostics=told)
    found[id] = replace(old, body=new)
    return Outcome(id, "applied")


def _faults(patch: Patch) -> str:
    id, body, mode = patch
    if mode not in ("", *MODES):
        return f"the mode {mode!r} is none: write 'replace' or 'append'"
    if not isinstance(body, str):
        return f"the body is {type(body).__name__}, which is no text"
    if len(body) > _MOST_BODY:
        return f"the body has {len(body):,} characters, more than {_MOST_BODY:,}"
    if wrong := check(body, _PLAIN):
        return wrong[0].message
    try:
        Section(id)
    except PromptError as error:
        return error.headline
    return ""


def _own(section: Section[C]) -> Patched[C]:
    body = section.body
    if isinstance(body, Patched):
        return body
    prompt = body if isinstance(body, FromCatalog) else None
    return Patched(body, section.source, prompt=prompt)


def _appended(section: Section[C], piece: Piece) -> Patched[C]:
    own = _own(section)
    return replace(own, added=(*own.added, piece))


def _replaced(section: Section[C], piece: Piece) -> Patched[C]:
    return replace(_own(section), base=None, added=(piece,) if piece.text else ())
