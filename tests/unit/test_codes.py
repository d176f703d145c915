"""Every code has a page, every page a code; the pages are true, and `CHECKS.md` is made of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import agentprompts
from agentprompts import Diagnostic
from agentprompts.checks import ALL_CHECKS
from agentprompts.checks.base import HEADINGS
from agentprompts.checks.codes import Page, pages
from agentprompts.cli.app import cli
from agentprompts.reports import sarif
from agentprompts.scanner import Contract, check

PACKAGE = Path(agentprompts.__file__).parent
CHECKS = Path(__file__).parents[2] / "CHECKS.md"


def code_places(tree: ast.AST) -> dict[str, int]:
    """Return which argument is the code, by the name of each function or class that takes one."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [a.arg for a in node.args.args if a.arg != "self"]
        elif isinstance(node, ast.ClassDef):
            fields = [f.target for f in node.body if isinstance(f, ast.AnnAssign)]
            names = [field.id for field in fields if isinstance(field, ast.Name)]
        else:
            continue
        if "code" in names:
            found[node.name] = names.index("code")
    return found


def code_literals(tree: ast.AST) -> Iterator[str]:
    """Yield the texts that are given as a code: `code=…`, `code = …`, or in the code's place."""
    takers = code_places(tree)
    for node in ast.walk(tree):
        given: list[ast.expr | None] = []
        if isinstance(node, ast.Call):
            given += [word.value for word in node.keywords if word.arg == "code"]
            func = node.func
            name = getattr(func, "attr", None) or getattr(func, "id", "")
            given += node.args[takers[name] :][:1] if name in takers else []
        elif isinstance(node, ast.Assign):
            targets = {t.id for t in node.targets if isinstance(t, ast.Name)}
            given += [node.value] if targets & {"code", "_CODE"} else []
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            given += [node.value] if node.target.id == "code" else []
        for expression in filter(None, given):
            values = [expression]
            if isinstance(expression, ast.IfExp):
                values = [expression.body, expression.orelse]
            for value in values:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    used = {one.id for one in ALL_CHECKS}
    for path in PACKAGE.rglob("*.py"):
        used |= set(code_literals(ast.parse(path.read_text(encoding="utf-8"))))
    told = set(pages())
    assert used - told == set(), "codes without a page in checks/codes.py"
    assert told - used == set(), "pages of codes that nothing yields"


@pytest.mark.parametrize(
    "source",
    [
        "Diagnostic(message='m', code='new-code')",
        "Diagnostic(code=near.code if near else 'new-code')",
        "code = 'new-code'",
        "class Near:\n    name: str\n    code: str = 'new-code'",
        "class Near:\n    name: str\n    code: str\nNear('x', 'new-code')",
        "def _fault(code, message): ...\n_fault('new-code', 'm')",
        "class F:\n    def add(self, path, code): ...\nfaults.add(path, 'new-code')",
    ],
)
def test_a_new_code_would_be_seen(source: str) -> None:
    assert list(code_literals(ast.parse(source))) == ["new-code"]


@pytest.mark.parametrize("page", pages().values(), ids=lambda page: page.code)
def test_a_page_says_something_under_each_heading(page: Page) -> None:
    assert page.title.endswith(".")
    assert set(page.severity.split(", ")) <= {"error", "warning"}
    shown = page.markdown()
    assert shown.startswith(f"# {page.code}\n\n{page.title} ({page.severity})\n\n## ")
    lines = shown.splitlines()
    places = [lines.index(f"## {heading}") for heading in HEADINGS]
    assert places == sorted(places)
    assert all(lines[at + 1].strip() for at in places)
    assert f"### {page.code}\n" in page.markdown(3)
    assert [line for line in page.markdown(3).splitlines() if line.startswith("## ")] == []


