"""README's Python runs as it stands, and says what README says that it says."""

from __future__ import annotations

import re
import sys
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from agentprompts import DEFAULT_PROMPTS
from agentprompts.testing import Recorder, pseudo_registry

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def test_the_first_program_prints_what_readme_shows() -> None:
    program = next(text for kind, text in BLOCKS if kind == "python")
    shown = next(text for kind, text in BLOCKS if kind == "")
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    assert out.getvalue() == shown


def test_the_library_programs_catalog_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mylib" / "prompts"
    folder.mkdir(parents=True)
    (tmp_path / "mylib" / "__init__.py").touch()
    for kind, text in BLOCKS:
        if kind == "toml":
            (folder / text.split("\n")[0].lstrip("# ")).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    program = [text for kind, text in BLOCKS if kind == "python"][1]
    module = types.ModuleType("readme")
    exec(compile(program, "README.md", "exec"), module.__dict__)
    assert module.prompts.render("myapp.greeting", name="Ada") == "Greet Ada warmly."
    assert "Answer ADD or NOOP." in module.prompts.render("mylib.pick", fact="x")
    sys.modules.pop("mylib", None)


def test_the_sections_of_readme_make_a_prompt() -> None:
    program = [text for kind, text in BLOCKS if kind == "python"][2]
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    persona, house, mode = out.getvalue().split("\n\n")
    assert persona == "You are a helpful assistant."
    assert house == "Never promise a refund.\nBe kind."
    assert mode == "Answer in one sentence.\n"


def test_the_files_of_readme_are_kept_and_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = [text for kind, text in BLOCKS if kind == "python"][3]
    module = types.ModuleType("readme")
    exec(compile(program, "README.md", "exec"), module.__dict__)
    assert "You are brief." in (tmp_path / "overrides.toml").read_text(encoding="utf-8")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "chat.format.md").write_text("Plain text only.\n", encoding="utf-8")
    assert module.reloading.reload().applied
    assert module.prompts.text("chat.format") == "Plain text only."
    assert module.prompts.text("chat.persona") == "You are brief."


def test_the_leak_of_readme_is_found() -> None:
    program = [text for kind, text in BLOCKS if kind == "python"][4]
    shown = [text for kind, text in BLOCKS if kind == ""][1]
    module = types.ModuleType("readme")
    exec(compile(program, "README.md", "exec"), module.__dict__)
    with pytest.raises(AssertionError) as found:
        module.test_nothing_is_hard_coded(Recorder(pseudo_registry(DEFAULT_PROMPTS)))
    assert f"AssertionError: {found.value}\n" == shown
