"""Commands in a folder, with a limit of time, nothing to read from, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from typing import IO

from agentprompts import PromptRegistry

from .worktool import FaultError, Kind, Parameter, WorkTool, work_tool

MOST_OF_AN_END = 4000
MOST_SECONDS = 600


def shell(prompts: PromptRegistry, root: str | os.PathLike[str]) -> WorkTool:
    """Return the tool that runs a command in a folder."""

    def run(command: str, timeout: int) -> str:
        return run_command(prompts, root, command, timeout)

    return work_tool(
        "shell",
        prompts.ref("tool.shell.description"),
        run,
        Parameter(name="command", about=prompts.ref("tool.shell.parameter.command")),
        Parameter(
            name="timeout",
            about=prompts.ref("tool.shell.parameter.timeout"),
            kind=Kind.NUMBER,
            default=60,
            least=1,
            most=MOST_SECONDS,
        ),
        changes=True,
    )


def run_command(
    prompts: PromptRegistry, root: str | os.PathLike[str], command: str, seconds: float
) -> str:
    """Run a command and return what it printed.

    Raises:
        FaultError: It ended with an exit code other than 0, or its time was up.
    """
    with tempfile.TemporaryFile() as printed:  # a pipe would wait for what runs in the background
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
        output = _output(prompts, printed)
    if code is None:
        raise FaultError("tool.error.command_timeout", seconds=seconds, output=output)
    if code:
        raise FaultError("tool.error.exit_code", code=code, output=output)
    return output


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and whatever it started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()
    process.wait()


def _output(prompts: PromptRegistry, printed: IO[bytes]) -> str:
    """Return an output, the middle left out where it is long: errors stand at either end."""
    size = printed.seek(0, os.SEEK_END)
    printed.seek(0)
    if size <= 2 * MOST_OF_AN_END:
        text = printed.read().decode(errors="replace").strip()
        return text or prompts.text("tool.result.empty")
    # Never the whole of it: a command can print more than memory holds.
    first = printed.read(MOST_OF_AN_END).decode(errors="replace")
    printed.seek(size - MOST_OF_AN_END)
    last = printed.read().decode(errors="replace")
    note = prompts.render("tool.result.left_out", count=size - 2 * MOST_OF_AN_END)
    return f"{first.lstrip()}\n{note}\n{last.rstrip()}"
