"""What every store of overlays does: the rules once, over a session that only moves rows."""

from __future__ import annotations

import json
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple, Protocol, TypeVar

from ..errors import PromptError
from ..overlays import Overlay, Scope
from ..overlays.scope import check_scope, scope_or_current
from ..scanner import Contract, check

__all__ = [
    "AlreadyExistsError",
    "AsyncOverlayStore",
    "ConflictError",
    "NotFoundError",
    "OverlayStore",
    "Row",
    "Session",
    "StoreError",
]

T = TypeVar("T")

_MOST_CONTENT = 4_000_000
_MOST_LISTED = 1000
_MOST_OFFSET = 2**31 - 1
_PLAIN = Contract()


class StoreError(PromptError):
    """A store cannot do what it was asked; the root of its errors."""


class NotFoundError(StoreError):
    """There is no such overlay, or none that the caller's scope may see."""


class AlreadyExistsError(StoreError):
    """The agent has an overlay in this scope already."""


class ConflictError(StoreError):
    """Somebody else has changed the overlay since it was read."""


class Row(NamedTuple):
    """An overlay as it is kept: one row of text and numbers."""

    id: str
    agent: str
    scope: str
    revision: int
    created_at: str
    content: str


class Session(Protocol):
    """One transaction of a store. It moves rows; what they mean is decided here."""

    def insert(self, row: Row) -> bool:
        """Add a row; False where the agent has one in this scope."""

    def by_id(self, id: str) -> Row | None:
        """Return a row."""

    def in_scopes(self, agent: str, scopes: Sequence[str]) -> list[Row]:
        """Return an agent's rows at exactly these scopes, in one read."""

    def beneath(
        self, scope: str, agent: str | None, exact: bool, limit: int, offset: int
    ) -> list[Row]:
        """Return the rows at a scope, and beneath it unless `exact`, oldest first, then by id."""

    def rewrite(self, id: str, revision: int, content: str) -> bool:
        """Replace a row's content and count its revision up; False where it has another one."""

    def remove(self, id: str, revision: int) -> bool:
        """Take a row out; False where it has another revision, or is gone."""

    def changes(self) -> int:
        """Return the number of writes that there have been."""


Work = Callable[[Session], T]


def create(overlay: Overlay, scope: Scope) -> Work[Overlay]:
    """Make a row of an overlay, stamped with scope, id and time."""
    row = Row(
        uuid.uuid4().hex,
        overlay.agent,
        str(scope),
        1,
        datetime.now(UTC).isoformat(timespec="microseconds"),
        _written(overlay),
    )

    def work(session: Session) -> Overlay:
        if not session.insert(row):
            raise AlreadyExistsError(
                f"The agent {overlay.agent!r} has an overlay in {scope} already: update that one"
            )
        return _read(row)

    return work


def get(id: str, scope: Scope) -> Work[Overlay]:
    """Read an overlay at the scope or beneath it."""

    def work(session: Session) -> Overlay:
        return _read(_visible(session, id, scope))

    return work


def chain(agent: str, scope: Scope) -> Work[list[Overlay]]:
    """Read an agent's overlays at the scope and its ancestors, the broadest first."""

    def work(session: Session) -> list[Overlay]:
        texts = [str(one) for one in scope.ancestors()]
        rows = {row.scope: row for row in _of_agent(session, agent, texts)}
        return [_read(rows[text]) for text in texts if text in rows]

    return work


def at_scope(agent: str, at: Scope, scope: Scope) -> Work[Overlay]:
    """Read an agent's overlay at exactly one scope: the caller's own or one above it."""

    def work(session: Session) -> Overlay:
        rows = _of_agent(session, agent, [str(at)]) if at.covers(scope) else []
        if not rows:
            raise NotFoundError(f"The agent {agent!r} has no overlay in {at}")
        return _read(rows[0])

    return work


def update_all(overlays: Sequence[Overlay], scope: Scope) -> Work[list[Overlay]]:
    """Replace the content of overlays, all of them or none."""
    contents = [_written(overlay) for overlay in overlays]

    def work(session: Session) -> list[Overlay]:
        made = []
        for overlay, content in zip(overlays, contents, strict=True):
            row = _visible(session, overlay.id, scope)
            _refuse_move(overlay, row)
            same = row.revision == overlay.revision
            if not same or not session.rewrite(row.id, row.revision, content):
                raise _conflict(row, overlay.revision)
            made.append(_read(row._replace(revision=row.revision + 1, content=content)))
        return made

    return work


