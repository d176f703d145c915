"""The commands `export`, `import`, `schema`: packs for other tools, and other people's catalogs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import click

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
from ..exchange import contracts_for, read_json, read_po, write_json, write_po, write_schema
from ..locales import canonical
from ..packfile import is_untranslated, read_pack
from ..packstate import fingerprint, made_from, stale_texts
from ..scanner import Contract
from ..tomltext import TomlFile, quote_key, quote_text, replace_text
from .translate import source_texts, translated

__all__ = ["export_pack", "import_texts", "show_schema"]

_CATALOG = click.option(
    "--catalog",
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A catalog's folder; the default catalog without it.",
)


@click.command("export")
@click.argument("locale")
@click.option(
    "--format",
    "form",
    type=click.Choice(["po", "json", "nested"]),
    default="po",
    show_default=True,
    help="PO, or JSON with flat or with nested keys.",
)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False))
@_CATALOG
def export_pack(locale: str, form: str, output: str | None, directory: str | None) -> None:
    """Write a pack in a form that other tools read; to standard output, or to FILE."""
    files = read_catalog(directory or default_directory())
    texts = _texts_of(files, locale)
    if form == "po":
        state = read_state_file(files.folder, locale)
        stale = stale_texts(state, source_texts(files), texts)
        text = write_po(locale, files.templates, texts, stale, files.contracts.glossary)
    else:
        text = write_json(texts, nested=form == "nested")
    _put(text, output)


def _put(text: str, output: str | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_file(output, text)


def _texts_of(files: CatalogFiles, locale: str) -> dict[str, str]:
    if locale == files.source.locale:
        return dict(files.source.texts)
    if locale not in files.locales:
        raise click.UsageError(f"There is no pack {locale}.toml; see `agentprompts new`")
    return translated(files, read_pack_file(files.folder, locale))


@click.command("schema")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False))
@_CATALOG
def show_schema(output: str | None, directory: str | None) -> None:
    """Write a JSON Schema of the packs: editors complete keys by it, and show the source text.

    A pack names it in its first line: `#:schema ./schema.json`; `agentprompts new` puts that line
    there where the catalog's folder has a `schema.json`.
    """
    files = read_catalog(directory or default_directory())
    _put(write_schema(files.templates, files.contracts.renamed, files.contracts.glossary), output)


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("locale", required=False)
@click.option("--new", "target", metavar="DIR", help="Make a catalog of its own of the JSON file.")
@click.option("--protect", multiple=True, metavar="TOKEN", help="With --new: a protocol token.")
@_CATALOG
def import_texts(
    file: str,
    locale: str | None,
    target: str | None,
    protect: tuple[str, ...],
    directory: str | None,
) -> None:
    """Take the texts of a PO or JSON file into the pack of LOCALE; or, with --new, make a catalog.

    With --new, slots are guessed from the braces, and each token is set for the texts that hold
    it: look through `catalog.toml` before you use it.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"Cannot read {file}: {error}") from None
    if target is not None:
        _new_catalog(text, target, canonical(locale or "en"), protect)
    elif locale is None:
        raise click.UsageError("Name the LOCALE of the texts, or make a catalog with --new DIR")
    else:
        files = read_catalog(directory or default_directory())
        if locale not in files.locales:
            raise click.UsageError(f"There is no pack {locale}.toml; see `agentprompts new`")
        _into_pack(files, locale, text, is_po=file.endswith((".po", ".pot")))


def _into_pack(files: CatalogFiles, locale: str, text: str, is_po: bool) -> None:
    messages = read_po(text) if is_po else {}
    texts = {key: one.text for key, one in messages.items()} if is_po else read_json(text)
    if unknown := [key for key in texts if key not in files.templates]:
        raise PromptError(f"The catalog has no key {unknown[0]!r}")
    name = f"{locale}.toml"
    pack = read_pack_file(files.folder, locale)
    if absent := [key for key in texts if key not in pack.texts and texts[key]]:
        raise PromptError(
            f"The pack {locale}.toml has no place for {absent[0]!r}: "
            "run `agentprompts update` first"
        )
    source = read_source(files.folder, name)
    changed = 0
    for key, new in texts.items():
        same = key not in pack.texts or pack.texts[key] == new
        if same or is_untranslated(new, files.templates[key]):
            continue
        source = replace_text(source, pack.paths[key], new)
        changed += 1
    if changed:
        write_file(pack.file.name, source)
    if is_po:
        _note_fuzzy(files, locale, {key: one.fuzzy for key, one in messages.items()})
    click.echo(f"{pack.file.name}: {changed} texts changed")


def _note_fuzzy(files: CatalogFiles, locale: str, fuzzy: dict[str, bool]) -> None:
    """Write down what a PO file says: a fuzzy text stays stale, any other is right for today."""
    texts = _texts_of(files, locale)
    state = read_state_file(files.folder, locale)
    new = dict(state)
    for key, is_fuzzy in fuzzy.items():
        if key not in texts:
            continue
        before = state.get(key) or made_from("", texts[key])
        if is_fuzzy:
            new[key] = replace(before, text=fingerprint(texts[key]))
        else:
            new[key] = made_from(files.templates[key].template, texts[key])
    if new != state:
        write_state_file(files.folder, locale, new)


def _new_catalog(text: str, target: str, locale: str, protect: tuple[str, ...]) -> None:
    if os.path.lexists(target) and (not os.path.isdir(target) or os.listdir(target)):
        raise click.UsageError(f"{target} is there already, and not empty")
    texts = read_json(text)
    contracts = contracts_for(texts, protect)
    pack = "".join(f"{quote_key([key])} = {quote_text(texts[key])}\n" for key in texts)
    read_pack(TomlFile(pack, f"{locale}.toml"), locale)  # keys that no catalog can have stop here
    os.makedirs(target, exist_ok=True)
    write_file(os.path.join(target, f"{locale}.toml"), pack)
    write_file(os.path.join(target, "catalog.toml"), _contracts_text(contracts, locale))
    slots = sum(len(contract.variables) for contract in contracts.values())
    tokens = sum(len(contract.protected) for contract in contracts.values())
    click.echo(
        f"{target}: {len(texts)} prompts, {slots} slots and {tokens} tokens, to be confirmed"
    )


def _contracts_text(contracts: dict[str, Contract], locale: str) -> str:
    lines = ["[catalog]", f"source = {quote_text(locale, literal=False)}"]
    for key, contract in contracts.items():
        lines += ["", f"[{quote_key([key])}]", 'description = ""']
        for name in ("variables", "protected"):
            if values := getattr(contract, name):
                lines.append(
                    f"{name} = [{', '.join(quote_text(v, literal=False) for v in values)}]"
                )
    return "\n".join([*lines, ""])
