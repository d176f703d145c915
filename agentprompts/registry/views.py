"""A registry seen in one locale, under one namespace, or pinned for a run."""

from __future__ import annotations

from _thread import RLock
from collections.abc import Iterable, Iterator, Mapping
from copy import copy, deepcopy
from enum import Enum
from typing import Any, NoReturn

from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..locales import canonical, resolve, same_language
from ..scanner import key_faults
from ..template import PromptTemplate
from .handles import Origin, PromptRef
from .localepacks import LocalePacks
from .registry import _NO_DEFAULT, PromptRegistry, Updates, _pairs
from .state import State, Templates

__all__ = ["LocalizedRegistry", "PromptNamespace", "PromptSnapshot"]


class LocalizedRegistry(PromptRegistry):
    """A registry in one locale: a live view of its parent, made by `localized`.

    What is written through it goes to the parent; an override holds in this locale only.
    """

    __slots__ = ("_chain", "_own", "_parent", "locale")

    locale: str
    """The locale asked for, in BCP 47's spelling."""

    def __init__(self, parent: PromptRegistry, locale: str) -> None:
        self._parent = parent.root if isinstance(parent, LocalizedRegistry) else parent
        self.locale = canonical(locale) or self._parent.source_locale
        self._chain: tuple[LocalePacks, tuple[str, ...]] | None = None
        self._own: tuple[dict[str, Templates], tuple[str, ...]] | None = None
        self._views = None

    @property
    def root(self) -> PromptRegistry:
        """The registry that this is a view of."""
        return self._parent

    @property
    def _state(self) -> State:  # type: ignore[override]
        return self._parent._state

    @property
    def _lock(self) -> RLock:  # type: ignore[override]
        return self._parent._lock

    @property
    def chain(self) -> tuple[str, ...]:
        """The locales that have texts for this one, the nearest first; the source is the last."""
        return self._chain_in(self._state.packs)

    def _chain_in(self, packs: LocalePacks) -> tuple[str, ...]:
        chain = self._chain
        if chain is None or chain[0] is not packs:
            chain = self._chain = packs, resolve(self.locale, packs.locales, packs.source)
        return chain[1]

    def _overridden(self, state: State, key: str) -> tuple[str, PromptTemplate] | None:
        """Return the override in the nearest locale, of those that this one falls back to."""
        local, own = state.local, self._own
        if own is None or own[0] is not local:
            own = self._own = local, resolve(self.locale, local, "")[:-1]
        for locale in own[1]:
            if (found := local[locale].get(key)) is not None:
                return locale, found
        return None

    def _find(self, key: str) -> PromptTemplate | None:
        state = self._state
        if key not in state:
            return None
        if state.local and (own := self._overridden(state, key)) is not None:
            return own[1]
        if (over := state.override(key)) is not None:
            return over
        # The chain of this very state: another may be in force by now, with other locales.
        text = state.packs.along(self._chain_in(state.packs)).get(key)
        return state.source(key) if text is None else text

    def get(self, key: str, default: Any = _NO_DEFAULT) -> Any:
        """Return the template in force for a key in this locale, or the default."""
        return self._look_up(key, default)

    def preload(self) -> None:
        """Read this locale's packs now; whoever takes the lock does so first, not under it."""
        self._state.packs.along(self.chain)

    def text(self, key: str) -> str:
        """Return the text in force for a key in this locale."""
        return self[key].template

    def render(self, key: str, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Fill the slots of a prompt in this locale."""
        return self[key].render(values, **kw)

    def items(self) -> list[tuple[str, PromptTemplate]]:
        """Return (key, template) of everything in force in this locale."""
        self.preload()
        with self._lock:
            found = [(key, self._find(key)) for key in self._state.names()]
        return [(key, template) for key, template in found if template is not None]

    def origin(self, key: str) -> Origin:
        """Return which layer, and which locale, the text of a key comes from."""
        self.get(key)
        state = self._state
        if state.local and (own := self._overridden(state, key)) is not None:
            return Origin("override", own[0])
        if state.override(key) is not None:
            return Origin("override", None)
        for locale in self.chain:
            if key in state.packs.texts(locale):
                return Origin("pack", locale)
        return Origin("source", state.packs.foreign.get(key, state.packs.source))

    def fallen_back(self) -> dict[str, str]:
        """Return the keys without a text of this language, and the locale that stands in.

        A prompt that was overridden counts as translated.
        """
        origins = {key: self.origin(key) for key in self.keys()}
        return {
            key: origin.locale
            for key, origin in origins.items()
            if origin.layer != "override"
            and origin.locale is not None
            and not same_language(origin.locale, self.locale)
        }

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What was left out of this locale's packs because it broke its contract."""
        packs = self._state.packs
        return tuple(found for locale in self.chain for found in packs.findings(locale))

    def copy(self) -> PromptRegistry:
        """Return an independent registry, seen in the same locale."""
        return self._parent.copy().localized(self.locale)

    def snapshot(self) -> PromptRegistry:
        """Return a pinned copy, seen in the same locale."""
        return self._parent.snapshot().localized(self.locale)

    def localized(self, locale: str) -> LocalizedRegistry:
        """Return the parent in another locale."""
        return self._parent.localized(locale)

    def override(self, updates: Updates, locale: str | None = None) -> None:
        """Change texts in this locale, or in the one named."""
        self._parent.override(updates, self.locale if locale is None else locale)

    def _add(self, new: Any, join: Any) -> None:
        self._parent._add(new, join)

    def __copy__(self) -> PromptRegistry:
        return copy(self._parent).localized(self.locale)

    def __deepcopy__(self, memo: dict[int, Any]) -> PromptRegistry:
        return deepcopy(self._parent, memo).localized(self.locale)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.locale} of {len(self)} prompts>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _localize, (self._parent, self.locale)


