"""The command `check`: every pack of a catalog against its source, and the certain mends."""

from __future__ import annotations

from collections.abc import Mapping

import click

from ..catalog import (
    CatalogFiles,
    default_directory,
    read_catalog,
    read_pack_file,
    read_source,
    read_state_file,
)
from ..catalog import write_text as write_file
from ..checks import Unit, review
from ..checks.codes import pages
from ..checks.packs import review_pack
from ..diagnostics import Diagnostic
from ..errors import PromptError
from ..packfile import Pack
from ..packstate import stale_texts
from ..reports import FORMATS, sarif
from ..template import PromptTemplate
from ..tomltext import replace_text

__all__ = ["check_catalog"]

_ROUNDS = 20
"""Most times that the mends of one text are applied: one may bring another to light."""


@click.command("check")
@click.argument("locales", nargs=-1, metavar="[LOCALE]...")
@click.option(
    "--catalog",
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A catalog's folder; the default catalog without it.",
)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True
)
@click.option("--fix", is_flag=True, help="Apply the certain mends, and change nothing else.")
@click.option("--strict", is_flag=True, help="Let warnings fail, too.")
def check_catalog(
    locales: tuple[str, ...], directory: str | None, form: str, fix: bool, strict: bool
) -> None:
    """Check the packs of a catalog: all of them, or those of the locales named.

    Exit with 1 where there is an error: a text that would be left out when it is needed.
    """
    folder = directory or default_directory()
    findings: list[Diagnostic] = []
    sources: dict[str, str] = {}
    try:
        files = read_catalog(folder)
    except PromptError as error:
        findings = list(error.diagnostics) or [_bare(error)]
    else:
        if unknown := [locale for locale in locales if locale not in files.locales]:
            raise click.UsageError(f"There is no pack {unknown[0]}.toml in {folder}")
        sources[files.source.file.name] = files.source.file.text
        for locale in locales or files.locales:
            findings += _check_pack(files, locale, sources, fix)
    if form == "sarif":
        told = {page.code: (page.title, page.markdown()) for page in pages().values()}
        shown = sarif(findings, sources, told)
    else:
        shown = FORMATS[form](findings, sources)
    if shown:
        click.echo(shown)
    failing = [one for one in findings if strict or one.severity == "error"]
    if failing:
        click.get_current_context().exit(1)


def _bare(error: PromptError) -> Diagnostic:
    return Diagnostic(code="file-unreadable", message=error.headline)


def _check_pack(
    files: CatalogFiles, locale: str, sources: dict[str, str], fix: bool
) -> list[Diagnostic]:
    try:
        pack = read_pack_file(files.folder, locale)
        if fix and (mended := _mended(pack, files.templates)):
            pack = _rewritten(files, pack, mended)
    except PromptError as error:
        return list(error.diagnostics) or [_bare(error)]
    sources[pack.file.name] = pack.file.text
    texts = {key: template.template for key, template in files.templates.items()}
    stale = stale_texts(read_state_file(files.folder, locale), texts, pack.texts)
    contracts = files.contracts
    return review_pack(
        pack, files.templates, files.source, contracts.renamed, stale, contracts.glossary
    )


def _mended(pack: Pack, templates: Mapping[str, PromptTemplate]) -> dict[str, str]:
    """Return the texts that certain mends change, mended."""
    found = {}
    for key, text in pack.texts.items():
        if key in templates:
            better = mend_text(Unit(key, pack.locale, templates[key], text), pack.ignores(key))
            if better != text:
                found[key] = better
    return found


def mend_text(unit: Unit, ignored: Mapping[str, str] | None = None) -> str:
    """Return a unit's text with every certain mend applied, and with no error that it had not."""
    errors = _errors(unit)
    for _ in range(_ROUNDS):
        fixes = sorted(
            {one.fix for one in review(unit) if one.fix and one.code not in (ignored or {})}
        )
        if not fixes:
            break
        text, at = [], 0
        for start, end, new in fixes:
            if start >= at:  # of two mends in one place, the next round takes the other
                text += [unit.text[at:start], new]
                at = end
        better = Unit(unit.key, unit.locale, unit.source, "".join([*text, unit.text[at:]]))
        if _errors(better) > errors:
            break
        unit, errors = better, _errors(better)
    return unit.text


def _errors(unit: Unit) -> int:
    return sum(one.severity == "error" for one in review(unit))


def _rewritten(files: CatalogFiles, pack: Pack, mended: Mapping[str, str]) -> Pack:
    """Write the mended texts into the pack's file, and nothing else; return the pack anew."""
    name = f"{pack.locale}.toml"
    source = read_source(files.folder, name)
    for key, text in mended.items():
        source = replace_text(source, pack.paths[key], text)
    write_file(pack.file.name, source)
    return read_pack_file(files.folder, pack.locale)
