"""The command `scan`: the keys that Python code uses, held against a catalog."""

from __future__ import annotations

import os
import tokenize
from collections.abc import Iterable, Iterator

import click

from .. import PromptError, PromptRegistry
from ..catalog import default_directory, load_catalog, read_catalog
from ..diagnostics import Diagnostic, Place
from ..reports import FORMATS
from ..scan import scan, unreadable

__all__ = ["scan_code"]

_SKIPPED = {"__pycache__", "node_modules", "site-packages"}


@click.command("scan")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(exists=True))
@click.option(
    "--catalog",
    "directory",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="A catalog's folder; the default catalog without it.",
)
@click.option("--namespace", metavar="NAME", help="The namespace that the code puts it under.")
@click.option("--unused", is_flag=True, help="Report keys that none of the code uses, too.")
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True
)
@click.option("--strict", is_flag=True, help="Let warnings fail, too.")
def scan_code(
    paths: tuple[str, ...],
    directory: str | None,
    namespace: str | None,
    unused: bool,
    form: str,
    strict: bool,
) -> None:
    """Check how Python code uses prompts: unknown keys, missing and unknown slots.

    PATH is a file, or a folder of which all Python files are read. A comment
    `# agentprompts: ignore` silences its line. Exit with 1 where there is an error.
    """
    folder = directory or default_directory()
    findings: list[Diagnostic] = []
    sources: dict[str, str] = {}
    try:
        registry, places = _catalog(folder, namespace)
    except PromptError as error:
        findings = list(error.diagnostics) or [
            Diagnostic(code="file-unreadable", message=error.headline)
        ]
    else:
        for name in _files(paths):
            try:
                with tokenize.open(name) as file:  # in the encoding that its first lines say
                    sources[name] = file.read()
            except (OSError, SyntaxError, ValueError, LookupError) as error:
                findings.append(unreadable(name, error))
        findings += scan(sources, registry, places if unused else None)
    if shown := FORMATS[form](findings, sources):
        click.echo(shown)
    if any(strict or one.severity == "error" for one in findings):
        click.get_current_context().exit(1)


def _catalog(folder: str, namespace: str | None) -> tuple[PromptRegistry, dict[str, Place]]:
    """Return a catalog under its namespace, and where each of its keys is declared."""
    contracts = read_catalog(folder).contracts
    registry, prefix = load_catalog(folder), ""
    if namespace is not None:
        outer = PromptRegistry()
        outer.namespace(namespace).include(registry)
        registry, prefix = outer, f"{namespace}."
    return registry, {
        prefix + key: contracts.file.place(path) for key, path in contracts.paths.items()
    }


def _files(paths: Iterable[str]) -> Iterator[str]:
    """Yield every Python file, sorted; a file that is named is one, whatever its ending."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(
                name
                for name in folders
                if name not in _SKIPPED
                and not name.startswith(".")
                and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
            )
            files = (
                os.path.normpath(os.path.join(folder, name))
                for name in sorted(names)
                if name.endswith(".py")
            )
            yield from filter(os.path.isfile, files)