def _localize(parent: PromptRegistry, locale: str) -> LocalizedRegistry:
    return parent.localized(locale)


class PromptSnapshot(PromptRegistry):
    """A copy that refuses writes, made by `snapshot`. `copy()` of it is an ordinary registry."""

    __slots__ = ()

    def _add(self, new: Any, join: Any) -> NoReturn:
        self.override({})

    def override(self, updates: Updates, locale: str | None = None) -> NoReturn:
        """Refuse."""
        raise PromptError(
            "This registry is a snapshot: it pins what a run was started with. "
            "Write to the registry it was taken from, or to a copy() of it"
        )

    def __copy__(self) -> PromptRegistry:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> PromptRegistry:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        restore, (_, state) = super().__reduce__()
        return restore, (PromptSnapshot, state)


class PromptNamespace:
    """A registry seen under a prefix: names are the keys without it.

    >>> registry = PromptRegistry()
    >>> mine = registry.namespace("myapp")
    >>> mine.register("greeting", "Greet {name}.", variables=["name"])
    >>> registry.render("myapp.greeting", name="Ada"), mine.keys()
    ('Greet Ada.', ['greeting'])
    """

    __slots__ = ("_registry", "prefix")

    def __init__(self, registry: PromptRegistry, prefix: str) -> None:
        raise_faults("Invalid namespace", key_faults(prefix))
        self._registry = registry
        self.prefix = prefix

    def key(self, name: str) -> str:
        """Return the full key of a name."""
        return f"{self.prefix}.{name}"

    def register(
        self,
        name: str,
        template: str | PromptTemplate,
        *,
        variables: Iterable[str] = (),
        protected: Iterable[str] | type[Enum] = (),
        description: str = "",
    ) -> None:
        """Add a prompt; see `PromptRegistry.register`."""
        self._registry.register(
            self.key(name),
            template,
            variables=variables,
            protected=protected,
            description=description,
        )

    def include(self, catalog: PromptRegistry) -> None:
        """Add every prompt of a catalog under this prefix, with its packs, or none of them."""
        self._registry._include(catalog, f"{self.prefix}.")

    def override(self, updates: Updates, locale: str | None = None) -> None:
        """Change texts by name; see `PromptRegistry.override`."""
        self._registry.override([(self.key(n), text) for n, text in _pairs(updates)], locale)

    def get(self, name: str, *default: Any) -> Any:
        """Return the template in force, or the default where one is given."""
        return self._registry.get(self.key(name), *default)

    def __getitem__(self, name: str) -> PromptTemplate:
        return self._registry.get(self.key(name))

    def text(self, name: str) -> str:
        """Return the text in force."""
        return self._registry.text(self.key(name))

    def render(self, name: str, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Fill the slots of a prompt."""
        return self._registry.render(self.key(name), values, **kw)

    def ref(self, name: str) -> PromptRef:
        """Return a live handle on a prompt."""
        return self._registry.ref(self.key(name))

    def keys(self) -> list[str]:
        """Return the names under this prefix."""
        start = f"{self.prefix}."
        return [key[len(start) :] for key in self._registry if key.startswith(start)]

    def as_dict(self) -> dict[str, str]:
        """Return the texts in force by name."""
        start = f"{self.prefix}."
        return {
            key[len(start) :]: template.template
            for key, template in self._registry.items()
            if key.startswith(start)
        }

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.key(name) in self._registry

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __repr__(self) -> str:
        return f"<PromptNamespace {self.prefix!r} of {len(self)} prompts>"
