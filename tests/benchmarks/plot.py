"""Cost against size, as a picture: flat for a registry, a straight line for a pack."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentprompts.catalog import read_pack_file

from . import reading
from .lookups import registry
from .measure import Case, race, spans
from .peers import peer

SIZES = (10, 100, 1000, 10_000, 100_000, 1_000_000)
MOST_READ = 20_000
"""A pack of more keys than this is larger than what is read."""


def measured() -> dict[str, dict[int, float]]:
    """Return seconds by what is done and by size."""
    found: dict[str, dict[int, float]] = {}
    for size in SIZES:
        base = registry(size)
        agent = base.copy()
        agent.override({"k.n3": "Another {q}"})
        names: dict[str, Any] = {"base": base, "agent": agent}
        names["updates"] = {"k.n5": base.get("k.n5").with_text("Another {q}")}
        statements = {
            "text(key)": "agent.text('k.n9')",
            "text(key), overridden": "agent.text('k.n3')",
            "copy()": "base.copy()",
            "copy() and an override": "base.copy().override(updates)",
        }
        timed = race({name: Case(code, names) for name, code in statements.items()}, rounds=9)
        for name, timing in timed.items():
            found.setdefault(name, {})[size] = timing.best
        del base, agent, names
    for size in (*(size for size in SIZES if size < MOST_READ), MOST_READ):
        found.setdefault("read a pack", {})[size] = _read(size)
    return found


def _read(size: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        reading.write(Path(name), size)
        read: dict[str, Callable[[], Any]] = {"pack": lambda: read_pack_file(name, "de")}
        return spans(read, rounds=3)["pack"].best


def draw(file: str) -> None:
    """Draw the picture, or say what it needs."""
    matplotlib = peer("matplotlib")
    if matplotlib is None:
        raise SystemExit("The picture needs matplotlib: pip install 'agentprompts[peers]'")
    matplotlib.use("Agg")
    pyplot = peer("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name, points in measured().items():
        line = axes.plot(list(points), list(points.values()), marker="o", label=name)[0]
        if name == "read a pack":
            line.set_linestyle("--")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="keys in the registry, or in the pack",
        ylabel="seconds",
        title="Cost against size",
    )
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(loc="center right")
    figure.savefig(file, dpi=120)
