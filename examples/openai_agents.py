"""The OpenAI Agents SDK needs no bridge: `python examples/openai_agents.py`.

Instructions are a function there. It reads the registry at each run, so that an override takes
effect at the next one, and each run has the locale of its own context.
"""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, RunContextWrapper, Runner, Usage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from agentprompts import DEFAULT_PROMPTS, PromptRegistry


class EchoModel(Model):
    """Answers with the instructions that it was given."""

    async def get_response(self, system_instructions: str | None, *rest: Any, **kw: Any) -> Any:
        """Return one message."""
        text = ResponseOutputText(
            text=system_instructions or "", type="output_text", annotations=[]
        )
        message = ResponseOutputMessage(
            id="1", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kw: Any) -> Any:
        """Refuse."""
        raise NotImplementedError


def instructions(run: RunContextWrapper[PromptRegistry], agent: Agent[PromptRegistry]) -> str:
    """Return the persona in the words of the run's own registry."""
    return run.context.text("chat.persona")


AGENT = Agent[PromptRegistry](name="assistant", instructions=instructions, model=EchoModel())


def ask(question: str, prompts: PromptRegistry) -> str:
    """Run the agent once on a registry, or on its view in a locale."""
    config = RunConfig(tracing_disabled=True)
    run = Runner.run(AGENT, question, context=prompts, run_config=config)
    return str(asyncio.run(run).final_output)


def main() -> None:
    """Run the one agent in two languages, then with an override."""
    prompts = DEFAULT_PROMPTS.copy()
    for locale in ("en", "zh-Hans"):
        print(ask("Hello", prompts.localized(locale)), "\n")
    prompts.override({"chat.persona": "You are brief."})
    print(ask("Hello", prompts))


if __name__ == "__main__":
    main()
