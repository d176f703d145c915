"""The commands `assemble` and `overlays`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from agentprompts import DEFAULT_PROMPTS
from agentprompts.cli.app import cli
from agentprompts.sections import CodingContext, default_builder

OVERLAY = """\
model = "small"
temperature = 0
tools_removed = ["shell"]

[[patches]]
id = "tone"
mode = "append"
body = '''
Say "Ahoy".
\\ Twice.'''

[[patches]]
id = "cwd"
body = "no slots"

[[patches]]
id = "house"
body = "New rules."
"""
MODULE = """\
from agentprompts.sections import FromCatalog, PromptBuilder, Section

now = Section("now", lambda ctx: f"It is {ctx}.", 1)
builder = PromptBuilder([now, Section("rules", "Rules. " * 9, 2)])
sections = [Section("a", "A")]
def make(): return [Section("m", "Made.")]
def with_prompts(prompts): return [Section("t", FromCatalog("coding.tone"))]
def broken(): raise RuntimeError("no")
context = "noon"
def late(): return "late"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "overlay.toml").write_text(OVERLAY, encoding="utf-8")
    (tmp_path / "ship.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTPROMPTS_STORE", "sqlite:///overlays.db")
    monkeypatch.setenv("AGENTPROMPTS_SCOPE", "workspace=acme")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "ship", raising=False)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="agentprompts")


def done(*arguments: str, code: int = 0) -> str:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    return result.stdout


