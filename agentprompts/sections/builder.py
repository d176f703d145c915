"""A builder of system prompts: named sections, modes derived from it, and nothing made twice."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from ..errors import PromptError
from ..registry import PromptRegistry
from .assembled import SEPARATOR, AssembledPrompt, assemble_parts
from .section import Body, FromCatalog, Section, in_order

__all__ = ["PromptBuilder"]

C = TypeVar("C")

_MOST_REGISTRIES = 32
"""Most registries, such as one language's, for which texts are remembered at a time."""


class PromptBuilder(Generic[C]):
    """An ordered set of sections that becomes a system prompt, once for each context.

    Args:
        sections: The sections to begin with.
        prompts: Where bodies from the catalog take their texts.

    A text is remembered as long as what it depends on stays the same: a section that is fixed is
    made once, one that declares `depends` when that changes, any other at every build.

    >>> builder = PromptBuilder([Section("identity", "You are Ada.")])
    >>> plan = builder.derive().add(Section("mode", lambda mode: f"Mode: {mode}."))
    >>> plan.build("plan"), builder.build("plan")
    ('You are Ada.\\n\\nMode: plan.', 'You are Ada.')
    """

    def __init__(
        self, sections: Iterable[Section[C]] = (), *, prompts: PromptRegistry | None = None
    ) -> None:
        self.prompts = prompts
        self._plan = _Plan(in_order(sections))

    def __iter__(self) -> Iterator[Section[C]]:
        return iter(self._plan.sections)

    def __len__(self) -> int:
        return len(self._plan.sections)

    def __contains__(self, id: object) -> bool:
        return any(section.id == id for section in self)

    def get(self, id: str) -> Section[C]:
        """Return a section.

        Raises:
            PromptError: There is none of that id.
        """
        for section in self:
            if section.id == id:
                return section
        ids = [section.id for section in self]
        close = difflib.get_close_matches(str(id), ids, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(ids) or 'none'}"
        raise PromptError(f"There is no section {id!r}: {hint}")

    def add(self, section: Section[C]) -> PromptBuilder[C]:
        """Add a section; one without an order comes last. Return the builder.

        Raises:
            PromptError: There is one of that id already.
        """
        return self._now([*self, section])

    def remove(self, id: str) -> PromptBuilder[C]:
        """Take a section out. Return the builder.

        Raises:
            PromptError: There is none of that id.
        """
        gone = self.get(id)
        return self._now([section for section in self if section is not gone])

    def replace(self, id: str, body: Body[C] | Section[C]) -> PromptBuilder[C]:
        """Give a section another body, or put another section in its place. Return the builder.

        A text for a section whose body is from the catalog is another wording of that prompt, and
        held to its contract. A section without an order takes the place of the old one.

        Raises:
            PromptError: There is none of that id, or the text breaks the contract.
        """
        old = self.get(id)
        if isinstance(body, Section):
            new = body if body.order is not None else replace(body, order=old.order)
        elif isinstance(body, str) and isinstance(old.body, FromCatalog):
            reworded = replace(old.body, text=body)
            if self.prompts is not None:
                reworded.template(self.prompts)
            new = replace(old, body=reworded)
        else:
            new = replace(old, body=body)
        return self._now([new if section is old else section for section in self])

    def insert_before(self, id: str, section: Section[C]) -> PromptBuilder[C]:
        """Add a section right before another, whatever its own order says. Return the builder."""
        return self._insert(id, section, 0)

    def insert_after(self, id: str, section: Section[C]) -> PromptBuilder[C]:
        """Add a section right after another, whatever its own order says. Return the builder."""
        return self._insert(id, section, 1)

    def _insert(self, id: str, section: Section[C], after: int) -> PromptBuilder[C]:
        all_ = self._plan.sections
        at = all_.index(self.get(id)) + after
        low = all_[at - 1].order if at else (all_[0].order or 0) - 20
        high = all_[at].order if at < len(all_) else (all_[-1].order or 0) + 20
        order = ((low or 0) + (high or 0)) / 2
        if not (low or 0) < order < (high or 0):
            raise PromptError(
                f"There is no room beside {id!r} for {section.id!r}: two sections have the order "
                f"{low!r}, so give one of them another"
            )
        return self.add(replace(section, order=int(order) if order.is_integer() else order))

    def derive(self) -> PromptBuilder[C]:
        """Return a builder of the same sections, for a mode; this one stays as it is."""
        made: PromptBuilder[C] = PromptBuilder((), prompts=self.prompts)
        made._plan = self._plan
        return made

    def _now(self, sections: list[Section[C]]) -> PromptBuilder[C]:
        self._plan = _Plan(in_order(sections), self._plan.remembered)
        return self

    def build(self, context: C | None = None, prompts: PromptRegistry | None = None) -> str:
        """Return the prompt for a context.

        Args:
            context: What the sections' functions are called with.
            prompts: The registry for this call, such as one request's language.

        Raises:
            PromptError: A section cannot be built; it is named.
        """
        return self._plan.text(context, self.prompts if prompts is None else prompts)

    def assemble(
        self, context: C | None = None, prompts: PromptRegistry | None = None
    ) -> AssembledPrompt:
        """Return the prompt with the origin of every piece, and in the forms that hosts send."""
        registry = self.prompts if prompts is None else prompts
        return assemble_parts(self._plan.sections, context, registry)


