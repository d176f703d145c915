"""The commands `overlays list|show|diff|set|rm`: overlays in a store, from files and to files."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
import tomli_w
from rich.table import Table
from rich.text import Text

from ..errors import PromptError
from ..overlays import Overlay, Scope, ScopeError
from ..stores import NotFoundError, OverlayStore, open_store
from ..tomltext import quote_text, read_toml
from .common import console, print_json

__all__ = ["overlays_group", "read_overlay", "store_options"]

F = TypeVar("F", bound=Callable[..., Any])


class _ScopeType(click.ParamType[Scope]):
    name = "scope"

    def convert(self, value: Any, param: Any, ctx: Any) -> Scope:
        """Return the scope that a text spells."""
        try:
            return value if isinstance(value, Scope) else Scope.parse(value)
        except ScopeError as error:
            self.fail(str(error), param, ctx)


def store_options(*, required: bool) -> Callable[[F], F]:
    """Add `--store` and `--scope` to a command; both can stand in the environment."""

    def add(command: F) -> F:
        command = click.option(
            "--scope",
            type=_ScopeType(),
            metavar="SCOPE",
            envvar="AGENTPROMPTS_SCOPE",
            required=required,
            help="Such as workspace=acme/project=site.",
        )(command)
        return click.option(
            "--store",
            "url",
            metavar="URL",
            envvar="AGENTPROMPTS_STORE",
            required=required,
            help="sqlite:///overlays.db, or postgresql://user:password@host/database.",
        )(command)

    return add


@click.group("overlays")
def overlays_group() -> None:
    """Look at the overlays of a store, and change them.

    An overlay is a TOML file: `model`, `temperature`, `max_tokens`, `tools_added`, `tools_removed`,
    `locks`, and a table [[patches]] with `id`, `body` and `mode` for each patch.
    """


@overlays_group.command("list")
@click.option("--agent", metavar="NAME", help="Only this agent's.")
@click.option("--exact", is_flag=True, help="Only this scope's own, not those beneath it.")
@click.option("--limit", default=100, show_default=True)
@click.option("--offset", default=0)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_options(required=True)
def list_overlays(
    url: str, scope: Scope, agent: str | None, exact: bool, limit: int, offset: int, as_json: bool
) -> None:
    """List the overlays of a scope and of those beneath it, the oldest first."""
    with _opened(url) as store:
        found = store.list(agent, exact=exact, limit=limit, offset=offset, scope=scope)
    if as_json:
        print_json([_as_dict(one) for one in found])
        return
    out = console()
    rows = [(one.agent, str(one.scope), str(one.revision), _summary(one)) for one in found]
    if not out.is_terminal:
        for row in rows:
            click.echo("\t".join(row))
        return
    table = Table("agent", "scope", "revision", "changes", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out.print(table)


@overlays_group.command("show")
@click.argument("agent")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_options(required=True)
def show_overlay(url: str, scope: Scope, agent: str, as_json: bool) -> None:
    """Print an agent's overlay in exactly this scope, as the file that `set` takes."""
    with _opened(url) as store:
        found = store.get_for_agent(agent, scope=scope)
    if as_json:
        print_json(_as_dict(found))
    else:
        click.echo(f"# {found.agent} in {found.scope}, revision {found.revision}")
        click.echo(_as_toml(found), nl=False)


@overlays_group.command("diff")
@click.argument("agent")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@store_options(required=True)
def diff_overlay(url: str, scope: Scope, agent: str, file: str) -> None:
    """Show what `set` would change. Exit with 1 where that is something."""
    new = _as_toml(read_overlay(file, agent))
    with _opened(url) as store:
        old = _as_toml(found) if (found := _find(store, agent, scope)) else ""
    lines = list(
        difflib.unified_diff(old.splitlines(), new.splitlines(), f"{scope}", file, lineterm="")
    )
    out = console()
    for line in lines:
        style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        out.print(Text(line, style=style))
    if lines or found is None:
        click.get_current_context().exit(1)


@overlays_group.command("set")
@click.argument("agent")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--revision", type=int, help="Only where the overlay still has this revision.")
@store_options(required=True)
def set_overlay(url: str, scope: Scope, agent: str, file: str, revision: int | None) -> None:
    """Put a file's overlay in place of the one that an agent has in exactly this scope."""
    new = read_overlay(file, agent)
    with _opened(url) as store:
        old = _find(store, agent, scope)
        if old is None and revision is None:
            made = store.create(new, scope=scope)
        elif old is None:
            raise NotFoundError(f"The agent {agent!r} has no overlay in {scope}")
        else:
            changed = old.changed(new, revision)
            made = store.update(changed, scope=scope)
    click.echo(f"{agent} in {scope}: revision {made.revision}, {_summary(made)}")


@overlays_group.command("rm")
@click.argument("agent")
@click.option("--revision", type=int, help="Only where the overlay still has this revision.")
@store_options(required=True)
def remove_overlay(url: str, scope: Scope, agent: str, revision: int | None) -> None:
    """Take out the overlay that an agent has in exactly this scope."""
    with _opened(url) as store:
        found = store.get_for_agent(agent, scope=scope)
        store.delete(found.id, revision=revision, scope=scope)
    click.echo(f"{agent} in {scope}: removed")


@contextmanager
def _opened(url: str) -> Iterator[OverlayStore]:
    store = open_store(url)
    try:
        yield store
    finally:
        store.close()


def _find(store: OverlayStore, agent: str, scope: Scope) -> Overlay | None:
    try:
        return store.get_for_agent(agent, scope=scope)
    except NotFoundError:
        return None


def read_overlay(file: str, agent: str) -> Overlay:
    """Return the overlay that a TOML file holds.

    Raises:
        PromptError: It cannot be read, or holds something that no overlay has; it is named.
    """
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise PromptError(f"Cannot read {file}: {error.strerror or error}") from error
    toml = read_toml(data, file)
    try:
        return Overlay.from_content(agent, toml.data)
    except PromptError as error:
        found = [one.at(place=toml.place(_path(one.subject))) for one in error.diagnostics]
        raise PromptError(f"Cannot read {file}: invalid overlay", found) from error


def _path(subject: str | None) -> tuple[str | int, ...]:
    parts = (subject or "").split(".")
    return tuple(int(part) if part.isdigit() else part for part in parts)


def _as_toml(overlay: Overlay) -> str:
    content = overlay.content()
    patches = content.pop("patches", [])
    parts = [tomli_w.dumps(content)] if content else []
    for patch in patches:
        lines = [f"{name} = {quote_text(value)}" for name, value in patch.items()]
        parts.append("\n".join(["[[patches]]", *lines, ""]))
    return "\n".join(parts)


def _as_dict(overlay: Overlay) -> dict[str, Any]:
    made = overlay.created_at
    return {
        "id": overlay.id,
        "agent": overlay.agent,
        "scope": str(overlay.scope),
        "revision": overlay.revision,
        "created_at": None if made is None else made.isoformat(),
        **overlay.content(),
    }


def _summary(overlay: Overlay) -> str:
    counts = {
        "patches": len(overlay.patches),
        "tools added": len(overlay.tools_added),
        "tools removed": len(overlay.tools_removed),
        "locks": len(overlay.locks),
    }
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    content = overlay.content()
    parts += [
        f"{name} {content[name]}"
        for name in ("model", "temperature", "max_tokens")
        if name in content
    ]
    return ", ".join(parts) or "nothing"
