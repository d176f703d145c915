"""Summaries: rolling ones of a conversation, of documents of any length, and a handover."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_text
from .model import Model


def merge(prompts: PromptRegistry, model: Model, summary: str, conversation: str) -> str:
    """Return one summary in place of an earlier one and the messages since."""
    answer = ask(prompts, model, "summary.merge", summary=summary, conversation=conversation)
    return parse_text(answer)


def summarize(prompts: PromptRegistry, model: Model, document: str, most: int = 8000) -> str:
    """Return the summary of a document, part by part where it has more than `most` characters."""
    parts = split(document, most)
    if len(parts) == 1:
        return parse_text(ask(prompts, model, "summary.document", document=document))
    total = len(parts)
    notes = [
        parse_text(ask(prompts, model, "summary.part", number=number, total=total, text=part))
        for number, part in enumerate(parts, 1)
    ]
    return parse_text(ask(prompts, model, "summary.combine", parts="\n\n".join(notes)))


def hand_over(prompts: PromptRegistry, model: Model, task: str, conversation: str) -> str:
    """Return the notes from which someone else goes on with a task."""
    answer = ask(prompts, model, "summary.handover", task=task, conversation=conversation)
    return parse_text(answer)


def split(document: str, most: int) -> list[str]:
    """Return the parts of a document, cut between paragraphs where that is possible."""
    parts = [""]
    for paragraph in document.split("\n\n"):
        pieces = [paragraph[at : at + most] for at in range(0, len(paragraph), most)]
        for piece in pieces:
            if parts[-1] and len(parts[-1]) + len(piece) > most:
                parts.append("")
            parts[-1] += f"\n\n{piece}" if parts[-1] else piece
    return parts
