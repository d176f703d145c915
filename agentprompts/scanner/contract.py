"""What a text must hold whatever its language: slots and protocol tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from enum import Enum

from ..diagnostics import Diagnostic
from ..errors import raise_faults
from .slots import write_slot
from .tokens import Token, text_fault

__all__ = ["Contract"]

_BLANKS = frozenset(" \t\n")


class Contract:
    """The slots and protocol tokens that every text of one prompt keeps.

    Args:
        variables: Names of the slots, identifiers of any script that NFKC leaves unchanged (the
            names Python itself accepts as keyword arguments).
        protected: Literals that a parser depends on, or the parser's own `Enum` class.
        description: What the prompt is for and what must not change; translators read it.

    Raises:
        PromptError: For a bare string where a collection belongs, or a name or token that no text
            could hold.

    >>> Contract(["query"], ["ADD"]).variables
    ('query',)
    """

    __slots__ = (
        "description", "heads", "longest", "names", "protected", "tokens", "variables", "written",
    )  # fmt: skip

    variables: tuple[str, ...]
    protected: tuple[str, ...]
    description: str
    names: frozenset[str]
    """The slots' names, for membership."""
    heads: frozenset[str]
    """What a slot, or a mangled one, can begin with right after its bracket."""
    longest: int
    """Length of the longest name and a bracket."""
    written: tuple[str, ...]
    """The slots as most texts write them: in braces."""
    tokens: tuple[Token, ...]

    def __init__(
        self,
        variables: Iterable[str] = (),
        protected: Iterable[str] | type[Enum] = (),
        description: str = "",
    ) -> None:
        faults: list[Diagnostic] = []
        self.variables = _strings("variables", variables, _name_fault, faults)
        self.protected = _strings("protected", protected, _token_fault, faults)
        if not isinstance(description, str):
            faults.append(_fault("description", description, "is no str", "write a text"))
        raise_faults("Invalid prompt contract", faults)
        self.description = description
        self.names = frozenset(self.variables)
        self.heads = _BLANKS.union([name[0] for name in self.variables])
        self.longest = max(map(len, self.variables), default=0) + 1
        self.written = tuple([write_slot(name) for name in self.variables])
        every_name = "\n".join(self.variables)
        self.tokens = tuple([Token(token, token in every_name) for token in self.protected])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return f"Contract({self.variables!r}, {self.protected!r}, {self.description!r})"

    def __reduce__(self) -> tuple[type[Contract], tuple[object, ...]]:
        return Contract, self._values()

    def _values(self) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        return self.variables, self.protected, self.description


def _strings(
    field: str,
    values: object,
    fault_of: Callable[[str], tuple[str, str] | None],
    faults: list[Diagnostic],
) -> tuple[str, ...]:
    """Return `values` as plain strings without repeats, and report what is none."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        faults.append(
            Diagnostic(
                code="contract-invalid",
                message=f"{field} is {values!r}, but must be a collection of str",
                why="a bare string would count as one entry for each of its characters",
                mend=f"write {field}=({values!r},)",
                subject=field,
            )
        )
        return ()
    found: dict[str, None] = {}
    for value in values:
        plain = value.value if isinstance(value, Enum) else value
        why = fault_of(plain) if isinstance(plain, str) else ("is no str", "write it in quotes")
        if why is None:
            found[str(plain)] = None
        else:
            faults.append(_fault(field, plain, *why))
    return tuple(found)


def _name_fault(name: str) -> tuple[str, str] | None:
    if not name.isidentifier():
        return "is no identifier", "name it with letters, digits and underscores"
    if (normal := unicodedata.normalize("NFKC", name)) != name:
        return "changes under NFKC, as which Python reads keyword arguments", f"write {normal!r}"
    return None


def _token_fault(token: str) -> tuple[str, str] | None:
    if not token.strip():
        return "is blank, so that it would protect nothing", "take it out"
    if (broken := text_fault(token)) is not None:
        return f"{broken[0]} at offset {broken[1]}", "take the character out"
    return None


def _fault(field: str, value: object, why: str, mend: str) -> Diagnostic:
    return Diagnostic(
        code="contract-invalid", message=f"{field}: {value!r} {why}", mend=mend, subject=field
    )
