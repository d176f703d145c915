"""`python -m tests.benchmarks`: what the library costs, beside its peers, and what it should."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable

from . import copies, lookups, reading, rendering, sections, startup, validating
from .printing import Table

TABLES: dict[str, Callable[[], list[Table]]] = {
    "rendering": lambda: [rendering.table()],
    "validating": lambda: [validating.table()],
    "copies": copies.tables,
    "lookups": lambda: [lookups.table()],
    "reading": lambda: [reading.table()],
    "sections": lambda: [sections.table()],
    "startup": lambda: [startup.table()],
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}")
    parser.add_argument("--json", action="store_true", help="print data instead of tables")
    parser.add_argument("--plot", metavar="FILE.png", help="draw cost against size, and no tables")
    options = parser.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        parser.error(f"there is no table {', '.join(sorted(unknown))}")
    if options.plot:
        from .plot import draw

        draw(options.plot)
        return
    made = []
    for name in options.tables or TABLES:
        for table in TABLES[name]():
            made.append(table)
            if not options.json:
                print(table.text(), end="\n\n", flush=True)
    if options.json:
        about = {"python": platform.python_version(), "machine": platform.machine()}
        print(json.dumps({**about, "tables": [table.data() for table in made]}, indent=1))
        return
    missed = [line for table in made for line in table.reach if not line.met]
    print(f"{sum(len(table.reach) for table in made) - len(missed)} met, {len(missed)} missed")


main()