def delete(id: str, revision: int | None, scope: Scope) -> Work[None]:
    """Take an overlay out."""

    def work(session: Session) -> None:
        row = _visible(session, id, scope)
        same = revision is None or revision == row.revision
        if not same or not session.remove(row.id, row.revision):
            raise _conflict(row, revision)

    return work


def listing(
    scope: Scope, agent: str | None, exact: bool, limit: int, offset: int
) -> Work[list[Overlay]]:
    """List overlays at the scope and beneath it."""
    for name, value, least in (("limit", limit, 1), ("offset", offset, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise StoreError(f"The {name} is {value!r}: write a whole number from {least} up")
    most, skipped = min(limit, _MOST_LISTED), min(offset, _MOST_OFFSET)

    def work(session: Session) -> list[Overlay]:
        if agent is not None and not _storable(agent):
            return []
        return [_read(row) for row in session.beneath(str(scope), agent, exact, most, skipped)]

    return work


def _storable(text: str) -> bool:
    # Databases fail on other texts, where the answer is that there is no such thing.
    return not check(text, _PLAIN)


def _of_agent(session: Session, agent: str, scopes: Sequence[str]) -> list[Row]:
    return session.in_scopes(agent, scopes) if _storable(agent) else []


def _visible(session: Session, id: str, scope: Scope) -> Row:
    row = session.by_id(id) if _storable(id) else None
    if row is None or not scope.covers(Scope.parse(row.scope)):
        # The same words for both: whether a foreign one exists is nobody's business.
        raise NotFoundError(f"There is no overlay {id!r} in {scope}")
    return row


def _refuse_move(overlay: Overlay, row: Row) -> None:
    moved = overlay.scope is not None and str(overlay.scope) != row.scope
    if moved or overlay.agent != row.agent:
        raise StoreError(
            f"The overlay {row.id!r} belongs to {row.agent!r} in {row.scope} for good: delete it, "
            "and create another where it should be"
        )


def _conflict(row: Row, expected: int | None) -> ConflictError:
    return ConflictError(
        f"The overlay {row.id!r} has changed since its revision {expected} was read: "
        "read it again, and repeat the change"
    )


def _written(overlay: Overlay) -> str:
    content = json.dumps(overlay.content(), ensure_ascii=False, separators=(",", ":"))
    if len(content) > _MOST_CONTENT:
        raise StoreError(
            f"The overlay of {overlay.agent!r} has {len(content):,} characters, more than "
            f"{_MOST_CONTENT:,}: shorten its patches"
        )
    return content


def _read(row: Row) -> Overlay:
    try:
        return replace(
            Overlay.from_content(row.agent, json.loads(row.content)),
            id=row.id,
            scope=Scope.parse(row.scope),
            revision=row.revision,
            created_at=datetime.fromisoformat(row.created_at),
        )
    except (ValueError, RecursionError, PromptError) as error:
        raise StoreError(f"The overlay {row.id!r} cannot be read: {error}") from error


class OverlayStore(ABC):
    """Keeps overlays, at most one for each agent and scope.

    Every method works in the scope that `use_scope` has set, or in the one that is passed; without
    one it raises `ScopeError`. What lies outside of the scope is not found.
    """

    @abstractmethod
    def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work in one transaction: all of it takes effect, or nothing."""

    @abstractmethod
    def close(self) -> None:
        """Give connections back."""

    def create(self, overlay: Overlay, *, scope: Scope | None = None) -> Overlay:
        """Keep a new overlay; return it with id, scope, revision and time.

        Raises:
            AlreadyExistsError: The agent has one in this scope.
        """
        return self.run(create(overlay, scope_or_current(scope)), write=True)

    def get(self, id: str, *, scope: Scope | None = None) -> Overlay:
        """Return an overlay of this scope, or of one beneath it.

        Raises:
            NotFoundError: There is none.
        """
        return self.run(get(id, scope_or_current(scope)))

    def get_for_agent(self, agent: str, *, scope: Scope | None = None) -> Overlay:
        """Return the agent's overlay at exactly this scope.

        Raises:
            NotFoundError: There is none.
        """
        here = scope_or_current(scope)
        return self.run(at_scope(agent, here, here))

    def get_for_agent_at(self, agent: str, at: Scope, *, scope: Scope | None = None) -> Overlay:
        """Return the agent's overlay at exactly `at`, which is this scope or lies above it.

        Raises:
            NotFoundError: There is none, or `at` lies elsewhere.
        """
        return self.run(at_scope(agent, check_scope(at), scope_or_current(scope)))

    def chain(self, agent: str, *, scope: Scope | None = None) -> list[Overlay]:
        """Return what applies to an agent here, the broadest first, from one consistent read."""
        return self.run(chain(agent, scope_or_current(scope)))

    def update(self, overlay: Overlay, *, scope: Scope | None = None) -> Overlay:
        """Replace an overlay's content; agent, scope and time stay. Return it as it is now.

        Raises:
            NotFoundError: There is none in this scope or beneath it.
            ConflictError: It has another revision than the one given.
        """
        return self.update_all([overlay], scope=scope)[0]

    def update_all(
        self, overlays: Sequence[Overlay], *, scope: Scope | None = None
    ) -> list[Overlay]:
        """Replace the content of several overlays, all or none; see `update`."""
        return self.run(update_all(list(overlays), scope_or_current(scope)), write=True)

    def delete(self, id: str, *, revision: int | None = None, scope: Scope | None = None) -> None:
        """Take an overlay out; with `revision`, only where it still has that one.

        Raises:
            NotFoundError: There is none in this scope or beneath it.
            ConflictError: It has another revision.
        """
        self.run(delete(id, revision, scope_or_current(scope)), write=True)

    def list(
        self,
        agent: str | None = None,
        *,
        exact: bool = False,
        limit: int = 100,
        offset: int = 0,
        scope: Scope | None = None,
    ) -> list[Overlay]:
        """Return the overlays of this scope and those beneath it, the oldest first.

        Args:
            agent: Only this agent's.
            exact: Only this scope's own.
            limit: At most so many, and at most 1,000.
            offset: How many to skip.
            scope: Instead of the one that is set.
        """
        return self.run(listing(scope_or_current(scope), agent, exact, limit, offset))

    def changes(self) -> int:
        """Return a number that grows with every write of anybody: for caches."""
        return self.run(lambda session: session.changes())


class AsyncOverlayStore(ABC):
    """`OverlayStore` for asyncio: the same methods, awaited, and the same rules."""

    @abstractmethod
    async def run(self, work: Work[T], *, write: bool = False) -> T:
        """Run work in one transaction: all of it takes effect, or nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Give connections back."""

    async def create(self, overlay: Overlay, *, scope: Scope | None = None) -> Overlay:
        """See `OverlayStore.create`."""
        return await self.run(create(overlay, scope_or_current(scope)), write=True)

    async def get(self, id: str, *, scope: Scope | None = None) -> Overlay:
        """See `OverlayStore.get`."""
        return await self.run(get(id, scope_or_current(scope)))

    async def get_for_agent(self, agent: str, *, scope: Scope | None = None) -> Overlay:
        """See `OverlayStore.get_for_agent`."""
        here = scope_or_current(scope)
        return await self.run(at_scope(agent, here, here))

    async def get_for_agent_at(
        self, agent: str, at: Scope, *, scope: Scope | None = None
    ) -> Overlay:
        """See `OverlayStore.get_for_agent_at`."""
        return await self.run(at_scope(agent, check_scope(at), scope_or_current(scope)))

    async def chain(self, agent: str, *, scope: Scope | None = None) -> list[Overlay]:
        """See `OverlayStore.chain`."""
        return await self.run(chain(agent, scope_or_current(scope)))

    async def update(self, overlay: Overlay, *, scope: Scope | None = None) -> Overlay:
        """See `OverlayStore.update`."""
        return (await self.update_all([overlay], scope=scope))[0]

    async def update_all(
        self, overlays: Sequence[Overlay], *, scope: Scope | None = None
    ) -> list[Overlay]:
        """See `OverlayStore.update_all`."""
        return await self.run(update_all(list(overlays), scope_or_current(scope)), write=True)

    async def delete(
        self, id: str, *, revision: int | None = None, scope: Scope | None = None
    ) -> None:
        """See `OverlayStore.delete`."""
        await self.run(delete(id, revision, scope_or_current(scope)), write=True)

    async def list(
        self,
        agent: str | None = None,
        *,
        exact: bool = False,
        limit: int = 100,
        offset: int = 0,
        scope: Scope | None = None,
    ) -> list[Overlay]:
        """See `OverlayStore.list`."""
        return await self.run(listing(scope_or_current(scope), agent, exact, limit, offset))

    async def changes(self) -> int:
        """See `OverlayStore.changes`."""
        return await self.run(lambda session: session.changes())
