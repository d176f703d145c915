"""A plain conversation: its system prompt, its title, what comes next, and when to ask back."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_label, parse_line, parse_strings, parse_text
from .model import Message, Model
from .tokens import Clarity

MOST_SUGGESTIONS = 3
LONGEST_TITLE = 80


class Section(StrEnum):
    """The parts that a system prompt can have, in their order, by the keys of their headings."""

    INSTRUCTIONS = "context.section.instructions"
    PREFERENCES = "context.section.preferences"
    TOOLS = "context.section.tools"
    FILES = "context.section.files"
    EXAMPLES = "context.section.examples"
    RESULTS = "context.section.results"


def system_prompt(
    prompts: PromptRegistry,
    sections: Mapping[Section, str],
    *,
    language: str = "",
    user: str = "",
    time: str = "",
) -> str:
    """Return the system prompt of a conversation; what is empty is left out.

    What changes from call to call, such as the time, stands last: a model's cache keeps the rest.
    """
    parts = [
        prompts.text("chat.persona"),
        prompts.text("chat.format"),
        prompts.text("guard.instructions"),
        prompts.render("chat.language", language=language) if language else "",
        *(f"{prompts.text(name)}\n{sections[name]}" for name in Section if sections.get(name)),
        prompts.render("context.current_user", user=user) if user else "",
        prompts.render("context.current_time", time=time) if time else "",
    ]
    return "\n\n".join(part for part in parts if part)


def transcript(messages: list[Message]) -> str:
    """Return a conversation as text."""
    return "\n".join(f"{message.role}: {message.content}" for message in messages)


def shorten(prompts: PromptRegistry, messages: list[Message], most: int) -> list[Message]:
    """Return the last messages, with a note on how many were left out before them."""
    left_out = len(messages) - most
    if left_out <= 0:
        return messages
    note = prompts.render("context.truncated", count=left_out)
    return [Message("user", note), *messages[left_out:]]


def reply(
    prompts: PromptRegistry, model: Model, system: str, messages: list[Message], most: int = 40
) -> str:
    """Return the answer to the last message, from the last `most` of them."""
    seen = shorten(prompts, messages, most)
    return parse_text(model.complete([Message("system", system), *seen]))


def title(prompts: PromptRegistry, model: Model, conversation: str) -> str:
    """Return a title for a list of conversations, without the quotes that models like to add."""
    answer = ask(prompts, model, "chat.title", conversation=conversation)
    return parse_line(answer.strip().strip("\"'“”«»「」《》"), LONGEST_TITLE)


def follow_ups(prompts: PromptRegistry, model: Model, conversation: str) -> list[str]:
    """Return messages that the user could send next."""
    answer = ask(prompts, model, "chat.follow_ups", conversation=conversation)
    return parse_strings(answer)[:MOST_SUGGESTIONS]


def clarify(prompts: PromptRegistry, model: Model, conversation: str) -> tuple[Clarity, str]:
    """Return whether the last message is clear, and the question or assumption if it is not."""
    return parse_label(ask(prompts, model, "chat.clarify", conversation=conversation), Clarity)
