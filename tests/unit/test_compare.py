"""`diff` on the command line: two catalogs, a revision, two languages, and what became stale."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agentprompts.cli.app import cli

CATALOG = """\
[catalog]
source = "en"
["chat.ask"]
variables = ["query"]
["chat.hello"]
["chat.list"]
"""
ENGLISH = """\
[chat]
ask = '''
Answer briefly.
One more line.
{query}'''
hello = 'Hello'
list = "1. One\\n2. Two"
"""
FRENCH = """\
[chat]
ask = '''
Répondez.
{query}'''
hello = 'Bonjour'
list = "1. Un\\n2. Deux"
"""
CHANGED = ENGLISH.replace("briefly", "in one sentence")

Run = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, text in {"catalog": CATALOG, "en": ENGLISH, "fr": FRENCH}.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


@pytest.fixture
def run(folder: Path) -> Run:
    def invoke(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(cli, [*arguments, "--catalog", str(folder)])
        assert result.exit_code == code, result.output
        return result.output

    return invoke


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.toml").write_text(text)


STALE = """\
~ chat.ask [en]
  @@ -1,3 +1,3 @@
  -Answer briefly.
  +Answer in one sentence.
   One more line.
   {query}
  as it stands in fr:
    Répondez.
    {query}
fr: 1 of 3 texts are stale
"""


def test_stale_texts_are_shown_with_what_changed_and_as_they_stand(folder: Path, run: Run) -> None:
    run("update")
    write(folder, "en", CHANGED)
    assert run("diff", "--stale", "fr", code=1) == STALE
    assert run("diff", "--stale", code=1) == STALE
    assert run("diff", "--stale", "--locale", "fr", code=1) == STALE
    assert json.loads(run("diff", "--stale", "fr", "--json", code=1)) == [
        {
            "key": "chat.ask",
            "locale": "fr",
            "old": "Answer briefly.\nOne more line.\n{query}",
            "new": "Answer in one sentence.\nOne more line.\n{query}",
            "text": "Répondez.\n{query}",
        }
    ]
    write(folder, "fr", FRENCH.replace("Répondez.", "Répondez en une phrase."))
    assert run("diff", "--stale", "fr") == "fr: 0 of 3 texts are stale\n"


def test_every_pack_is_told_of_and_one_without_bookkeeping_plainly(folder: Path, run: Run) -> None:
    run("update", "fr")
    write(folder, "de", "chat.hello = 'Hallo'\n")
    write(folder, "it", "chat.hello = ''\n")
    told = (
        "de: no bookkeeping yet; `agentprompts update de` begins it\n"
        "fr: 0 of 3 texts are stale\nit: 0 of 0 texts are stale\n"
    )
    assert run("diff", "--stale") == told
    assert run("diff", "--stale", "--locale", "fr") == told.splitlines()[1] + "\n"
    assert json.loads(run("diff", "--stale", "--json")) == []


def test_a_stale_text_under_an_old_key_is_shown(folder: Path, run: Run) -> None:
    run("update")
    renamed = CATALOG.replace('["chat.list"]', '["chat.items"]\nrenamed_from = "chat.list"')
    write(folder, "catalog", renamed)
    write(folder, "en", ENGLISH.replace("list", "items"))
    run("update")
    write(folder, "en", ENGLISH.replace("list", "items").replace("Two", "Three"))
    assert [row["key"] for row in json.loads(run("diff", "--stale", "--json", code=1))] == [
        "chat.items"
    ]


def test_a_catalog_without_packs_has_nothing_stale(folder: Path, run: Run) -> None:
    (folder / "fr.toml").unlink()
    assert run("diff", "--stale") == "there is no pack\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Say what to compare with"),
        (("--stale", "--since"), "Give OLD, or --since, --stale"),
        (("--stale", "fr", "--locale", "fr"), "Give OLD, or --since, --stale"),
        (("--stale", "xx"), "There is no pack xx.toml"),
        (("--against", "fr"), "--locale with --against"),
    ],
)
def test_what_cannot_be_compared_is_said(arguments: tuple[str, ...], words: str, run: Run) -> None:
    assert words in run("diff", *arguments, code=2)


TEXTS = """\
~ chat.ask
  @@ -1,3 +1,3 @@
  -Answer briefly.
  +Answer in one sentence.
   One more line.
   {query}
0 added, 0 removed, 1 changed
"""


def test_two_catalogs_are_compared(folder: Path, tmp_path: Path, run: Run) -> None:
    old = shutil.copytree(folder, tmp_path / "old")
    assert run("diff", str(old)) == "0 added, 0 removed, 0 changed\n"
    write(folder, "en", CHANGED)
    assert run("diff", str(old), code=1) == TEXTS
    changed: dict[str, Any] = json.loads(run("diff", str(old), "--json", code=1))
    assert list(changed["changed"]) == ["chat.ask"]
    assert run("diff", str(old), "--locale", "fr") == "0 added, 0 removed, 0 changed\n"


def test_a_catalog_is_compared_with_its_last_tag(folder: Path, run: Run) -> None:
    user = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*user, "commit", "-qm", "x"), ("tag", "v1")):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    write(folder, "en", CHANGED)
    assert run("diff", "--since", code=1) == TEXTS
    assert run("diff", "--since", "v1", code=1) == TEXTS


def test_the_structure_of_two_languages_is_compared(folder: Path, run: Run) -> None:
    write(folder, "fr", FRENCH.replace("2. ", "- "))
    assert run("diff", "--locale", "fr", code=1) == (
        "chat.ask\n  2 lines here, 3 in en\nchat.list\n"
        "  the items are numbered [1] here, [1, 2] in the source\n"
        "2 of 3 prompts differ in structure\n"
    )
