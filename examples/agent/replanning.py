"""A plan that is revised when a step of it fails, and the check whether a task is done."""

from __future__ import annotations

from collections.abc import Callable

from agentprompts import PromptRegistry

from .asking import ask, sealed
from .forms import parse_label, parse_object, parse_text
from .model import Message, Model
from .parsers import UnreadableError, parse_steps
from .tokens import Check, Key


class StepError(Exception):
    """A step of a plan failed, for the reason that is its message."""


def carry_out_flexibly(
    prompts: PromptRegistry,
    model: Model,
    task: str,
    tools: str,
    run: Callable[[str], str],
    most_revisions: int = 2,
) -> list[str]:
    """Plan a task and run the steps; when one fails, plan the rest anew.

    Args:
        prompts: The agent's prompts.
        model: The planner.
        task: The user's task.
        tools: The list of tools that a step may use.
        run: Runs one step and returns its result, or raises `StepError`.
        most_revisions: How often the plan is revised before the failure is final.

    Returns:
        The steps that were done, with their results.
    """
    left = parse_steps(ask(prompts, model, "plan.create", task=task, tools=tools))
    done: list[str] = []
    while left:
        step, *left = left
        try:
            done.append(f"{step}\n{run(step)}")
        except StepError as error:
            if most_revisions == 0:
                raise
            most_revisions -= 1
            none = prompts.text("memory.none")
            request = sealed(
                prompts,
                "plan.revise",
                task=task,
                tools=tools,
                done="\n".join(done) or none,
                step=step,
                error=error,
                left="\n".join(left) or none,
            )
            left = parse_revision(model.complete([Message("user", request)]))
    return done


def missing(prompts: PromptRegistry, model: Model, task: str, result: str) -> str | None:
    """Return what a result lacks of its task; nothing where the task is done."""
    state, rest = parse_label(ask(prompts, model, "plan.check", task=task, result=result), Check)
    return parse_text(rest) if state is Check.NOT_DONE else None


def parse_revision(answer: str) -> list[str]:
    """Read the rest of a plan; unlike a new plan, it may be empty."""
    [steps] = parse_object(answer, Key.STEPS)
    if not isinstance(steps, list):
        raise UnreadableError(f"{Key.STEPS.bare}: {steps!r}")
    return [parse_text(step) for step in steps]
