"""What other people's repositories run: the hooks for pre-commit, and the action for GitHub.

The schemas are pre-commit's (`.pre-commit-hooks.yaml`) and GitHub's (metadata of a composite
action), as their manuals give them: which fields there must be, which there may be.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from agentprompts.cli.app import cli

ROOT = Path(__file__).parents[2]
HOOK = {"id", "name", "entry", "language"}
HOOK_MAY = {
    "args", "always_run", "description", "exclude", "files", "minimum_pre_commit_version",
    "pass_filenames", "require_serial", "stages", "types", "types_or",
}  # fmt: skip
BROKEN = "agent.prompts.render('chat.persna')\n"


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


HOOKS: list[dict[str, Any]] = read(".pre-commit-hooks.yaml")
ACTION: dict[str, Any] = read("action.yml")


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_has_the_fields_that_pre_commit_wants(
    hook: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(hook) >= HOOK
    assert set(hook) <= HOOK | HOOK_MAY
    assert hook["language"] == "python"  # it installs this package into an environment of its own
    re.compile(hook["files"])
    program, command, *args = [*shlex.split(hook["entry"]), *map(str, hook.get("args", []))]
    assert program == "agentprompts"
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, [command, *args])
    assert done.exit_code == 0, done.output


def test_the_hooks_are_these() -> None:
    assert [hook["id"] for hook in HOOKS] == ["agentprompts-check", "agentprompts-scan"]


def test_the_action_has_the_fields_that_github_wants() -> None:
    assert set(ACTION) == {"name", "description", "branding", "inputs", "runs"}
    assert all(set(one) == {"description", "default"} for one in ACTION["inputs"].values())
    assert all(isinstance(one["default"], str) for one in ACTION["inputs"].values())
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert set(step) >= {"name", "shell", "run"}
        # An input in the script itself would be run as part of it.
        assert "${{" not in step["run"]
    used = re.findall(r"\$\{\{ inputs\.(\w+) }}", (ROOT / "action.yml").read_text())
    assert sorted(used) == sorted(ACTION["inputs"])


@pytest.mark.parametrize(
    ("inputs", "code", "status"),
    [
        ({"paths": "src more"}, "", 0),
        ({"paths": "src more"}, BROKEN, 1),
        ({}, BROKEN, 0),
        ({"paths": "src", "namespace": "x y"}, "", 1),
        ({"paths": "src", "catalog": "a $(touch owned) b"}, "", 1),
        ({"paths": "src", "strict": "true"}, "prompts.render('chat.persona', x=1)", 1),
    ],
)
def test_the_action_runs_both(
    inputs: dict[str, str], code: str, status: int, tmp_path: Path
) -> None:
    """Its last step is run as it is, with the inputs where GitHub puts them."""
    for name in ("src", "more"):
        (tmp_path / name).mkdir()
    (tmp_path / "src" / "app.py").write_text(code)
    step = ACTION["runs"]["steps"][-1]
    values = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    env = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) }}", lambda found: values[found[1]], value)
        for name, value in step["env"].items()
    }
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={**os.environ, **env, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert (code == BROKEN and status == 1) == ("::error title=key-unknown" in done.stdout)
    assert not (tmp_path / "owned").exists()
