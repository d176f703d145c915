"""Prompts that others wrote for `str.format`: each is a template, and renders the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentprompts import PromptTemplate
from agentprompts.scanner import find_slots

HERE = Path(__file__).parent
PACKAGES = sorted(path.stem for path in (HERE / "prompts").glob("*.json"))


def prompts(package: str) -> list[dict[str, Any]]:
    data = json.loads((HERE / "prompts" / f"{package}.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = data["prompts"]
    return found


def pairs() -> list[dict[str, Any]]:
    data = json.loads((HERE / "memoryscope" / "pairs.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = data["pairs"]
    return found


def test_the_corpus_is_there() -> None:
    assert sum(len(prompts(package)) for package in PACKAGES) == 465
    assert len(pairs()) == 32


@pytest.mark.parametrize("package", PACKAGES)
def test_each_source_prompt_renders_as_str_format_does(package: str) -> None:
    """M2: declared slots are filled, and every other brace stays."""
    for prompt in prompts(package):
        template = PromptTemplate(prompt["text"], variables=prompt["variables"])
        values = {name: f"«{name}» {{x}} \\1 %s" for name in prompt["variables"]}
        assert template.render(values) == prompt["format"].format(**values)
        slots = find_slots(prompt["text"], template.contract)
        assert set(slots.names) == set(prompt["variables"])


@pytest.mark.parametrize("package", PACKAGES)
def test_each_source_prompt_may_replace_itself(package: str) -> None:
    for prompt in prompts(package):
        template = PromptTemplate(prompt["text"], variables=prompt["variables"])
        assert template.check(prompt["text"]) == []


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: str(pair["key"]))
def test_good_translations_have_no_error_either_way(pair: dict[str, Any]) -> None:
    for source, translation in ((pair["en"], pair["zh"]), (pair["zh"], pair["en"])):
        assert PromptTemplate(source, variables=pair["variables"]).check(translation) == []
