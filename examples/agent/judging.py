"""Judges of answers: by criteria, against another answer, their sources, or a reference."""

from __future__ import annotations

from dataclasses import dataclass

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_object, parse_objects, parse_score, parse_text, parse_word
from .model import Model
from .tokens import Agreement, Better, Bound, Field, Support


@dataclass(frozen=True, slots=True)
class Mark:
    """A score from 1 to 5, and what decided it."""

    score: int
    reason: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of an answer, and what its sources say of it."""

    text: str
    support: Support


def score(prompts: PromptRegistry, model: Model, criteria: str, question: str, answer: str) -> Mark:
    """Return how well an answer meets criteria."""
    found = ask(prompts, model, "judge.score", criteria=criteria, question=question, answer=answer)
    return parse_mark(found)


def relevance(prompts: PromptRegistry, model: Model, question: str, answer: str) -> Mark:
    """Return how well an answer keeps to its question."""
    return parse_mark(ask(prompts, model, "judge.relevance", question=question, answer=answer))


def compare(
    prompts: PromptRegistry, model: Model, criteria: str, question: str, first: str, second: str
) -> Better:
    """Return which answer is better, judged in both orders: a verdict that turns is a tie."""
    verdicts = []
    for one, other in ((first, second), (second, first)):
        found = ask(
            prompts,
            model,
            "judge.compare",
            criteria=criteria,
            question=question,
            first=one,
            second=other,
        )
        reason, better = parse_object(found, Field.REASON, Field.BETTER)
        parse_text(reason)
        verdicts.append(parse_word(better, Better))
    turned = {Better.A: Better.B, Better.B: Better.A, Better.TIE: Better.TIE}[verdicts[1]]
    return verdicts[0] if verdicts[0] is turned else Better.TIE


def grounded(prompts: PromptRegistry, model: Model, sources: str, answer: str) -> list[Claim]:
    """Return the claims of an answer with what the sources say of each."""
    found = ask(prompts, model, "judge.grounded", sources=sources, answer=answer)
    return [
        Claim(parse_text(claim), parse_word(verdict, Support))
        for claim, verdict in parse_objects(found, Field.CLAIM, Field.VERDICT)
    ]


def correct(
    prompts: PromptRegistry, model: Model, question: str, reference: str, answer: str
) -> tuple[Agreement, str]:
    """Return whether an answer agrees with the reference, and why."""
    found = ask(
        prompts, model, "judge.correct", question=question, reference=reference, answer=answer
    )
    reason, verdict = parse_object(found, Field.REASON, Field.VERDICT)
    return parse_word(verdict, Agreement), parse_text(reason)


def parse_mark(answer: str) -> Mark:
    """Read a score and its reason."""
    reason, found = parse_object(answer, Field.REASON, Field.SCORE)
    return Mark(parse_score(found, Bound.ONE, Bound.FIVE), parse_text(reason))
