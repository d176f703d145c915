"""One agent in two languages, and an override that is refused: `python -m examples.agent`."""

from __future__ import annotations

from agentprompts import DEFAULT_PROMPTS, PromptError

from .agent import Agent
from .model import ScriptedModel
from .tools import Document

# What a model would answer. The script stands in for it, so that this needs no key and no network.
SCENES = {
    "en": (
        "How much do three tickets to the harbour museum cost?",
        Document("Harbour museum", "Harbour museum: a ticket costs 12.50 euros."),
        [
            'Thought: I need the price.\nAction: search\nAction Input: {"query": "harbour museum"}',
            'Thought: Now the sum.\nAction: calculator\nAction Input: {"expression": "3 * 12.5"}',
            "Thought: That is it.\nFinal Answer: Three tickets cost 37.50 euros.",
            '["The user wants to visit the harbour museum with two friends."]',
            '{"op": "ADD"}',
        ],
    ),
    "zh-Hans": (
        "海港博物馆三张票多少钱？",
        Document("海港博物馆", "海港博物馆：每张票 12.50 欧元。"),
        [
            'Thought: 需要票价。\nAction: search\nAction Input: {"query": "海港博物馆票价"}',
            'Thought: 再算总价。\nAction: calculator\nAction Input: {"expression": "3 * 12.5"}',
            "Thought: 可以回答了。\nFinal Answer: 三张票一共 37.50 欧元。",
            '["用户想和两个朋友去参观海港博物馆。"]',
            '{"op": "ADD"}',
        ],
    ),
}


def play(locale: str) -> None:
    """Run the scene of a locale and print what the model said and was told."""
    question, document, replies = SCENES[locale]
    model = ScriptedModel(replies)
    prompts = DEFAULT_PROMPTS.copy().localized(locale)
    agent = Agent("guide", model, prompts=prompts, documents=[document])
    print(f"\n── {locale} " + "─" * (76 - len(locale)))
    print(f"system  {agent.system().splitlines()[0]}")
    print(f"user    {question}")
    answer = agent.run(question)
    for message in model.seen[2][2:]:
        kind = "model" if message.role == "assistant" else "told "
        first, *rest = message.content.splitlines()
        print(f"{kind}   {first}")
        for line in rest:
            print(f"        {line}")
    print(f"answer  {answer}")
    agent.learn(f"{question}\n{answer}")
    print(f"memory  {agent.memory.facts[0]}")


def main() -> None:
    """Play the scene in both languages, then try an override that would break the parser."""
    for locale in SCENES:
        play(locale)
    agent = Agent("guide", ScriptedModel([]))
    print("\n── an override that would break the agent " + "─" * 38)
    print('agent.update_prompts({"react.observation": "Beobachtung: { result }"})')
    try:
        agent.update_prompts({"react.observation": "Beobachtung: { result }"})
    except PromptError as error:
        print(error)
    print(f"\nStill in force: {agent.get_prompts()['react.observation']!r}")


if __name__ == "__main__":
    main()
