"""Measuring: statements in tight loops, taken in turns, the loop's own cost deducted.

Seconds are those of this process on a processor, so that a loaded machine spoils little.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

Loop = Callable[[int], float]
"""Runs a statement so many times, and returns the seconds that this took."""


@dataclass(frozen=True)
class Case:
    """A statement, and the objects by whose names it speaks; they are local to its loop."""

    statement: str
    names: Mapping[str, Any] = field(default_factory=dict)

    def loop(self) -> Loop:
        """Return the loop around the statement: what `timeit` makes, with local names."""
        source = (
            f"def loop(_times, {', '.join(f'{name}={name}' for name in self.names)}):\n"
            " _begun = _clock()\n"
            f" for _ in _times:\n  {self.statement}\n"
            " return _clock() - _begun\n"
        )
        scope = {**self.names, "_clock": time.process_time}
        exec(source, scope)
        loop = scope["loop"]
        return lambda count: loop(repeat(None, count))


@dataclass(frozen=True)
class Timing:
    """What one run costs, in seconds (or bytes): the best of all rounds, and the median."""

    best: float
    median: float


def race(
    cases: Mapping[str, Case], *, rounds: int = 15, seconds: float = 0.004
) -> dict[str, Timing]:
    """Time every case, all of them once in each round, so that what slows one slows all.

    Args:
        cases: By name.
        rounds: How often.
        seconds: How long a case may run in each round.
    """
    loops = {name: case.loop() for name, case in cases.items()}
    loops[""] = Case("pass").loop()
    counts = {name: _count(loop, seconds) for name, loop in loops.items()}
    samples: dict[str, list[float]] = {name: [] for name in loops}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, loop in loops.items():
                samples[name].append(loop(counts[name]) / counts[name])
    finally:
        gc.enable()
    idle = min(samples.pop(""))
    return {name: _timing([max(s - idle, 1e-10) for s in found]) for name, found in samples.items()}


def _count(loop: Loop, seconds: float) -> int:
    count = 1
    while (taken := loop(count)) < seconds / 4:
        count *= 4 if taken * 16 < seconds else 2
    return max(1, round(count * seconds / taken))


def _timing(samples: list[float]) -> Timing:
    return Timing(min(samples), statistics.median(samples))


def spans(makers: Mapping[str, Callable[[], Any]], *, rounds: int = 5) -> dict[str, Timing]:
    """Time calls that are too long, or keep too much, for a loop; all of them in each round."""
    samples: dict[str, list[float]] = {name: [] for name in makers}
    for _ in range(rounds):
        for name, make in makers.items():
            gc.collect()
            gc.disable()
            begun = time.process_time()
            kept = make()
            samples[name].append(time.process_time() - begun)
            gc.enable()
            del kept
    return {name: _timing(found) for name, found in samples.items()}


def memory(make: Callable[[], Any]) -> int:
    """Return the bytes that what is made keeps."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = make()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    del kept
    return after - before


def processes(codes: Mapping[str, str], *, rounds: int = 15) -> dict[str, Timing]:
    """Time fresh interpreters, all of them in each round, above one that does nothing.

    Compiled modules are read and written, whatever this process was told: an installed package
    has them.
    """
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    samples: dict[str, list[float]] = {name: [] for name in ("", *codes)}
    for turn in range(rounds + 1):
        for name, found in samples.items():
            command = [sys.executable, "-c", codes.get(name, "pass")]
            begun = time.perf_counter()
            subprocess.run(command, check=True, env=environ, stdout=subprocess.DEVNULL)
            if turn:  # the first compiles
                found.append(time.perf_counter() - begun)
    bare = samples.pop("")
    return {
        name: Timing(min(found) - min(bare), statistics.median(found) - statistics.median(bare))
        for name, found in samples.items()
    }
