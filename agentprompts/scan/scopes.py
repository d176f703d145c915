"""What the names of a file stand for, as far as its syntax tree tells."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

__all__ = ["Bound", "Form", "Later", "Scope", "Strings", "dotted"]

MOST_PARTS = 20
"""Most parts of a string that are told apart: no key has as many."""


class Later(NamedTuple):
    """A constant that another file may tell."""

    name: str


Form: TypeAlias = tuple[str | Later | None, ...]
"""What a string may be: known parts, and `None` for what only the run knows."""


class Bound(NamedTuple):
    """What a name was given, its annotation, and the scope in which that was written."""

    value: ast.expr | None
    annotation: ast.expr | None
    scope: Scope


@dataclass(slots=True, eq=False)
class Scope:
    """The names of a module, a class or a function."""

    parent: Scope | None = None
    is_class: bool = False
    names: dict[str, list[Bound]] = field(default_factory=dict)

    def bind(
        self, target: ast.expr, value: ast.expr | None, annotation: ast.expr | None = None
    ) -> None:
        """Note what a name, or an attribute of `self`, was set to."""
        name, home = dotted(target), self
        if name.startswith("self."):
            while home.parent is not None and not home.is_class:
                home = home.parent
        elif self.is_class:
            name = f"self.{name}"
        home.names.setdefault(name, []).append(Bound(value, annotation, self))

    def find(self, name: str) -> list[Bound]:
        """Return what a name was set to in the nearest scope that knows it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return []


def dotted(node: ast.AST) -> str:
    """Return `self.prompts` for such an expression, and nothing for any other."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


class Strings:
    """The strings that the expressions of one file may be: each is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, list[Form]] = {}

    def of(self, node: ast.AST, scope: Scope) -> list[Form]:
        """Return the strings that an expression may be; none where nothing of it is known."""
        if id(node) not in self._known:
            self._known[id(node)] = []  # what a name says of itself, as in `text = text + "."`
            with suppress(RecursionError):  # a sum of a thousand strings is nobody's key
                self._known[id(node)] = self._of(node, scope)
        return self._known[id(node)]

    def _of(self, node: ast.AST, scope: Scope) -> list[Form]:
        match node:
            case ast.Constant(value=str() as text):
                return [(text,)]
            case ast.FormattedValue():
                return self.of(node.value, scope)
            case ast.IfExp():
                both = [self.of(part, scope) for part in (node.body, node.orelse)]
                return both[0] + both[1] if all(both) else []
            case ast.JoinedStr(values=parts):
                return [self._joined(parts, scope)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [self._joined([left, right], scope)]
            case ast.Name() | ast.Attribute() if name := dotted(node):
                bound = scope.find(name)
                if not bound:
                    return [(Later(name.removesuffix(".value")),)]
                if len(bound) == 1 and bound[0].value is not None:
                    return self.of(bound[0].value, bound[0].scope)
        return []

    def _joined(self, parts: list[ast.expr], scope: Scope) -> Form:
        found: list[str | Later | None] = []
        for part in parts:
            known = self.of(part, scope)
            found += known[0] if len(known) == 1 and len(found) < MOST_PARTS else (None,)
        return tuple(found[:MOST_PARTS])
