"""`list`, `show` and `render` on the command line: options, values, exit codes, plain output."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.console import Console

from agentprompts import DEFAULT_PROMPTS
from agentprompts.cli import look
from agentprompts.cli.app import cli

CONTRACTS = """\
[catalog]
source = "en"
["chat.ask"]
description = "Asks the [question]."
variables = ["query", "tone"]
protected = ["ADD", "[x]"]
["chat.hello"]
["工具.错误"]
["memory"]
["plan.a_rather_long_name.of_a_prompt"]
"""
ENGLISH = """\
chat.ask = '''

  \t Ask [bold]{query}[/bold] in {tone} tone: ADD or [x].
Second line.'''
chat.hello = 'Hello'
'工具.错误' = 'A tool failed, and the message that tells of it is longer than sixty characters.'
memory = ''
plan.a_rather_long_name.of_a_prompt = '\ttabs\tand trailing blanks  '
"""
FRENCH = """\
chat.ask = 'Demande {query}, {tone} : ADD, [x].'
'工具.错误' = '工具出错了：请检查参数，然后重试。😀 é§'
""".replace("§", "很长的消息" * 9)


KEYS = ["chat.ask", "chat.hello", "工具.错误", "memory", "plan.a_rather_long_name.of_a_prompt"]


def flat(data: dict[str, Any], prefix: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in data.items():
        texts |= (
            flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
        )
    return texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {"catalog": CONTRACTS, "en": ENGLISH, "fr": FRENCH}
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


Run = Callable[..., Result]


@pytest.fixture
def run(folder: Path) -> Run:
    """Run a command on the catalog of this file; nothing but an exit may come up."""

    def invoke(*arguments: str, stdin: bytes | None = None, catalog: bool = True) -> Result:
        options = ["--catalog", str(folder)] if catalog else []
        result = CliRunner().invoke(cli, [*arguments, *options], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return invoke


def process(
    *arguments: str | bytes, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "agentprompts", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        check=False,
    )


# list


def rows(result: Result) -> list[list[str]]:
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_list_shows_key_locale_length_and_first_line(run: Run) -> None:
    """H6: name, length and first non-blank line, 60 characters at most."""
    found = rows(run("list"))
    texts = flat(tomllib.loads(ENGLISH))
    assert [row[:3] for row in found] == [[key, "en", str(len(texts[key]))] for key in KEYS]
    assert [row[3] for row in found[:4]] == [
        "Ask [bold]{query}[/bold] in {tone} tone: ADD or [x].",
        "Hello",
        "A tool failed, and the message that tells of it is longer t…",
        "",
    ]
    assert len(found[2][3]) == 60
    assert all(len(row) == 4 for row in found), "a tab in a text is no column"


SELECTIONS: dict[str, tuple[list[str], list[str]]] = {
    "a namespace": (["chat"], ["chat.ask", "chat.hello"]),
    "a key": (["chat.hello"], ["chat.hello"]),
    "a key that is short": (["memory"], ["memory"]),
    "no namespace by half a name": (["cha"], []),
    "a namespace that there is not": (["nothing"], []),
    "words": (["--text", "hello"], ["chat.hello"]),
    "words in another case": (["--text", "ASK [BOLD]"], ["chat.ask"]),
    "words of a later line": (["--text", "second line"], ["chat.ask"]),
    "words and a namespace": (["chat", "--text", "o"], ["chat.ask", "chat.hello"]),
    "words in the locale's texts": (["--text", "工具", "--locale", "fr"], ["工具.错误"]),
    "words that are no pattern": (["--text", "[x]."], ["chat.ask"]),
    "words in no text": (["--text", "xyz"], []),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_list_selects_by_namespace_and_words(name: str, run: Run) -> None:
    arguments, keys = SELECTIONS[name]
    assert [row[0] for row in rows(run("list", *arguments))] == keys
    assert [row["key"] for row in json.loads(run("list", "--json", *arguments).stdout)] == keys


def test_list_in_a_locale_says_where_each_text_comes_from(run: Run) -> None:
    found = rows(run("list", "--locale", "fr_CA"))
    assert [(row[0], row[1]) for row in found] == [
        ("chat.ask", "fr"),
        ("chat.hello", "en"),
        ("工具.错误", "fr"),
        ("memory", "en"),
        ("plan.a_rather_long_name.of_a_prompt", "en"),
    ]
    assert found[0][3] == "Demande {query}, {tone} : ADD, [x]."


def test_list_as_json_has_the_same_fields(run: Run) -> None:
    result = run("list", "chat", "--json", "--locale", "fr")
    assert json.loads(result.stdout) == [
        {
            "key": "chat.ask",
            "locale": "fr",
            "length": 35,
            "first_line": "Demande {query}, {tone} : ADD, [x].",
        },
        {"key": "chat.hello", "locale": "en", "length": 5, "first_line": "Hello"},
    ]


def test_without_a_catalog_the_default_is_listed(run: Run) -> None:
    assert [row[0] for row in rows(run("list", catalog=False))] == DEFAULT_PROMPTS.keys()


def table(monkeypatch: pytest.MonkeyPatch, width: int, *arguments: str) -> list[str]:
    """Return the lines of a table as a terminal of a width shows it."""
    out = io.StringIO()
    terminal = Console(
        file=out, force_terminal=True, color_system=None, width=width, height=1000, highlight=False
    )
    monkeypatch.setattr(look, "console", lambda: terminal)
    result = CliRunner().invoke(cli, ["list", *arguments])
    assert result.exit_code == 0, result.output
    return out.getvalue().splitlines()


def cells(line: str, start: int, end: int | None = None) -> str:
    """Return what stands in some of the cells of a terminal's line."""
    at, found = 0, ""
    for char in line:
        if at >= start and (end is None or at < end):
            found += char
        at += cell_len(char)
    return found


