"""A draft, read by a critic and revised until it passes."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_label, parse_text
from .model import Model
from .parsers import UnreadableError
from .tokens import Critique


def refine(prompts: PromptRegistry, model: Model, task: str, draft: str, rounds: int = 2) -> str:
    """Return a draft with its faults mended, in so many rounds at most."""
    for _ in range(rounds):
        answer = ask(prompts, model, "reflection.critique", task=task, draft=draft)
        faults = parse_faults(answer)
        if not faults:
            break
        listed = "\n".join(f"- {fault}" for fault in faults)
        answer = ask(prompts, model, "reflection.revise", task=task, draft=draft, critique=listed)
        draft = parse_text(answer)
    return draft


def parse_faults(answer: str) -> list[str]:
    """Read a critique: the faults, none where the draft passed."""
    lines = [line for line in parse_text(answer).splitlines() if line.strip()]
    found = [parse_label(line, Critique) for line in lines]
    faults = [fault for label, fault in found if label is Critique.FAULT]
    if faults and len(faults) < len(found):
        raise UnreadableError(f"{Critique.PASSED.value} + {Critique.FAULT.value}")
    return faults
