"""The command `assemble`: a builder, with overlays on it, to the prompt that a model gets."""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any

import click
from rich.text import Text

from .. import PromptRegistry
from ..checks.promptcache import check_prompt_cache
from ..overlays import Agent, Outcome, Scope, layer
from ..reports import FORMATS
from ..sections import AssembledPrompt, CodingContext, PromptBuilder, default_builder
from ..stores import open_store
from .common import console, open_catalog, print_json
from .overlays import read_overlay, store_options

__all__ = ["assemble_prompt"]

_FORMS: dict[str, Callable[[AssembledPrompt], Any]] = {
    "text": str,
    "xml": AssembledPrompt.to_xml,
    "anthropic": AssembledPrompt.to_anthropic,
    "openai": AssembledPrompt.to_openai,
    "messages": AssembledPrompt.to_messages,
}


@click.command("assemble")
@click.argument("builder", required=False, metavar="[MODULE:NAME]")
@click.option(
    "--overlay",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="An overlay's TOML file; the broader before the narrower.",
)
@click.option("--agent", metavar="NAME", help="With --store: whose overlays to take.")
@store_options(required=False)
@click.option(
    "--context",
    "where",
    metavar="MODULE:NAME",
    help="What the sections' functions are called with.",
)
@click.option(
    "--catalog",
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A catalog's folder; the default catalog without it.",
)
@click.option("--locale", metavar="TAG", help="The language, such as zh-Hans.")
@click.option("--format", "form", type=click.Choice(list(_FORMS)), default="text")
@click.option("--explain", is_flag=True, help="Show where each piece comes from.")
@click.option("--check", is_flag=True, help="Tell what keeps a model from caching the prompt.")
@click.option("--strict", is_flag=True, help="Fail where a patch is declined.")
def assemble_prompt(
    builder: str | None,
    files: tuple[str, ...],
    agent: str | None,
    url: str | None,
    scope: Scope | None,
    where: str | None,
    directory: str | None,
    locale: str | None,
    form: str,
    explain: bool,
    check: bool,
    strict: bool,
) -> None:
    """Print the system prompt of a builder: one that a module has, or the default one.

    MODULE:NAME is a PromptBuilder, a list of sections, or a function that returns one; it may take
    the registry. What overlays could not change is told on the standard error stream.
    """
    prompts = open_catalog(directory, locale)
    sections = default_builder(prompts) if builder is None else _sections(builder, prompts)
    context = _context(where, builder is None)
    overlays = [replace(read_overlay(file, agent or "agent"), id=file) for file in files]
    if url is not None:
        if agent is None or scope is None:
            raise click.UsageError("--store needs --agent and --scope")
        store = open_store(url)
        overlays = [*store.chain(agent, scope=scope), *overlays]
        store.close()
    layered = layer(Agent[Any](sections=sections), overlays, prompts=prompts, tools=())
    prompt = layered.assemble(context, prompts)
    _show(prompt, form, explain)
    _tell(layered.outcomes)
    if check:
        found = check_prompt_cache(layered.sections, context, prompts)
        if shown := FORMATS["text"](found, {}):
            click.echo(shown, err=True)
    if strict and any(one.result == "declined" for one in layered.outcomes):
        click.get_current_context().exit(1)


def _sections(name: str, prompts: PromptRegistry) -> Iterable[Any]:
    found = _imported(name)
    if callable(found):
        wanted = inspect.signature(found).parameters.values()
        takes = any(one.default is one.empty and one.kind < one.KEYWORD_ONLY for one in wanted)
        found = _called(name, found, *([prompts] if takes else []))
    if not isinstance(found, PromptBuilder | list | tuple):
        raise click.UsageError(f"{name} is {type(found).__name__}, which has no sections")
    return found


def _context(name: str | None, default: bool) -> Any:
    if name is not None:
        found = _imported(name)
        return _called(name, found) if callable(found) else found
    return CodingContext(os.getcwd(), tempfile.gettempdir()) if default else None


def _called(name: str, function: Callable[..., Any], *arguments: object) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        raise click.UsageError(f"Cannot call {name}: {error!r}") from error


def _imported(name: str) -> Any:
    module, colon, attribute = name.partition(":")
    if not colon:
        raise click.UsageError(f"{name!r} names nothing: write module:name")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise click.UsageError(f"Cannot import {name}: {error}") from None
    return found


def _show(prompt: AssembledPrompt, form: str, explain: bool) -> None:
    if explain:
        out = console()
        for span in prompt.explain():
            layer, origin, patch = span.piece.layer, span.piece.origin, span.piece.patch
            if layer == "separator":
                continue
            number = "" if patch is None else f", patch {patch}"
            head = f"{span.start}-{span.end}  {span.section}  {layer}  {origin}{number}"
            out.print(Text(head.rstrip(), style="bold cyan"))
            for line in span.piece.text.splitlines():
                out.print(Text(f"    {line}".rstrip()))
        return
    made = _FORMS[form](prompt)
    if isinstance(made, str):
        click.echo(made, nl=not made.endswith("\n"))
    else:
        print_json(made)


def _tell(outcomes: Iterable[Outcome]) -> None:
    for one in outcomes:
        if one.result == "declined":
            number = "" if one.number is None else f", patch {one.number}"
            click.echo(f"{one.origin}{number}: {one.subject!r} declined: {one.reason}", err=True)
