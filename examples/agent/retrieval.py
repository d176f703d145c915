"""Answers from numbered sources, with citations that are checked."""

from __future__ import annotations

from dataclasses import dataclass

from agentprompts import PromptRegistry

from .model import Message, Model
from .parsers import parse_citations
from .passages import listing
from .tools import Document, find


@dataclass(frozen=True, slots=True)
class SourcedAnswer:
    """An answer and the documents that it cites; none where the sources do not hold it."""

    text: str
    cited: list[Document]


def answer_from_sources(
    prompts: PromptRegistry, model: Model, documents: list[Document], query: str
) -> SourcedAnswer:
    """Look for passages and answer from them."""
    found = find(documents, query)
    heading = prompts.text("context.section.sources")
    sources = f"{heading}\n\n{listing(prompts, found, query)}"
    answer = model.complete(
        [
            Message("system", prompts.text("rag.answer")),
            Message("user", prompts.render("rag.question", sources=sources, query=query)),
        ]
    )
    cited = parse_citations(answer, len(found)) or []
    return SourcedAnswer(answer, [found[number - 1] for number in cited])
