"""crewAI's own texts in French: `python examples/crewai_crew.py`.

Needs `pip install 'agentprompts[crewai]'`. The model plays a script, and telemetry is off.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from agentprompts import PromptError
from agentprompts.integrations.crewai import read_prompts, use_prompts, write_prompts

FRENCH = {"slices.role_playing": "Tu es {role}. {backstory}\nTon but personnel : {goal}"}


def run_crew(prompt_file: str) -> list[str]:
    """Run a crew of one agent on a file of texts, and return what its model was told."""
    os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
    from crewai import Agent, BaseLLM, Crew, Task

    class Scripted(BaseLLM):
        """A model that knows its answer already."""

        def call(self, messages: Any, *rest: Any, **kw: Any) -> str:
            told.extend(message["content"] for message in messages)
            return "Thought: Oui.\nFinal Answer: 37,50 euros"

    told: list[str] = []
    with use_prompts(prompt_file):
        agent = Agent(
            role="caissier", goal="répondre", backstory="Poli.", llm=Scripted(model="scripted")
        )
        task = Task(description="Trois billets ?", expected_output="Un prix.", agent=agent)
        Crew(agents=[agent], tasks=[task], prompt_file=prompt_file).kickoff()
    return told


def main() -> None:
    """Refuse a text that would break the parser, write the file, and run a crew on it."""
    prompts = read_prompts()
    print(f"crewAI has {len(prompts)} prompts")
    try:
        prompts.override({"slices.format": "Donne ta réponse finale."})
    except PromptError as error:
        print(error.headline)
    prompts.override(FRENCH)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fr.json"
        write_prompts(prompts, path)
        print(run_crew(str(path))[0])


if __name__ == "__main__":
    main()
