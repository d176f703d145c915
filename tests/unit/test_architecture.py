"""The structure: what an import costs, who may look for slots, and that layers point downward."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import agentprompts

PACKAGE = Path(agentprompts.__file__).parent
HEAVY = [
    "babel",
    "click",
    "importlib.resources",
    "pathlib",
    "regex",
    "rich",
    "sqlalchemy",
    "tomli_w",
    "tomllib",
    "yaml",
    "asyncio",
]


def run(code: str) -> str:
    """Run code in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
    )
    return done.stdout


def test_the_import_brings_no_heavy_module_and_reads_no_file() -> None:
    """DESIGN 8: importing the package imports none of them, reads no file, starts nothing."""
    code = f"""
import sys, threading
before = set(sys.modules)
opened = []
sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name == "open" else None)
from agentprompts import PromptRegistry, PromptTemplate, PromptError, PromptsMixin, DEFAULT_PROMPTS
print(sorted(set({HEAVY!r}) & (set(sys.modules) - before)))
print([path for path in opened if not path.endswith((".py", ".pyc"))])
print(threading.active_count())
"""
    assert run(code).splitlines() == ["[]", "[]", "1"]


def test_rendering_a_default_prompt_brings_tomllib_and_no_more() -> None:
    code = f"""
import sys
before = set(sys.modules)
from agentprompts import DEFAULT_PROMPTS
DEFAULT_PROMPTS.render("context.current_question", query="x")
print(sorted(set({HEAVY!r}) & (set(sys.modules) - before)))
"""
    assert run(code).strip() == "['tomllib']"


SEARCHES = {
    "count", "endswith", "find", "findall", "finditer", "fullmatch", "index", "match", "partition",
    "removeprefix", "replace", "rfind", "search", "split", "startswith", "sub",
}  # fmt: skip
SUBJECTS = {"literal", "protected", "slot", "slots", "token", "tokens", "variable", "variables"}


def searches(tree: ast.AST) -> list[str]:
    """Return the calls that look for a slot or a token in a text, and `in` tests that do."""
    found = []
    for node in ast.walk(tree):
        looked_for: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in SEARCHES:
                looked_for = [*node.args, node.func.value]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            looked_for = [node.left]
        for expression in looked_for:
            names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
            names |= {n.attr for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
            if names & SUBJECTS:
                found.append(ast.unparse(node))
    return found


MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "scanner")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_scanner_looks_for_slots_and_tokens(path: Path) -> None:
    """DESIGN 8: there is one implementation of each rule of a text."""
    assert searches(ast.parse(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "code",
    ["text.find(token)", "'{' + slot + '}' in text", "re.search(token.literal, text)"],
)
def test_such_code_would_be_seen(code: str) -> None:
    assert searches(ast.parse(code))


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_a_module_is_one_idea(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 600


def code_lines(source: str) -> int:
    """Count the lines of code: no blank ones, no comments, no docstrings."""
    documented = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                documented |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(
        1
        for number, line in lines
        if number not in documented and line.strip() and not line.lstrip().startswith("#")
    )


def test_the_package_stays_small() -> None:
    sources = [path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")]
    assert sum(map(code_lines, sources)) < 11_000
