"""How work grows with size, as a ratio measured in one run: no second is ever asserted."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

LINEAR = 10
"""What four times the size may cost at most: 4 is linear, 16 the square; the rest is noise."""


def growth(run: Callable[[int], object], size: int) -> float:
    """Return how many times longer a run of four times the size takes; each at its best of three.

    A run of `size` must take some milliseconds, or the ratio says nothing.
    """
    return _best(run, 4 * size) / _best(run, size)


def _best(run: Callable[[int], object], size: int) -> float:
    gc.disable()
    try:
        times = []
        for _ in range(3):
            begun = time.process_time()
            run(size)
            times.append(time.process_time() - begun)
    finally:
        gc.enable()
    return max(min(times), 2e-3)  # below that, the clock and the caches are all there is