# A text that was made, and all that it was made from: the section, what it depended on, the
# registry's version, its template. A plain tuple, for it is made anew at each change.
_Made: TypeAlias = tuple[Section[Any], object, int, object, str]

# Where a part goes, its section, what tells whether it changed, and whether its body may take
# texts from the registry.
_Live: TypeAlias = tuple[int, Section[Any], Callable[[Any], Hashable] | None, bool]


class _Ready(NamedTuple):
    """A plan for one registry at one version: runs of fixed sections are one part each."""

    prompts: PromptRegistry | None
    version: int
    parts: list[str]
    live: list[_Live]
    made: dict[str, _Made]


_Remembered: TypeAlias = "WeakKeyDictionary[object, dict[str, _Made]]"


class _Plan:
    """A builder's sections, and what is remembered of them. A change makes a new plan.

    What was made of a section is shared by all plans that come from one: a mode makes only its
    own anew.
    """

    def __init__(self, sections: list[Section[Any]], remembered: _Remembered | None = None) -> None:
        self.sections = sections
        self.remembered = WeakKeyDictionary() if remembered is None else remembered
        self._ready: _Ready | None = None

    def text(self, context: Any, prompts: PromptRegistry | None) -> str:
        """Return the prompt; only what is not fixed is looked at again."""
        version = 0 if prompts is None else prompts.version
        ready = self._ready
        if ready is None or ready.prompts is not prompts or ready.version != version:
            ready = self._ready = self._made_ready(prompts, version)
        _, _, parts, live, made = ready
        if not live:
            return parts[0]
        parts = parts.copy()
        for at, section, depends, named in live:
            if depends is None:
                parts[at] = section.text(context, prompts)
                continue
            try:
                state = depends(context)
            except Exception as error:
                raise PromptError(f"Cannot build the section {section.id!r}: {error!r}") from error
            known = made.get(section.id)
            if known and known[1] == state and known[0] is section and known[2] == version:
                parts[at] = known[4]
            else:
                parts[at] = _part(section, state, context, prompts, version, made, named)
        return SEPARATOR.join(filter(None, parts) if "" in parts else parts)

    def _made_ready(self, prompts: PromptRegistry | None, version: int) -> _Ready:
        made = self._made_with(prompts)
        parts: list[str] = []
        live: list[_Live] = []
        run: list[str] = []
        for section in self.sections:
            named = hasattr(section.body, "pieces")
            if section.tier == "static":
                run.append(_part(section, None, None, prompts, version, made, named))
                continue
            if run:
                parts.append(SEPARATOR.join(filter(None, run)))
                run = []
            live.append((len(parts), section, section.depends, named))
            parts.append("")
        if run or not live:
            parts.append(SEPARATOR.join(filter(None, run)))
        return _Ready(prompts, version, parts, live, made)

    def _made_with(self, prompts: PromptRegistry | None) -> dict[str, _Made]:
        key = _NO_REGISTRY if prompts is None else prompts
        made = self.remembered.get(key)
        if made is None:
            if len(self.remembered) >= _MOST_REGISTRIES:
                self.remembered.clear()
            made = self.remembered[key] = {}
        return made


class _NoRegistry:
    __slots__ = ("__weakref__",)


_NO_REGISTRY = _NoRegistry()


def _part(
    section: Section[Any],
    state: object,
    context: Any,
    prompts: PromptRegistry | None,
    version: int,
    all_made: dict[str, _Made],
    named: bool,
) -> str:
    """Return a section's text, made again only where what it depends on has changed."""
    made = all_made.get(section.id)
    if made is not None and named:
        known, before, _, template, text = made
        if before == state and known is section and template is _template(section, prompts):
            return text
    try:
        hash(state)
    except TypeError:
        raise PromptError(
            f"The section {section.id!r} depends on {type(state).__name__}, which can change "
            "unseen: let `depends` return something hashable, such as a tuple"
        ) from None
    text = section.text(context, prompts)
    template = _template(section, prompts) if named else None
    all_made[section.id] = section, state, version, template, text
    return text


def _template(section: Section[Any], prompts: PromptRegistry | None) -> object:
    """Return all that a text takes from the registry, where that is known: else a new object."""
    body = section.body
    if isinstance(body, FromCatalog) and body.fixed and prompts is not None:
        return prompts.get(body.key, None)
    return object()
