"""Pydantic AI needs no bridge: `python examples/pydantic_ai_agent.py`.

Instructions are a function of the run's dependencies there. It reads the registry at each run, so
that an override takes effect at the next one, and each run has its own locale.
"""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentprompts import DEFAULT_PROMPTS, PromptRegistry


def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand in for a model: answer with the instructions that it was given."""
    return ModelResponse(parts=[TextPart(info.instructions or "")])


AGENT = Agent(FunctionModel(echo), deps_type=PromptRegistry)


@AGENT.instructions
def persona(run: RunContext[PromptRegistry]) -> str:
    """Return the persona in the words of the run's own registry."""
    return run.deps.text("chat.persona")


def ask(question: str, prompts: PromptRegistry) -> str:
    """Run the agent once on a registry, or on its view in a locale."""
    return asyncio.run(AGENT.run(question, deps=prompts)).output


def main() -> None:
    """Run the one agent in two languages, then with an override."""
    prompts = DEFAULT_PROMPTS.copy()
    for locale in ("en", "zh-Hans"):
        print(ask("Hello", prompts.localized(locale)), "\n")
    prompts.override({"chat.persona": "You are brief."})
    print(ask("Hello", prompts))


if __name__ == "__main__":
    main()
