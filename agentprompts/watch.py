"""Hot reload: a registry that follows its files, all or nothing.

Its holders keep the registry object: the set of texts in it is swapped in one step. Whoever must
not see a swap in the middle of a run takes `registry.snapshot()` at its start. A file that is
written in place can be read half-written; programs should write beside it and rename.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, NamedTuple

from .catalog import load_catalog
from .diagnostics import Diagnostic
from .errors import PromptError
from .loaders import Loader, PromptSet
from .registry import PromptRegistry, RegistryDiff
from .registry.compare import diff_texts

if TYPE_CHECKING:
    from logging import Logger

__all__ = ["HotReload", "Reload"]

_WAKE_MS = 1000
"""How often a watcher looks whether a folder has come or gone, and at first what it missed."""


class Reload(NamedTuple):
    """What one reload did.

    `applied` tells whether a new set is in force; `changes` what differs in it by locale;
    `findings` why the set was refused, or which overrides it has dropped.
    """

    applied: bool
    changes: Mapping[str, RegistryDiff] = MappingProxyType({})
    findings: tuple[Diagnostic, ...] = ()


Listener = Callable[[Reload], object]


class HotReload:
    """A registry of a loader's prompts, or of a catalog's folder, that is read again on change.

    Args:
        source: A loader, or the directory of a catalog.
        on_reload: Called after each reload that changed something or was refused; see `listen`.

    Raises:
        PromptError: The source cannot be read now, at the start.

    A set with any fault is refused as a whole, reported, and the last good one stays in force.
    Faults in a catalog's packs that were there at the start stand in nobody's way.

    Attributes:
        registry: The one object to hand out. Overrides made in it stay, unless a new set has
            another contract for their prompt or lacks it; these are reported.
        findings: Why the files as they are now are not in force; empty where they are.
    """

    def __init__(
        self, source: Loader | str | os.PathLike[str], *, on_reload: Listener | None = None
    ) -> None:
        if isinstance(source, Loader):
            self._load, self._folders = source.load, source.folders()
        else:
            folder = os.path.abspath(source)
            self._load, self._folders = lambda: PromptSet.of(load_catalog(folder)), (folder,)
        self._lock = threading.Lock()
        self._set = self._load()
        self._base = self._set.registry()
        self.registry: PromptRegistry = self._base.copy()
        self.findings: tuple[Diagnostic, ...] = ()
        self._listeners: list[Listener] = [] if on_reload is None else [on_reload]
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function after each reload that changed something or was refused.

        It is for those who hold what they derived from texts. It runs in the thread that
        reloaded; what it raises is logged and stops nobody.

        Returns:
            A function that ends it.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def reload(self) -> Reload:
        """Read everything again, and put it in force if all of it is right. Needs no extra."""
        with self._lock:
            done = self._reload()
        if done.applied or done.findings:
            for listener in list(self._listeners):
                try:
                    listener(done)
                except Exception:
                    _log().exception("A listener of a prompt reload failed")
        return done

    def _reload(self) -> Reload:
        try:
            new = self._load()
            _refuse_new_faults(self._set, new)
            changes = _changes(self._set, new)
            if not changes and _contracts(new) == _contracts(self._set):
                self.findings = ()
                return Reload(False)
            base = new.registry()
            lost = tuple(self.registry._rebase(self._base, base))
        except Exception as error:  # a loader of somebody's own may raise anything
            findings = error.diagnostics if isinstance(error, PromptError) else ()
            told = findings or (Diagnostic(code="reload-failed", message=str(error)),)
            if told == self.findings:
                return Reload(False)  # the same fault is told once
            self.findings = told
            _log().warning("The prompts were not reloaded: %s", error)
            return Reload(False, findings=told)
        self._set, self._base, self.findings = new, base, ()
        return Reload(True, changes, lost)

    # Watching: the loops only say when to call `reload`.

    def start(self) -> HotReload:
        """Watch the files in a thread of its own until `stop`; a `with` block does both."""
        watchfiles = self._watchfiles()
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(
                target=self._run, args=[watchfiles], name="agentprompts-reload", daemon=True
            )
            self._thread.start()
        return self

    def stop(self) -> None:
        """End the thread, and wait for it."""
        thread, self._thread = self._thread, None
        self._stop.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def __enter__(self) -> HotReload:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def _run(self, watchfiles: ModuleType) -> None:
        while not self._stop.is_set():
            places, first = self._places(), True
            try:
                for changes in watchfiles.watch(
                    *places,
                    watch_filter=self._concerns,
                    stop_event=self._stop,
                    rust_timeout=_WAKE_MS,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                    recursive=False,
                ):
                    if changes or first:  # first: what came before the watch stood
                        self.reload()
                    first = False
                    if self._places() != places:
                        break
            except OSError:
                # A folder went just now, or the system has no watch left: then look by the clock.
                self.reload()
                self._stop.wait(_WAKE_MS / 1000)

    async def awatch(self) -> AsyncGenerator[Reload, None]:
        """Watch the files, and yield each reload that changed something or was refused.

        Files are watched and read in another thread; the event loop goes on. Leaving ends it.
        """
        import asyncio

        loop, queue = asyncio.get_running_loop(), asyncio.Queue[Reload]()
        forget = self.listen(lambda done: loop.call_soon_threadsafe(queue.put_nowait, done))
        running = self._thread is not None
        self.start()
        try:
            while True:
                yield await queue.get()
        finally:
            forget()
            if not running:
                await asyncio.to_thread(self.stop)

    def _watchfiles(self) -> ModuleType:
        if not self._folders:
            raise PromptError("There is no folder to watch: package data does not change")
        try:
            import watchfiles
        except ImportError:
            raise PromptError(
                "Watching files needs an extra: pip install 'agentprompts[watch]'; "
                "reload() needs none"
            ) from None
        return watchfiles

    def _places(self) -> tuple[str, ...]:
        """Return the folders to watch: each with its parent, where a new one or a link appears."""
        found: dict[str, None] = {}
        for folder in self._folders:
            found[_existing(os.path.dirname(folder))] = None
            if os.path.isdir(folder):
                found[os.path.realpath(folder)] = None
        return tuple(found)

    def _concerns(self, change: object, path: str) -> bool:
        """Whether a change is of a folder, of what lies in it, or of what it lies in."""
        for folder in self._folders:
            for own in (folder, os.path.realpath(folder)):
                if path.startswith(own + os.sep) or f"{own}{os.sep}".startswith(path + os.sep):
                    return True
        return False


def _existing(folder: str) -> str:
    while not os.path.isdir(folder) and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return os.path.realpath(folder)


def _contracts(found: PromptSet) -> list[object]:
    """Return what a change of shows in no text: contracts, their order, where a text belongs."""
    prompts = [(name, one.template.contract) for name, one in found.items()]
    return [prompts, found.source, found.foreign, found.renamed]


def _changes(old: PromptSet, new: PromptSet) -> dict[str, RegistryDiff]:
    def texts(found: PromptSet, locale: str) -> dict[str, str]:
        prompts = found.prompts if locale == found.source else found.texts.get(locale, {})
        return {name: one.text for name, one in prompts.items()}

    locales = dict.fromkeys([old.source, new.source, *old.texts, *new.texts])
    found = {locale: diff_texts(texts(old, locale), texts(new, locale)) for locale in locales}
    return {locale: diff for locale, diff in found.items() if diff}


def _refuse_new_faults(old: PromptSet, new: PromptSet) -> None:
    known = {(one.locale, one.key, one.code) for one in old.findings}
    wrong = [
        one
        for one in new.findings
        if one.severity == "error" and (one.locale, one.key, one.code) not in known
    ]
    if wrong:
        raise PromptError("Invalid pack", wrong)


def _log() -> Logger:
    import logging

    return logging.getLogger("agentprompts")
