"""Start-up: whole processes, above a Python that does nothing."""

from __future__ import annotations

from pathlib import Path

from agentprompts.catalog import default_directory

from .measure import processes
from .peers import peer
from .printing import Table

NAMES = "PromptRegistry, PromptTemplate, PromptError, PromptsMixin"
LIMIT, OURS = "import dataclasses, typing: the limit", f"import {NAMES}"
READ, USED = "the same, and tomllib reads the default catalog", "the default catalog, one render"
PEERS = {
    "jinja2": "jinja2",
    "agentmaker.prompts": "agentmaker.prompts",
    "langchain_core.prompts": "langchain_core.prompts",
    "fluent.runtime": "fluent.runtime",
}


def table() -> Table:
    files = [str(Path(default_directory()) / name) for name in ("catalog.toml", "en.toml")]
    codes = {
        LIMIT: "import dataclasses, typing",
        OURS: f"from agentprompts import {NAMES}",
        READ: f"import dataclasses, typing, tomllib\nfor name in {files}:\n"
        "    with open(name, 'rb') as file: tomllib.load(file)",
        USED: "from agentprompts import DEFAULT_PROMPTS\n"
        "DEFAULT_PROMPTS.render('context.current_question', query='x')",
    }
    rivals = {f"import {name}": f"import {module}" for name, module in PEERS.items()}
    codes |= {name: code for name, code in rivals.items() if peer(code.split()[1])}
    timings = processes(codes)
    rows = {name: {"ms": timings[name]} if name in timings else {} for name in {**codes, **rivals}}
    made = Table("Start-up", "ms", ("ms",), LIMIT, rows)
    made.promise("import to dataclasses and typing", OURS, LIMIT, most=(1.25,))
    made.promise("first render to tomllib's reading", USED, READ, most=(1.25,))
    return made
