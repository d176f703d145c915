"""The leak test on the example agent: it finds what is hard-coded, and nothing where nothing is."""

from __future__ import annotations

import pytest

from agentprompts.testing import Recorder, assert_no_leaks, assert_override_arrives, leaks
from examples.agent import Agent, Message, ScriptedModel
from examples.agent.tools import Toolbox

from .test_example_agent import live_through_everything, new_agent, of_the_loop


def told(model: ScriptedModel) -> list[Message]:
    """Return what reached the model, without its own answers."""
    return [message for call in model.seen for message in call if message.role != "assistant"]


def test_nothing_of_the_example_agent_is_hard_coded(pseudo_prompts: Recorder) -> None:
    """M1: all that its model reads is a prompt, or a value of one."""
    model = ScriptedModel([])
    live_through_everything(new_agent(model, pseudo_prompts), model)
    assert len(told(model)) > 100
    assert_no_leaks(told(model), pseudo_prompts)


def test_a_planted_string_is_found(
    pseudo_prompts: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def system(agent: Agent) -> str:
        return f"{clean(agent)}\n\nAlways answer in English."

    clean = Agent.system
    monkeypatch.setattr(Agent, "system", system)
    model = ScriptedModel([])
    live_through_everything(new_agent(model, pseudo_prompts), model)
    assert leaks(told(model), pseudo_prompts) == ["Always answer in English."]


def test_a_string_planted_in_a_value_is_found(
    pseudo_prompts: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant = "There are no tools today."
    monkeypatch.setattr(Toolbox, "listing", lambda toolbox: plant)
    model = ScriptedModel([])
    live_through_everything(new_agent(model, pseudo_prompts), model)
    assert plant not in leaks(told(model), pseudo_prompts)
    assert plant in leaks(told(model), pseudo_prompts, values=True)


def test_every_override_arrives(recorded_prompts: Recorder) -> None:
    """M9: the agent was there before the override."""
    model = ScriptedModel([])
    agent = new_agent(model, recorded_prompts)

    def run() -> list[Message]:
        live_through_everything(agent, model)
        return told(model)

    assert_override_arrives(recorded_prompts, run, filter(of_the_loop, recorded_prompts))
    assert recorded_prompts.keys_read >= set(filter(of_the_loop, recorded_prompts))