# What the pages of the scanner's codes show as wrong and as right: source, slots, tokens, text.
EXAMPLES: dict[str, tuple[str, list[str], list[str], str, str]] = {
    "slot-missing": (
        "Answer the question: {query}", ["query"], [],
        "Réponds à la question.", "Réponds à la question : {query}",
    ),
    "slot-mangled": ("Ask {query}", ["query"], [], "｛query｝", "{query}"),
    "slot-misspelt": ("Ask {query}", ["query"], [], "{qurey}", "{query}"),
    "slot-translated": ("Ask {question}", ["question"], [], "{pregunta}", "{question}"),
    "slot-doubled": ("Ask {query}", ["query"], [], "Answer {{query}}", "{<query>}"),
    "slot-style": (
        "{query} {tone}", ["query", "tone"], [], "{tone}: <query>", "{tone}: {query}",
    ),
    "slot-ambiguous": (
        "Ask {query}", ["query"], [], "<query>Who?</query>", "<question>{query}</question>",
    ),
    "token-missing": (
        "Answer ADD or NOOP", [], ["ADD", "NOOP"],
        "Antworte HINZUFÜGEN oder NOOP", "Antworte ADD oder NOOP",
    ),
    "token-embedded": ("ADD it", [], ["ADD"], "ADD_ALL", "ADD"),
    "token-recased": ("Action: x", [], ["Action:"], "action:", "Action:"),
    "token-split": ("Final Answer:", [], ["Final Answer:"], "Final-Answer:", "Final Answer:"),
    "token-lookalike": ("ADD it", [], ["ADD"], "АDD", "ADD"),
}  # fmt: skip


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_pages_example_is_found_and_its_mend_is_good(code: str) -> None:
    source, slots, tokens, wrong, right = EXAMPLES[code]
    page = pages()[code]
    example, _, instead = page.body.partition("## Use instead")
    assert f"`{wrong}`" in example
    assert f"`{right}`" in instead
    contract = Contract(slots, tokens)
    found = check(wrong, contract, source)
    assert [(one.code, one.severity) for one in found] == [(code, page.severity)]
    assert check(right, contract, source) == []


def test_every_code_of_the_scanner_has_such_an_example() -> None:
    told = {code for code in pages() if code.startswith(("slot-", "token-"))}
    assert told - {one.id for one in ALL_CHECKS} == set(EXAMPLES)


def explain(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["explain", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_whole_page_is_what_the_command_prints() -> None:
    """Mend it by `agentprompts explain --all > CHECKS.md`."""
    assert CHECKS.read_text(encoding="utf-8") == explain("--all")


def test_one_page_or_the_list_is_printed() -> None:
    assert explain("stale") == pages()["stale"].markdown()
    rows = [line.split("\t") for line in explain().splitlines()]
    assert rows == [[*page[:3]] for page in pages().values()]
    assert "did you mean 'slot-missing'?" in explain("slot-mising", code=2)
    assert "`agentprompts explain` lists them" in explain("xyzxyz", code=2)


def test_sarif_carries_the_pages(tmp_path: Path) -> None:
    (tmp_path / "catalog.toml").write_text("[catalog]\nsource = 'en'\n[a]\nvariables = ['q']\n")
    (tmp_path / "en.toml").write_text("a = 'Ask {q}'\n")
    (tmp_path / "fr.toml").write_text("a = 'Demande'\n")
    arguments = ["check", "--catalog", str(tmp_path), "--format", "sarif"]
    [rule] = json.loads(CliRunner().invoke(cli, arguments).output)["runs"][0]["tool"]["driver"][
        "rules"
    ]
    page = pages()["slot-missing"]
    assert rule == {
        "id": "slot-missing",
        "shortDescription": {"text": page.title},
        "help": {"text": page.markdown(), "markdown": page.markdown()},
    }
    bare = json.loads(sarif([Diagnostic(code="slot-missing", message="m")], {}))
    assert bare["runs"][0]["tool"]["driver"]["rules"] == [{"id": "slot-missing"}]
