"""Every snippet of seed 002, on the default catalog and the example's agent."""

from __future__ import annotations

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptRegistry, PromptTemplate
from agentprompts.packs import CHINESE_PROMPTS, chinese_registry
from examples.agent import Agent, ScriptedModel


@pytest.fixture
def llm() -> ScriptedModel:
    return ScriptedModel([])


@pytest.fixture
def agent(llm: ScriptedModel) -> Agent:
    return Agent("assistant", llm)


def test_the_catalog_answers_direct_questions(capsys: pytest.CaptureFixture[str]) -> None:
    """M1"""
    print(len(DEFAULT_PROMPTS.keys()), "prompts registered")
    print(DEFAULT_PROMPTS.text("chat.persona"))
    print(DEFAULT_PROMPTS.render("context.current_question", query="What time is it?"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{len(DEFAULT_PROMPTS)} prompts registered"
    assert lines[1] == "You are a helpful assistant."
    assert lines[-1] == "What time is it?"


def test_inspect_what_your_agent_says(agent: Agent) -> None:
    """M9, M13"""
    prompts = agent.get_prompts()
    assert "Final Answer:" in prompts["react.style"]
    errors = [key for key in sorted(prompts) if key.startswith("tool.error.")]
    assert "tool.error.not_found" in errors


def test_override_a_prompt(agent: Agent, llm: ScriptedModel) -> None:
    """M5, M9: live for the agent, and for it alone."""
    agent.update_prompts({"chat.persona": "You are a terse, factual assistant. No small talk."})
    assert agent.system().startswith("You are a terse")
    assert Agent("other", llm).system().startswith("You are a helpful")
    assert DEFAULT_PROMPTS.text("chat.persona") == "You are a helpful assistant."


def test_placeholders_and_protocol_tokens(agent: Agent) -> None:
    """M3"""
    agent.update_prompts({"context.current_question": "[User asks]\n{query}"})
    with pytest.raises(PromptError) as caught:
        agent.update_prompts({"context.current_question": "The question is above."})
    first = str(caught.value).splitlines()[0]
    assert first == "Invalid prompt override: missing placeholder ['query']"
    assert agent.get_prompts()["context.current_question"] == "[User asks]\n{query}"


def test_templates_built_directly() -> None:
    """M2, M4"""
    tpl = PromptTemplate("Answer this question:\n{query}", variables=("query",))
    assert tpl.render(query="How tall is Everest?").endswith("\nHow tall is Everest?")
    reworded = tpl.with_text("Please answer the following.\n{query}")
    assert (reworded.variables, tpl.template[:6]) == (("query",), "Answer")
    with pytest.raises(PromptError):
        tpl.render()


def test_the_chinese_pack() -> None:
    """M5, M11"""
    assert DEFAULT_PROMPTS.text("context.section.memory") == "[Memory]"
    zh = chinese_registry()
    assert zh.text("context.section.memory") == "【记忆】"
    assert DEFAULT_PROMPTS.text("context.section.memory") == "[Memory]"
    assert len(CHINESE_PROMPTS) == len(DEFAULT_PROMPTS.keys())


def test_process_wide_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """M5: `override` on the shared catalog is seen by all that read the default later."""
    shared = DEFAULT_PROMPTS.copy()
    monkeypatch.setattr("agentprompts.agent.DEFAULT_PROMPTS", shared)
    shared.override(CHINESE_PROMPTS)
    assert Agent("assistant", ScriptedModel([])).system().startswith("你是")


def test_an_agent_that_speaks_chinese(llm: ScriptedModel) -> None:
    """M5, M6"""
    assert Agent("assistant", llm, prompts=chinese_registry()).system().startswith("你是")
    agent = Agent("assistant", llm)
    agent.update_prompts(chinese_registry())
    assert agent.system().startswith("你是")


def test_a_tools_description_follows_the_switch(agent: Agent) -> None:
    """M10: in the seed it is a snapshot; here it is live."""
    assert "arithmetic" in agent.toolbox.listing()
    agent.update_prompts(chinese_registry())
    assert "arithmetic" not in agent.toolbox.listing()
    assert "算术" in agent.toolbox.listing()


def test_register_your_own_prompts(llm: ScriptedModel) -> None:
    """M8, M13"""
    reg = DEFAULT_PROMPTS.copy()
    reg.register("myapp.greeting", "Greet {name} warmly and offer help.", variables=("name",))
    agent = Agent("assistant", llm, prompts=reg)
    assert "myapp.greeting" in agent.get_prompts()
    assert reg.render("myapp.greeting", name="Ada") == "Greet Ada warmly and offer help."
    assert "myapp.greeting" not in DEFAULT_PROMPTS
    with pytest.raises(PromptError, match="already exists"):
        reg.register("chat.persona", "…")
    agent.update_prompts({"myapp.greeting": "向 {name} 问好。"})
    assert reg.render("myapp.greeting", name="Ada") == "向 Ada 问好。"


def test_prompt_error_is_caught_with_the_librarys_other_errors(agent: Agent) -> None:
    """M12: every error of the package is a PromptError; an unknown key is a KeyError too."""
    for provoke in (
        lambda: agent.update_prompts({"nope": "x"}),
        lambda: PromptTemplate("x", variables=("y",)),
        lambda: DEFAULT_PROMPTS.localized("not a locale"),
        lambda: PromptRegistry().text("x"),
    ):
        with pytest.raises(PromptError):
            provoke()
