"""The command `agentprompts`, its commands, and how errors reach a person."""

from __future__ import annotations

import io
import sys
from typing import Any, NoReturn

import click

from .. import PromptError
from .assemble import assemble_prompt
from .check import check_catalog
from .compare import diff_prompts
from .explain import explain_code
from .look import list_prompts, render_prompt, show_prompt
from .overlays import overlays_group
from .scan import scan_code
from .transfer import export_pack, import_texts, show_schema
from .translate import new_pack, show_status, update_pack

__all__ = ["main"]


class _Group(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of the catalog is told, not traced."""
        try:
            return super().invoke(ctx)
        except PromptError as error:
            click.echo(str(error), err=True)
            ctx.exit(1)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("agentprompts")
    except PackageNotFoundError:
        return "unknown: it is not installed"


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="agentprompts")
def cli() -> None:
    """Look at the prompts of a catalog, in any of its languages."""


cli.add_command(list_prompts)
cli.add_command(show_prompt)
cli.add_command(render_prompt)
cli.add_command(diff_prompts)
cli.add_command(check_catalog)
cli.add_command(explain_code)
cli.add_command(new_pack)
cli.add_command(show_status)
cli.add_command(update_pack)
cli.add_command(export_pack)
cli.add_command(import_texts)
cli.add_command(show_schema)
cli.add_command(assemble_prompt)
cli.add_command(overlays_group)
cli.add_command(scan_code)


def main() -> NoReturn:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal or a pipe cannot show is escaped, not a reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="agentprompts")
    raise SystemExit(0)  # pragma: no cover  # click has exited
