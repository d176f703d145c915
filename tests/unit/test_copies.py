"""Copies, snapshots and pickles: what they share, what they never share, and what they cost."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import Any

import pytest

from agentprompts import Origin, PromptError, PromptRegistry, PromptTemplate
from agentprompts.registry import LocalePacks

T = PromptTemplate

PERSONA = "chat.persona"
QUESTION = "context.current_question"
PROMPTS = {
    "tool.error": T("There is no such tool."),
    PERSONA: T("You are a helpful assistant."),
    QUESTION: T("[Current question]\n{query}", variables=["query"]),
    "style.react": T("Think, then act."),
}
TEXTS = {key: template.template for key, template in PROMPTS.items()}
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


@pytest.fixture
def prompts() -> PromptRegistry:
    return PromptRegistry(PROMPTS)


def repickled(protocol: int, registry: PromptRegistry) -> PromptRegistry:
    made: PromptRegistry = pickle.loads(pickle.dumps(registry, protocol))
    return made


# Snapshots


def pinned(prompts: PromptRegistry) -> dict[str, PromptRegistry]:
    snapshot = prompts.snapshot()
    return {
        "snapshot": snapshot,
        "again": snapshot.snapshot(),
        "view": snapshot.localized("de"),
        "of-a-view": prompts.localized("de").snapshot(),
        "copy.copy": copy.copy(snapshot),
        "deepcopy": copy.deepcopy(snapshot),
        "pickle": pickle.loads(pickle.dumps(snapshot)),
        "pickled-view": pickle.loads(pickle.dumps(snapshot.localized("de"))),
        "copied-view": copy.copy(snapshot.localized("de")),
        "deep-copied-view": copy.deepcopy(snapshot.localized("de")),
    }


WRITES: list[Callable[[PromptRegistry], object]] = [
    lambda registry: registry.override({PERSONA: "x"}),
    lambda registry: registry.override({}),
    lambda registry: registry.override({PERSONA: "x"}, locale="de"),
    lambda registry: registry.register("new", "x"),
    lambda registry: registry.include(PromptRegistry({"new": T("x")})),
    lambda registry: registry.localized("fr").override({PERSONA: "x"}),
    lambda registry: registry.namespace("chat").override({"persona": "x"}),
    lambda registry: registry.namespace("n").register("new", "x"),
    lambda registry: registry.namespace("n").include(PromptRegistry({"new": T("x")})),
]


@pytest.mark.parametrize("kind", pinned(PromptRegistry(PROMPTS)))
def test_a_snapshot_refuses_writes_through_every_door(prompts: PromptRegistry, kind: str) -> None:
    snapshot = pinned(prompts)[kind]
    for write in WRITES:
        with pytest.raises(PromptError, match="snapshot"):
            write(snapshot)
        assert snapshot.as_dict() == TEXTS


@pytest.mark.parametrize("kind", pinned(PromptRegistry(PROMPTS)))
def test_a_snapshot_pins_what_a_run_was_started_with(prompts: PromptRegistry, kind: str) -> None:
    prompts.override({QUESTION: "before {query}"})
    snapshot = pinned(prompts)[kind]
    before, mark = snapshot.as_dict(), snapshot.fingerprint
    prompts.override({PERSONA: "after"})
    prompts.override({PERSONA: "after"}, locale="de")
    prompts.register("new", "x")
    assert snapshot.as_dict() == before == {**TEXTS, QUESTION: "before {query}"}
    assert snapshot.fingerprint == mark
    assert (len(snapshot), "new" in snapshot) == (4, False)


@pytest.mark.parametrize("kind", pinned(PromptRegistry(PROMPTS)))
def test_a_copy_of_a_snapshot_takes_writes(prompts: PromptRegistry, kind: str) -> None:
    snapshot = pinned(prompts)[kind]
    free = snapshot.copy()
    free.override({PERSONA: "mine"})
    free.register("new", "x")
    assert free.as_dict() == {**TEXTS, PERSONA: "mine", "new": "x"}
    assert snapshot.with_overrides({PERSONA: "hers"}).text(PERSONA) == "hers"
    assert snapshot.as_dict() == prompts.as_dict() == TEXTS


# Copies by every way

COPIES: dict[str, Callable[[PromptRegistry], PromptRegistry]] = {
    "copy": lambda registry: registry.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    **{f"pickle-{protocol}": partial(repickled, protocol) for protocol in PROTOCOLS},
}


@pytest.mark.parametrize("many", [0, 50], ids=["few", "many"])
@pytest.mark.parametrize("take", COPIES.values(), ids=COPIES)
def test_a_copy_has_all_and_shares_no_later_change(
    prompts: PromptRegistry, take: Callable[[PromptRegistry], PromptRegistry], many: int
) -> None:
    """DESIGN 4: it pickles and deep-copies; M9: copies are independent, both ways."""
    for i in range(many):
        prompts.register(f"many.n{i}", f"{i}")
        prompts.override({f"many.n{i}": f"new {i}"})
    prompts.register("own.a", "ADD {x}", variables=["x"], protected=["ADD"])
    prompts.override({PERSONA: "everywhere"})
    prompts.override({QUESTION: "deutsch {query}"}, locale="de")
    prompts.override({"own.a": "ADD here {x}"}, locale="en")
    before = prompts.as_dict()
    german = prompts.localized("de").as_dict()
    made = take(prompts)
    assert type(made) is PromptRegistry
    assert made.as_dict() == before
    assert made.keys() == prompts.keys()
    assert made.localized("de").as_dict() == german
    assert made.fingerprint == prompts.fingerprint
    assert [made.origin(key) for key in made] == [prompts.origin(key) for key in prompts]
    assert [made[key].contract for key in made] == [prompts[key].contract for key in prompts]
    assert made.render("own.a", x=1) == "ADD here 1"

    made.register("made.only", "x")
    made.override({PERSONA: "made's"})
    made.override({QUESTION: "made's {query}"}, locale="de")
    assert prompts.as_dict() == before
    assert prompts.localized("de").as_dict() == german
    prompts.register("later", "x")
    prompts.override({PERSONA: "original's", "own.a": "ADD {x}."})
    prompts.override({"own.a": "ADD {x}!"}, locale="en")
    prompts.override({PERSONA: "original's"}, locale="de")
    assert made.as_dict() == {**before, "made.only": "x", PERSONA: "made's"}
    assert made.localized("de").text(QUESTION) == "made's {query}"
    assert made.localized("de").text(PERSONA) == "made's"
    with pytest.raises(PromptError, match="missing required protocol token"):
        made.override({"own.a": "{x}"})


class Busy:
    """A value that writes into a registry while it is pickled."""

    registry = PromptRegistry()

    def __reduce__(self) -> tuple[type[Busy], tuple[()]]:
        for name in ("a", "b", "c"):
            self.registry.register(f"late.{name}", "x")
            self.registry.override({f"late.{name}": "y", PERSONA: "y"})
        return Busy, ()


def test_a_pickle_is_of_one_moment() -> None:
    """DESIGN 4: it pickles, and is safe under threads: here the other writer is in the pickle."""
    half = T("{a}", variables=["a"]).partial(a=Busy())
    Busy.registry = PromptRegistry({"half": half, PERSONA: T("x")})
    for i in range(3):  # entries that are its own, and are written in place
        Busy.registry.register(f"own.n{i}", half)
        Busy.registry.override({PERSONA: f"{i}"})
    before = Busy.registry.as_dict()
    assert pickle.loads(pickle.dumps(Busy.registry)).as_dict() == before
    assert Busy.registry.text("late.c") == "y"


@pytest.mark.parametrize(
    "take", [copy.deepcopy, lambda held: pickle.loads(pickle.dumps(held))], ids=["deep", "pickle"]
)
def test_what_holds_one_registry_together_still_does_so_after_a_deep_copy(
    prompts: PromptRegistry, take: Callable[[Any], Any]
) -> None:
    """M9: a deep-copied agent's update reaches its own view, namespace and refs."""
    held = {
        "view": prompts.localized("de"),
        "registry": prompts,
        "ref": prompts.ref(PERSONA),
        "namespace": prompts.namespace("chat"),
        "view-ref": prompts.localized("de").ref(PERSONA),
    }
    made = take(held)
    made["registry"].override({PERSONA: "new"})
    assert str(made["ref"]) == "new"
    assert made["namespace"].text("persona") == "new"
    assert made["view"].text(PERSONA) == "new"
    assert str(made["view-ref"]) == "new"
    assert prompts.as_dict() == TEXTS


