"""Lookups: from a key to its text."""

from __future__ import annotations

from typing import Any

from agentprompts import PromptRegistry, PromptTemplate

from .measure import Case, race
from .peers import peer
from .printing import Table

LIMIT = "a method that reads one dict: the limit"
KEY, OVERRIDDEN = "'k.n9'", "'k.n3'"


class OneDict:
    """What a registry would be without copies, overrides and locales."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def text(self, key: str) -> str:
        return self.texts[key]


def table() -> Table:
    base = registry(2000)
    agent = base.copy()
    agent.override({"k.n3": "Another {q}", "k.n4": "Another {q}", "k.n5": "Another {q}"})
    deep = agent
    for _ in range(100):
        deep = deep.copy()
        deep.override({"k.n3": "Yet another {q}"})
    bare = OneDict(base.as_dict())
    names: dict[str, Any] = {"bare": bare, "base": base, "agent": agent, "deep": deep}
    names["german"] = agent.localized("de")
    cases = {
        LIMIT: f"bare.text({KEY})",
        "text": f"agent.text({KEY})",
        "text, overridden": f"agent.text({OVERRIDDEN})",
        "text, after 100 copies of copies": f"deep.text({KEY})",
        "text, registered since": "since.text('k.late')",
        "get": f"agent.get({KEY})",
        "registry[key]": f"agent[{KEY}]",
        "key in registry": f"{KEY} in agent",
        "text, localized": f"german.text({KEY})",
    }
    names["since"] = agent.copy()
    names["since"].register("k.late", "Late.")
    rivals = {"agentmaker text": None, "immutables.Map[key]": None}
    if agentmaker := peer("agentmaker.prompts"):
        theirs = {key: agentmaker.PromptTemplate(text) for key, text in bare.texts.items()}
        names["rival"] = agentmaker.PromptRegistry(theirs)
        cases["agentmaker text"] = f"rival.text({KEY})"
    if immutables := peer("immutables"):
        names["map"] = immutables.Map(bare.texts)
        cases["immutables.Map[key]"] = f"map[{KEY}]"
    timings = race({name: Case(statement, names) for name, statement in cases.items()})
    rows = {
        name: {"2,000 keys": timings[name]} if name in timings else {}
        for name in {**cases, **rivals}
    }
    made = Table("Lookups", "ns", ("2,000 keys",), LIMIT, rows)
    for row in ("text", "text, overridden", "text, after 100 copies of copies", "get"):
        made.promise(f"{row} to one dict", row, LIMIT, most=(2.2,))
    return made


def registry(size: int) -> PromptRegistry:
    return PromptRegistry(
        {f"k.n{i}": PromptTemplate(f"Text {i}: {{q}}", variables=["q"]) for i in range(size)}
    )
