# ruff: noqa: E501  # a row of a table is one line
"""`scan`: what Python code asks a catalog for, and what of that is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import agentprompts
from agentprompts import DEFAULT_PROMPTS, Place, PromptRegistry, PromptTemplate
from agentprompts.cli.app import cli
from agentprompts.scan import scan
from tests.growth import LINEAR, growth

ROOT = Path(__file__).parents[2]


def catalog(prefix: str = "") -> PromptRegistry:
    texts = {
        "chat.ask": "{query}, {tone}",
        "chat.hello": "Hello",
        "tool.error.failed": "{name} failed",
        "tool.error.denied": "{name} denied",
    }
    return PromptRegistry(
        {
            prefix + key: PromptTemplate(
                text, variables=[v for v in ("query", "tone", "name") if f"{{{v}}}" in text]
            )
            for key, text in texts.items()
        }
    )


def told(code: str, registry: PromptRegistry | None = None) -> list[str]:
    found = scan({"a.py": code}, registry or catalog())
    for one in found:
        assert one.place is not None
        assert one.place.file == "a.py"
    return [f"{one.place.line}:{one.place.column} {one.code} {one.subject or one.key}"
            for one in found if one.place]  # fmt: skip


FOUND = {
    "a key that is unknown": ("prompts.render('chat.gone')", ["1:16 key-unknown chat.gone"]),
    "text": ("self.prompts.text('chat.gone')", ["1:19 key-unknown chat.gone"]),
    "get": ("registry.get('chat.gone')", ["1:14 key-unknown chat.gone"]),
    "a subscript": ("prompts['chat.gone']", ["1:9 key-unknown chat.gone"]),
    "ref": ("prompts.ref('chat.gone')", ["1:13 key-unknown chat.gone"]),
    "origin": ("prompts.origin('chat.gone')", ["1:16 key-unknown chat.gone"]),
    "an override": ("a.prompts.override({'chat.hello': x, 'chat.gone': y})", ["1:38 key-unknown chat.gone"]),
    "update_prompts": ("agent.update_prompts({'chat.gone': x})", ["1:23 key-unknown chat.gone"]),
    "with_overrides": ("p = prompts.with_overrides({'chat.gone': x})", ["1:29 key-unknown chat.gone"]),
    "get_prompts": ("agent.get_prompts()['chat.gone']", ["1:21 key-unknown chat.gone"]),
    "a registry that was made": ("p = PromptRegistry()\np.text('chat.gone')", ["2:8 key-unknown chat.gone"]),
    "a registry by annotation": ("def f(p: 'PromptRegistry | None'): p.text('chat.gone')", ["1:43 key-unknown chat.gone"]),
    "a copy": ("p = DEFAULT_PROMPTS.copy().localized(x)\np.text('chat.gone')", ["2:8 key-unknown chat.gone"]),
    "one or the other": ("def f(x=None):\n y = x or DEFAULT_PROMPTS\n y.text('chat.gone')", ["3:9 key-unknown chat.gone"]),
    "an attribute, set below": (
        "class A:\n def f(self): self.p.text('chat.gone')\n def g(self): self.p = load_catalog(x)",
        ["2:27 key-unknown chat.gone"],
    ),
    "a mixin's class": ("class A(PromptsMixin):\n def f(self):\n  q = self.prompts; q.text('hat.hello')", ["3:28 key-unknown hat.hello"]),
    "a method by another name": ("say = self.prompts.render\nsay('chat.gone')", ["2:5 key-unknown chat.gone"]),
    "by what else it is asked for": ("x.text('chat.hello'); x.text('chat.gone')", ["1:30 key-unknown chat.gone"]),
    "by its likeness": ("x.render('tool.error.faild')", ["1:10 key-unknown tool.error.faild"]),
    "either of two": ("prompts.text('chat.hello' if x else 'chat.gone')", ["1:14 key-unknown chat.gone"]),
    "a constant": ("KEY = 'chat.gone'\ndef f(): prompts.text(KEY)", ["2:23 key-unknown chat.gone"]),
    "an enum's member": ("class K(StrEnum):\n A = 'chat.gone'\nprompts.text(K.A.value)", ["3:14 key-unknown chat.gone"]),
    "a constant in an f-string": ("N = 'chat'\nprompts.text(f'{N}.gone')", ["2:14 key-unknown chat.gone"]),
    "a sum": ("prompts.text('chat.' + 'gone')", ["1:14 key-unknown chat.gone"]),
    "a namespace": ("ns = prompts.namespace('chat')\nns.text('gone')", ["2:9 key-unknown chat.gone"]),
    "a namespace's near miss": ("prompts.namespace('x').text('chat.helo')", ["1:29 key-unknown x.chat.helo"]),
    "wide characters before": ("é = '漢字'; prompts.text('chat.gone')", ["1:24 key-unknown chat.gone"]),
    "on several lines": ("prompts.render(\n    'chat.ask',\n    query=1,\n)", ["2:5 slot-missing tone"]),
    "a missing slot": ("x.render('tool.error.failed')", ["1:10 slot-missing name"]),
    "an unknown slot": ("prompts.render('chat.hello', you=1)", ["1:30 slot-unknown you"]),
    "a misspelled slot": (
        "prompts.render('chat.ask', {'qurey': 1, 'tone': 2})",
        ["1:16 slot-missing query", "1:29 slot-unknown qurey"],
    ),
    "unknown beside a mapping": ("prompts.render('chat.ask', values, you=1)", ["1:36 slot-unknown you"]),
    "a value that is None": ("prompts.render('tool.error.failed', name=None)", ["1:37 value-invalid name"]),
    "a value of bytes": ("prompts.render('tool.error.failed', {'name': b''})", ["1:38 value-invalid name"]),
    "a ref's slots": ("r = prompts.ref('chat.ask')\nr.render(query=1)", ["2:1 slot-missing tone"]),
    "a template's slots": ("prompts['chat.ask'].render(tone=1)", ["1:1 slot-missing query"]),
    "a namespace's slots": ("prompts.namespace('chat').render('ask', tone=1)", ["1:34 slot-missing query"]),
    "a registered prompt's slots": (
        "prompts.register('my.a', '{b}', variables=['b'])\nprompts.render('my.a')",
        ["2:16 slot-missing b"],
    ),
    "a registered template's": (
        "prompts.register('my.a', PromptTemplate('{b}', variables=('b',)))\nprompts.render('my.a', c=1)",
        ["2:16 slot-missing b", "2:24 slot-unknown c"],
    ),
    "a section's body": ("Section('a', FromCatalog('chat.gone'))", ["1:26 key-unknown chat.gone"]),
    "a section's values": ("FromCatalog('chat.ask', {'query': 1})", ["1:13 slot-missing tone"]),
    "a section's values by name": ("FromCatalog('chat.hello', values={'q': 1})", ["1:35 slot-unknown q"]),
    "a section without values": ("FromCatalog('tool.error.failed')", ["1:13 slot-missing name"]),
    "a file that is no Python": ("def f(:\n", ["1:7 file-unreadable None"]),
}  # fmt: skip

NOTHING = {
    "another's render": "widget.render('html'); page.render('chat.html'); env.render('tool.j2')",
    "another's get": "config.get('chat.gone'); config['tool.error.faild']",
    "another catalog's namespace": "DEFAULT_PROMPTS.render('other.key'); prompts.text('x')",
    "known keys": "prompts.text('chat.hello'); prompts.render('chat.ask', query=1, tone=2)",
    "unknown values": "prompts.render('chat.ask', **values); prompts.render('chat.ask', values)",
    "an f-string": "prompts.render(f'tool.error.{kind}', name=1); prompts.text(f'tool.{a}.b')",
    "a key of the run": "prompts.text(key)\ndef f(key): prompts.text(key)",
    "a key that changes": "key = 'chat.gone'\nkey = other()\nprompts.text(key)",
    "one of two keys' slots": "prompts.render('chat.hello' if x else 'tool.error.failed', name=1)",
    "a namespace of another name": "ns = prompts.namespace(x)\nns.text('chat.gone')",
    "a namespace by annotation": "def f(p: PromptNamespace): p.text('chat.helo')",
    "two namespaces by one name": "p = prompts.namespace('chat')\np = prompts.namespace('tool')\np.text('gone')",
    "a registered key": "prompts.register('chat.new', x)\nprompts.render('chat.new', a=1)",
    "a key of a new registry": "p = PromptRegistry({'chat.new': t})\np.render('chat.new', a=1)",
    "keys registered in a loop": (
        "ns = prompts.namespace('mine')\nfor k in x: ns.register(k, y)\n"
        "ns.register('known', z)\nns.text('unknown')"
    ),
    "another library's catalog": (
        "ns = prompts.namespace('mine')\nns.include(c)\nns.register('a', z)\nns.text('ab')"
    ),
    "a parameter hides a name": "p = DEFAULT_PROMPTS\ndef f(p): p.get('chat.gone')",
    "a silenced line": "prompts.text('chat.gone')  # agentprompts: ignore",
    "a name that is itself": "p = p.copy()\nt = t + '.'\np.text(t)",
    "a partial's values": "prompts.get('chat.ask').partial(tone=1).render(query=2)",
    "a section's values by a function": "FromCatalog('chat.ask', lambda ctx, prompts: {})",
    "an invalid escape": "x = '\\d'",
}  # fmt: skip


@pytest.mark.parametrize(("code", "findings"), FOUND.values(), ids=FOUND)
def test_it_finds(code: str, findings: list[str]) -> None:
    assert told(code) == findings


@pytest.mark.parametrize("code", NOTHING.values(), ids=NOTHING)
def test_it_finds_nothing(code: str) -> None:
    assert told(code) == []


def test_a_constant_of_another_file_is_a_key() -> None:
    keys = "class Key:\n    ASK = 'chat.gone'\nHELLO = 'chat.hallo'\n"
    code = "from keys import HELLO, Key\nprompts.text(Key.ASK), prompts.text(HELLO)"
    found = scan({"a.py": code, "keys.py": keys}, catalog())
    assert [(str(one.place), one.key, one.mend) for one in found] == [
        ("a.py:2:14", "chat.gone", "`agentprompts list` shows them all"),
        ("a.py:2:37", "chat.hallo", "did you mean 'chat.hello'?"),
    ]
    # Where two files have it with different values, nobody knows which is meant.
    assert len(scan({"a.py": code, "keys.py": keys, "b.py": "HELLO = 'x'"}, catalog())) == 1


def test_a_key_that_was_renamed_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "catalog.toml").write_text(
        '[catalog]\nsource = "en"\n["chat.a"]\nrenamed_from = "chat.old"'
    )
    (tmp_path / "en.toml").write_text("chat.a = 'x'")
    (tmp_path / "a.py").write_text("prompts.text('chat.old')")
    options = ["scan", str(tmp_path), "--catalog", str(tmp_path), "--unused", "--format", "concise"]
    done = CliRunner().invoke(cli, options)
    assert done.output.endswith("the key 'chat.old' is called 'chat.a' today\n")
    assert done.output.count("\n") == 1  # and 'chat.a' is used
    assert (done.exit_code, CliRunner().invoke(cli, [*options, "--strict"]).exit_code) == (0, 1)


USED = {
    "": ["chat.ask", "chat.hello", "tool.error.failed", "tool.error.denied"],
    "f(prompts, 'chat.ask')": ["chat.hello", "tool.error.failed", "tool.error.denied"],
    "x = f'tool.{name}'": ["chat.ask", "chat.hello"],
    "prompts.text('tool.error.' + kind)": ["chat.ask", "chat.hello"],
    "prompts.text(f'{kind}.hello')": ["chat.ask", "tool.error.failed", "tool.error.denied"],
    "START = 'tool.'": ["chat.ask", "chat.hello"],
    "ns = prompts.namespace('tool.error')\nf(ns, 'failed')": ["chat.ask", "chat.hello", "tool.error.denied"],
    "N = 'chat'\nprompts.namespace(N)\nx = 'ask'": ["chat.hello", "tool.error.failed", "tool.error.denied"],
    "f(f'{a}.{b}', 'chat', 'hello')": ["chat.ask", "chat.hello", "tool.error.failed", "tool.error.denied"],
}  # fmt: skip


@pytest.mark.parametrize(("code", "unused"), USED.items())
def test_keys_that_nothing_uses_are_told_where_they_are_declared(
    code: str, unused: list[str]
) -> None:
    """What may be a key counts as used: a false alarm here would lose a prompt."""
    places = {key: Place(line, 1, "catalog.toml") for line, key in enumerate(catalog(), 1)}
    found = scan({"a.py": code}, catalog(), places)
    assert [(one.code, one.key) for one in found] == [("key-unused", key) for key in unused]
    assert all(one.place == places[one.key or ""] for one in found)
    assert scan({"a.py": code}, catalog()) == []


def test_a_library_is_scanned_with_its_own_catalog_alone() -> None:
    """Its keys have no prefix there; the code includes them under one."""
    code = (
        "N = 'lib'\nns = prompts.namespace(N)\nns.render('chat.ask', tone=1); ns.text('chat.helo')"
    )
    assert told(code) == ["3:11 slot-missing query", "3:40 key-unknown lib.chat.helo"]
    assert told(code, catalog("lib.")) == [
        "3:11 slot-missing query",
        "3:40 key-unknown lib.chat.helo",
    ]


HOSTILE = {
    "a sum of thousands": "x = " + " + ".join(["'a'"] * 5000),
    "a chain of calls": "x = p" + ".copy()" * 400 + ".text('chat.gone')",
    "deep brackets": "(" * 150 + ")" * 150,
    "deeper brackets": "[" * 5000,
    "a NUL": "x = 1\0",
    "a lone surrogate": "x = '\ud800'",
    "names in a ring": "a = b\nb = a\na.text(a + b)",
    "names that double": "".join(f"x{i} = x{i - 1} + x{i - 1}\n" for i in range(1, 60)) + "p.text(x59)",
    "a name set again and again": "p = PromptRegistry()\n" + "p = p.copy() or p\n" * 300 + "p.text('x')",
    "carriage returns": "x = 1\r\ry = prompts.text('chat.hello')",
    "a form feed": "x = '''\x0c\u2028'''\nprompts.text('chat.hello')",
}  # fmt: skip


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_no_code_breaks_it(code: str) -> None:
    """Code that cannot be read is one warning; all else of the scan goes on."""
    found = scan({"a.py": code, "b.py": "prompts.text('chat.gone')"}, catalog())
    assert [one.key for one in found if one.code != "file-unreadable"][-1:] == ["chat.gone"]
    assert {one.severity for one in found if one.code == "file-unreadable"} <= {"warning"}


def test_it_is_linear_in_the_code_and_in_one_file() -> None:
    block = "def f(p: PromptRegistry):\n    q = p.copy()\n    q.render('chat.ask', tone=f'{x}.a')\n"

    def files(count: int) -> object:
        return scan({f"{i}.py": block for i in range(count)}, catalog())

    def lines(count: int) -> object:
        return scan({"a.py": block * count}, catalog())

    assert growth(files, 50) < LINEAR
    assert growth(lines, 50) < LINEAR


def test_the_examples_use_the_catalog_as_they_should() -> None:
    """No false finding, and every prompt of the default catalog is used by the example agent."""
    run = CliRunner().invoke
    package = str(Path(agentprompts.__file__).parent / "sections")
    done = run(cli, ["scan", str(ROOT / "examples"), package, "--unused", "--strict"])
    assert (done.exit_code, done.output) == (0, "no findings\n")
    own = ["--catalog", str(ROOT / "examples/library/minutes/prompts"), "--unused", "--strict"]
    for more in ([], ["--namespace", "minutes"]):
        done = run(cli, ["scan", str(ROOT / "examples/library"), *own, *more])
        assert (done.exit_code, done.output) == (0, "no findings\n")


def test_every_key_of_the_examples_is_seen() -> None:
    """Misspell each key of the example agent where it is asked for: each is found."""
    asked = re.compile(rf"\b(?:render|text|ref|say)\(\s*([\"'])({'|'.join(DEFAULT_PROMPTS)})\1")
    seen = 0
    for path in sorted((ROOT / "examples" / "agent").glob("*.py")):
        code = path.read_text(encoding="utf-8")
        for match in asked.finditer(code):
            wrong = f"{code[: match.end() - 1]}x{code[match.end() - 1 :]}"
            keys = [one.key for one in scan({str(path): wrong}, DEFAULT_PROMPTS)]
            assert keys == [f"{match[2]}x"]
            seen += 1
    assert seen > 100


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "app.py": b"prompts.text('chat.persna')\n",
        "sub/latin.py": "# -*- coding: latin-1 -*-\nx = 'é'; prompts.text('chat.gone')\n".encode(
            "latin-1"
        ),
        "sub/wrong.py": b"x = '\xff'\n",
        "sub/unknown.py": b"# coding: klingon\n",
        "sub/bom.py": b"\xef\xbb\xbfprompts.text('chat.bom')\n",
        "sub/two.py": b"print 'hello'\n",
        ".hidden/a.py": b"prompts.text('chat.no')\n",
        "env/pyvenv.cfg": b"",
        "env/lib/a.py": b"prompts.text('chat.no')\n",
        "node_modules/a.py": b"prompts.text('chat.no')\n",
        "notes.txt": b"prompts.text('chat.txt')\n",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "gone.py").symlink_to("nowhere")
    return tmp_path


def test_folders_and_files_on_the_command_line(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    done = CliRunner().invoke(cli, ["scan", ".", "--format", "concise"])
    heads = sorted(line.partition("]")[0] for line in done.output.splitlines())
    assert heads == [
        "app.py:1:14: error[key-unknown",
        "sub/bom.py:1:14: error[key-unknown",
        "sub/latin.py:2:23: error[key-unknown",
        "sub/two.py:1:1: warning[file-unreadable",
        "sub/unknown.py:1:1: warning[file-unreadable",
        "sub/wrong.py:1:1: warning[file-unreadable",
    ]
    assert done.exit_code == 1
    done = CliRunner().invoke(cli, ["scan", "notes.txt", "--format", "json"])
    assert [one["key"] for one in json.loads(done.output)] == ["chat.txt"]
    full = CliRunner().invoke(cli, ["scan", "app.py"]).output
    assert "1 | prompts.text('chat.persna')\n    |              ^" in full


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["sub/two.py"], 0),
        (["sub/two.py", "--strict"], 1),
        (["app.py"], 1),
        (["app.py", "--catalog", "sub"], 1),  # no catalog is there
        (["app.py", "--namespace", "a b"], 1),
        ([], 2),
        (["nowhere"], 2),
        (["app.py", "--format", "xml"], 2),
    ],
)
def test_exit_codes(
    args: list[str], status: int, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert CliRunner().invoke(cli, ["scan", *args]).exit_code == status