# Chains of copies against plain dicts


class Twin:
    """A registry beside the plain dicts that say what must be in it."""

    def __init__(self, registry: PromptRegistry, sources: dict[str, str]) -> None:
        self.registry = registry
        self.sources = dict(sources)
        self.over: dict[str, str] = {}
        self.local: dict[str, dict[str, str]] = {"de": {}, "en": {}}

    def copied(self) -> Twin:
        made = Twin(self.registry.copy(), self.sources)
        made.over = dict(self.over)
        made.local = {locale: dict(texts) for locale, texts in self.local.items()}
        return made

    def register(self, key: str, text: str) -> None:
        self.registry.register(key, text)
        self.sources[key] = text

    def override(self, updates: dict[str, str], locale: str | None = None) -> None:
        self.registry.override(updates, locale)
        (self.over if locale is None else self.local[locale]).update(updates)

    def check(self) -> None:
        registry, german = self.registry, self.registry.localized("de")
        everywhere = {**self.sources, **self.over}
        texts = {**everywhere, **self.local["en"]}
        assert registry.as_dict() == texts
        assert registry.keys() == list(self.sources)
        assert len(registry) == len(self.sources)
        assert german.as_dict() == {**everywhere, **self.local["de"]}
        for key in self.sources:
            assert registry.text(key) == texts[key]
            assert registry.render(key) == texts[key]
            assert registry[key].template == texts[key]
            if key in self.local["en"]:
                expected = Origin("override", "en")
            elif key in self.over:
                expected = Origin("override", None)
            else:
                expected = Origin("source", "en")
            assert registry.origin(key) == expected
            if key in self.local["de"]:
                assert german.origin(key) == Origin("override", "de")
        # The registered texts themselves are what including brings along.
        plain = PromptRegistry()
        plain.include(registry)
        assert plain.as_dict() == self.sources


