"""Scopes: whose overlays apply, from the broadest level to the narrowest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from ..errors import PromptError

__all__ = ["Scope", "ScopeError", "current_scope", "use_scope"]

_MOST_LEVELS = 16
_MOST_NAME = 64
_MOST_VALUE = 256
_MOST_BYTES = 1500
"""Of the stored form in UTF-8: what a database's index takes beside an agent's name."""
_LEVEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
# What separates levels, escapes, or is awkward in a log or a database.
_ESCAPED = re.compile("[\x00-\x20%/=\x7f]")


class ScopeError(PromptError):
    """No scope is set, or what was given is none."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Ordered levels, each a name and a value; a scope lies beneath those that it begins with.

    Args:
        levels: Pairs such as `("workspace", "acme")`, the broadest first.

    Raises:
        ScopeError: There is no level, a name stands twice, or a name or value cannot be one.

    >>> site = Scope.of(workspace="acme", project="site")
    >>> str(site), [str(scope) for scope in site.ancestors()]
    ('workspace=acme/project=site', ['workspace=acme', 'workspace=acme/project=site'])
    >>> str(Scope.of(workspace="A/project=B"))
    'workspace=A%2Fproject%3DB'
    """

    levels: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.levels, tuple) or not self.levels:
            raise ScopeError("A scope has at least one level, such as ('workspace', 'acme')")
        if len(self.levels) > _MOST_LEVELS:
            raise ScopeError(f"A scope has at most {_MOST_LEVELS} levels, not {len(self.levels)}")
        seen = set()
        for level in self.levels:
            if not isinstance(level, tuple) or len(level) != 2:
                raise ScopeError(f"{level!r} is no level of a scope: write (name, value)")
            name, value = level
            _refuse(name, value)
            if name in seen:
                raise ScopeError(f"The level {name!r} stands twice in a scope")
            seen.add(name)
        if (size := len(str(self).encode())) > _MOST_BYTES:
            raise ScopeError(f"A scope has at most {_MOST_BYTES} bytes when stored, not {size}")

    @classmethod
    def of(cls, **levels: str) -> Scope:
        """Return the scope of levels given in their order, the broadest first."""
        return cls(tuple(levels.items()))

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Return the scope that `str()` gave a text for.

        Raises:
            ScopeError: The text is no scope, or not in the one spelling that a scope has.
        """
        levels = []
        for part in text.split("/") if isinstance(text, str) else ():
            name, equals, value = part.partition("=")
            if not equals:
                raise ScopeError(f"{text!r} is no scope: write 'workspace=acme/project=site'")
            levels.append((name, re.sub("%([0-9A-F]{2})", _unescape, value)))
        made = cls(tuple(levels))
        if str(made) != text:
            raise ScopeError(f"{text!r} is no scope's spelling: write {str(made)!r}")
        return made

    def ancestors(self) -> list[Scope]:
        """Return the scopes that this one lies in, the broadest first, itself last."""
        return [Scope(self.levels[: size + 1]) for size in range(len(self.levels))]

    def covers(self, other: Scope) -> bool:
        """Whether a scope is this one, or lies beneath it."""
        return other.levels[: len(self.levels)] == self.levels

    def __str__(self) -> str:
        """The stored form. No two scopes share one: separators in a value are escaped."""
        return "/".join(f"{name}={_ESCAPED.sub(_escape, value)}" for name, value in self.levels)


def _refuse(name: object, value: object) -> None:
    if not isinstance(name, str) or not _LEVEL.fullmatch(name) or len(name) > _MOST_NAME:
        raise ScopeError(
            f"{name!r} is no name of a level: write at most {_MOST_NAME} letters, digits, - and _"
        )
    if not isinstance(value, str) or not value.strip():
        raise ScopeError(f"The level {name!r} has no value: {value!r}")
    if len(value) > _MOST_VALUE:
        raise ScopeError(f"The value of {name!r} is longer than {_MOST_VALUE} characters")
    if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
        raise ScopeError(f"The value of {name!r} holds a character that no database keeps")


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


_CURRENT: ContextVar[Scope] = ContextVar("agentprompts_scope")


def current_scope() -> Scope:
    """Return the scope of the task or thread that asks.

    Raises:
        ScopeError: None is set: that never means all.
    """
    try:
        return _CURRENT.get()
    except LookupError:
        raise ScopeError(
            "No scope is set: enter `with use_scope(Scope.of(workspace=…)):`, or pass scope="
        ) from None


def check_scope(scope: object) -> Scope:
    """Return what was given, where it is a scope."""
    if not isinstance(scope, Scope):
        raise ScopeError(f"{scope!r} is no scope: write Scope.of(workspace='acme')")
    return scope


def scope_or_current(scope: Scope | None) -> Scope:
    """Return the scope that was given, else the one that is set."""
    return current_scope() if scope is None else check_scope(scope)


@contextmanager
def use_scope(scope: Scope) -> Iterator[Scope]:
    """Set the scope for a block, in this task or thread only."""
    token = _CURRENT.set(check_scope(scope))
    try:
        yield scope
    finally:
        _CURRENT.reset(token)
