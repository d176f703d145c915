"""What a registry points at. Copies share one state; a writer makes its own.

A reader takes the state once and needs no lock: a state that is replaced is never changed again
except by adding one entry to a dict, which readers see whole or not at all.
"""

from __future__ import annotations

from ..diagnostics import Diagnostic
from ..scanner import check
from ..template import PromptTemplate
from .localepacks import LocalePacks

__all__ = ["State"]

Templates = dict[str, PromptTemplate]

# A copy starts from a frozen base and the entries of its own, which its first write copies. Where
# a state is copied so often that a new base would cost less, its entries are folded into one.
_FEW_OWN = 32


class State:
    """Templates in layers, found in the order `over`, `base`, `added`.

    `base` is frozen and shared by every copy; `replaced` has the registered templates of those
    keys that `base` holds overridden. `added` and `over` are what was registered and overridden
    since the base was frozen. `local` has the overrides that hold in one locale only. Those of
    them that hold in the source's own locale are in `over` too: `home` names their locales, and
    `everywhere` then keeps apart the overrides that hold in all.

    `owns_added` and `owns` tell which of these dicts nobody else sees, so that a single entry may
    be written in place; `owns` has the locales of overrides, with `None` for `over`. `copies`
    counts how often the state was shared; it is None where that is all done: nothing is owned, and
    no number of copies would call for a new base.
    """

    __slots__ = (
        "added",
        "base",
        "copies",
        "everywhere",
        "home",
        "local",
        "over",
        "owns",
        "owns_added",
        "packs",
        "replaced",
        "version",
    )

    base: Templates
    packs: LocalePacks
    replaced: Templates
    added: Templates
    over: Templates
    everywhere: Templates | None
    local: dict[str, Templates]
    home: tuple[str, ...]
    owns_added: bool
    owns: frozenset[str | None]
    copies: int | None
    version: int

    @classmethod
    def of(cls, base: Templates, packs: LocalePacks) -> State:
        """Return the state of a new registry; the templates are its own from now on."""
        made = cls()
        made.base, made.packs, made.replaced = base, packs, _NONE
        made.added = made.over = _NONE
        made.everywhere, made.local, made.home = None, _NO_LOCAL, ()
        made.owns_added, made.owns = False, _NOTHING
        made.copies = made.version = 0
        return made

    def forked(self) -> State:
        """Return a state that shares everything with this one, which is given up for it."""
        made = State()  # without an `__init__`, in half the time: each agent of its own takes one
        made.base, made.packs, made.replaced = self.base, self.packs, self.replaced
        made.added, made.over = self.added, self.over
        made.everywhere, made.local, made.home = self.everywhere, self.local, self.home
        made.owns_added, made.owns = self.owns_added, self.owns
        made.copies = 0
        made.version = self.version + 1
        return made

    def shared(self) -> State:
        """Return the state for two registries to point at: neither writes into it any more."""
        state, own = self, len(self.added) + len(self.over)
        copies = None
        if own > _FEW_OWN and self.everywhere is None:
            copies = self.copies = (self.copies or 0) + 1
        if copies is not None and own * copies > len(self.base):
            state, copies = self.forked(), None
            sources = {key: self.source(key) for key in self.over if key not in self.replaced}
            state.replaced = {**self.replaced, **sources} if sources else self.replaced
            # A registry that was filled one by one has an empty base: its entries become it.
            state.base = (
                {**self.base, **self.added, **self.over} if self.base or self.over else self.added
            )
            state.added = state.over = _NONE
        state.owns_added, state.owns = False, _NOTHING
        state.copies = copies  # last: it tells whoever copies without the lock that all is done
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
        for layer in (self.replaced, self.base):
            if key in layer:
                return layer[key]
        return self.added[key]

    def override(self, key: str) -> PromptTemplate | None:
        """Return the override that holds in every locale, if there is one."""
        found = (self.over if self.everywhere is None else self.everywhere).get(key)
        if found is None and key in self.replaced:
            found = self.base[key]
        return found

    def overrides(self) -> dict[str | None, Templates]:
        """Return every override, by the locale that it holds in; `None` for all of them."""
        own = {key: self.base[key] for key in self.replaced}
        own.update(self.over if self.everywhere is None else self.everywhere)
        found: dict[str | None, Templates] = {None: own}
        found.update(self.local)
        return found

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

    def append(self, key: str, template: PromptTemplate) -> bool:
        """Add a new key in place and return True; or do nothing where it is not so easy."""
        if not self.owns_added or key in self.added or key in self.base:
            return False
        self.added[key] = template
        self.version += 1
        return True

    def registering(self, new: Templates, packs: LocalePacks | None = None) -> State:
        """Return the state with new keys, to which more can be appended."""
        made = self.forked()
        made.added = {**self.added, **new}
        made.owns_added = True
        made.packs = packs or self.packs
        return made

    def overriding(self, new: Templates, locale: str | None) -> State:
        """Return the state with overrides in one locale, or in all (`None`).

        It is this one where a single override fits in place. Else `new` is taken over.
        """
        if len(new) == 1 and None in self.owns and locale in self.owns:
            self._write(new, locale)
            self.version += 1
            return self
        made = self.forked()
        made.owns = self.owns | _OVER if self.owns else _OVER
        if locale is None and self.everywhere is None:
            made.over = {**self.over, **new} if self.over else new
            return made
        made.over = dict(self.over)
        made.everywhere = None if self.everywhere is None else dict(self.everywhere)
        if locale is not None:
            made.local = {**self.local, locale: dict(self.local.get(locale, _NONE))}
            made.owns |= {locale}
            if locale not in self.local:
                from ..locales import resolve

                made.home = resolve(self.packs.source, made.local, "")[:-1]
                if made.home and made.everywhere is None:
                    made.everywhere = dict(made.over)
        made._write(new, locale)
        return made

    def rebased(self, before: State, now: State) -> tuple[State, list[Diagnostic]]:
        """Return the state with other texts under the same overrides, and what became of these.

        Args:
            before: The texts and packs that are replaced; keys of others stay.
            now: Those that take their place.
        """
        kept = {key: self.source(key) for key in self.names() if key not in before}
        packs = self.packs.replaced(before.packs, now.packs)
        made = State.of({**{key: now.source(key) for key in now.names()}, **kept}, packs)
        made.version = self.version + 1
        lost: list[Diagnostic] = []
        for locale, templates in self.overrides().items():
            good: Templates = {}
            for key, old in templates.items():
                today = key if key in made else packs.renamed.get(key, key)
                source = made.source(today) if today in made else None
                if source is None:
                    message, mend = f"the prompt {key!r} is gone", "its override went with it"
                    wrong = [Diagnostic(code="key-unknown", message=message, mend=mend)]
                elif source.contract == old.contract:
                    wrong, good[today] = [], old
                # Against itself: all that can have changed is what the contract asks for.
                elif not (wrong := check(old.template, source.contract, old.template)):
                    good[today] = source.reworded(old.template)
                lost += [fault.at(key=key, locale=locale) for fault in wrong]
            if good:
                made = made.overriding(good, locale)
        return made, lost

    def _write(self, new: Templates, locale: str | None) -> None:
        if locale is None:
            if self.everywhere is not None:
                self.everywhere.update(new)
        else:
            self.local[locale].update(new)
            if locale not in self.home:
                return
        if not self.home:
            self.over.update(new)
            return
        for key, template in new.items():
            near = (self.local[name].get(key) for name in self.home)
            self.over[key] = next((own for own in near if own is not None), template)


_NONE: Templates = {}
_NO_LOCAL: dict[str, Templates] = {}
_NOTHING: frozenset[str | None] = frozenset()
_OVER: frozenset[str | None] = frozenset([None])
