"""The command `explain`: what a code means, why it matters, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

import click
from rich.markdown import Markdown
from rich.table import Table

from ..checks.codes import Page, pages
from .common import console, maybe_paged

__all__ = ["explain_code"]

_HEAD = """\
# What is checked

<!-- Written by `agentprompts explain --all`. -->

A finding has a code; `agentprompts explain CODE` shows its page. An *error* is a text that is left
out when it is needed, or a file that cannot be read. A *warning* means: look again; the comment
`# ignore CODE: why` above a text sets it aside.
"""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [code for code in pages() if code.startswith(incomplete)]


@click.command("explain")
@click.argument("code", required=False, shell_complete=_complete)
@click.option("--all", "every", is_flag=True, help="All of them as one page of Markdown.")
def explain_code(code: str | None, every: bool) -> None:
    """Explain the CODE of a finding, such as `slot-missing`; without it, list all codes."""
    known = pages()
    out = console()
    if every:
        click.echo("\n".join(_whole(known.values())), nl=False)
    elif code is None:
        _list(known)
    elif code not in known:
        close = difflib.get_close_matches(code, known, 1)
        guess = f"; did you mean {close[0]!r}?" if close else "; `agentprompts explain` lists them"
        raise click.UsageError(f"There is no code {code!r}{guess}")
    elif out.is_terminal:
        out.print(Markdown(known[code].markdown()))
    else:
        click.echo(known[code].markdown(), nl=False)


def _list(known: dict[str, Page]) -> None:
    out = console()
    if not out.is_terminal:
        for page in known.values():
            click.echo("\t".join(page[:3]))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("code", style="cyan", no_wrap=True)
    table.add_column("severity")
    table.add_column("what is wrong")
    for page in known.values():
        table.add_row(*page[:3])
    with maybe_paged(out, len(known) + 1):
        out.print(table)


def _whole(known: Iterable[Page]) -> Iterator[str]:
    yield _HEAD
    for page in known:
        yield page.markdown(2)
