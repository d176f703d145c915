"""The command `diff`: two catalogs, a catalog and its last release, two languages, stale texts."""

from __future__ import annotations

import difflib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click
from rich.text import Text

from .. import LocalizedRegistry, PromptError, PromptRegistry, load_catalog
from ..catalog import default_directory, read_catalog, read_pack_file, read_state_file
from ..checks import STRUCTURE, Unit
from ..packstate import stale_texts
from ..registry import RegistryDiff
from .common import catalog_options, console, maybe_paged, open_catalog, print_json
from .translate import source_texts, translated

__all__ = ["diff_prompts"]

Line: TypeAlias = tuple[str, str]
"""A line of text, and the style that it is printed in."""


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
    "--stale",
    metavar="LOCALE",
    is_flag=False,
    flag_value="",
    help="What changed in the source since its texts were translated; every pack without LOCALE.",
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
    stale: str | None,
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
    diff --stale [LOCALE]         the source of today and the one that was translated
    diff --saved FILE             the defaults of today and those that saved overrides replaced
    """
    asked = [way for way in (old, since, stale, saved) if way is not None]
    if len(asked) > 1 or (against and not locale) or (locale and (stale or saved)):
        raise click.UsageError("Give OLD, or --since, --stale, --saved, or --locale with --against")
    if saved is not None:
        found = _saved(open_catalog(directory), saved)
    elif stale is not None:
        found = _stale(directory, stale or locale or "")
    elif asked:
        before = load_catalog(old) if old is not None else _at_revision(directory, since or "")
        new = open_catalog(directory)
        if locale is not None:
            before, new = before.localized(locale), new.localized(locale)
        found = _texts(before.diff(new))
    elif locale is not None:
        found = _structure(open_catalog(directory), locale, against)
    else:
        raise click.UsageError(
            "Say what to compare with: OLD, --since, --stale, --saved, or --locale"
        )
    if as_json:
        print_json(found.data)
    else:
        out = console()
        with maybe_paged(out, len(found.lines)):
            for line, style in found.lines:
                out.print(Text(line, style=style))
            out.print(found.summary)
    if found.differs:
        click.get_current_context().exit(1)


class _Found(NamedTuple):
    """What a comparison has found: for programs, and for people."""

    differs: bool
    data: Any
    lines: list[Line]
    summary: str


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


def _texts(changes: RegistryDiff) -> _Found:
    lines = [
        *_whole("-", changes.removed),
        *_whole("+", changes.added),
        *(line for key, pair in changes.changed.items() for line in _unified(key, *pair)),
    ]
    counts = (len(changes.added), len(changes.removed), len(changes.changed))
    summary = "{} added, {} removed, {} changed".format(*counts)
    return _Found(bool(changes), changes._asdict(), lines, summary)


def _whole(sign: str, texts: dict[str, str]) -> Iterator[Line]:
    style = "green" if sign == "+" else "red"
    for key, text in texts.items():
        yield f"{sign} {key}", f"bold {style}"
        for line in text.splitlines():
            yield f"{sign}   {line}", style


def _unified(key: str, old: str, new: str) -> Iterator[Line]:
    yield f"~ {key}", "bold yellow"
    styles = {"+": "green", "-": "red", "@": "cyan"}
    body = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
    for line in list(body)[2:]:
        yield f"  {line}", styles.get(line[0], "")


def _saved(registry: PromptRegistry, path: str) -> _Found:
    from ..saved import load_overrides, stale

    moved = stale(registry, path)
    told = [str(f) for f in load_overrides(registry.copy(), path) if f.code != "override-stale"]
    lines: list[Line] = []
    for one in moved:
        name = one.key if one.locale is None else f"{one.key} [{one.locale}]"
        lines += [*_unified(name, one.base, one.default), ("  the override:", "bold")]
        lines += [(f"    {line}", "") for line in one.text.splitlines()]
    lines += [(finding, "") for finding in told]
    data = {"stale": [one._asdict() for one in moved], "findings": told}
    summary = f"{len(moved)} overrides are stale, {len(told)} findings"
    return _Found(bool(moved or told), data, lines, summary)


def _stale(directory: str | None, locale: str) -> _Found:
    files = read_catalog(directory or default_directory())
    if locale and locale not in files.locales:
        raise click.UsageError(f"There is no pack {locale}.toml; see `agentprompts new`")
    sources = source_texts(files)
    rows: list[dict[str, str]] = []
    told: list[str] = []
    for tag in [locale] if locale else files.locales:
        texts = translated(files, read_pack_file(files.folder, tag))
        state = read_state_file(files.folder, tag)
        stale = stale_texts(state, sources, texts)
        rows += [
            {"key": key, "locale": tag, "old": old, "new": sources[key], "text": texts[key]}
            for key, old in stale.items()
        ]
        told.append(f"{tag}: {len(stale)} of {len(texts)} texts are stale")
        if texts and not state:
            told[-1] = f"{tag}: no bookkeeping yet; `agentprompts update {tag}` begins it"
    lines = [line for row in rows for line in _stale_lines(row, files.source.locale)]
    return _Found(bool(rows), rows, lines, "\n".join(told) or "there is no pack")


def _stale_lines(row: dict[str, str], source: str) -> Iterator[Line]:
    yield from _unified(f"{row['key']} [{source}]", row["old"], row["new"])
    yield f"  as it stands in {row['locale']}:", "bold"
    yield from ((f"    {line}", "") for line in row["text"].splitlines())


def _structure(registry: PromptRegistry, locale: str, against: str | None) -> _Found:
    one = registry.localized(against or registry.source_locale)
    other = registry.localized(locale)
    rows = [row for key in registry if (row := _row(key, one, other)) is not None]
    lines: list[Line] = []
    for row in rows:
        lines.append((row["key"], "bold cyan"))
        lines += [(f"  {finding}", "") for finding in row["findings"]]
    summary = f"{len(rows)} of {len(registry)} prompts differ in structure"
    return _Found(bool(rows), rows, lines, summary)


def _row(key: str, one: LocalizedRegistry, other: LocalizedRegistry) -> dict[str, Any] | None:
    if other.origin(key) == one.origin(key):
        return None
    unit = Unit(key, other.locale, one.get(key), other.text(key))
    findings = [found.message for check in STRUCTURE for found in check.find(unit)]
    before, now = one.text(key).count("\n") + 1, other.text(key).count("\n") + 1
    if before != now:
        findings.append(f"{now} lines here, {before} in {one.locale}")
    return {"key": key, "findings": findings} if findings else None
