"""Copies: agents that take a registry of their own, and what each of them keeps.

An agent is a copy and three overrides that were checked before. All of them are kept while the
time is taken, as a server's agents are. `python -m tests.benchmarks.copies NAME SIZE` prints the
bytes an agent keeps: memory is measured in a fresh process.
"""

from __future__ import annotations

import subprocess
import sys
from collections import ChainMap
from collections.abc import Callable
from typing import Any

from agentprompts import PromptRegistry, PromptTemplate

from .lookups import registry
from .measure import Timing, memory, spans
from .peers import peer
from .printing import Reach, Table

SIZES = {"80 keys": 80, "2,000": 2000, "100,000": 100_000}
AGENTS = 10_000
SLOW = ("dict copy", "agentmaker")
LIMIT, OURS, COPY = (
    "a bare 3-key dict: the limit",
    "agentprompts, copy and override",
    "copy() alone",
)
Maker = Callable[[], Any]


def _base(size: int) -> tuple[PromptRegistry, dict[str, PromptTemplate]]:
    base = registry(size)
    return base, {k: base.get(k).with_text("Another {q}") for k in ("k.n3", "k.n4", "k.n5")}


def own(size: int) -> dict[str, Maker]:
    """Return what makes an agent, of the rows that need no peer."""
    base, updates = _base(size)

    def bare() -> dict[str, PromptTemplate]:
        made = {}
        for key, template in updates.items():  # an override, too, looks at each one
            made[key] = template  # noqa: PERF403
        return made

    def ours() -> PromptRegistry:
        made = base.copy()
        made.override(updates)
        return made

    return {LIMIT: bare, COPY: base.copy, OURS: ours}


def _others(size: int) -> dict[str, Maker | None]:
    base, updates = _base(size)
    texts = base.as_dict()
    news = {key: template.template for key, template in updates.items()}

    def chained() -> ChainMap[str, str]:
        made = ChainMap({}, texts)
        made.update(news)
        return made

    def copied() -> dict[str, str]:
        made = texts.copy()
        made.update(news)
        return made

    found: dict[str, Maker | None] = {
        "ChainMap": chained,
        "immutables.Map": None,
        "dict copy": copied,
        "agentmaker": None,
    }
    if immutables := peer("immutables"):
        root = immutables.Map(texts)
        found["immutables.Map"] = lambda: root.update(news)
    if agentmaker := peer("agentmaker.prompts"):
        theirs = agentmaker.PromptRegistry(
            {key: agentmaker.PromptTemplate(text, variables=("q",)) for key, text in texts.items()}
        )
        found["agentmaker"] = lambda: theirs.with_overrides(news)
    return found


def _count(name: str, size: int) -> int:
    """Return how many agents to make: few where each copies a whole dict."""
    return max(10, min(AGENTS, 4_000_000 // size)) if name in SLOW else AGENTS


def tables() -> list[Table]:
    times: dict[str, dict[str, Timing | None]] = {}
    kept: dict[str, dict[str, Timing | None]] = {}
    for column, size in SIZES.items():
        found = {**own(size), **_others(size)}
        counts = {name: _count(name, size) for name in found}
        timed = spans({name: many(make, counts[name]) for name, make in found.items() if make})
        for name in found:
            times.setdefault(name, {})
            kept.setdefault(name, {})
            if name in timed:
                count = counts[name]
                span = timed[name]
                times[name][column] = Timing(span.best / count, span.median / count)
                used = _fresh(name, size) / count
                kept[name][column] = Timing(used, used)
    time = Table(f"Copies: an agent, of {AGENTS:,}", "µs", tuple(SIZES), LIMIT, times)
    time.promise("copy and three overrides to the bare dict", OURS, LIMIT, most=(4, 4, 4))
    for column in SIZES:
        copy = times[COPY][column]
        if copy is not None:
            line = Reach(f"copy(), {column}", copy.best * 1e6, most=0.4, unit="µs")
            time.reach.append(line)
    space = Table("Memory: an agent", "bytes", tuple(SIZES), LIMIT, kept)
    for column in SIZES:
        agent = kept[OURS][column]
        if agent is not None:
            space.reach.append(Reach(f"an agent, {column}", agent.best, most=400, unit="bytes"))
            whole = agent.best * AGENTS / 1e6
            space.reach.append(Reach(f"{AGENTS:,} agents, {column}", whole, most=4, unit="MB"))
    return [time, space, _million()]


def many(make: Maker, count: int = AGENTS) -> Maker:
    """Return what makes so many agents, and keeps them."""
    return lambda: [make() for _ in range(count)]


def _fresh(name: str, size: int) -> int:
    command = [sys.executable, "-m", "tests.benchmarks.copies", name, str(size)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _million() -> Table:
    """A registry that is filled key by key, and used."""
    keys = [f"k.n{i}" for i in range(1_000_000)]
    template = PromptTemplate("Text: {q}", variables=["q"])

    def ours() -> PromptRegistry:
        made = PromptRegistry()
        for key in keys:
            made.register(key, template)
        return made

    def bare() -> dict[str, PromptTemplate]:
        made = {}
        for key in keys:
            made[key] = template
        return made

    limit, filled = "a dict, filled in a loop: the limit", "agentprompts register"
    rivals: dict[str, Callable[[], Any]] = {limit: bare, filled: ours}
    big = ours()
    rivals["keys()"] = big.keys
    rivals["as_dict()"] = big.as_dict
    rivals["copy() and one override"] = lambda: big.with_overrides({"k.n7": "Other: {q}"})
    rivals["one text"] = lambda: big.text("k.n77")
    timings = spans(rivals, rounds=3)
    made = Table(
        "A registry of 1,000,000 keys",
        "s",
        ("s",),
        limit,
        {n: {"s": t} for n, t in timings.items()},
    )
    made.reach.append(Reach("registrations, one by one", timings[filled].best, most=1, unit="s"))
    return made


if __name__ == "__main__":
    row, keys = sys.argv[1], int(sys.argv[2])
    make = {**_others(keys), **own(keys)}[row]
    assert make is not None
    print(memory(many(make, _count(row, keys))))
