"""Commands that look at a catalog: `list`, `show`, `render`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from .. import LocalizedRegistry, PromptError, PromptRegistry, PromptTemplate
from ..scanner import find_slots, find_tokens
from .common import (
    catalog_options,
    complete_key,
    console,
    find_key,
    maybe_paged,
    open_catalog,
    print_json,
)

__all__ = ["list_prompts", "render_prompt", "show_prompt"]

FIRST_LINE = 60
"""Most characters of a prompt's first line in a list (promise H6)."""


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _harmless(text: str) -> str:
    """Return a text that cannot speak to the terminal, each control character one dot."""
    return _CONTROL.sub("·", text)


def _first_line(text: str) -> str:
    text = _harmless(text)
    line = next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= FIRST_LINE else line[: FIRST_LINE - 1] + "…"


@click.command("list")
@click.argument("namespace", required=False)
@click.option("--text", "words", metavar="WORDS", help="Only prompts whose text holds these words.")
@catalog_options
def list_prompts(
    namespace: str | None,
    words: str | None,
    directory: str | None,
    locale: str | None,
    as_json: bool,
) -> None:
    """List the prompts: key, locale, length, first line.

    With NAMESPACE, such as `memory`, only those under it.
    """
    registry = open_catalog(directory, locale)
    rows = [
        {
            "key": key,
            "locale": registry.origin(key).locale,
            "length": len(template.template),
            "first_line": _first_line(template.template),
        }
        for key, template in registry.items()
        if (namespace is None or key == namespace or key.startswith(f"{namespace}."))
        and (words is None or words.casefold() in template.template.casefold())
    ]
    if as_json:
        print_json(rows)
        return
    out = console()
    if not out.is_terminal:
        for row in rows:
            click.echo("\t".join(str(value) for value in row.values()))
        return
    # Widths by hand: left to itself, the table would break keys before it cuts the last column.
    keys = max((cell_len(str(row["key"])) for row in rows), default=3)
    tags = max([6, *(cell_len(str(row["locale"])) for row in rows)])
    rest = max(12, out.width - keys - tags - 6 - 3 * 2)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("key", style="cyan", no_wrap=True, width=keys)
    table.add_column("locale", no_wrap=True, width=tags)
    table.add_column("length", justify="right", no_wrap=True, width=6)
    table.add_column("first line", no_wrap=True, overflow="ellipsis", width=rest)
    for row in rows:
        table.add_row(*(Text(str(value)) for value in row.values()))
    with maybe_paged(out, len(rows) + 2):
        out.print(table)
        out.print(f"{len(rows)} of {len(registry)} prompts", style="dim")


@click.command("show")
@click.argument("key", shell_complete=complete_key)
@click.option("--all", "every", is_flag=True, help="In every language of the catalog.")
@catalog_options
def show_prompt(
    key: str, every: bool, directory: str | None, locale: str | None, as_json: bool
) -> None:
    """Show a prompt: its text with slots and tokens marked, its contract, its origin."""
    registry = open_catalog(directory, locale)
    find_key(registry, key)
    views = [registry]
    if every:
        root = registry.root if isinstance(registry, LocalizedRegistry) else registry
        views = [root.localized(each) for each in root.locales]
    if as_json:
        found = [_described(view, key) for view in views]
        print_json(found if every else found[0])
        return
    out = console()
    template = registry.get(key)
    if not out.is_terminal:
        click.echo("\n".join(_plainly(template, key, views)))
        return
    lines = sum(view.text(key).count("\n") + 4 for view in views) + 5
    with maybe_paged(out, lines):
        out.print(Text(key, style="bold cyan"))
        if template.description:
            out.print(Text(template.description, style="italic"))
        out.print(_named("slots", [f"{{{name}}}" for name in template.variables], "green"))
        out.print(_named("tokens", template.protected, "yellow"))
        for view in views:
            out.print()
            out.print(Text(str(view.origin(key)), style="dim"))
            out.print(_marked(view.get(key)))


def _plainly(template: PromptTemplate, key: str, views: list[PromptRegistry]) -> Iterator[str]:
    """Yield what is shown, without marks, the texts as they are."""
    yield key
    if template.description:
        yield template.description
    slots = [f"{{{name}}}" for name in template.variables]
    yield f"slots: {'  '.join(slots) or 'none'}"
    yield f"tokens: {'  '.join(template.protected) or 'none'}"
    for view in views:
        yield f"\n{view.origin(key)}"
        yield view.text(key)


def _described(registry: PromptRegistry, key: str) -> dict[str, Any]:
    template, origin = registry.get(key), registry.origin(key)
    return {
        "key": key,
        "locale": origin.locale,
        "origin": origin.layer,
        "description": template.description,
        "variables": list(template.variables),
        "protected": list(template.protected),
        "text": template.template,
    }


def _named(name: str, values: list[str] | tuple[str, ...], style: str) -> Text:
    line = Text(f"{name}: ", style="dim")
    if not values:
        return line.append("none")
    return line.append_text(Text("  ").join(Text(value, style=style) for value in values))


def _marked(template: PromptTemplate) -> Text:
    """Return the text with its slots and tokens in colour."""
    text = template.template
    slots = find_slots(text, template.contract)
    marked = Text(_harmless(text))
    for token in template.contract.tokens:
        for at in find_tokens(text, token, slots):
            marked.stylize("bold yellow", at, at + len(token.literal))
    for start, end in slots.spans():
        marked.stylize("bold green", start, end)
    return marked


@click.command("render")
@click.argument("key", shell_complete=complete_key)
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@catalog_options
def render_prompt(
    key: str,
    values: tuple[str, ...],
    directory: str | None,
    locale: str | None,
    as_json: bool,
) -> None:
    """Render a prompt: `render KEY name=value …`.

    `name=@FILE` takes the value from a file, `name=@-` from standard input, and `name=@@x` is
    the value `@x` itself.
    """
    registry = open_catalog(directory, locale)
    find_key(registry, key)
    try:
        text = registry.render(key, dict(map(_value, values)))
    except PromptError as error:
        raise click.UsageError(str(error)) from None
    if as_json:
        print_json({"key": key, "locale": registry.origin(key).locale, "text": text})
    else:
        click.echo(text)


def _value(argument: str) -> tuple[str, str]:
    name, equals, value = argument.partition("=")
    if not equals:
        raise click.UsageError(f"{argument!r} is no value: write name=value")
    if value.startswith("@@"):
        return name, value[1:]
    if not value.startswith("@"):
        return name, value
    try:
        data = sys.stdin.buffer.read() if value == "@-" else Path(value[1:]).read_bytes()
        return name, data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"Cannot read the value of {name!r}: {error}") from None
