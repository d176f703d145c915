"""One prompt, one answer. The material in it cannot close the tags around it."""

from __future__ import annotations

import re

from agentprompts import PromptRegistry

from .model import Message, Model

_CLOSING = re.compile(r"</([^\s<>/]+)>")


def ask(prompts: PromptRegistry, model: Model, key: str, /, **material: object) -> str:
    """Ask the model with a single prompt and return its answer."""
    return model.complete([Message("user", sealed(prompts, key, **material))])


def sealed(prompts: PromptRegistry, key: str, /, **material: object) -> str:
    """Render a prompt so that no value closes a tag that its text opens, in any wording of it."""
    tags = "|".join(map(re.escape, _CLOSING.findall(prompts.text(key))))
    if not tags:
        return prompts.render(key, material)
    closing = re.compile(rf"<(?=\s*/\s*(?:{tags})\s*>)", re.IGNORECASE)
    values = {name: closing.sub("&lt;", str(value)) for name, value in material.items()}
    return prompts.render(key, values)
