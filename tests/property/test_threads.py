"""Threads: who reads sees one moment, no write is lost, and nobody waits for himself.

Two kinds of tests. Some let threads run against each other and hope for the worst. The others
leave nothing to luck: they stop one call at each of its lines in turn, and let another thread do
its work right there.
"""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

import agentprompts
from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.registry import LocalePacks

T = PromptTemplate
R = TypeVar("R")

REGISTRY = str(Path(agentprompts.__file__).parent / "registry")
KEYS = ("n.a", "n.b", "n.c")
GERMAN = {"n.a": T("pack a"), "n.b": T("pack b")}


class Catalog:
    """A registry with a German pack, and what its reader does before it reads."""

    def __init__(self, before_reading: Callable[[], object] = lambda: None) -> None:
        self.before_reading = before_reading
        self.read: list[str] = []

        def load() -> tuple[dict[str, PromptTemplate], tuple[()]]:
            self.read.append("de")
            self.before_reading()
            return GERMAN, ()

        packs = LocalePacks("en", {"de": load, "fr": lambda: ({"n.a": T("fr a")}, ())})
        self.registry = PromptRegistry.with_packs({key: T(f"source {key}") for key in KEYS}, packs)


# One call, stopped at each of its lines


def stopped(
    step: Callable[[], R], meanwhile: Callable[[], object], at: int, patience: float
) -> tuple[R, bool]:
    """Run `step`; at its line number `at` inside the registry, another thread does `meanwhile`.

    Where that takes longer than `patience` in seconds, as it does where the other thread waits for
    a lock that `step` holds, `step` goes on. The answer tells whether there was such a line.
    """
    other = threading.Thread(target=meanwhile, daemon=True)
    lines = 0

    def trace(frame: Any, event: str, arg: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith(REGISTRY):
            return None
        if event == "line":
            lines += 1
            if lines == at:
                other.start()
                other.join(patience)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = step()
    finally:
        sys.settrace(before)
    if lines < at:
        return result, False
    other.join(5)
    assert not other.is_alive(), "the two wait for each other"
    return result, True


def at_every_line(
    make: Callable[[], tuple[Callable[[], R], Callable[[], object]]], patience: float = 0.001
) -> Iterator[R]:
    """Yield what a call returns that was stopped at its first line, its second, and so on."""
    for at in range(1, 10_000):
        step, meanwhile = make()
        result, more = stopped(step, meanwhile, at, patience)
        if not more:
            assert at > 1, "no line of the registry ran"
            return
        yield result


def warm() -> PromptRegistry:
    """Return a registry that owns what it writes into, so that single writes are in place."""
    registry = Catalog().registry
    registry.register("n.warm", "x")
    registry.override({"n.warm": "warm"})
    registry.override({"n.c": "deutsch"}, locale="de")
    registry.localized("de").text("n.a")
    return registry


READS: dict[str, Callable[[PromptRegistry], object]] = {
    "as_dict": lambda r: r.as_dict(),
    "fingerprint": lambda r: r.fingerprint,
    "copy": lambda r: r.copy().as_dict(),
    "with_overrides": lambda r: r.with_overrides({"n.warm": "mine"}).as_dict(),
    "constructor": lambda r: PromptRegistry(r).as_dict(),
    "as-updates": lambda r: _into(r),
    "include": lambda r: _included(r),
    "text": lambda r: r.text("n.a"),
    "origin": lambda r: r.origin("n.a"),
    "namespace": lambda r: r.namespace("n").as_dict(),
    "view": lambda r: r.localized("de").as_dict(),
    "view-text": lambda r: r.localized("de-AT").text("n.a"),
    "view-origin": lambda r: r.localized("de-AT").origin("n.a"),
    "view-contains": lambda r: ("n.a" in r.localized("de-AT"), len(r.localized("de-AT")) >= 4),
    "view-fallen-back": lambda r: r.localized("de").fallen_back(),
    "view-copy": lambda r: r.localized("de").copy().as_dict(),
}


def _into(registry: PromptRegistry) -> dict[str, str]:
    made = PromptRegistry({f"n.{name}": T("empty") for name in ("a", "b", "c", "warm", "new")})
    made.override(registry)
    return made.as_dict()


def _included(registry: PromptRegistry) -> dict[str, str]:
    made = PromptRegistry()
    made.include(registry)
    return made.as_dict()


WRITES: dict[str, list[Callable[[PromptRegistry], object]]] = {
    "register, override one": [
        lambda r: r.register("n.new", "x"),
        lambda r: r.override({"n.b": "new"}),
    ],
    "override all, register": [
        lambda r: r.override(dict.fromkeys(KEYS, "new")),
        lambda r: r.register("n.new", "x"),
    ],
    "override in new locales": [
        lambda r: r.override({"n.a": "servus", "n.b": "servus"}, locale="de-AT"),
        lambda r: r.override(dict.fromkeys(KEYS, "new"), locale="en"),
    ],
}


@pytest.mark.parametrize("writes", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_reader_sees_the_old_catalog_or_the_new_one(
    read: Callable[[PromptRegistry], object], writes: list[Callable[[PromptRegistry], object]]
) -> None:
    """DESIGN 4: one reference is swapped; nothing is read that was not there at one moment."""
    history: list[object] = []

    def make() -> tuple[Callable[[], object], Callable[[], object]]:
        registry = warm()
        history[:] = [read(registry)]

        def write() -> None:
            for change in writes:
                change(registry)
                history.append(read(registry))

        return lambda: read(registry), write

    for seen in at_every_line(make):
        assert seen in history


ALL_AT_ONCE: dict[str, Callable[[PromptRegistry], object]] = {
    "override": lambda r: r.override(dict.fromkeys(KEYS, "new")),
    "in a locale": lambda r: r.override(dict.fromkeys(KEYS, "new"), locale="de"),
    "in a new locale": lambda r: r.override(dict.fromkeys(KEYS, "new"), locale="de-AT"),
    "in the source's": lambda r: r.override(dict.fromkeys(KEYS, "new"), locale="en"),
    "registry": lambda r: r.override(PromptRegistry(dict.fromkeys(KEYS, T("new")))),
    "include": lambda r: r.include(PromptRegistry(dict.fromkeys(("m.a", "m.b"), T("new")))),
}


@pytest.mark.parametrize("again", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("change", ALL_AT_ONCE.values(), ids=ALL_AT_ONCE)
def test_a_write_of_many_keys_is_seen_whole_or_not_at_all(
    change: Callable[[PromptRegistry], object], again: bool
) -> None:
    """DESIGN 4: all or nothing also for who reads key by key while a writer is half way."""
    seen: list[tuple[tuple[str | None, ...], ...]] = []

    def look(registry: PromptRegistry) -> None:
        faces = [registry, *map(registry.localized, ("en", "de", "de-AT"))]
        seen.append(tuple(tuple(_peek(face, key) for key in EACH) for face in faces))

    def make() -> tuple[Callable[[], object], Callable[[], object]]:
        registry = warm()
        for locale in (None, "en", "de") if again else ():
            registry.override(dict.fromkeys(KEYS, f"before {locale}"), locale)
            registry.override({"n.a": f"alone {locale}"}, locale)
        seen.clear()
        look(registry)

        def step() -> None:
            change(registry)

        return step, lambda: look(registry)

    whole: set[tuple[tuple[str | None, ...], ...]] = set()
    for _ in at_every_line(make, patience=60):  # who reads key by key takes no lock
        whole.update(seen)
    assert len(whole) <= 2


EACH = (*KEYS, "m.a", "m.b")


def _peek(registry: PromptRegistry, key: str) -> str | None:
    found = registry.get(key, None)
    return None if found is None else found.template


CHANGES: dict[str, Callable[[PromptRegistry, str], object]] = {
    "register": lambda r, mine: r.register(f"n.{mine}", mine),
    "override one": lambda r, mine: r.override({f"n.own_{mine}": mine}),
    "override two": lambda r, mine: r.override({f"n.own_{mine}": mine, f"n.other_{mine}": mine}),
    "override in a locale": lambda r, mine: r.override({f"n.own_{mine}": mine}, locale="de"),
    "override in the source's": lambda r, mine: r.override({f"n.own_{mine}": mine}, locale="en"),
    "include": lambda r, mine: r.include(PromptRegistry({f"n.lib_{mine}": T(mine)})),
    "copy": lambda r, mine: r.copy().override({"n.a": "a copy's"}),
    "first view": lambda r, mine: r.localized("it").override({f"n.own_{mine}": mine}),
}


def owned() -> PromptRegistry:
    registry = warm()
    for name in ("own_left", "own_right", "other_left", "other_right"):
        registry.register(f"n.{name}", "x")
    return registry


def in_all_locales(registry: PromptRegistry) -> list[dict[str, str]]:
    return [registry.localized(locale).as_dict() for locale in ("en", "de", "it")]


@pytest.mark.parametrize("right", ["register", "override two"])
@pytest.mark.parametrize("left", CHANGES)
def test_no_write_is_lost(left: str, right: str) -> None:
    """DESIGN 4, safe under threads: two writers at once are two writers after each other."""
    one_by_one = owned()
    CHANGES[left](one_by_one, "left")
    CHANGES[right](one_by_one, "right")
    expected = in_all_locales(one_by_one)

    def make() -> tuple[Callable[[], PromptRegistry], Callable[[], object]]:
        registry = owned()

        def step() -> PromptRegistry:
            CHANGES[left](registry, "left")
            return registry

        return step, lambda: CHANGES[right](registry, "right")

    for registry in at_every_line(make):
        assert in_all_locales(registry) == expected
        assert registry.as_dict() == expected[0]


# Threads against each other


@pytest.fixture(autouse=True)
def _hectic() -> Iterator[None]:
    """Let the interpreter switch between threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*steps: Callable[[], object]) -> None:
    """Run each step in a thread of its own, all at once, and raise what any of them raises."""
    start = threading.Barrier(len(steps))
    failed: list[BaseException] = []

    def run(step: Callable[[], object]) -> None:
        start.wait()
        try:
            step()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(step,), daemon=True) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "it waits for ever"
    if failed:
        raise failed[0]


MANY = [f"n.k{i}" for i in range(80)]


def eighty() -> PromptRegistry:
    return PromptRegistry({key: T(f"{{x}} {key}", variables=["x"]) for key in MANY})


def test_an_override_with_one_fault_changes_nothing_under_eight_threads() -> None:
    """CASES, an update of 80 keys whose 40th is bad: change nothing, at no moment. M3."""
    registry = eighty()
    before, mark = registry.as_dict(), registry.fingerprint
    bad: dict[str, str] = dict.fromkeys(MANY, "new {x}")
    bad[MANY[40]] = "no slot"

    def write() -> None:
        for locale in (None, "en", "de") * 8:
            with pytest.raises(PromptError, match="missing placeholder"):
                registry.override(bad, locale)

    def read() -> None:
        for _ in range(40):
            assert registry.as_dict() == before
            assert {template.template for _, template in registry.items()} == {*before.values()}
            assert registry.fingerprint == mark
            assert registry.localized("de").as_dict() == before
            assert all(registry.text(key) == before[key] for key in MANY)

    together(*[write] * 4, *[read] * 4)
    assert registry.as_dict() == before


FACES: dict[str, Callable[[PromptRegistry], str]] = {
    "as_dict": lambda r: _word(r.as_dict()),
    "items": lambda r: _word({key: template.template for key, template in r.items()}),
    "copy": lambda r: _word(r.copy().as_dict()),
    "snapshot": lambda r: _word(r.snapshot().as_dict()),
    "constructor": lambda r: _word(PromptRegistry(r).as_dict()),
    "view": lambda r: _word(r.localized("de").as_dict()),
    "namespace": lambda r: _word(
        {f"n.{key}": text for key, text in r.namespace("n").as_dict().items()}
    ),
}
SETS = {word: {key: f"{word} {{x}} {key}" for key in MANY} for word in ("one", "two")}


def _word(texts: Mapping[str, str]) -> str:
    """Return the one word that all texts of a set begin with."""
    words = {text.split()[0] for text in texts.values()}
    assert list(texts) == MANY
    assert len(words) == 1, "two sets at once"
    return words.pop()


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
def test_readers_never_see_a_torn_set_while_writers_swap_whole_ones(
    face: Callable[[PromptRegistry], str],
) -> None:
    """DESIGN 4: a reader in another thread sees the old catalog or the new one."""
    registry = eighty()
    registry.override(SETS["one"])
    seen: set[str] = set()
    writing = threading.Event()

    def write() -> None:
        for word in ("two", "one") * 60:
            registry.override(SETS[word])
        writing.set()

    def read() -> None:
        while not writing.is_set():
            seen.add(face(registry))

    together(write, write, read, read)
    assert seen <= {"one", "two"}


def test_a_fingerprint_stands_for_a_whole_set_while_writers_swap_it() -> None:
    """O9: the digits are those of the one set or the other."""
    registry = eighty()
    marks = {registry.with_overrides(texts).fingerprint for texts in SETS.values()}
    registry.override(SETS["one"])

    def write() -> None:
        for word in ("two", "one") * 60:
            registry.override(SETS[word])

    def read() -> None:
        for _ in range(200):
            assert registry.fingerprint in marks

    together(write, write, read, read)


def test_eight_threads_that_write_and_copy_lose_nothing() -> None:
    """DESIGN 4: each thread's own keys are all there, and no copy has what came after it."""
    registry = eighty()
    copies: list[tuple[int, PromptRegistry, int]] = []

    def work(me: int) -> None:
        for i in range(60):
            registry.register(f"me{me}.n{i}", "x")
            registry.override({f"me{me}.n{i}": f"{i}"})
            if i % 5 == 0:
                made = registry.copy()
                made.override({f"me{me}.n{i}": "the copy's"})
                copies.append((me, made, i))

    together(*(lambda me=me: work(me) for me in range(8)))
    own = {f"me{me}.n{i}": f"{i}" for me in range(8) for i in range(60)}
    assert {key: text for key, text in registry.as_dict().items() if key[0] == "m"} == own
    for me, made, i in copies:
        mine = {key: text for key, text in made.as_dict().items() if key.startswith(f"me{me}.")}
        assert mine == {**{f"me{me}.n{j}": f"{j}" for j in range(i)}, f"me{me}.n{i}": "the copy's"}


# Packs are read by whoever asks first


def test_eight_threads_read_a_pack_once() -> None:
    """PERFORMANCE, packs are read once a process: nobody reads it twice, or sees half of it."""
    made = Catalog(lambda: threading.Event().wait(0.05))

    def ask() -> None:
        assert made.registry.localized("de").as_dict()["n.b"] == "pack b"

    together(*[ask] * 8)
    assert made.read == ["de"]


def finishes(*steps: Callable[[], object]) -> bool:
    """Return whether steps that run at once come to an end, and wait for nothing for ever."""
    threads = [threading.Thread(target=step, daemon=True) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2)
    return not any(thread.is_alive() for thread in threads)


ASKS: dict[str, Callable[[PromptRegistry], object]] = {
    "text": lambda r: r.localized("de").text("n.a"),
    "as_dict": lambda r: r.localized("de").as_dict(),
    "origin": lambda r: r.localized("de").origin("n.a"),
    "override": lambda r: r.override({"n.a": "neu"}, locale="de"),
    "view-override": lambda r: r.localized("de").override({"n.a": "neu"}),
    "override, first an unknown key": lambda r: _refused(r, {"no.such": "neu", "n.a": "neu"}),
    "override, first an overridden key": lambda r: r.override(
        {"n.c": "neu", "n.a": "neu"}, locale="de"
    ),
    "pickle": pickle.dumps,
    "include": lambda r: r.namespace("x").include(r),
}


def _refused(registry: PromptRegistry, updates: dict[str, str]) -> None:
    with pytest.raises(PromptError):
        registry.override(updates, locale="de")


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_reader_of_packs_may_use_the_registry(ask: Callable[[PromptRegistry], object]) -> None:
    """DESIGN 4: no door waits for itself while a pack is read, whatever its reader looks at."""

    def look() -> None:
        registry = made.registry
        assert registry.text("n.a") == "source n.a"
        assert registry.localized("fr").text("n.a") == "fr a"
        registry.snapshot()
        registry.register("late", "x")
        registry.override({"n.b": "late"})

    made = Catalog(look)
    made.registry.override({"n.c": "everywhere"})
    assert finishes(lambda: ask(made.registry))
    made.registry.localized("de").text("n.a")
    assert made.read == ["de"]


def test_the_registrys_lock_and_the_packs_are_never_taken_in_two_orders() -> None:
    """One thread reads a pack, whose reader looks at the registry; one overrides meanwhile."""
    reading, writing = threading.Event(), threading.Event()

    def look() -> None:
        reading.set()
        writing.wait(0.2)
        made.registry.copy()

    def write() -> None:
        reading.wait(2)
        writing.set()
        made.registry.override({"n.a": "neu"}, locale="de")

    made = Catalog(look)
    assert finishes(lambda: made.registry.localized("de").text("n.a"), write)
    assert made.registry.localized("de").text("n.a") == "neu"


@pytest.mark.parametrize("key", [MANY[0], "n.old", "no.such"])
@pytest.mark.filterwarnings("ignore::agentprompts.PromptWarning")
def test_what_is_shown_in_an_error_may_use_the_registry(key: str) -> None:
    """An object that is no text is shown by its `repr`, which is the caller's own code."""
    packs = LocalePacks("en", renamed={"n.old": MANY[0]})
    registry = PromptRegistry.with_packs(dict(eighty()), packs)

    class Agent:
        def __repr__(self) -> str:
            return f"<Agent of {len(registry.snapshot())} prompts>"

    updates: dict[str, Any] = {key: Agent()}
    errors: list[PromptError] = []

    def write() -> None:
        with pytest.raises(PromptError) as caught:
            registry.override(updates)
        errors.append(caught.value)

    assert finishes(write)
    assert key == "no.such" or "<Agent of 80 prompts>" in str(errors[0])


def test_a_reader_of_a_pack_that_asks_for_this_very_pack_comes_to_an_end() -> None:
    """It has a fault, and must be told so; a thread that waits for itself tells nobody."""

    def ask() -> None:
        with pytest.raises(Exception):  # noqa: B017, PT011  # which one is nobody's promise
            made.registry.localized("de").text("n.a")

    made = Catalog(lambda: made.registry.localized("de").text("n.a"))
    assert finishes(ask)


# Two requests at once


def test_two_threads_in_two_languages_never_share_instructions() -> None:
    """CASES, two requests at once in two languages: never share instructions. M9."""
    registry = Catalog().registry
    registry.override({"n.c": "Bleib."}, locale="de")
    registry.override({"n.c": "Reste."}, locale="fr")
    expected = {"de": {"pack a", "Bleib."}, "fr": {"fr a", "Reste."}}
    seen: dict[str, set[str]] = {"de": set(), "fr": set()}
    answered = threading.Event()

    def request(locale: str) -> None:
        for _ in range(100):
            view = registry.localized(locale)
            seen[locale] |= {view.text("n.a"), view.render("n.a"), view.as_dict()["n.c"]}
        answered.set()

    def operator() -> None:
        for i in range(200):
            if answered.is_set():
                return
            registry.register(f"other.n{i}", "x")
            registry.override({f"other.n{i}": "x"}, locale="de" if i % 2 else "fr")

    together(*(lambda loc=loc: request(loc) for loc in ("de", "fr") * 2), operator)
    assert seen == expected