@pytest.mark.parametrize("width", [80, 100, 200])
def test_columns_are_aligned_by_cells_whatever_the_script(
    width: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = table(monkeypatch, width, "--catalog", str(folder), "--locale", "fr")
    head, body, foot = lines[0], lines[1:-1], lines[-1]
    assert foot == "5 of 5 prompts"
    assert len(body) == 5, "a row is a line"
    assert max(map(cell_len, lines)) <= width
    locale, first = head.index("locale"), head.index("first line")
    right = head.index("length") + len("length")
    texts = flat(tomllib.loads(ENGLISH)) | flat(tomllib.loads(FRENCH))
    locales = ["fr", "en", "fr", "en", "en"]
    starts = ["Demande {query}", "Hello", "工具出错了：请检查", "", "tabs"]
    assert [cells(line, 0, locale).strip() for line in body] == KEYS
    assert [cells(line, locale, locale + 6).strip() for line in body] == locales
    lengths = [cells(line, right - 6, right).strip() for line in body]
    assert lengths == [str(len(texts[key])) for key in KEYS]
    for line, start in zip(body, starts, strict=True):
        assert cells(line, first).startswith(start)


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("locale", ["en", "zh-Hans"])
def test_the_default_catalog_is_readable_on_a_terminal(
    width: int, locale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H6: name and length are there on a narrow terminal, too; the first line gives way."""
    lines = table(monkeypatch, width, "--locale", locale)
    assert lines[0].split() == ["key", "locale", "length", "first", "line"]
    body = lines[1:-1]
    assert [line.split()[0] for line in body] == DEFAULT_PROMPTS.keys()
    assert {line.split()[1] for line in body} == {locale}
    lengths = [str(len(text)) for text in DEFAULT_PROMPTS.localized(locale).as_dict().values()]
    assert [line.split()[2] for line in body] == lengths
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("locale", ["fr", "zh-Hant-HK", "sl-rozaj-1994"])
def test_wide_keys_and_long_locales_are_shown_whole(
    width: int, locale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = ["工具.错误的消息很长", "工具.错", "a.b"]
    contracts = "".join(f"['{key}']\n" for key in keys)
    (tmp_path / "catalog.toml").write_text(f"[catalog]\nsource = 'en'\n{contracts}")
    for name in ("en", locale):
        texts = "".join(f"'{key}' = '{name}: 文 {key}'\n" for key in keys)
        (tmp_path / f"{name}.toml").write_text(texts)
    lines = table(monkeypatch, width, "--catalog", str(tmp_path), "--locale", locale)
    first = cell_len(lines[0][: lines[0].index("first line")])
    assert len(lines) == 5
    for line, key in zip(lines[1:-1], keys, strict=True):
        assert line.split()[:2] == [key, locale]
        text, told = f"{locale}: 文 {key}", cells(line, first).strip()
        assert told == text or (width == 80 and text.startswith(told.rstrip("…")))


@pytest.mark.parametrize(
    ("length", "shown"), [(59, "x" * 59), (60, "x" * 60), (61, "x" * 59 + "…")]
)
def test_a_first_line_is_cut_after_sixty_characters(
    length: int, shown: str, run: Run, folder: Path
) -> None:
    """H6"""
    english = ENGLISH.replace("'Hello'", f"'{'x' * length}'")
    (folder / "en.toml").write_text(english)
    assert rows(run("list", "chat.hello"))[0][3] == shown


# show


def test_show_has_contract_origin_and_text(run: Run) -> None:
    result = run("show", "chat.ask")
    assert (result.exit_code, result.stderr) == (0, "")
    text = ENGLISH.split("'''")[1][1:]
    assert result.stdout == (
        "chat.ask\nAsks the [question].\nslots: {query}  {tone}\ntokens: ADD  [x]\n\n"
        f"source [en]\n{text}\n"
    )


def test_show_prints_a_text_as_it_is(run: Run) -> None:
    """Piped, it is for programs: tabs and trailing blanks are the prompt's own."""
    result = run("show", "plan.a_rather_long_name.of_a_prompt")
    assert result.stdout.endswith("\n\ttabs\tand trailing blanks  \n")


def test_show_in_a_locale_and_in_all(run: Run) -> None:
    assert run("show", "chat.ask", "--locale", "fr").stdout.endswith(
        "\n\npack [fr]\nDemande {query}, {tone} : ADD, [x].\n"
    )
    fallen = run("show", "chat.hello", "--locale", "fr").stdout
    assert fallen == "chat.hello\nslots: none\ntokens: none\n\nsource [en]\nHello\n"
    every = run("show", "chat.ask", "--all").stdout
    assert every.index("source [en]") < every.index("pack [fr]") < every.index("Demande")
    assert run("show", "chat.ask", "--all", "--locale", "fr").stdout.count("{query}") == 3


def test_show_as_json_has_the_text_as_it_is(run: Run) -> None:
    one: dict[str, Any] = {
        "key": "chat.ask",
        "locale": "fr",
        "origin": "pack",
        "description": "Asks the [question].",
        "variables": ["query", "tone"],
        "protected": ["ADD", "[x]"],
        "text": "Demande {query}, {tone} : ADD, [x].",
    }
    assert json.loads(run("show", "chat.ask", "--locale", "fr", "--json").stdout) == one
    both = json.loads(run("show", "chat.ask", "--all", "--json").stdout)
    assert both[1] == one
    assert (both[0]["locale"], both[0]["origin"]) == ("en", "source")
    assert both[0]["text"] == ENGLISH.split("'''")[1][1:]
    assert "工具" in run("show", "工具.错误", "--json", "--locale", "fr").stdout, (
        "readable as it is"
    )


class Paged(Console):
    """A terminal that remembers whether a pager was asked for."""

    asked = False

    def pager(self, *arguments: Any, **options: Any) -> Any:
        self.asked = True
        assert options == {"styles": True}
        return nullcontext()


def shown(
    monkeypatch: pytest.MonkeyPatch, *arguments: str, height: int = 1000, colour: bool = True
) -> tuple[str, bool]:
    """Return what a terminal shows, and whether in a pager."""
    out = io.StringIO()
    terminal = Paged(
        file=out,
        force_terminal=True,
        color_system="standard" if colour else None,
        width=200,
        height=height,
        highlight=False,
    )
    monkeypatch.setattr(look, "console", lambda: terminal)
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.output
    return out.getvalue(), terminal.asked


STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("key", ["chat.ask", "chat.hello", "工具.错误"])
def test_show_on_a_terminal_marks_slots_and_tokens_and_says_the_same(
    key: str, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["show", key, "--catalog", str(folder), "--all"]
    plain = run("show", key, "--all").stdout
    text, _ = shown(monkeypatch, *options)
    assert STYLE.sub("", text).split() == plain.split()
    assert text.count("\n") == plain.count("\n")
    for slot in ("{query}", "{tone}") if key == "chat.ask" else ():
        assert text.count(f"\x1b[1;32m{slot}\x1b[0m") == 2, "in both texts"
        assert text.count(f"\x1b[2;32m{slot}\x1b[0m") == 1, "in the contract"
    for token in ("ADD", "[x]") if key == "chat.ask" else ():
        assert text.count(f"\x1b[1;33m{token}\x1b[0m") == 2
        assert text.count(f"\x1b[2;33m{token}\x1b[0m") == 1


@pytest.mark.parametrize("command", [["list"], ["show", "chat.ask"], ["show", "chat.ask", "--all"]])
def test_what_is_longer_than_the_terminal_is_paged(
    command: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*command, "--catalog", str(folder)]
    text, paged = shown(monkeypatch, *command)
    assert not paged
    height = text.count("\n")
    again, paged = shown(monkeypatch, *command, height=height - 1)
    assert (again, paged) == (text, True)
    assert not shown(monkeypatch, *command, height=height + 8)[1]


@pytest.mark.parametrize("command", [["list"], ["show", "bell"]])
def test_a_text_cannot_speak_to_the_terminal(
    command: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An escape sequence in somebody's pack would set the title, or hide what stands there."""
    (folder / "catalog.toml").write_text('[catalog]\nsource = "en"\n["bell"]\n')
    (folder / "en.toml").write_text('bell = "a\\u001b]0;title\\u0007b\\u009b2Jc"\n')
    text, _ = shown(monkeypatch, *command, "--catalog", str(folder), colour=False)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


# render


RENDERED: dict[str, tuple[list[str], bytes, str]] = {
    "values": (["query=q", "tone=t"], b"", "Demande q, t : ADD, [x].\n"),
    "an empty value": (["query=", "tone=t"], b"", "Demande , t : ADD, [x].\n"),
    "an equals sign": (["query=a=b=", "tone=t"], b"", "Demande a=b=, t : ADD, [x].\n"),
    "a value like a slot": (["query={tone}", "tone=t"], b"", "Demande {tone}, t : ADD, [x].\n"),
    "a value like markup": (["query=[red]x", "tone=t"], b"", "Demande [red]x, t : ADD, [x].\n"),
    "a value like an option": (["query=-x", "tone=--y"], b"", "Demande -x, --y : ADD, [x].\n"),
    "an at sign": (["query=@@x", "tone=a@b"], b"", "Demande @x, a@b : ADD, [x].\n"),
    "two at signs": (["query=@@@x", "tone=t"], b"", "Demande @@x, t : ADD, [x].\n"),
    "from a file": (["query=@{file}", "tone=t"], b"", "Demande é\r\n漢, t : ADD, [x].\n"),
    "from stdin": (["query=@-", "tone=t"], "é\n".encode(), "Demande é\n, t : ADD, [x].\n"),
    "from an empty stdin": (["query=@-", "tone=t"], b"", "Demande , t : ADD, [x].\n"),
    "one that no slot asks for": (["query=q", "tone=t", "x=y"], b"", "Demande q, t : ADD, [x].\n"),
}


@pytest.mark.parametrize("name", RENDERED)
def test_render_fills_the_slots(name: str, run: Run, tmp_path: Path) -> None:
    arguments, stdin, expected = RENDERED[name]
    file = tmp_path / "value.txt"
    file.write_bytes("é\r\n漢".encode())
    arguments = [argument.replace("{file}", str(file)) for argument in arguments]
    result = run("render", "chat.ask", *arguments, "--locale", "fr", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes.decode() == expected
    result = run("render", "chat.ask", *arguments, "--locale", "fr", "--json", stdin=stdin)
    assert json.loads(result.stdout_bytes) == {
        "key": "chat.ask",
        "locale": "fr",
        "text": expected[:-1],
    }


def test_render_without_slots_and_in_the_source_language(run: Run) -> None:
    assert run("render", "chat.hello").stdout == "Hello\n"
    assert (
        run("render", "chat.hello", "--locale", "fr", "--json").stdout
        == json.dumps({"key": "chat.hello", "locale": "en", "text": "Hello"}, indent=2) + "\n"
    )


# Bad input: (arguments, exit code, words). 1 is for what is wrong with a catalog, 2 for usage.

BAD: dict[str, tuple[list[str], int, str]] = {
    "no command": ([], 2, "Usage:"),
    "an unknown command": (["frob"], 2, "No such command 'frob'"),
    "an unknown option": (["list", "--frob"], 2, "No such option"),
    "two namespaces": (["list", "a", "b"], 2, "unexpected extra argument"),
    "no key": (["show"], 2, "Missing argument 'KEY'"),
    "an unknown key": (["show", "chat.aks"], 2, "did you mean 'chat.ask'?"),
    "an unknown key to render": (["render", "nothing.like.it"], 2, "'nothing.like.it'"),
    "a key in a locale": (["show", "chat.aks", "--locale", "fr"], 2, "'chat.ask'"),
    "an empty key": (["show", ""], 2, "''"),
    "half a surrogate": (["show", "\udcff"], 2, r"\udcff"),
    "a bad locale": (["list", "--locale", "en_US@x=../.."], 2, "'en_US@x=../..' is no locale"),
    "a bad locale to show": (["show", "chat.ask", "--locale", "../en"], 2, "'../en' is no locale"),
    "a bad locale to render": (["render", "chat.hello", "--locale", "?"], 2, "'?' is no locale"),
    "no value": (["render", "chat.ask"], 2, "['query', 'tone']"),
    "one value of two": (["render", "chat.ask", "query=q", "ton=t"], 2, "['ton']"),
    "a value without a name": (["render", "chat.ask", "q"], 2, "write name=value"),
    "a value from no file": (["render", "chat.ask", "query=@/no/file"], 2, "'query'"),
    "a value from a folder": (["render", "chat.ask", "query=@/"], 2, "Is a directory"),
    "a value from nowhere": (["render", "chat.ask", "query=@"], 2, "'query'"),
    "a folder that there is not": (["list", "--catalog", "/no/folder"], 2, "does not exist"),
    "a folder that is a file": (["list", "--catalog", "{folder}/en.toml"], 2, "is a file"),
    "a folder that is no catalog": (["list", "--catalog", "{folder}/empty"], 1, "catalog.toml"),
    "a broken catalog": (["list", "--catalog", "{folder}/broken"], 1, "catalog.toml:3:3"),
    "a broken source": (["show", "a", "--catalog", "{folder}/source"], 1, "en.toml:1:5"),
    "a source that is a folder": (["list", "--catalog", "{folder}/fake"], 1, "no regular file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_without_a_traceback(name: str, run: Run, folder: Path) -> None:
    for inner, files in {
        "empty": {},
        "broken": {"catalog.toml": "[catalog]\nsource = 'en'\n[a\n", "en.toml": ""},
        "source": {"catalog.toml": CONTRACTS, "en.toml": "a = b\n"},
        "fake": {"catalog.toml": CONTRACTS},
    }.items():
        (folder / inner).mkdir()
        for file, text in files.items():
            (folder / inner / file).write_text(text)
    (folder / "fake" / "en.toml").mkdir()
    arguments, code, words = BAD[name]
    arguments = [argument.replace("{folder}", str(folder)) for argument in arguments]
    catalog = bool(arguments) and arguments[0] != "frob" and "--catalog" not in arguments
    result = run(*arguments, catalog=catalog)
    assert result.exit_code == code
    assert words in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_bytes_that_are_no_text_are_no_value(run: Run, tmp_path: Path) -> None:
    (tmp_path / "value").write_bytes(b"caf\xe9")
    for argument in ("query=@-", f"query=@{tmp_path / 'value'}"):
        result = run("render", "chat.ask", argument, "tone=t", stdin=b"caf\xe9")
        assert result.exit_code == 2
        assert "'query'" in result.stderr


def test_a_broken_pack_is_told_of_and_does_not_stop_the_rest(folder: Path) -> None:
    (folder / "fr.toml").write_text("chat.ask = 'Demande'\n")
    done = process("list", "--catalog", str(folder), "--locale", "fr")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 5
    assert f"{folder / 'fr.toml'}:1:1".encode() in done.stderr
    assert b"{query}" in done.stderr
    assert b"Traceback" not in done.stderr


HELP = [["--help"], ["-h"], ["list", "--help"], ["show", "-h"], ["render", "--help"]]


@pytest.mark.parametrize("arguments", HELP, ids=" ".join)
def test_help_is_there_for_every_command(arguments: list[str], run: Run) -> None:
    result = run(*arguments, catalog=False)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")
    for option in ("--catalog", "--locale", "--json")[: 3 * (len(arguments) - 1)]:
        assert option in result.stdout


# As a process of its own


def test_the_module_runs_as_a_command() -> None:
    done = process("render", "context.current_question", "query=@-", stdin=b"why?")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"[Current question]\nwhy?\n", b"")
    done = process("show", "memory.extrct")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"did you mean 'memory.extract'?" in done.stderr


def test_the_version_is_told_or_said_to_be_unknown() -> None:
    """A checkout that is not installed has no version to tell, and still no traceback."""
    assert b"Traceback" not in process("--version").stderr


ENCODINGS = {
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "Windows": {"PYTHONIOENCODING": "cp1252"},
    "the C locale": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
}


@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        (["list", "context"], "Windows"),
        (["show", "context.current_question"], "ASCII"),
        (["show", "context.current_question"], "Windows"),
        (["show", "context.current_question"], "the C locale"),
        (["render", "memory.none"], "Windows"),
    ],
)
def test_an_output_that_cannot_write_chinese_is_no_traceback(
    command: list[str], encoding: str
) -> None:
    done = process(*command, "--locale", "zh-Hans", env=ENCODINGS[encoding])
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2)
    assert done.stdout or done.stderr


def test_an_argument_that_is_no_text_is_no_traceback() -> None:
    strict = {"PYTHONIOENCODING": "utf-8:strict"}
    done = process("render", "context.current_question", b"query=caf\xe9", env=strict)
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 2)


def in_terminal(*arguments: str, **variables: str) -> str:
    """Return what a command prints on a terminal."""
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "PAGER")}
    env |= {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "1000", **variables}
    command = [sys.executable, "-m", "agentprompts", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as child:
        os.close(theirs)
        data = b""
        while select.select([ours], [], [], 20)[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            data += chunk
        assert child.wait(20) == 0
    os.close(ours)
    return data.decode()


COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-9]|4[0-9]|9[0-7])(?:;\d+)*m")


