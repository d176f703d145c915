"""Guards: around what comes in from outside, around requests, and around answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from agentprompts import PromptRegistry

from .asking import ask
from .forms import parse_label, parse_objects, parse_text, parse_word
from .model import Model
from .parsers import UnreadableError
from .tokens import Admission, Field, Leak, Safety


def guarded(
    prompts: PromptRegistry,
    model: Model,
    rules: Mapping[str, str],
    message: str,
    answer: Callable[[str], str],
) -> str:
    """Answer a message unless a rule forbids it, and let nothing confidential out."""
    broken = broken_rule(prompts, model, rules, message)
    if broken is not None:
        return prompts.render("guard.refusal", rule=broken)
    return redacted(prompts, model, message, answer(message))


def broken_rule(
    prompts: PromptRegistry, model: Model, rules: Mapping[str, str], message: str
) -> str | None:
    """Return the name of the rule that a message breaks, if it breaks one."""
    listed = "\n".join(f"- {name}: {what}" for name, what in rules.items())
    verdict, name = parse_label(
        ask(prompts, model, "guard.input", rules=listed, message=message), Admission
    )
    if verdict is Admission.ALLOW:
        return None
    if name not in rules:
        raise UnreadableError(f"{name!r} ?")
    return name


def injection(prompts: PromptRegistry, model: Model, text: str) -> str | None:
    """Return the passage of a text from outside that tries to steer its reader, if one does."""
    verdict, passage = parse_label(ask(prompts, model, "guard.injection", text=text), Safety)
    return parse_text(passage) if verdict is Safety.UNSAFE else None


def redacted(prompts: PromptRegistry, model: Model, conversation: str, answer: str) -> str:
    """Return an answer without what must not leave the system.

    Raises:
        UnreadableError: A place to remove does not stand in the answer: nothing is let out.
    """
    found = ask(prompts, model, "guard.output", conversation=conversation, answer=answer)
    places = []
    for kind, text in parse_objects(found, Field.KIND, Field.TEXT):
        parse_word(kind, Leak)
        if parse_text(text) not in answer:
            raise UnreadableError(f"{text!r} ?")
        places.append(re.escape(text))
    if not places:
        return answer
    longest_first = "|".join(sorted(places, key=len, reverse=True))
    return re.sub(longest_first, lambda _: prompts.text("guard.redacted"), answer)
