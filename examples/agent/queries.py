"""What to search for: one question, asked in the ways that find its answer, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_line, parse_strings, parse_text
from .model import Model
from .parsers import UnreadableError
from .tools import Document, find

MOST_QUESTIONS = 5


def standalone(prompts: PromptRegistry, model: Model, conversation: str, query: str) -> str:
    """Return the question so that it can be understood without the conversation."""
    answer = ask(prompts, model, "rag.contextualize", conversation=conversation, query=query)
    return parse_line(answer)


def search_widely(
    prompts: PromptRegistry, model: Model, documents: list[Document], query: str, count: int = 3
) -> list[Document]:
    """Search for a question in other words, for its background, and for a passage like the answer.

    Documents that several of the searches find come first.
    """
    wanted = parse_strings(ask(prompts, model, "rag.queries", query=query, count=count))[:count]
    wanted.append(parse_line(ask(prompts, model, "rag.step_back", query=query)))
    wanted.append(parse_text(ask(prompts, model, "rag.hypothetical", query=query)))
    hits = [hit for text in dict.fromkeys([query, *wanted]) for hit in find(documents, text)]
    return sorted(dict.fromkeys(hits), key=lambda document: -hits.count(document))


def answer_by_parts(
    prompts: PromptRegistry, model: Model, query: str, answer: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Answer the questions that a question consists of, each with the answers before it put in."""
    questions = parse_questions(ask(prompts, model, "rag.decompose", query=query))
    done: list[tuple[str, str]] = []
    for question in questions:
        asked = _REFERENCE.sub(lambda found: done[int(found[1]) - 1][1], question)
        done.append((asked, answer(asked)))
    return done


def choose_collections(
    prompts: PromptRegistry, model: Model, collections: Mapping[str, str], query: str
) -> list[str]:
    """Return the names of the collections to search, of those described."""
    listing = "\n".join(f"- {name}: {about}" for name, about in collections.items())
    answer = ask(prompts, model, "rag.choose_collection", collections=listing, query=query)
    names = parse_strings(answer)
    if unknown := [name for name in names if name not in collections]:
        raise UnreadableError(f"{unknown[0]!r} ?")
    return list(dict.fromkeys(names))


_REFERENCE = re.compile(r"#(\d+)")


def parse_questions(answer: str) -> list[str]:
    """Read the parts of a question: at least one, which refers to no answer but earlier ones."""
    questions = parse_strings(answer)
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise UnreadableError(f"{answer!r}")
    for before, question in enumerate(questions):
        for number in _REFERENCE.findall(question):
            if not 1 <= int(number) <= before:
                raise UnreadableError(f"#{number} ?")
    return questions
