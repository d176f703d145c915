"""A registry that takes down what is read from it; it stands in front of one that does not."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import PromptError
from ..registry import LocalizedRegistry, Origin, PromptRef, PromptRegistry
from ..registry.compare import fingerprint
from ..registry.registry import Updates
from ..registry.state import State
from ..template import PromptTemplate

__all__ = ["LocalizedRecorder", "Read", "Recorder", "Recording"]


@dataclass(frozen=True, slots=True)
class Read:
    """One prompt that was read.

    Args:
        key: Its key.
        locale: The locale that was asked for; `None` where none was.
        origin: The layer that the text came from, and the language of the text.
        text: The text in force at that moment, slots and all.
        values: What its slots were filled with; `None` where it was not rendered.
    """

    key: str
    locale: str | None
    origin: Origin
    text: str
    values: Mapping[str, Any] | None = None

    @property
    def fingerprint(self) -> str:
        """Digits that stand for this very key and text."""
        return fingerprint({self.key: self.text})


class Recording(PromptRegistry):
    """What both kinds of recorders do: all reading passes through `_noted`."""

    __slots__ = ()

    source: PromptRegistry
    reads: list[Read]

    @property
    def keys_read(self) -> set[str]:
        """The keys that were read at least once."""
        return {read.key for read in self.reads}

    @property
    def unread(self) -> list[str]:
        """The keys that were never read, in their order."""
        done = self.keys_read
        return [key for key in self.keys() if key not in done]

    def _noted(self, key: str, values: Mapping[str, Any] | None = None) -> PromptTemplate:
        found = self.source.get(key)
        locale = getattr(self.source, "locale", None)
        origin = self.source.origin(key)
        self.reads.append(Read(key, locale, origin, found.template, values))
        return found

    def text(self, key: str) -> str:
        """Return the text, and take the read down."""
        return self._noted(key).template

    def render(self, key: str, values: Mapping[str, Any] | None = None, /, **kw: Any) -> str:
        """Render the prompt, and take down what with."""
        given = {**values, **kw} if isinstance(values, Mapping) else kw
        return self._noted(key, given).render(values, **kw)

    def get(self, key: str, *default: Any) -> Any:
        """Return the template, and take the read down where there is one."""
        if default and key not in self.source:
            return default[0]
        return self._noted(key)

    def ref(self, key: str) -> PromptRef:
        """Return a live handle; each use of it is taken down."""
        self.source.get(key)
        return PromptRef(self, key)

    def origin(self, key: str) -> Origin:
        """Return which layer the text of a key comes from; that is no read."""
        return self.source.origin(key)

    def localized(self, locale: str) -> LocalizedRegistry:
        """Return the registry in a locale; what is read there is taken down here."""
        return LocalizedRecorder(self.source.localized(locale), self.reads)

    def override(self, updates: Updates, locale: str | None = None) -> None:
        """Change texts in the registry behind."""
        self.source.override(updates, locale)

    def _add(self, new: Any, join: Any) -> None:
        self.source._add(new, join)

    def copy(self) -> PromptRegistry:
        """Return an independent registry; what is read from it is taken down here, too."""
        return _recorder(self.source.copy(), self.reads)

    def snapshot(self) -> PromptRegistry:
        """Return a pinned copy; what is read from it is taken down here, too."""
        return _recorder(self.source.snapshot(), self.reads)

    def __copy__(self) -> PromptRegistry:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> PromptRegistry:
        return self.copy()


class Recorder(Recording):
    """A live view of a registry that takes down every read, through whichever door it comes.

    Args:
        source: The registry; it stays as fast as it was, and what is written through the recorder
            goes to it. Localized views, refs, namespaces and copies of the recorder record, too.

    Listing (`keys`, `items`, `as_dict`, `fingerprint`) is no read.

    >>> prompts = PromptRegistry({"ask": PromptTemplate("Ask: {q}", variables=["q"])})
    >>> prompts.register("never", "Read by nobody.")
    >>> recorder = Recorder(prompts)
    >>> recorder.localized("fr").render("ask", q="who?")
    'Ask: who?'
    >>> [(read.key, read.locale, str(read.origin)) for read in recorder.reads]
    [('ask', 'fr', 'source [en]')]
    >>> recorder.unread
    ['never']
    """

    __slots__ = ("reads", "source")

    def __init__(self, source: PromptRegistry) -> None:
        if not isinstance(source, PromptRegistry) or isinstance(source, LocalizedRegistry):
            raise PromptError(
                f"Cannot record {source!r}: a PromptRegistry belongs here. A recorder's own "
                "localized() and namespace() record as well"
            )
        self.source = source
        self.reads = []
        self._views = None

    @property
    def _state(self) -> State:  # type: ignore[override]
        return self.source._state

    @property
    def _lock(self) -> threading.RLock:  # type: ignore[override]
        return self.source._lock


class LocalizedRecorder(Recording, LocalizedRegistry):
    """A recorder's view in one locale."""

    __slots__ = ("reads", "source")

    def __init__(self, source: LocalizedRegistry, reads: list[Read]) -> None:
        LocalizedRegistry.__init__(self, source.root, source.locale)
        self.source = source
        self.reads = reads


def _recorder(source: PromptRegistry, reads: list[Read]) -> PromptRegistry:
    if isinstance(source, LocalizedRegistry):
        return LocalizedRecorder(source, reads)
    made = Recorder(source)
    made.reads = reads
    return made
