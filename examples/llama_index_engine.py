"""A LlamaIndex query engine in Chinese: `python examples/llama_index_engine.py`.

Needs `pip install 'agentprompts[llama-index]'`. LlamaIndex's mock model answers with its prompt.
"""

from __future__ import annotations

from llama_index.core import MockEmbedding, SummaryIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import TextNode

from agentprompts import PromptError
from agentprompts.integrations.llama_index import read_prompts, write_prompts

QUESTION = "How much is a ticket?"
ANSWER = "response_synthesizer.text_qa_template.default"
CHINESE = {ANSWER: "资料如下：\n{context_str}\n请只根据资料回答。\n问题：{query_str}\n回答："}


def query_engine() -> RetrieverQueryEngine:
    """Return an engine over one passage."""
    passage = TextNode(text="Harbour museum: a ticket costs 12.50 euros.")
    index = SummaryIndex([passage], embed_model=MockEmbedding(embed_dim=2))
    synthesizer = get_response_synthesizer(llm=MockLLM(), response_mode="compact")
    return RetrieverQueryEngine(index.as_retriever(), synthesizer)


def main() -> None:
    """List the prompts, refuse one that lost a slot, and ask in Chinese."""
    engine = query_engine()
    prompts = read_prompts(engine)
    print("\n".join(prompts), "\n")
    try:
        prompts.override({ANSWER: "问题：{query_str}"})
    except PromptError as error:
        print(error, "\n")
    prompts.override(CHINESE)
    write_prompts(engine, prompts)
    print(engine.query(QUESTION))


if __name__ == "__main__":
    main()
