"""The command `diff`: two catalogs, a catalog and its last release, two languages."""

from __future__ import annotations

import difflib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from .. import LocalizedRegistry, PromptError, PromptRegistry, load_catalog
from ..catalog import default_directory
from ..checks import STRUCTURE, Unit
from .common import catalog_options, console, maybe_paged, open_catalog, print_json

__all__ = ["diff_prompts"]


@click.command("diff")
@click.argument("old", required=False, type=click.Path(exists=True, file_okay=False))
@click.option(
    "--since",
    metavar="REV",
    is_flag=False,
    flag_value="",
    help="Compare with a revision of the folder's git repository; the last tag without REV.",
)
@click.option(
    "--against", metavar="TAG", help="Compare the structure of --locale with this language's."
)
@click.option(
    "--saved",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False),
    help="Show the saved overrides of FILE whose default has changed since.",
)
@catalog_options
def diff_prompts(
    old: str | None,
    since: str | None,
    against: str | None,
    saved: str | None,
    directory: str | None,
    locale: str | None,
    as_json: bool,
) -> None:
    """Show what differs. Exit with 1 where something does.

    \b
    diff OLD                      a catalog's folder and the catalog
    diff --since [REV]            the catalog at a revision, and now
    diff --locale zh-Hans         the structure of a language's texts and the source's
    diff --saved FILE             the defaults that saved overrides replaced, and today's
    """
    if saved is not None:
        if old is not None or since is not None or locale is not None:
            raise click.UsageError("--saved goes without OLD, --since and --locale")
        _show_saved(open_catalog(directory), saved, as_json)
        return
    if sum((old is not None, since is not None)) > 1 or (against and not locale):
        raise click.UsageError("Give OLD, or --since, or --locale with --against")
    new = open_catalog(directory)
    if old is None and since is None:
        if locale is None:
            raise click.UsageError("Say what to compare with: OLD, --since, or --locale")
        _show_structure(new, locale, against, as_json)
        return
    before = load_catalog(old) if old is not None else _at_revision(directory, since or "")
    if locale is not None:
        before, new = before.localized(locale), new.localized(locale)
    _show_texts(before, new, as_json)


def _at_revision(directory: str | None, revision: str) -> PromptRegistry:
    """Return the catalog as it was at a revision, by default that of the last tag."""
    folder = Path(directory or default_directory()).resolve()

    def git(*arguments: str) -> bytes:
        command = ["git", "-C", str(folder), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except FileNotFoundError:
            raise click.UsageError("--since needs git") from None
        if done.returncode:
            raise click.UsageError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    revision = revision or git("describe", "--tags", "--abbrev=0").decode().strip()
    names = git("ls-tree", "-z", "--name-only", revision, "./").decode().split("\0")
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            if name.endswith(".toml") and "/" not in name:
                data = git("show", f"{revision}:./{name}")
                Path(temporary, name).write_bytes(data)
        try:
            found = load_catalog(temporary)
            for tag in found.locales:  # read before the folder goes
                found.localized(tag).as_dict()
        except PromptError as error:
            raise click.UsageError(f"The catalog at {revision} cannot be read: {error}") from None
        return found


def _show_texts(before: PromptRegistry, new: PromptRegistry, as_json: bool) -> None:
    changes = before.diff(new)
    if as_json:
        print_json(changes._asdict())
    else:
        lines = [
            *_texts("-", changes.removed),
            *_texts("+", changes.added),
            *(line for key, pair in changes.changed.items() for line in _unified(key, *pair)),
        ]
        out = console()
        with maybe_paged(out, len(lines)):
            for line, style in lines:
                out.print(Text(line, style=style))
            counts = (len(changes.added), len(changes.removed), len(changes.changed))
            out.print("{} added, {} removed, {} changed".format(*counts))
    if changes:
        click.get_current_context().exit(1)


def _texts(sign: str, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    style = "green" if sign == "+" else "red"
    for key, text in texts.items():
        yield f"{sign} {key}", f"bold {style}"
        for line in text.splitlines():
            yield f"{sign}   {line}", style


def _unified(key: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    yield f"~ {key}", "bold yellow"
    styles = {"+": "green", "-": "red", "@": "cyan"}
    body = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    for line in list(body)[2:]:
        yield f"  {line}", styles.get(line[0], "")


def _show_saved(registry: PromptRegistry, path: str, as_json: bool) -> None:
    from ..saved import load_overrides, stale

    found = stale(registry, path)
    told = [f for f in load_overrides(registry.copy(), path) if f.code != "override-stale"]
    if as_json:
        rows = [one._asdict() for one in found]
        print_json({"stale": rows, "findings": [str(finding) for finding in told]})
    else:
        out = console()
        for one in found:
            name = one.key if one.locale is None else f"{one.key} [{one.locale}]"
            for line, style in _unified(name, one.base, one.default):
                out.print(Text(line, style=style))
            out.print(Text("  the override:", style="bold"))
            for line in one.text.splitlines():
                out.print(Text(f"    {line}"))
        for finding in told:
            out.print(Text(str(finding)))
        out.print(f"{len(found)} overrides are stale, {len(told)} findings")
    if found or told:
        click.get_current_context().exit(1)


def _show_structure(
    registry: PromptRegistry, locale: str, against: str | None, as_json: bool
) -> None:
    one = registry.localized(against or registry.source_locale)
    other = registry.localized(locale)
    rows = [row for key in registry if (row := _row(key, one, other)) is not None]
    if as_json:
        print_json(rows)
    else:
        out = console()
        for row in rows:
            out.print(Text(row["key"], style="bold cyan"))
            for finding in row["findings"]:
                out.print(Text(f"  {finding}"))
        out.print(f"{len(rows)} of {len(registry)} prompts differ in structure")
    if rows:
        click.get_current_context().exit(1)


def _row(key: str, one: LocalizedRegistry, other: LocalizedRegistry) -> dict[str, Any] | None:
    if other.origin(key) == one.origin(key):
        return None
    unit = Unit(key, other.locale, one.get(key), other.text(key))
    findings = [found.message for check in STRUCTURE for found in check.find(unit)]
    before, now = one.text(key).count("\n") + 1, other.text(key).count("\n") + 1
    if before != now:
        findings.append(f"{now} lines here, {before} in {one.locale}")
    return {"key": key, "findings": findings} if findings else None