def test_the_default_builder_is_assembled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTPROMPTS_STORE")
    builder = default_builder(DEFAULT_PROMPTS)
    import tempfile

    context = CodingContext(str(folder), tempfile.gettempdir())
    assert done("assemble") == builder.build(context) + "\n"
    chinese = DEFAULT_PROMPTS.localized("zh-Hans")
    assert done("assemble", "--locale", "zh-Hans") == builder.build(context, chinese) + "\n"
    assert done("assemble", "--format", "xml") == builder.assemble(context).to_xml()
    for form in ("anthropic", "openai", "messages"):
        method = getattr(builder.assemble(context), f"to_{form}")
        assert json.loads(done("assemble", "--format", form)) == method()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["ship:sections"], "A\n"),
        (["ship:make"], "Made.\n"),
        (["ship:with_prompts"], DEFAULT_PROMPTS.text("coding.tone") + "\n"),
        (["ship:builder", "--context", "ship:context"], f"It is noon.\n\n{'Rules. ' * 9}\n"),
        (["ship:builder", "--context", "ship:late"], f"It is late.\n\n{'Rules. ' * 9}\n"),
    ],
)
def test_a_builder_of_ones_own_is_assembled(
    folder: Path, arguments: list[str], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTPROMPTS_STORE")
    assert done("assemble", *arguments) == text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ship"], "write module:name"),
        (["ship:nothing"], "Cannot import ship:nothing"),
        (["nowhere:x"], "Cannot import nowhere:x"),
        (["ship:broken"], "RuntimeError('no')"),
        (["ship:context"], "which has no sections"),
        (["--agent", "ada", "--scope", "x"], "is no scope"),
        ([], "--store needs --agent and --scope"),
        (["--locale", "!"], "no locale"),
        (["--overlay", "missing.toml"], "does not exist"),
    ],
)
def test_what_cannot_be_assembled_is_a_wrong_usage(
    folder: Path, arguments: list[str], message: str
) -> None:
    result = run("assemble", *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.output
    assert "Traceback" not in result.output


def test_overlays_apply_and_tell_what_they_could_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C10: what is declined is told on the other stream; strict, it fails."""
    monkeypatch.delenv("AGENTPROMPTS_STORE")
    result = run("assemble", "--overlay", "overlay.toml")
    assert result.exit_code == 0
    assert 'Say "Ahoy".\n\\ Twice.' in result.stdout
    assert result.stdout.endswith("New rules.\n")
    assert "overlay.toml, patch 1: 'cwd' declined" in result.stderr
    assert done("assemble", "--overlay", "overlay.toml", "--strict", code=1)


def test_explain_tells_where_each_piece_comes_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTPROMPTS_STORE")
    text = done("assemble", "--overlay", "overlay.toml", "--explain")
    assert "identity  catalog  coding.identity, source [en]\n    You are" in text
    assert "tone  overlay  overlay.toml, patch 0\n" in text
    assert "house  overlay  overlay.toml, patch 2\n    New rules.\n" in text


def test_check_tells_what_defeats_a_models_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTPROMPTS_STORE")
    result = run("assemble", "ship:builder", "--check")
    assert "cache-order" in result.stderr
    assert "cache-order" not in run("assemble", "ship:sections", "--check").stderr


def test_the_life_of_an_overlay(folder: Path) -> None:
    """Create, look, change, compare, apply, remove."""
    assert done("overlays", "list") == ""
    assert "revision 1, 3 patches" in done("overlays", "set", "ada", "overlay.toml")
    shown = done("overlays", "show", "ada")
    (folder / "again.toml").write_text(shown, encoding="utf-8")
    assert done("overlays", "diff", "ada", "again.toml") == ""
    assert "Say \"Ahoy\".\n\\ Twice.'''" in shown
    changed = shown.replace("Ahoy", "Hey")
    (folder / "again.toml").write_text(changed, encoding="utf-8")
    assert '-Say "Ahoy".\n+Say "Hey".' in done("overlays", "diff", "ada", "again.toml", code=1)
    assert "revision 2" in done("overlays", "set", "ada", "again.toml", "--revision", "1")
    stale = run("overlays", "set", "ada", "again.toml", "--revision", "1")
    assert (stale.exit_code, "read it again" in stale.stderr) == (1, True)
    assert "Hey" in done("assemble", "--agent", "ada")
    narrow = "workspace=acme/project=site"
    assert "Hey" in done("assemble", "--agent", "ada", "--scope", narrow)
    assert "Hey" not in done("assemble", "--agent", "bob")
    assert done("overlays", "show", "ada", "--scope", narrow, code=1) == ""
    [listed] = json.loads(done("overlays", "list", "--json"))
    assert (listed["agent"], listed["scope"], listed["revision"]) == ("ada", "workspace=acme", 2)
    assert json.loads(done("overlays", "show", "ada", "--json")) == listed
    assert done("overlays", "list") == (
        "ada\tworkspace=acme\t2\t3 patches, 1 tools removed, model small, temperature 0\n"
    )
    assert done("overlays", "rm", "ada", "--revision", "1", code=1) == ""
    assert "removed" in done("overlays", "rm", "ada")
    assert done("overlays", "rm", "ada", code=1) == ""
    assert done("overlays", "set", "ada", "again.toml", "--revision", "2", code=1) == ""
    assert done("overlays", "list") == ""


def test_every_fault_of_a_file_is_told_with_its_place(folder: Path) -> None:
    (folder / "bad.toml").write_text(
        "tempreature = 1\nmax_tokens = -1\n"
        '[[patches]]\nid = "a"\nbody = "x"\n[[patches]]\nid = "b"\n'
    )
    result = run("overlays", "set", "ada", "bad.toml")
    assert result.exit_code == 1
    for place in (
        "bad.toml:1:1: tempreature",
        "bad.toml:2:1: max_tokens",
        "bad.toml:7:1: patches.1",
    ):
        assert place in result.stderr
    (folder / "worse.toml").write_bytes(b"model = 'x\n")
    assert "worse.toml:1" in run("overlays", "diff", "ada", "worse.toml").stderr


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "sqlite://", "nonsense", "sqlite:////no/such/folder/x.db"]
)
def test_a_store_that_cannot_be_is_an_error_of_ours(folder: Path, url: str) -> None:
    result = run("overlays", "list", "--store", url)
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert result.stderr.count("\n") <= 2


def test_without_a_scope_nothing_is_listed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C29."""
    monkeypatch.delenv("AGENTPROMPTS_SCOPE")
    assert "Missing option '--scope'" in run("overlays", "list").stderr


def test_the_commands_start_without_a_database_library() -> None:
    """An extra is imported on use: the rest of the command line starts without it."""
    code = "import agentprompts.cli.app, sys; print('sqlalchemy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
