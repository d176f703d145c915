"""One prompt: a text, its contract, and how it is rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from .diagnostics import Diagnostic
from .errors import PromptError, raise_faults
from .scanner import Contract, check, find_slots

__all__ = ["PromptTemplate"]

Fill = Callable[[Mapping[str, Any]], str]
_new = object.__new__


class PromptTemplate:
    """A prompt's text with the slots and protocol tokens that every wording of it keeps. Frozen.

    Args:
        template: The text. `{name}` or `<name>` is a slot if `name` is declared; all else, JSON
            and stray braces included, is literal.
        variables: Names of the slots.
        protected: Literals that the parser of the model's answer depends on, or its `Enum` class.
        description: A note for translators: what it is for, and what must not change.

    Raises:
        PromptError: A declared slot or token does not stand in the text.

    >>> greeting = PromptTemplate('Greet {name}. Answer as {"text": …}.', variables=["name"])
    >>> greeting.render(name="Ada")
    'Greet Ada. Answer as {"text": …}.'
    """

    __slots__ = ("_base", "_bound", "_contract", "_fill", "_text")

    _text: str
    _contract: Contract
    _bound: Mapping[str, Any] | None
    _fill: Fill
    _base: str | None

    def __init__(
        self,
        template: str,
        *,
        variables: Iterable[str] = (),
        protected: Iterable[str] | type[Enum] = (),
        description: str = "",
    ) -> None:
        contract = Contract(variables, protected, description)
        if faults := check(template, contract):
            raise_faults("Invalid prompt template", faults)
        self._set(template, contract)

    def _set(
        self,
        text: str,
        contract: Contract,
        base: str | None = None,
        bound: Mapping[str, Any] | None = None,
    ) -> None:
        self._text = text
        self._contract = contract
        self._base = base
        self._bound = bound
        self._fill = _not_compiled

    @classmethod
    def from_contract(cls, text: str, contract: Contract) -> PromptTemplate:
        """Return a template of a contract that is made already, as a catalog's reader has it.

        Raises:
            PromptError: The text does not honour the contract.
        """
        if faults := check(text, contract):
            raise_faults("Invalid prompt template", faults)
        made = cls.__new__(cls)
        made._set(text, contract)
        return made

    @property
    def template(self) -> str:
        """The text, slots and all."""
        return self._text

    @property
    def contract(self) -> Contract:
        """What the text, and every text that replaces it, must hold."""
        return self._contract

    @property
    def variables(self) -> tuple[str, ...]:
        """The declared slots, in the order of their declaration."""
        return self._contract.variables

    @property
    def protected(self) -> tuple[str, ...]:
        """The protocol tokens."""
        return self._contract.protected

    @property
    def description(self) -> str:
        """The note for translators."""
        return self._contract.description

    def with_text(self, new: str) -> PromptTemplate:
        """Return a template of another text and the same contract.

        Raises:
            PromptError: The text drops a slot or a token, or mangles a copy of a slot.

        >>> PromptTemplate("[Question]\\n{query}", variables=["query"]).with_text("The question.")
        Traceback (most recent call last):
        agentprompts.errors.PromptError: Invalid prompt override: missing placeholder ['query']
          the slot '{query}' does not stand in the text
            mend: write '{query}' where its value belongs
        """
        if faults := check(new, self._contract, self._text):
            raise_faults("Invalid prompt override", faults)
        return self.reworded(new)

    def check(self, new: str) -> list[Diagnostic]:
        """Return what `with_text` would refuse a text for; nothing where it would accept it."""
        return check(new, self._contract, self._text)

    def adopted(self, other: PromptTemplate) -> PromptTemplate | None:
        """Return `other` as a rewording of this template, if it is known to be a good one.

        That is so when it came from `with_text` of this template or of an equal one; such a text
        need not be checked again. It brings its text only, no values.
        """
        if other is self:
            return self
        if other._contract is not self._contract:
            return None
        if other._base is not self._text and other._base != self._text:
            return None
        return other if other._bound is self._bound else self.reworded(other._text)

    def reworded(self, text: str) -> PromptTemplate:
        """Return a template of a text that `check` has found nothing in."""
        made = _new(self.__class__)
        made._text = text
        made._contract = self._contract
        made._base = self._text
        made._bound = self._bound
        made._fill = _not_compiled
        return made

    def partial(self, values: Mapping[str, Any] | None = None, /, **kw: Any) -> PromptTemplate:
        """Return a template that has some values already; text and contract stay as they are.

        >>> half = PromptTemplate("{a} and {b}", variables=["a", "b"]).partial(a="{b}")
        >>> half.render(b=2)
        '{b} and 2'
        """
        made = self.__class__.__new__(self.__class__)
        bound = {**(self._bound or {}), **_mapping(values), **kw}
        made._set(self._text, self._contract, self._base, bound)
        return made

    def render(self, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Fill the slots in one pass: nothing that a value contains is ever read again.

        Args:
            values: Values by the names of their slots; keywords win over them.
            **kw: The same as keywords. Values that no slot asks for are ignored.

        Raises:
            PromptError: A slot has no value, or one that is `None` or `bytes`.
        """
        if values is not None or self._bound is not None:
            kw = {**(self._bound or {}), **_mapping(values), **kw}
        try:
            return self._fill(kw)
        except (KeyError, TypeError):
            return self.render_slowly(kw)

    def compiled(self) -> Fill:
        """Return the function that fills the text from a dict, made on first use.

        It raises `KeyError` for a missing value and `TypeError` for one that is no `str`, and
        leaves both to `render_slowly`.
        """
        fill = self._fill
        if fill is _not_compiled:
            slots = find_slots(self._text, self._contract)
            fill = self._fill = _filler(slots.parts, slots.names)
        return fill

    def render_slowly(self, given: Mapping[str, Any]) -> str:
        """Fill the slots with values of any type, or say which one cannot be filled."""
        values = {**(self._bound or {}), **given}
        missing = [name for name in self.variables if name not in values]
        if missing:
            extra = [name for name in values if name not in self._contract.names]
            unused = f"; values given for no slot: {extra}" if extra else ""
            raise PromptError(
                f"Missing placeholder {missing} when rendering prompt "
                f"(required: {list(self.variables)}){unused}"
            )
        ready = {name: _text_of(name, values[name]) for name in self.variables}
        return self.compiled()(ready)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PromptTemplate)
            and self._text == other._text
            and self._contract == other._contract
            and self._bound == other._bound
        )

    def __hash__(self) -> int:
        return hash((self._text, self._contract))

    def __repr__(self) -> str:
        text = self._text if len(self._text) <= 60 else self._text[:59] + "…"
        return f"<PromptTemplate {text!r} variables={list(self.variables)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.__class__, self._text, self._contract, self._base, self._bound)


