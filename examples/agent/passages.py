"""What was found: judged, put in order, cut to what helps; and pieces made ready to be found."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .asking import ask
from .forms import (
    parse_label,
    parse_numbers,
    parse_objects,
    parse_optional,
    parse_score,
    parse_text,
)
from .model import Model
from .parsers import UnreadableError
from .tokens import Bound, Field, Grade
from .tools import Document, harmless


def listing(prompts: PromptRegistry, found: list[Document], query: str) -> str:
    """Return numbered passages for the model, or what it has to know if there are none."""
    if not found:
        return prompts.render("rag.no_results", query=query)
    return "\n\n".join(
        prompts.render(
            "rag.source",
            number=number,
            title=harmless(hit.title).replace('"', "'"),
            content=harmless(hit.content),
        )
        for number, hit in enumerate(found, 1)
    )


def rerank(
    prompts: PromptRegistry, model: Model, found: list[Document], query: str
) -> list[Document]:
    """Return the passages that help, the best first."""
    if not found:
        return []
    passages = listing(prompts, found, query)
    answer = ask(prompts, model, "rag.rerank", query=query, passages=passages)
    scores: dict[int, int] = {}
    for number, score in parse_objects(answer, Field.NUMBER, Field.SCORE):
        [index] = parse_numbers([number], len(found))
        scores[index] = parse_score(score, Bound.ZERO, Bound.TEN)
    ranked = sorted(scores, key=lambda index: -scores[index])
    return [found[index] for index in ranked if scores[index]]


def helps(prompts: PromptRegistry, model: Model, passage: str, query: str) -> bool:
    """Return whether a passage helps to answer a question."""
    answer = ask(prompts, model, "rag.grade", query=query, passage=passage)
    return parse_label(answer, Grade)[0] is Grade.YES


def excerpt(prompts: PromptRegistry, model: Model, passage: str, query: str) -> list[str]:
    """Return the sentences of a passage that help; none that does not stand in it is accepted."""
    answer = parse_optional(ask(prompts, model, "rag.excerpt", query=query, passage=passage))
    sentences = [line.strip() for line in (answer or "").splitlines() if line.strip()]
    plain = " ".join(passage.split())
    for sentence in sentences:
        if " ".join(sentence.split()) not in plain:
            raise UnreadableError(f"{sentence!r}")
    return sentences


def situated(prompts: PromptRegistry, model: Model, document: str, chunk: str) -> str:
    """Return a piece of a document with the words before it that it needs to be found alone."""
    context = parse_text(ask(prompts, model, "rag.situate", document=document, chunk=chunk))
    return f"{context}\n\n{chunk}"
