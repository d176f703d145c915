"""A process's own copy of the overlays that it needs, at most a second old."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeAlias

from ..errors import PromptError
from ..overlays import Overlay, Scope
from ..overlays.scope import scope_or_current
from .base import AsyncOverlayStore, OverlayStore

__all__ = ["AsyncOverlayCache", "OverlayCache"]

Chain: TypeAlias = tuple[Overlay, ...]


class _Chains:
    """The chains that are kept, and for which number of writes they are right."""

    def __init__(self, seconds: float, most: int, clock: Callable[[], float]) -> None:
        if not seconds >= 0 or most < 1:
            raise PromptError(f"A cache of {most} chains for {seconds} seconds cannot be")
        self._seconds = seconds
        self._most = most
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, Scope], Chain] = OrderedDict()
        self._asked = float("-inf")
        self.changes = -1

    def due(self) -> float | None:
        """Return the time where the store must be asked for its number of writes, else None."""
        now = self._clock()
        return None if now - self._asked < self._seconds else now

    def told(self, changes: int, asked: float) -> None:
        """Take the store's answer; where anybody has written, nothing that is kept holds."""
        with self._lock:
            if changes != self.changes:
                self._kept.clear()
                self.changes = changes
            self._asked = max(self._asked, asked)

    def find(self, key: tuple[str, Scope]) -> Chain | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: tuple[str, Scope], chain: Chain, changes: int) -> None:
        """Keep a chain, unless a write was noticed since it was asked for: it may be older."""
        with self._lock:
            if changes == self.changes:
                self._kept[key] = chain
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._asked = float("-inf")


class OverlayCache:
    """Chains of overlays from a store, read again when anybody has written.

    Args:
        store: Where the overlays are.
        seconds: How long the answer to "has anybody written?" holds.
        most: Most chains that are kept; the one used longest ago goes first.
        clock: Seconds that only grow, for tests.

    The question costs one small read, asked at most once in `seconds` however many chains there
    are; after a write, each chain is read again when it is needed.
    """

    def __init__(
        self,
        store: OverlayStore,
        *,
        seconds: float = 1.0,
        most: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._chains = _Chains(seconds, most, clock)

    def chain(self, agent: str, *, scope: Scope | None = None) -> Chain:
        """Return what applies to an agent here, the broadest first; see `OverlayStore.chain`."""
        key = agent, scope_or_current(scope)
        if (due := self._chains.due()) is not None:
            self._chains.told(self._store.changes(), due)
        if (found := self._chains.find(key)) is not None:
            return found
        changes = self._chains.changes
        chain = tuple(self._store.chain(agent, scope=key[1]))
        self._chains.keep(key, chain, changes)
        return chain

    def clear(self) -> None:
        """Forget everything; the next call asks the store."""
        self._chains.clear()


class AsyncOverlayCache:
    """`OverlayCache` for asyncio, over a store for asyncio."""

    def __init__(
        self,
        store: AsyncOverlayStore,
        *,
        seconds: float = 1.0,
        most: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._chains = _Chains(seconds, most, clock)

    async def chain(self, agent: str, *, scope: Scope | None = None) -> Chain:
        """See `OverlayCache.chain`."""
        key = agent, scope_or_current(scope)
        if (due := self._chains.due()) is not None:
            self._chains.told(await self._store.changes(), due)
        if (found := self._chains.find(key)) is not None:
            return found
        changes = self._chains.changes
        chain = tuple(await self._store.chain(agent, scope=key[1]))
        self._chains.keep(key, chain, changes)
        return chain

    def clear(self) -> None:
        """Forget everything; the next call asks the store."""
        self._chains.clear()
