"""What a registry points at. Copies share one state; a writer makes its own.

A reader takes the state once and needs no lock: a state that is replaced is never changed again
except by adding one entry to a dict, which readers see whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..template import PromptTemplate
from .localepacks import LocalePacks

__all__ = ["State"]

Templates = dict[str, PromptTemplate]

# A copy starts from a frozen base and few entries of its own. Above this number of entries they
# are folded into a new base when a copy is made, so that no copy carries more than these.
_MOST_OWN = 32


class State:
    """Templates in layers, found in the order `over`, `base`, `added`.

    `base` is frozen and shared by every copy; `replaced` has the registered templates of those
    keys that `base` holds overridden. `added` and `over` are what was registered and overridden
    since the base was frozen. `local` has the overrides that hold in one locale only. Where some
    of them hold in the source's own locale, they are in `over` too, and `everywhere` keeps those
    that hold in all.
    """

    __slots__ = (
        "added",
        "base",
        "everywhere",
        "local",
        "over",
        "owns_added",
        "owns_over",
        "packs",
        "replaced",
    )

    def __init__(self, base: Templates, packs: LocalePacks) -> None:
        self.base = base
        self.packs = packs
        self.replaced: Templates = _NONE
        self.added: Templates = _NONE
        self.over: Templates = _NONE
        self.everywhere: Templates | None = None
        self.local: Mapping[str, Templates] = _NO_LOCAL
        self.owns_added = False
        self.owns_over = False

    def forked(self) -> State:
        """Return a state that shares everything with this one, which is given up for it."""
        made = State(self.base, self.packs)
        made.replaced, made.added, made.over = self.replaced, self.added, self.over
        made.everywhere, made.local = self.everywhere, self.local
        made.owns_added, made.owns_over = self.owns_added, self.owns_over
        return made

    def shared(self) -> State:
        """Return the state for two registries to point at: neither writes into it any more."""
        state = self
        if len(self.added) + len(self.over) > _MOST_OWN and self.everywhere is None:
            state = self.forked()
            sources = {key: self.source(key) for key in self.over if key not in self.replaced}
            state.replaced = {**self.replaced, **sources} if sources else self.replaced
            # A registry that was filled one by one has an empty base: its entries become it.
            state.base = (
                {**self.base, **self.added, **self.over} if self.base or self.over else self.added
            )
            state.added = state.over = _NONE
        state.owns_added = state.owns_over = False
        return state

    def find(self, key: str) -> PromptTemplate | None:
        """Return the template in force where no locale is asked for."""
        found = self.over.get(key)
        if found is None:
            found = self.base.get(key)
            if found is None:
                found = self.added.get(key)
        return found

    def source(self, key: str) -> PromptTemplate:
        """Return the template as it was registered."""
        return self.replaced.get(key) or self.base.get(key) or self.added[key]

    def override(self, key: str) -> PromptTemplate | None:
        """Return the override that holds in every locale, if there is one."""
        over = self.over if self.everywhere is None else self.everywhere
        return over.get(key) or (self.base[key] if key in self.replaced else None)

    def names(self) -> list[str]:
        """Return all keys in the order in which they were registered."""
        return [*self.base, *self.added] if self.added else list(self.base)

    def items(self) -> Templates:
        """Return a new dict of what is in force where no locale is asked for."""
        found = {**self.base, **self.added}
        found.update(self.over)
        return found

    def __contains__(self, key: object) -> bool:
        return key in self.base or key in self.added

    def __len__(self) -> int:
        return len(self.base) + len(self.added)

    def registering(self, new: Templates, packs: LocalePacks | None = None) -> State:
        """Return the state with new keys, in place where nobody shares it."""
        if len(new) == 1 and packs is None and self.owns_added:
            self.added.update(new)
            return self
        made = self.forked()
        made.added = {**self.added, **new}
        made.owns_added = True
        made.packs = packs or self.packs
        return made

    def overriding(self, new: Templates, locale: str | None) -> State:
        """Return the state with overrides in one locale, or in all (`None`)."""
        if len(new) == 1 and locale is None and self.owns_over and self.everywhere is None:
            self.over.update(new)
            return self
        made = self.forked()
        source = self.packs.source
        if locale is not None:
            made.local = {**self.local, locale: {**self.local.get(locale, {}), **new}}
        if locale is None and self.everywhere is None:
            made.over = {**self.over, **new}
            made.owns_over = True
        elif locale in (None, source):
            everywhere = self.over if self.everywhere is None else self.everywhere
            made.everywhere = {**everywhere, **new} if locale is None else everywhere
            made.over = {**made.everywhere, **made.local[source]}
            made.owns_over = False
        return made


_NONE: Templates = {}
_NO_LOCAL: Mapping[str, Templates] = {}
