"""`PromptRegistry`: the templates of one agent, library or process, by key."""

from __future__ import annotations

import warnings
from _thread import RLock  # all that is needed of `threading`, without its millisecond
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from ..diagnostics import Diagnostic
from ..errors import PromptError, PromptWarning, UnknownPromptError, raise_faults
from ..scanner import Contract, check, key_faults
from ..template import PromptTemplate
from .faults import key_taken, key_unknown, translated_already
from .handles import Origin, PromptRef
from .localepacks import LocalePacks
from .state import State, Templates

if TYPE_CHECKING:
    from .compare import RegistryDiff
    from .views import LocalizedRegistry, PromptNamespace

__all__ = ["PromptRegistry", "Updates"]

T = TypeVar("T")
Updates: TypeAlias = (
    "PromptRegistry | Mapping[str, str | PromptTemplate]"
    " | Iterable[tuple[str, str | PromptTemplate]]"
)

_MOST_VIEWS = 256
_MOST_GUESSES = 5
"""Most unknown keys of one update that a known one is looked for: each look takes long."""
_NO_DEFAULT = object()
_new = object.__new__


class PromptRegistry:
    """A catalog of prompts: listed, read, rendered and overridden by key.

    Args:
        prompts: Templates by key, as a mapping or as pairs. Another registry brings what is in
            force in it; to keep its layers and locales, use its `copy()`.

    It reads like a mapping from key to template; unlike one, `get` raises for an unknown key, and
    an empty registry is true.

    >>> prompts = PromptRegistry({"chat.ask": PromptTemplate("Ask: {query}", variables=["query"])})
    >>> prompts.render("chat.ask", query="who?")
    'Ask: who?'
    >>> prompts.override({"chat.ask": "Frage: {query}"})
    >>> prompts.text("chat.ask")
    'Frage: {query}'
    """

    __slots__ = ("__weakref__", "_lock", "_state", "_views")

    _state: State
    _lock: RLock
    _views: dict[str, LocalizedRegistry] | None

    def __init__(
        self,
        prompts: PromptRegistry
        | Mapping[str, PromptTemplate]
        | Iterable[tuple[str, PromptTemplate]] = (),
    ) -> None:
        # A registry's items are of one moment; its keys and texts, asked one by one, are not.
        templates = dict(prompts.items() if isinstance(prompts, PromptRegistry) else prompts)
        faults = []
        for key, template in templates.items():
            faults += key_faults(key)
            if not isinstance(template, PromptTemplate):
                faults.append(
                    Diagnostic(
                        code="template-type",
                        message=f"{type(template).__name__} where a PromptTemplate belongs",
                        mend="wrap the text: PromptTemplate(text, variables=[…], protected=[…])",
                        key=key,
                    )
                )
        raise_faults("Invalid prompt registry", faults)
        self._point_at(State.of(templates, LocalePacks()))

    @classmethod
    def with_packs(
        cls, templates: Mapping[str, PromptTemplate], packs: LocalePacks
    ) -> PromptRegistry:
        """Return a registry of templates with texts in other locales; a catalog's reader calls it.

        Raises:
            PromptError: As the constructor does.
        """
        made = PromptRegistry(templates)
        made._state.packs = packs
        return made

    def _point_at(self, state: State) -> None:
        self._state = state
        self._lock = RLock()
        self._views = None

    # Reading

    def text(self, key: str) -> str:
        """Return the text in force for a key.

        Raises:
            UnknownPromptError: There is no such key.
        """
        state = self._state  # `text`, `render` and `get` read the layers in place, for speed
        if key in (layer := state.over) or key in (layer := state.base):
            return layer[key]._text
        return self.get(key)._text

    def render(self, key: str, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Fill the slots of a prompt; values come as a mapping, as keywords, or both.

        Raises:
            UnknownPromptError: There is no such key.
            PromptError: A slot has no value, or none that can be text.
        """
        state = self._state
        over = state.over
        try:
            fill = (over[key] if key in over else state.base[key])._fill
            if values is None:
                return fill(kw)
        except (KeyError, TypeError):
            pass  # the first use, or a key or a value that needs a closer look
        found = self.get(key)
        return found.render_slowly(kw) if values is None else found.render(values, **kw)

    @overload
    def get(self, key: str) -> PromptTemplate: ...
    @overload
    def get(self, key: str, default: T) -> PromptTemplate | T: ...
    def get(self, key: str, default: Any = _NO_DEFAULT) -> Any:
        """Return the template in force for a key, or the default where one is given.

        Raises:
            UnknownPromptError: There is no such key, and no default.
        """
        state = self._state
        if key in (layer := state.over) or key in (layer := state.base):
            return layer[key]
        return self._look_up(key, default)

    def _look_up(self, key: str, default: Any) -> Any:
        found = self._find(key)
        if found is None and (today := self._today(key)) is not None:
            found = self._find(today)
        if found is not None:
            return found
        if default is not _NO_DEFAULT:
            return default
        raise UnknownPromptError("", [key_unknown(key, self.keys())])

    def _today(self, key: str) -> str | None:
        """Return the key that an old one became, and warn whoever still uses it."""
        state = self._state
        today = state.packs.renamed.get(key)
        if today is None or key in state:
            return None
        warnings.warn(f"The prompt {key!r} is called {today!r} today", PromptWarning, stacklevel=3)
        return today

    def _find(self, key: str) -> PromptTemplate | None:
        return self._state.find(key)

    def keys(self) -> list[str]:
        """Return every key, in the order of registration."""
        with self._lock:
            return self._state.names()

    def items(self) -> list[tuple[str, PromptTemplate]]:
        """Return (key, template) of everything in force, of one moment."""
        with self._lock:  # against a second write between two of the layers
            return list(self._state.items().items())

    def as_dict(self) -> dict[str, str]:
        """Return the texts in force by key, for inspection and export."""
        return {key: template._text for key, template in self.items()}

    def __getitem__(self, key: str) -> PromptTemplate:
        return self.get(key)

    def __contains__(self, key: object) -> bool:
        state = self._state
        return (
            key in state.base
            or key in state
            or (key in state.packs.renamed and self._today(str(key)) is not None)
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._state)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} prompts>"

    # Copies and views

    def copy(self) -> PromptRegistry:
        """Return an independent registry; the two share everything until one changes. O(1)."""
        state = self._state
        if state.copies is not None:
            state = self._shared()
        made = _new(PromptRegistry)
        made._state = state
        # One lock for a family of copies: writers hold it for a moment, and one for each would be
        # a fifth of an agent's memory, and of the time that a copy takes.
        made._lock = self._lock
        made._views = None
        return made

    def snapshot(self) -> PromptRegistry:
        """Return a copy that refuses writes, to pin what a run was started with."""
        from .views import PromptSnapshot

        return _restore(PromptSnapshot, self._shared())

    def _shared(self) -> State:
        """Return the state for a copy to point at, which nobody writes into any more."""
        with self._lock:
            self._state = state = self._state.shared()
        return state

    def localized(self, locale: str) -> LocalizedRegistry:
        """Return this registry in a locale: a live view, cached, cheap enough for each request.

        Args:
            locale: A BCP 47 tag or its POSIX spelling, such as `zh-Hans`, `pt_BR`.

        A text is looked up as: an override for the locale, an override for all, the packs along
        the locale's fallback chain, the source.

        Raises:
            PromptError: The string is no locale.
        """
        if not isinstance(locale, str):
            raise PromptError(f"{locale!r} is no locale: write a BCP 47 tag, such as 'pt-BR'")
        views = self._views
        if views is None:
            views = self._views = {}
        view = views.get(locale)
        if view is None:
            from ..locales import canonical
            from .views import LocalizedRegistry

            tag = canonical(locale) or self.source_locale  # one view, however it is spelled
            view = views.get(tag)
            if view is None:
                if len(views) >= _MOST_VIEWS:  # of locales that somebody makes up
                    views.clear()
                view = views.setdefault(tag, LocalizedRegistry(self, tag))
        return view

    def namespace(self, prefix: str) -> PromptNamespace:
        """Return the view through which a library registers and reads its own `prefix.*`."""
        from .views import PromptNamespace

        return PromptNamespace(self, prefix)

    def ref(self, key: str) -> PromptRef:
        """Return a live handle on a prompt, for a holder that must follow every override.

        Raises:
            UnknownPromptError: There is no such key.
        """
        self.get(key)
        return PromptRef(self, key)

    @property
    def locales(self) -> tuple[str, ...]:
        """The locale of the source texts and those of the packs, sorted."""
        return self._state.packs.locales

    @property
    def source_locale(self) -> str:
        """The locale of the texts as they were registered."""
        return self._state.packs.source

    @property
    def renamed(self) -> dict[str, str]:
        """The key of today by each key that a prompt had before."""
        return dict(self._state.packs.renamed)

    # Writing

    def register(
        self,
        key: str,
        template: str | PromptTemplate,
        *,
        variables: Iterable[str] = (),
        protected: Iterable[str] | type[Enum] = (),
        description: str = "",
    ) -> None:
        """Add a prompt under a new key; put your own namespace before it: `myapp.greeting`.

        Raises:
            PromptError: The key exists (override it instead), the key is none, or the text does
                not hold what it declares.
        """
        if faults := key_faults(key):
            raise_faults("Cannot register", faults)
        if not isinstance(template, PromptTemplate):
            template = PromptTemplate(
                template, variables=variables, protected=protected, description=description
            )
        elif variables or protected or description:
            raise PromptError(
                f"Cannot register {key!r}: a PromptTemplate has its contract already",
            )
        self._lock.acquire()  # as in `_adopt`
        try:
            done = self._state.append(key, template)
        finally:
            self._lock.release()
        if not done:
            self._add({key: template}, None)

    def include(self, catalog: PromptRegistry) -> None:
        """Add every prompt of another catalog, with its packs, or none of them.

        Raises:
            PromptError: Some of its keys exist here already; all of them are named.
        """
        self._include(catalog, "")

    def _include(self, catalog: PromptRegistry, prefix: str) -> None:
        if not isinstance(catalog, PromptRegistry):
            kind = type(catalog).__name__
            raise PromptError(f"Cannot include {kind}: load_catalog makes a registry of a folder")
        theirs = catalog._state
        sources = {key: theirs.source(key) for key in theirs.names()}
        # Registered texts are in this registry's source language wherever theirs has it.
        ours = theirs.packs.texts(self.source_locale)
        new = {prefix + key: ours.get(key, template) for key, template in sources.items()}
        self._add(new, lambda packs: packs.joined(theirs.packs, sources, prefix))

    def extend(self, locale: str, judge: _Judge, prefix: str = "") -> list[Diagnostic]:
        """Add texts in a locale for prompts that are here: a language pack from somewhere else.

        Args:
            locale: The language of the texts. Those that the locale has already stay.
            judge: Given the source templates, and the key of today by each old one, returns the
                templates that honour their contract, and findings: `Pack.judged`.
            prefix: What the pack's keys have before them here.

        Returns:
            What was left out, and why.

        Raises:
            PromptError: The locale is that of the source texts, or this is a snapshot.
        """
        state, cut = self._state, len(prefix)
        if locale == state.packs.source:
            raise PromptError(f"{locale!r} is the language of the source texts: override them")
        sources = {key[cut:]: state.source(key) for key in state.names() if key.startswith(prefix)}
        renamed = {o[cut:]: n[cut:] for o, n in self.renamed.items() if n.startswith(prefix)}
        templates, findings = judge(sources, renamed)
        there = state.packs.texts(locale)
        new = {prefix + key: t for key, t in templates.items() if prefix + key not in there}
        self._add({}, lambda packs: packs.extended(locale, new))
        changed = (k for k, t in templates.items() if t._text != there.get(prefix + k, t)._text)
        return [*findings, *(translated_already(prefix + key, locale) for key in changed)]

    def _add(self, new: Templates, join: _Join | None) -> None:
        with self._lock:
            state = self._state
            taken = [key for key in new if key in state]
            if not taken:
                self._state = state.registering(new, join(state.packs) if join else None)
        if taken:
            raise_faults("Cannot register", [key_taken(key) for key in taken])

    def override(self, updates: Updates, locale: str | None = None) -> None:
        """Change texts in this registry, for every holder of it, or change nothing.

        Args:
            updates: New texts by key; another registry brings all its texts. A template brings
                its text only: the contract stays the one that was registered.
            locale: Where the texts hold; `None` for every locale.

        Raises:
            PromptError: A key is unknown, or a text breaks its contract. Every fault is in
                `.diagnostics`, and nothing was changed.
        """
        if locale is None and type(updates) is dict and self._adopt(updates):
            return
        new = _pairs(updates)
        renamed = self._state.packs.renamed
        if renamed:  # where an update has both names of a key, today's is meant
            named = {key for key, _ in new}
            known = self._state
            new = [p for p in new if p[0] in known or renamed.get(p[0]) not in named]
        view = None if locale is None else self.localized(locale)
        find = self._find if view is None else view._find
        if view is not None:
            view.preload()
        for key, _ in new:
            self._today(key)
        checked: Templates = {}
        wrong: list[tuple[str, list[Diagnostic]]] = []
        # What is no text is told by its `repr`, which is not ours and may read this registry.
        no_text = {
            key: check(value, Contract())
            for key, value in new
            if not isinstance(value, str | PromptTemplate)
        }
        with self._lock:
            for given, value in new:
                key, old = given, find(given)
                if old is None and key in renamed:
                    key, old = renamed[key], find(renamed[key])
                if old is None:
                    wrong.append((key, []))
                    continue
                if given in no_text:
                    wrong.append((key, no_text[given]))
                    continue
                good = old.adopted(value) if isinstance(value, PromptTemplate) else None
                if good is None:
                    text = value._text if isinstance(value, PromptTemplate) else value
                    if faults := old.check(text):
                        wrong.append((key, faults))
                        continue
                    good = old.reworded(text)
                checked[key] = good
            if checked and not wrong:
                self._state = self._state.overriding(checked, view.locale if view else None)
        # Told when the lock is free: what is shown may be an object that reads this registry.
        where = None if view is None else view.locale
        known_keys = self.keys() if wrong else []
        guesses = iter([known_keys] * _MOST_GUESSES)
        raise_faults(
            "Invalid prompt override",
            [
                fault.at(key=key, locale=where)
                for key, faults in wrong
                for fault in faults or [key_unknown(key, next(guesses, []))]
            ],
        )

    def _adopt(self, updates: Templates) -> bool:
        """Take texts over that were all checked against the templates in force, or return False.

        A fast path: who makes an agent for each request gives them all the same few texts, which
        this way cost 1 µs instead of 4.
        """
        new = updates.copy()
        self._lock.acquire()  # `with` would take 80 ns more
        try:
            state = self._state
            over, base = state.over, state.base
            for key, template in new.items():
                old = over[key] if key in over else base[key]
                if (
                    type(template) is not PromptTemplate
                    or template._contract is not old._contract
                    or template._base is not old._text
                    or template._bound is not old._bound
                ):
                    return False
            if new:
                self._state = state.overriding(new, None)
        except KeyError:
            return False
        finally:
            self._lock.release()
        return True

    def with_overrides(self, updates: Updates) -> PromptRegistry:
        """Return a copy with new texts; this registry stays as it is.

        Raises:
            PromptError: As `override` does.
        """
        made = self.copy()
        made.override(updates)
        return made

    def overrides(self) -> dict[str | None, dict[str, str]]:
        """Return every override as key to text, by the locale it holds in; `None` for all.

        >>> greeting = PromptRegistry({"hello": PromptTemplate("Hello")})
        >>> greeting.localized("fr").override({"hello": "Bonjour"})
        >>> greeting.overrides()
        {None: {}, 'fr': {'hello': 'Bonjour'}}
        """
        with self._lock:
            found = self._state.overrides()
            return {tag: {k: t._text for k, t in texts.items()} for tag, texts in found.items()}

    def _rebase(self, before: PromptRegistry, now: PromptRegistry) -> list[Diagnostic]:
        """Put one set of source texts and packs in another's place; hot reload calls it.

        Overrides and prompts that were registered here stay. Readers see the one set or the
        other.

        Returns:
            The overrides that were dropped: their prompt is gone, or has another contract.

        Raises:
            PromptError: A new key was registered here already; then nothing was changed.
        """
        old, new = before._state, now._state
        with self._lock:
            taken = [key for key in new.names() if key in self._state and key not in old]
            if not taken:
                self._state, lost = self._state.rebased(old, new)
        raise_faults("Cannot register", [key_taken(key) for key in taken])
        return lost

    # Which set is this?

    @property
    def version(self) -> int:
        """A number that grows with every write: while it stays, so does every text."""
        return self._state.version

    @property
    def fingerprint(self) -> str:
        """Digits that stand for this exact set of keys and texts."""
        from .compare import fingerprint

        return fingerprint(self.as_dict())

    def diff(self, other: PromptRegistry) -> RegistryDiff:
        """Return what changes on the way from this registry's texts to another's."""
        from .compare import diff_texts

        return diff_texts(self.as_dict(), other.as_dict())

    def origin(self, key: str) -> Origin:
        """Return which layer the text of a key comes from.

        Raises:
            UnknownPromptError: There is no such key.
        """
        self.get(key)
        state = self._state
        for locale in state.home:
            if key in state.local[locale]:
                return Origin("override", locale)
        if state.override(key) is not None:
            return Origin("override", None)
        return Origin("source", state.packs.foreign.get(key, state.packs.source))

    def __copy__(self) -> PromptRegistry:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> PromptRegistry:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (PromptRegistry, self.copy()._state)


if TYPE_CHECKING:
    from collections.abc import Callable

    _Join: TypeAlias = Callable[[LocalePacks], LocalePacks]
    _Judge: TypeAlias = Callable[
        [Mapping[str, PromptTemplate], Mapping[str, str]],
        tuple[Templates, tuple[Diagnostic, ...]],
    ]


def _restore(kind: type[PromptRegistry], state: State) -> PromptRegistry:
    made = kind.__new__(kind)
    made._point_at(state)
    return made


def _pairs(updates: Updates) -> list[tuple[str, str | PromptTemplate]]:
    """Return (key, text or template), read from the caller's object before any lock is taken."""
    if isinstance(updates, PromptRegistry):
        return list(updates.items())
    if isinstance(updates, Mapping):
        pairs = [(key, updates[key]) for key in updates]
    elif isinstance(updates, Iterable) and not isinstance(updates, str | bytes):
        pairs = list(updates)
    else:
        pairs = [()]
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise PromptError(
            f"Invalid prompt override: {type(updates).__name__} where a dict of texts by key, or "
            "a PromptRegistry, belongs"
        )
    return list(dict(pairs).items())
