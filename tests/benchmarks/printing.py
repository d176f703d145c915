"""Tables of what was measured: as text for a terminal, and as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .measure import Timing

MISSING = "not installed"
_SCALE = {"ns": 1e9, "µs": 1e6, "ms": 1e3, "s": 1.0, "bytes": 1.0}


@dataclass(frozen=True)
class Reach:
    """A line of what is to be reached: a figure, and what it may be at most or must be at least."""

    what: str
    figure: float
    most: float | None = None
    least: float | None = None
    unit: str = "×"

    @property
    def met(self) -> bool:
        return (self.most is None or self.figure <= self.most) and (
            self.least is None or self.figure >= self.least
        )

    def __str__(self) -> str:
        bound = self.most if self.most is not None else self.least or 0
        word = "at most" if self.most is not None else "at least"
        verdict = "met" if self.met else f"missed by {abs(self.figure / bound - 1):.0%}"
        return f"{verdict}: {self.what}: {self.figure:,.4g} {self.unit} ({word} {bound:,g})"


@dataclass
class Table:
    """Rows by name, each with a timing per column; None where a peer is not installed."""

    title: str
    unit: str
    columns: tuple[str, ...]
    limit: str
    rows: Mapping[str, Mapping[str, Timing | None]]
    reach: list[Reach] = field(default_factory=list)

    def ratio(self, row: str, column: str, to: str | None = None) -> float | None:
        """Return how many times as much a row costs as another, or as the limit."""
        cell, base = self.rows[row].get(column), self.rows[to or self.limit].get(column)
        return None if cell is None or base is None else cell.best / base.best

    def promise(self, what: str, row: str, to: str, *, most: Any = None, least: Any = None) -> None:
        """Add a line per column; `least` turns the ratio round: how many times as fast it is."""
        for at, column in enumerate(self.columns):
            ratio = self.ratio(row, column, to)
            bound = most if most is not None else least
            if ratio is None or bound[at] is None:
                continue
            label = f"{what}, {column}"
            if most is not None:
                self.reach.append(Reach(label, ratio, most=bound[at]))
            else:
                self.reach.append(Reach(label, 1 / ratio, least=bound[at]))

    def text(self) -> str:
        width = max(map(len, self.rows)) + 2
        head = f"{self.title} ({self.unit}: minimum, median, ratio to the limit)"
        lines = [head, "-" * len(head)]
        lines.append(" " * width + "".join(f"{column:>28}" for column in self.columns))
        for name, cells in self.rows.items():
            shown = "".join(f"{self._cell(name, column):>28}" for column in self.columns)
            lines.append(f"{name:<{width}}{shown if cells else f'{MISSING:>28}'}")
        return "\n".join([*lines, *(f"  {line}" for line in self.reach)])

    def _cell(self, row: str, column: str) -> str:
        cell, ratio = self.rows[row].get(column), self.ratio(row, column)
        if cell is None:
            return "–"
        scale = _SCALE[self.unit]
        shown = f"{_number(cell.best * scale)} {_number(cell.median * scale):>9}"
        return f"{shown} {'' if ratio is None else f'×{ratio:.3g}':>7}"

    def data(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "unit": self.unit,
            "limit": self.limit,
            "rows": {
                name: {
                    column: None
                    if cell is None
                    else {
                        "minimum": cell.best * _SCALE[self.unit],
                        "median": cell.median * _SCALE[self.unit],
                        "ratio": self.ratio(name, column),
                    }
                    for column, cell in cells.items()
                }
                or None
                for name, cells in self.rows.items()
            },
            "reach": [
                {
                    "what": line.what,
                    "figure": line.figure,
                    "most": line.most,
                    "least": line.least,
                    "unit": line.unit,
                    "met": line.met,
                }
                for line in self.reach
            ],
        }


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
