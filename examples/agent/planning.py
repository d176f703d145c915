"""A plan, its steps one by one, and the answer from their results."""

from __future__ import annotations

from collections.abc import Callable

from agentprompts import PromptRegistry

from .model import Message, Model
from .parsers import parse_steps


def carry_out(
    prompts: PromptRegistry, model: Model, task: str, tools: str, run: Callable[[str], str]
) -> str:
    """Plan a task, run each step, and return the answer.

    Args:
        prompts: The agent's prompts.
        model: The planner.
        task: The user's task.
        tools: The list of tools that a step may use.
        run: Runs one step and returns its result.
    """
    ask = prompts.render("plan.create", task=task, tools=tools)
    steps = parse_steps(model.complete([Message("user", ask)]))
    results: list[str] = []
    for number, step in enumerate(steps, 1):
        done = "\n".join([prompts.text("context.section.plan"), *results])
        results.append(
            f"{number}. {step}\n"
            + run(
                prompts.render("plan.step", number=number, total=len(steps), step=step, done=done)
            )
        )
    final = prompts.render("plan.final", task=task, results="\n".join(results))
    return model.complete([Message("user", final)])
