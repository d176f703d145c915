"""`python -m tests.traps`: how many of the traps each tool finds, and its false alarms."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from .sets import Group, broken_groups, good_groups
from .tools import IN_A_PACK, TOOLS, Findings, Tool

NOT_INSTALLED = "not in-\nstalled"


def run(tool: Tool, groups: list[Group]) -> Findings:
    """Let a tool look at texts that are written into a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return {where: found for where, found in tool.find(Path(folder), groups).items() if found}


def hits(tool: Tool, groups: list[Group]) -> Counter[str]:
    """Count the traps that a tool finds, by the code that each is about."""
    found = run(tool, groups)
    counted: Counter[str] = Counter()
    for group in groups:
        for entry in group.entries:
            codes = found.get((group.name, entry.key), set())
            wanted = IN_A_PACK.get(entry.code, entry.code)
            counted[entry.code] += wanted in codes if tool is TOOLS[0] else bool(codes)
    return counted


def table(broken: list[Group], good: list[Group], tools: tuple[Tool, ...] = TOOLS) -> Table:
    """Return the comparison."""
    traps = Counter(entry.code for group in broken for entry in group.entries)
    texts = sum(len(group.entries) for group in good)
    present = [tool if tool.installed() else None for tool in tools]
    columns = [None if tool is None else hits(tool, broken) for tool in present]
    alarms = [None if tool is None else len(run(tool, good)) for tool in present]
    made = Table(
        title=f"Broken translations in {len(broken)} locales, and who finds them",
        box=box.SIMPLE_HEAD,
        padding=0,
        pad_edge=False,
    )
    made.add_column("kind of fault", no_wrap=True)
    made.add_column("traps", justify="right")
    for tool in tools:
        made.add_column(tool.name, justify="right")
    last = ""
    for code in sorted(traps, key=lambda one: (_TOPICS.index(_topic(one)), one)):
        if last and _topic(last) != _topic(code):
            made.add_section()
        last = code
        cells = ("–" if column is None else str(column[code] or "·") for column in columns)
        made.add_row(code, str(traps[code]), *cells)
    made.add_section()
    for name, total, counts in (
        ("all", traps.total(), [None if column is None else column.total() for column in columns]),
        ("good: false alarms", texts, alarms),
    ):
        cells = (NOT_INSTALLED if n is None else f"{n}\n{n / total:.1%}" for n in counts)
        made.add_row(name, str(total), *cells, style="bold")
    return made


_TOPICS = ("slot", "token", "text", "other")


def _topic(code: str) -> str:
    kind = code.partition("-")[0]
    return kind if kind in _TOPICS else "other"


def _named(tool: Tool) -> str:
    return tool.name.replace("-\n", "" if tool is TOOLS[0] else "-").replace("\n", " ")


def main() -> None:
    """Print the table, and how each tool was used."""
    good = good_groups()
    console = Console(highlight=False)
    console.print(table(broken_groups(), good))
    errors = sum("error" in codes for codes in run(TOOLS[0], good).values())
    console.print(
        "The traps are of the kinds that agentprompts claims to find: its tests ask all.\n"
        "Each other tool finds a trap if it says anything at all about that text.\n"
        f"Of the alarms of agentprompts on good texts {errors} are errors.\n"
    )
    uses = Table.grid(padding=(0, 2))
    for tool in TOOLS:
        uses.add_row(_named(tool), tool.use if tool.installed() else f"not installed; {tool.use}")
    console.print(uses)


if __name__ == "__main__":
    main()
