"""A chain of LangChain in two languages: `python examples/langchain_chain.py`.

Needs `pip install 'agentprompts[langchain]'`. LangChain's fake model stands in for a real one.
"""

from __future__ import annotations

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import Runnable

from agentprompts import DEFAULT_PROMPTS, PromptRegistry
from agentprompts.integrations.langchain import chat_prompt


def memory_chain(prompts: PromptRegistry) -> Runnable[dict[str, str], str]:
    """Return a chain that decides what to do with a new fact, in the registry's words."""
    messages = [("system", "memory.reconcile"), ("human", "memory.reconcile_user")]
    model = FakeListChatModel(responses=['{"op": "NOOP"}'])
    return chat_prompt(prompts, messages) | model | StrOutputParser()


def main() -> None:
    """Show what the model is told and answers, in each language."""
    fact = {"fact": "Ada likes tea.", "listing": "1. Ada drinks tea."}
    for locale in ("en", "zh-Hans"):
        prompts = DEFAULT_PROMPTS.localized(locale)
        told = chat_prompt(prompts, [("human", "memory.reconcile_user")]).format(**fact)
        print(f"{told}\n-> {memory_chain(prompts).invoke(fact)}\n")


if __name__ == "__main__":
    main()