def _not_compiled(values: Mapping[str, Any]) -> str:
    raise TypeError("compiled on first use")  # as for a value that needs a closer look


def _restore(
    cls: type[PromptTemplate],
    text: str,
    contract: Contract,
    base: str | None,
    bound: Mapping[str, Any] | None,
) -> PromptTemplate:
    made = cls.__new__(cls)
    made._set(text, contract, base, bound)
    return made


def _mapping(values: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise PromptError(
            f"Cannot render with {type(values).__name__!r}: values come as a mapping of slot "
            "names, or as keywords"
        )
    return values


def _text_of(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bytes | bytearray | memoryview):
        raise PromptError(
            f"Cannot render the slot {name!r} from {type(value).__name__}: "
            "pass text, such as '' for nothing, or decode the bytes"
        )
    return str(value)


# One function per number of slots, made once from a source text that holds nothing of any
# template: a join of ready parts runs five times faster than filling a list in a loop. Texts
# with more slots than this take the loop.
_MOST_PARTS = 24
_MAKERS: dict[int, Callable[..., Fill]] = {}


def _filler(parts: tuple[str, ...], names: tuple[str, ...]) -> Fill:
    if not names:
        text = parts[0]
        return lambda values: text
    if len(names) > _MOST_PARTS:
        return _looping(parts, names)
    maker = _MAKERS.get(len(names))
    if maker is None:
        maker = _MAKERS[len(names)] = _maker(len(names))
    return maker(*parts, *names)


def _maker(count: int) -> Callable[..., Fill]:
    parts = [f"p{i}" for i in range(count + 1)]
    names = [f"n{i}" for i in range(count)]
    joined = "".join(f"p{i}, v[n{i}], " for i in range(count)) + parts[-1]
    # Defaults are read faster than a closure's cells: 80 ns instead of 90 for one slot.
    kept = ", ".join(f"{name}={name}" for name in parts + names)
    scope: dict[str, Any] = {}
    exec(
        f"def make({', '.join(parts + names)}):\n"
        f" return lambda v, join=''.join, {kept}: join(({joined}))",
        scope,
    )
    made: Callable[..., Fill] = scope["make"]
    return made


def _looping(parts: tuple[str, ...], names: tuple[str, ...]) -> Fill:
    def fill(values: Mapping[str, Any]) -> str:
        out = [""] * (2 * len(names) + 1)
        out[::2] = parts
        out[1::2] = [values[name] for name in names]
        return "".join(out)

    return fill
