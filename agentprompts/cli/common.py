"""What the commands share: which catalog, which locale, and how to print."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

import click
from rich.console import Console

from .. import DEFAULT_PROMPTS, PromptError, PromptRegistry, load_catalog
from ..catalog import CONTRACTS

__all__ = [
    "catalog_options",
    "complete_key",
    "console",
    "find_key",
    "maybe_paged",
    "open_catalog",
    "print_json",
]

F = TypeVar("F", bound=Callable[..., Any])


def _registry(directory: str | None) -> PromptRegistry:
    """Return the prompts of a folder: a catalog, or Markdown files; without one, the default."""
    if directory is None:
        return DEFAULT_PROMPTS
    names = os.listdir(directory)
    if CONTRACTS not in names and any(name.endswith(".md") for name in names):
        from ..loaders import PromptLoader

        return PromptLoader(directory).registry()
    return load_catalog(directory)


def _catalog_of(ctx: click.Context) -> PromptRegistry:
    return _registry(ctx.params.get("directory"))


def complete_key(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the keys that a shell may complete a word to."""
    return [key for key in _catalog_of(ctx) if key.startswith(incomplete)]


def complete_locale(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the locales that a shell may complete a word to."""
    return [tag for tag in _catalog_of(ctx).locales if tag.startswith(incomplete)]


def catalog_options(command: F) -> F:
    """Add `--catalog`, `--locale` and `--json` to a command."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option(
            "--locale",
            metavar="TAG",
            help="The language, such as zh-Hans.",
            shell_complete=complete_locale,
        ),
        click.option(
            "--catalog",
            "directory",
            metavar="DIR",
            type=click.Path(exists=True, file_okay=False),
            help="A catalog's folder; the default catalog without it.",
        ),
    ):
        command = option(command)
    return command


def open_catalog(directory: str | None, locale: str | None = None) -> PromptRegistry:
    """Return the catalog that the options name, in the locale that they name."""
    registry = _registry(directory)
    if locale is None:
        return registry
    try:
        return registry.localized(locale)
    except PromptError as error:
        raise click.UsageError(str(error)) from None


def find_key(registry: PromptRegistry, key: str) -> str:
    """Return the key, or stop with what it may have been meant as."""
    if key not in registry:
        try:
            registry.get(key)
        except KeyError as error:
            raise click.UsageError(str(error)) from None
    return key


def console() -> Console:
    """Return where to print: colours on a terminal only, and there not against `NO_COLOR`."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def maybe_paged(out: Console, lines: int) -> AbstractContextManager[Any]:
    """Return a pager for what is longer than the terminal."""
    if out.is_terminal and lines > out.height:
        return out.pager(styles=True)
    return nullcontext()


def print_json(value: Any) -> None:
    """Print a value for a program to read."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
