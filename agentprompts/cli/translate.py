"""The translator's commands: `new`, `status`, `update`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from ..catalog import (
    CatalogFiles,
    default_directory,
    read_catalog,
    read_pack_file,
    read_source,
    read_state_file,
    write_state_file,
)
from ..catalog import write_text as write_file
from ..errors import PromptError
from ..exchange import PSEUDO_LOCALE, pseudo_text
from ..locales import canonical
from ..packedit import insert_entries, refreshed, rename_key, scaffold, set_aside
from ..packfile import Pack, is_untranslated
from ..packstate import stale_texts, updated
from ..tomltext import replace_text
from .common import console, print_json

__all__ = ["new_pack", "show_status", "source_texts", "translated", "update_pack"]

_CATALOG = click.option(
    "--catalog",
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A catalog's folder; the default catalog without it.",
)


@click.command("new")
@click.argument("locale")
@click.option("--pseudo", is_flag=True, help="Fill it with the pseudo-locale's texts.")
@_CATALOG
def new_pack(locale: str, pseudo: bool, directory: str | None) -> None:
    """Make the file for a new language, with every prompt's purpose and source text at hand."""
    files = read_catalog(directory or default_directory())
    tag = canonical(locale)
    if not tag:
        raise click.UsageError(f"{locale!r} names no language")
    path = os.path.join(str(files.folder), f"{tag}.toml")
    if os.path.lexists(path):
        raise click.UsageError(f"{path} is there already; see `agentprompts update {tag}`")
    source, glossary = files.source, files.contracts.glossary
    if pseudo:
        text = read_source(files.folder, f"{source.locale}.toml")
        for key, template in files.templates.items():
            text = replace_text(text, source.paths[key], pseudo_text(template, glossary))
        head = f"# Made by `agentprompts new {tag} --pseudo`.\n"
    else:
        text = scaffold(source.file.text, source.paths, files.templates, glossary)
        head = f"# Texts in {tag}. Write between the quotes; CONTRIBUTING.md tells how.\n"
    if os.path.exists(os.path.join(str(files.folder), "schema.json")):
        head = f"#:schema ./schema.json\n{head}"
    write_file(path, head + text)
    click.echo(f"{path}: {len(files.templates)} texts to translate")
    if tag == PSEUDO_LOCALE or not pseudo:
        click.echo(f"Next: `agentprompts check {tag}`, `agentprompts status`")


def translated(files: CatalogFiles, pack: Pack) -> dict[str, str]:
    """Return a pack's texts by today's keys, without those that only hold a place."""
    renamed = files.contracts.renamed
    found = {}
    for key, text in pack.texts.items():
        today = key if key in files.templates else renamed.get(key, key)
        if today in files.templates and not is_untranslated(text, files.templates[today]):
            found[today] = text
    return found


def source_texts(files: CatalogFiles) -> dict[str, str]:
    """Return the source texts by key."""
    return {key: template.template for key, template in files.templates.items()}


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_CATALOG
def show_status(directory: str | None, as_json: bool) -> None:
    """Show how far each language is: translated, stale, missing."""
    files = read_catalog(directory or default_directory())
    rows = [_status_row(files, locale) for locale in files.locales]
    if as_json:
        print_json(rows)
        return
    out = console()
    if not out.is_terminal:
        for row in rows:
            click.echo("\t".join(str(value) for value in row.values()))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("locale", "language", "translated", "stale", "missing", ""):
        table.add_column(name, justify="left" if name in ("locale", "language", "") else "right")
    for row in rows:
        share = row["translated"] / (len(files.templates) or 1)
        bar = "█" * int(share * 20)
        color = "green" if share == 1 and not row["stale"] else "yellow"
        values = [
            str(row[name]) for name in ("locale", "language", "translated", "stale", "missing")
        ]
        table.add_row(*values, Text(f"{bar:░<20} {share:.0%}", style=color))
    out.print(table)
    out.print(f"{len(files.templates)} prompts in {files.source.locale}", style="dim")


def _status_row(files: CatalogFiles, locale: str) -> dict[str, Any]:
    from babel import Locale, UnknownLocaleError

    try:
        name = Locale.parse(locale, sep="-").get_display_name() or ""
    except (UnknownLocaleError, ValueError):
        name = ""
    try:
        texts = translated(files, read_pack_file(files.folder, locale))
    except PromptError as error:
        return {"locale": locale, "language": name, "translated": 0, "stale": 0,
                "missing": len(files.templates), "error": error.headline}  # fmt: skip
    stale = stale_texts(read_state_file(files.folder, locale), source_texts(files), texts)
    return {
        "locale": locale,
        "language": name,
        "translated": len(texts),
        "stale": len(stale),
        "missing": len(files.templates) - len(texts),
    }


@click.command("update")
@click.argument("locales", nargs=-1, metavar="[LOCALE]...")
@click.option(
    "--confirm",
    multiple=True,
    metavar="KEY",
    help="This text is right for the source of today, as it is.",
)
@_CATALOG
def update_pack(locales: tuple[str, ...], confirm: tuple[str, ...], directory: str | None) -> None:
    """Bring packs up to date: new keys in, renamed ones moved, obsolete ones set aside.

    Comments, order and quoting stay. What was translated since the last update is written down as
    made from the source of today.
    """
    files = read_catalog(directory or default_directory())
    if unknown := [locale for locale in locales if locale not in files.locales]:
        raise click.UsageError(f"There is no pack {unknown[0]}.toml; see `agentprompts new`")
    for locale in locales or files.locales:
        counts = _update(files, locale, frozenset(confirm))
        told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        click.echo(f"{locale}: {told or 'nothing to do'}")


def _update(files: CatalogFiles, locale: str, confirmed: frozenset[str]) -> dict[str, int]:
    name = f"{locale}.toml"
    pack = read_pack_file(files.folder, locale)
    before = text = read_source(files.folder, name)
    moved = {
        old: new
        for old, new in files.contracts.renamed.items()
        if old in pack.texts and new not in pack.texts
    }
    for old, new in moved.items():
        text = rename_key(text, _paths(text, locale, pack)[old], new)
    paths = _paths(text, locale, pack)
    obsolete = [key for key in paths if key not in files.templates]
    text = set_aside(text, [paths[key] for key in obsolete])
    missing = {key: t for key, t in files.templates.items() if key not in paths}
    text = insert_entries(text, missing, files.contracts.glossary)
    text = refreshed(text, _paths(text, locale, pack), files.templates, files.contracts.glossary)
    if text != before:
        write_file(pack.file.name, text)
    texts = translated(files, read_pack_file(files.folder, locale))
    state, sources = read_state_file(files.folder, locale), source_texts(files)
    stale = stale_texts(state, sources, texts)
    new_state = updated(state, sources, texts, confirmed)
    if new_state != state:
        write_state_file(files.folder, locale, new_state)
    return {
        "added": len(missing),
        "renamed": len(moved),
        "set aside": len(obsolete),
        "confirmed": len(confirmed & stale.keys()),
        "stale": len(stale.keys() - confirmed),
    }


def _paths(text: str, locale: str, pack: Pack) -> Mapping[str, tuple[str | int, ...]]:
    from ..packfile import read_pack
    from ..tomltext import TomlFile

    return read_pack(TomlFile(text.replace("\r\n", "\n"), pack.file.name), locale).paths
