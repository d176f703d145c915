"""Rendering: from a key and its values to the text."""

from __future__ import annotations

import gettext
import io
import string
from typing import Any

from agentprompts import PromptRegistry, PromptTemplate

from .measure import Case, Timing, race
from .peers import peer
from .printing import Table
from .samples import SAMPLES, SIZES, Sample

LIMIT, OURS, RIVAL = "inline f-string: the limit", "agentprompts registry", "agentmaker registry"


def own(sample: Sample) -> dict[str, Case]:
    """Return the rows that need no peer."""
    values = sample.values
    ours = PromptRegistry(
        {"a.b": PromptTemplate(sample.text, variables=sample.slots, protected=sample.tokens)}
    )
    own = ours.copy()
    own.override({"a.b": sample.text})

    def case(statement: str, **names: Any) -> Case:
        return Case(statement, {**values, **names})

    call = sample.keywords
    return {
        LIMIT: case("f" + repr(sample.braces)),
        "the same in a function": case(f"f({call})", f=_function(sample)),
        OURS: case(f'r.render("a.b", {call})', r=ours),
        "agentprompts, overridden": case(f'r.render("a.b", {call})', r=own),
        "agentprompts template": case(f"t.render({call})", t=ours.get("a.b")),
        "str.format": case(f"t.format({call})", t=sample.braces),
        "% with a dict": case(f"t % dict({call})", t=sample.percent),
        "gettext lookup and %": case(f'g("a.b") % dict({call})', g=_gettext(sample)),
        "string.Template": case(
            f"t.substitute({call})", t=string.Template(sample.written("${{{}}}".format))
        ),
    }


def _function(sample: Sample) -> Any:
    scope: dict[str, Any] = {}
    exec(f"def f({', '.join(sample.slots)}): return f{sample.braces!r}", scope)
    return scope["f"]


def _gettext(sample: Sample) -> Any:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    catalog = Catalog(locale="de", charset="utf-8")
    catalog.add("a.b", sample.percent)
    file = io.BytesIO()
    write_mo(file, catalog)
    file.seek(0)
    return gettext.GNUTranslations(file).gettext


def _peers(sample: Sample) -> dict[str, Case | None]:
    def case(statement: str, **names: Any) -> Case:
        return Case(statement, {**sample.values, **names})

    call = sample.keywords
    found: dict[str, Case | None] = {
        "minijinja": None,
        RIVAL: None,
        "langchain-core f-string": None,
        "llama-index-core": None,
        "fluent.runtime": None,
        "jinja2, compiled beforehand": None,
    }
    if minijinja := peer("minijinja"):
        made = minijinja.Environment(templates={"a.b": sample.jinja})
        found["minijinja"] = case(f'e.render_template("a.b", {call})', e=made)
    if agentmaker := peer("agentmaker.prompts"):
        theirs = agentmaker.PromptTemplate(
            sample.text, variables=sample.slots, protected=sample.tokens
        )
        registry = agentmaker.PromptRegistry({"a.b": theirs})
        found[RIVAL] = case(f'r.render("a.b", {call})', r=registry)
    if langchain := peer("langchain_core.prompts"):
        template = langchain.PromptTemplate.from_template(sample.braces)
        found["langchain-core f-string"] = case(f"t.format({call})", t=template)
    if llama := peer("llama_index.core.prompts"):
        found["llama-index-core"] = case(f"t.format({call})", t=llama.PromptTemplate(sample.braces))
    if fluent := peer("fluent.runtime"):
        bundle = fluent.FluentBundle(["en"], use_isolating=False)
        bundle.add_resource(fluent.FluentResource(sample.fluent))
        found["fluent.runtime"] = case(
            f"b.format_pattern(m.value, dict({call}))", b=bundle, m=bundle.get_message("text")
        )
    if jinja2 := peer("jinja2"):
        found["jinja2, compiled beforehand"] = case(
            f"t.render({call})", t=jinja2.Environment().from_string(sample.jinja)
        )
    return found


def table() -> Table:
    columns: dict[str, dict[str, Timing]] = {}
    names: list[str] = []
    for sample in SAMPLES:
        found = {**own(sample), **_peers(sample)}
        names = list(found)
        columns[sample.name] = race({name: case for name, case in found.items() if case})
    rows = {
        name: {size: columns[size].get(name) for size in SIZES} if name in columns["small"] else {}
        for name in names
    }
    made = Table("Rendering", "ns", SIZES, LIMIT, rows)
    made.promise("render to the f-string", OURS, LIMIT, most=(6, 4.5, 2.5))
    if rows[RIVAL]:
        made.promise("render faster than agentmaker", OURS, RIVAL, least=(10, 40, 150))
    return made