@pytest.mark.parametrize("size", [0, 3, 80], ids="size={}".format)
def test_a_deep_chain_of_copies_keeps_every_generation_apart(size: int) -> None:
    """M9: each generation registers and overrides, and none sees what another one did."""
    sources = {f"base.n{i}": f"base {i}" for i in range(size)}
    first = Twin(PromptRegistry({key: T(text) for key, text in sources.items()}), sources)
    chain = [first]
    for depth in range(150):
        twin = chain[-1].copied()
        twin.register(f"depth.n{depth}", f"registered at {depth}")
        keys = list(twin.sources)
        twin.override({keys[depth * 7 % len(keys)]: f"overridden at {depth}"})
        chain.append(twin)
        if depth % 10 == 0:  # the elder ones go on, too
            chain[depth // 2].register(f"late.n{depth}", "late")
            chain[depth // 2].override({next(iter(chain[depth // 2].sources)): f"late {depth}"})
    for twin in (*chain[:40:3], *chain[::25], chain[-1]):
        twin.check()


@pytest.mark.parametrize("seed", range(12), ids="seed={}".format)
def test_copies_of_copies_with_writes_in_between_equal_plain_dicts(seed: int) -> None:
    """Fewer and more entries of one's own than a copy carries, in every order of writes."""
    dice = random.Random(seed)
    sources = {f"base.n{i}": f"base {i}" for i in range(dice.choice([0, 1, 40]))}
    twins = [Twin(PromptRegistry({key: T(text) for key, text in sources.items()}), sources)]
    with_locales = seed % 2 == 1
    for step in range(150):
        twin = dice.choice(twins)
        keys = list(twin.sources)
        match dice.randrange(6):
            case 0:
                twins.append(twin.copied())
            case 1:
                for i in range(dice.choice([1, 1, 1, 40])):
                    twin.register(f"new.n{step}.n{i}", f"registered {step} {i}")
            case 2 if with_locales and keys:
                some = dice.sample(keys, min(len(keys), dice.choice([1, 3])))
                locale = dice.choice(["de", "en"])
                twin.override(dict.fromkeys(some, f"{locale} {step}"), locale)
            case _ if keys:
                some = dice.sample(keys, min(len(keys), dice.choice([1, 1, 3, 40])))
                twin.override(dict.fromkeys(some, f"overridden {step}"))
    for twin in twins:
        twin.check()


@pytest.mark.parametrize("own", [31, 32, 33, 64, 65, 66, 100], ids="own={}".format)
@pytest.mark.parametrize("kind", ["registered", "overridden", "both", "localized"])
def test_a_copy_is_whole_at_any_number_of_entries_of_its_own(own: int, kind: str) -> None:
    sources = {f"base.n{i}": f"base {i}" for i in range(110)}
    parent = Twin(PromptRegistry({key: T(text) for key, text in sources.items()}), sources)
    for i in range(own):
        if kind != "registered" and (kind != "both" or i % 2):
            parent.override({f"base.n{i}": f"over {i}"}, "en" if kind == "localized" else None)
        else:
            parent.register(f"own.n{i}", f"own {i}")
    child, again = parent.copied(), parent.copied()
    child.register("child.only", "x")
    child.override({"base.n0": "child", "base.n109": "child"})
    parent.register("parent.only", "x")
    parent.override({"base.n0": "parent", "base.n108": "parent"})
    grandchild = child.copied()
    grandchild.override({"base.n0": "grandchild"})
    for twin in (parent, child, again, grandchild, grandchild.copied()):
        twin.check()


# What copies and registrations cost. Memory that is taken, even for a moment, stands for the
# work: whoever copies a dict of n entries takes memory for n entries. It is counted, not timed.


def taken(steps: Iterable[Callable[[], object]]) -> int:
    """Return the bytes that each step takes at its height, summed up."""
    total = 0
    tracemalloc.start()
    try:
        for step in steps:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            step()
            _, height = tracemalloc.get_traced_memory()
            total += height - before
    finally:
        tracemalloc.stop()
    return total


ONE = T("one text")


def big(size: int, one_by_one: bool = False) -> PromptRegistry:
    if not one_by_one:
        return PromptRegistry({f"big.n{i}": ONE for i in range(size)})
    made = PromptRegistry()
    for i in range(size):
        made.register(f"big.n{i}", ONE)
    return made


def filled(registry: PromptRegistry, size: int, copies: Iterable[int] = ()) -> int:
    """Return what registering `size` keys one by one takes, with a copy taken now and then."""
    at = set(copies)
    kept: list[PromptRegistry] = []

    def step(i: int) -> None:
        registry.register(f"new.n{i}", ONE)
        if i in at:
            kept.append(registry.copy())

    work = taken(partial(step, i) for i in range(size))
    assert len(kept) == len(at)
    return work


FILLINGS: dict[str, Callable[[int], int]] = {
    "empty": lambda n: filled(PromptRegistry(), n),
    "copy-of-a-big-one": lambda n: filled(big(n).copy(), n),
    "copy-of-one-filled-one-by-one": lambda n: filled(big(n, True).copy(), n),
    "original-after-a-copy": lambda n: filled(big(n), n, [0]),
    "copies-at-powers-of-two": lambda n: filled(PromptRegistry(), n, [2**i for i in range(10)]),
    "ten-copies": lambda n: filled(PromptRegistry(), n, range(0, n, n // 10)),
    "after-an-override": lambda n: filled(big(n).with_overrides({"big.n0": "x"}), n),
    "overrides-in-between": lambda n: taken(
        step
        for registry in [PromptRegistry()]
        for i in range(n)
        for step in (
            partial(registry.register, f"new.n{i}", ONE),
            partial(registry.override, {f"new.n{i}": "x"}),
        )
    ),
    "in-a-namespace": lambda n: taken(
        partial(space.register, f"new.n{i}", ONE)
        for space in [PromptRegistry().namespace("lib")]
        for i in range(n)
    ),
    "through-a-view": lambda n: taken(
        partial(view.register, f"new.n{i}", ONE)
        for view in [PromptRegistry().localized("de")]
        for i in range(n)
    ),
}


@pytest.mark.parametrize("fill", FILLINGS.values(), ids=FILLINGS)
def test_registering_one_by_one_is_linear(fill: Callable[[int], int]) -> None:
    """DESIGN 4: a million keys one by one; four times the keys are four times the work."""
    small, large = fill(1_000), fill(4_000)
    assert large < 6 * small, "quadratic work would be sixteen times as much"


def test_overriding_one_by_one_is_linear() -> None:
    """DESIGN 9: cost grows with what changed, not with what exists."""

    def work(n: int) -> int:
        registry = big(n).copy()
        texts = [{f"big.n{i}": "new"} for i in range(n)]
        return taken(partial(registry.override, updates) for updates in texts)

    assert work(2_000) < 6 * work(500)


ONE_OVERRIDES: dict[str, Callable[[PromptRegistry, dict[str, str]], object]] = {
    "in-a-locale": lambda registry, updates: registry.override(updates, "de"),
    "in-the-source-locale": lambda registry, updates: registry.override(updates, "en"),
    "everywhere-beside-the-source-locale": lambda registry, updates: registry.override(updates),
}


@pytest.mark.parametrize("override", ONE_OVERRIDES.values(), ids=ONE_OVERRIDES)
def test_overriding_one_by_one_is_linear_in_every_locale(
    override: Callable[[PromptRegistry, dict[str, str]], object],
) -> None:
    """DESIGN 9: a locale's overrides cost what they change, as those that hold in all do."""

    def work(n: int) -> int:
        registry = big(n)
        registry.override({"big.n0": "x"}, "en")
        return taken(partial(override, registry, {f"big.n{i}": "new"}) for i in range(n))

    assert work(800) < 6 * work(200)


SIZES = (200, 20_000)
OF_SIZE: dict[str, Callable[[int], PromptRegistry]] = {
    "made-at-once": big,
    "one-by-one": lambda n: big(n, True),
    "a-copy": lambda n: big(n).copy(),
    "with-overrides": lambda n: big(n).with_overrides({f"big.n{i}": "x" for i in range(10)}),
    "with-registrations": lambda n: _with_own(big(n), 10),
    "in-the-source-locale": lambda n: _with_locale(big(n), "en"),
    "localized": lambda n: big(n).localized("de"),
}
TAKES: dict[str, Callable[[PromptRegistry], object]] = {
    "copy": lambda registry: registry.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "snapshot": lambda registry: registry.snapshot(),
}


def _with_own(registry: PromptRegistry, own: int) -> PromptRegistry:
    for i in range(own):
        registry.register(f"own.n{i}", ONE)
    return registry


def _with_locale(registry: PromptRegistry, locale: str, keys: int = 10) -> PromptRegistry:
    registry.override({f"big.n{i}": "x" for i in range(keys)}, locale)
    return registry


@pytest.mark.parametrize("take", TAKES.values(), ids=TAKES)
@pytest.mark.parametrize("make", OF_SIZE.values(), ids=OF_SIZE)
def test_a_copy_costs_the_same_at_every_size(
    make: Callable[[int], PromptRegistry], take: Callable[[PromptRegistry], object]
) -> None:
    """DESIGN 4: `copy()` is O(1)."""
    small, large = (make(size) for size in SIZES)
    take(small)  # what is imported on first use does not count
    assert taken([partial(take, large)]) < taken([partial(take, small)]) + 500 < 3_000


def agent_of(registry: PromptRegistry, overrides: int) -> None:
    agent = registry.copy()
    agent.override({f"big.n{i}": f"mine {i}" for i in range(overrides)})
    agent.register("own", ONE)
    agent.snapshot().copy().override({"big.n0": "the run's own"})


@pytest.mark.parametrize("overrides", [3, 30, 60, 150], ids="overrides={}".format)
def test_an_agent_costs_what_it_changes(overrides: int) -> None:
    """DESIGN 4: 10,000 agents cost what they change, at every size of the catalog; M9."""
    small, large = map(big, SIZES)
    agent_of(small, overrides)
    cost = taken([partial(agent_of, small, overrides)])
    assert taken([partial(agent_of, large, overrides)]) < 2 * cost


MUCH: dict[str, Callable[[int], PromptRegistry]] = {
    "overridden": lambda n: big(n).with_overrides({f"big.n{i}": "x" for i in range(n // 5)}),
    "registered": lambda n: _with_own(big(n), n // 5),
    "localized": lambda n: _with_locale(big(n), "fr", n),
}
ONE_AGENT: dict[str, Callable[[PromptRegistry], object]] = {
    "override": lambda agent: agent.override({"big.n0": "mine"}),
    "override in a locale": lambda agent: agent.override({"big.n0": "mine"}, locale="de"),
    "register": lambda agent: agent.register("mine", ONE),
}


@pytest.mark.parametrize("change", ONE_AGENT.values(), ids=ONE_AGENT)
@pytest.mark.parametrize("make", MUCH.values(), ids=MUCH)
def test_agents_cost_what_they_change_however_much_the_operator_changed(
    make: Callable[[int], PromptRegistry], change: Callable[[PromptRegistry], object]
) -> None:
    """DESIGN 4, 10,000 agents cost what they change: one of them may pay for all, not each."""
    prototype = make(4_000)

    def agents(n: int) -> int:
        return taken([lambda: change(prototype.copy())] * n)

    change(make(100).copy())  # what is imported on first use does not count
    once = agents(1)
    assert agents(250) < 20 * once + 250 * 5_000


@pytest.mark.parametrize("locale", ["en", "de", "de-AT"])
def test_a_text_through_a_view_costs_the_same_at_every_size(locale: str) -> None:
    """DESIGN 4: a view is cheap enough for one call a request."""
    costs = []
    for size in SIZES:
        registry = big(size)
        registry.include(in_german(size))
        registry.override({f"big.n{i}": "x" for i in range(size // 2)}, locale="de")
        view = registry.localized(locale)
        reads: list[Callable[[], object]] = [
            lambda view=view: view.text("big.n0"),  # type: ignore[misc]
            lambda view=view: view.render("lib.n0"),  # type: ignore[misc]
            lambda view=view: view.get("lib.n1"),  # type: ignore[misc]
            partial(registry.localized, locale),
        ]
        for read in reads:
            read()
        costs.append(taken(reads))
    assert costs[1] < costs[0] + 500 < 3_000


def in_german(size: int) -> PromptRegistry:
    texts = {f"lib.n{i}": ONE for i in range(size)}
    return PromptRegistry.with_packs(texts, LocalePacks("en", {"de": lambda: (texts, ())}))


def test_copies_hold_no_generation_alive() -> None:
    """A chain of copies is no chain in memory: what was given up is free."""
    registry = big(1_000)

    def generations(n: int) -> int:
        tracemalloc.start()
        last = registry
        for i in count():
            last = last.copy()
            last.override({f"big.n{i % 7}": f"generation {i}"})
            if i == n:
                break
        gc.collect()  # the interpreter's own free lists
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size

    generations(10)
    assert generations(1_000) < generations(10) + 5_000


def test_a_registry_does_not_grow_by_being_written_again() -> None:
    """Memory follows what is there, not how often it was written."""
    registry = big(100)

    def size_after(rounds: int) -> int:
        tracemalloc.start()
        for i in range(rounds):
            registry.override({"big.n1": f"round {i:05}", "big.n2": f"round {i:05}"})
            registry.override({"big.n3": f"round {i:05}"}, locale="de")
            registry.localized("de").text("big.n3")
            registry.snapshot()
        gc.collect()  # the interpreter's own free lists
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size

    size_after(50)
    assert size_after(300) < size_after(50) + 5_000
