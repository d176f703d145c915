"""Several agents: a request is routed to one, handed over and back, or worked on by a team."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentprompts import PromptRegistry

from .asking import ask, sealed
from .forms import parse_object, parse_text
from .model import Message, Model
from .parsers import UnreadableError
from .tokens import Check, Field, Nothing


@dataclass(frozen=True, slots=True)
class Member:
    """An agent that others can call on.

    Attributes:
        name: Its name, by which the model chooses it.
        about: What it is good for.
        run: Answers one message.
    """

    name: str
    about: str
    run: Callable[[str], str]


def route(
    prompts: PromptRegistry, model: Model, members: Sequence[Member], request: str
) -> tuple[Member | None, str]:
    """Return the agent that takes a request, if any does, and why."""
    answer = ask(prompts, model, "route.choose", agents=_listing(members), request=request)
    name, reason = parse_object(answer, Field.AGENT, Field.REASON)
    chosen = None if name == Nothing.NONE.value else _named(members, name)
    return chosen, parse_text(reason)


def hand_over(
    prompts: PromptRegistry, sender: str, member: Member, task: str, so_far: str, reason: str
) -> list[Message]:
    """Let another agent work, and return what the first one's conversation has of it."""
    briefing = sealed(prompts, "handoff.briefing", sender=sender, task=task, so_far=so_far)
    notice = prompts.render("handoff.notice", agent=member.name, reason=reason)
    result = member.run(briefing)
    returned = sealed(prompts, "handoff.returned", agent=member.name, result=result)
    return [Message("user", notice), Message("user", returned)]


def solve(
    prompts: PromptRegistry,
    model: Model,
    members: Sequence[Member],
    task: str,
    most_turns: int = 8,
) -> str:
    """Let a manager give the members turns until the task is done, and return the answer."""
    listing = _listing(members)
    manager = Message("system", sealed(prompts, "team.manager", members=listing, task=task))
    said: list[str] = []
    for _ in range(most_turns):
        transcript = "\n\n".join(said) or prompts.text("memory.none")
        seen = f"{prompts.text('context.section.results')}\n{transcript}"
        turn = parse_turn(model.complete([manager, Message("user", seen)]), members)
        if turn is None:
            break
        member, instruction = turn
        message = sealed(
            prompts,
            "team.turn",
            name=member.name,
            transcript=transcript,
            instruction=instruction,
        )
        said.append(f"{member.name}: {member.run(message)}")
    transcript = "\n\n".join(said) or prompts.text("memory.none")
    return parse_text(ask(prompts, model, "team.final", task=task, transcript=transcript))


def parse_turn(answer: str, members: Sequence[Member]) -> tuple[Member, str] | None:
    """Read who works next and on what; nothing where the team has finished."""
    [name] = parse_object(answer, Field.AGENT)
    if name == Check.DONE.value:
        return None
    [task] = parse_object(answer, Field.TASK)
    return _named(members, name), parse_text(task)


def _listing(members: Sequence[Member]) -> str:
    return "\n".join(f"- {member.name}: {member.about}" for member in members)


def _named(members: Sequence[Member], name: object) -> Member:
    for member in members:
        if member.name == name:
            return member
    raise UnreadableError(f"{name!r} ?")
