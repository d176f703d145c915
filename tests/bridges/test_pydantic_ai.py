"""Pydantic AI on a registry, as the example shows it; with pydantic-ai-slim from PyPI."""

from __future__ import annotations

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptRegistry
from agentprompts.testing import Recorder
from examples.pydantic_ai_agent import ask, main


def test_each_run_has_its_own_locale_and_sees_overrides() -> None:
    prompts = DEFAULT_PROMPTS.copy()
    chinese = prompts.localized("zh-Hans")
    assert ask("Q", prompts) == prompts.text("chat.persona")
    assert ask("Q", chinese) == chinese.text("chat.persona") != prompts.text("chat.persona")
    chinese.override({"chat.persona": "你很简短。"})
    assert ask("Q", chinese) == "你很简短。"
    assert ask("Q", prompts) == DEFAULT_PROMPTS.text("chat.persona")


def test_a_recorder_sees_the_read(recorded_prompts: Recorder) -> None:
    assert isinstance(recorded_prompts, PromptRegistry)
    ask("Q", recorded_prompts.localized("zh-Hans"))
    assert [(read.key, read.locale) for read in recorded_prompts.reads] == [
        ("chat.persona", "zh-Hans")
    ]


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    assert capsys.readouterr().out.endswith("You are brief.\n")