@pytest.mark.parametrize("command", [["list", "context"], ["show", "context.current_question"]])
def test_colours_are_for_terminals_only_and_there_not_against_no_color(command: list[str]) -> None:
    shown = in_terminal(*command)
    assert COLOUR.search(shown)
    plain = in_terminal(*command, NO_COLOR="1")
    assert not COLOUR.search(plain)
    escapes = re.compile(r"\x1b\[[0-9;]*m")
    assert escapes.sub("", plain) == escapes.sub("", shown)
    assert b"\x1b" not in process(*command).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show", "react."], ["react.observation", "react.out_of_steps"]),
        (["render", "memory.rec"], ["memory.recall", "memory.reconcile", "memory.reconcile_user"]),
        (["show", "--locale", "zh"], ["zh-Hans"]),
    ],
)
def test_a_shell_completes_keys_and_locales(words: list[str], expected: list[str]) -> None:
    complete = ShellComplete(cli, {}, "agentprompts", "_X")
    found = [item.value for item in complete.get_completions(words[:-1], words[-1])]
    assert set(expected) <= set(found)
    assert all(value.startswith(words[-1]) for value in found)


def test_a_folder_of_markdown_files_is_listed_and_shown_too(tmp_path: Path) -> None:
    """H6: name, length and first line in a list; all of it by another command."""
    (tmp_path / "coding.md").write_text("\n# Role\n\nYou code.\n", encoding="utf-8")
    (tmp_path / "ask.md").write_text(
        '+++\nvariables = ["what"]\n+++\nAsk {what}.\n', encoding="utf-8"
    )
    (tmp_path / "ask.de.md").write_text("Frag {what}.\n", encoding="utf-8")

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, [*arguments, "--catalog", str(tmp_path)])
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = [line.split("\t") for line in run("list").splitlines()]
    assert [(row[0], row[-1]) for row in rows] == [("ask", "Ask {what}."), ("coding", "# Role")]
    assert "# Role\n\nYou code." in run("show", "coding")
    assert run("render", "ask", "what=wen", "--locale", "de") == "Frag wen.\n"
