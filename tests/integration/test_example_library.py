"""The second example: a library with its prompts in its own wheel, installed beside ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import agentprompts

FRENCH = Path(__file__).parents[2] / "examples" / "library_fr"
EXAMPLE = Path(__file__).parents[2] / "examples" / "library"
PACKAGE = Path(agentprompts.__file__).parent


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return what it printed."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment with the library's wheel, and a language pack's.

    What agentprompts itself needs is taken from the environment that the tests run in.
    """
    folder = tmp_path_factory.mktemp("library")
    wheels = folder / "wheels"
    for project in (EXAMPLE, FRENCH):
        source = folder / project.name
        run("cp", "-r", project, source, cwd=folder)
        pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w")
        run(*pip, wheels, source, cwd=folder)
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    fresh = folder / "venv" / "bin" / "python"
    run(fresh, "-m", "pip", "install", "-q", "--no-deps", *wheels.glob("*.whl"), cwd=folder)
    site = run(fresh, "-c", "import site; print(site.getsitepackages()[0])", cwd=folder).strip()
    ours = [PACKAGE.parent, *(path for path in sys.path if path.endswith("site-packages"))]
    Path(site, "ours.pth").write_text("\n".join(map(str, ours)))
    return fresh


def test_the_library_runs_from_its_own_wheel(python: Path) -> None:
    """M13: its prompts are included, listed, translated and overridden like the built-in ones."""
    app = python.parents[2] / "app.py"
    app.write_bytes((EXAMPLE / "app.py").read_bytes())
    lines = run(python, app, cwd=app.parent).splitlines()
    assert "en: Write the minutes of this meeting" in lines[2]
    assert any(line.startswith("zh-Hans: 请写出这次会议的纪要") for line in lines)
    assert "会议纪要（共 2 项）" in lines
    assert "What we agreed on (2)" in lines
    assert lines[-1].startswith("Invalid prompt override: missing required protocol token")


def test_its_catalog_is_in_the_wheel(python: Path) -> None:
    code = "import minutes; print(minutes.__file__)"
    installed = Path(run(python, "-c", code, cwd=python.parents[2]).strip()).parent
    assert "site-packages" in str(installed)
    names = sorted(path.name for path in (installed / "prompts").iterdir())
    assert names == ["catalog.toml", "en.toml", "zh-Hans.toml"]


DISCOVERING = """
from agentprompts import DEFAULT_PROMPTS
from agentprompts.discovery import discover
import sys
assert "minutes" not in sys.modules
prompts = DEFAULT_PROMPTS.copy()
print([str(found) for found in discover(prompts)])
print(sorted(key for key in prompts if key.startswith("minutes.")))
for locale in ("fr", "zh-Hans", "it"):
    print(prompts.localized(locale).render("minutes.heading", count=2))
print(prompts.localized("fr").origin("minutes.write"))
"""


def test_an_installed_language_pack_extends_the_installed_library(python: Path) -> None:
    """Both are found by their entry points; the pack is texts, and no line of code."""
    lines = run(python, "-c", DISCOVERING, cwd=python.parents[2]).splitlines()
    assert lines == [
        "[]",
        "['minutes.heading', 'minutes.write']",
        "Compte rendu (2 points)",
        "会议纪要（共 2 项）",
        "Minutes (2 points)",
        "pack [fr]",
    ]
    pack = python.parents[1].glob("lib/python*/site-packages/minutes_fr/*")
    assert [path.name for path in pack] == ["fr.toml"]
