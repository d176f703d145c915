"""The leak test: under the pseudo-locale, whatever reaches a model unmarked was hard-coded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from ..errors import PromptError
from ..exchange.pseudo import LEFT, RIGHT, pseudo_text
from ..registry import PromptRegistry
from ..scanner import find_slots
from .recorder import Recording

__all__ = ["leaks", "message_texts", "pseudo_registry"]

# Stands where an allowed text stood, so that what is around it does not grow together.
_GAP = "\0"
_PIECE = re.compile(f"[{LEFT}{RIGHT}]")


def pseudo_registry(prompts: PromptRegistry) -> PromptRegistry:
    """Return a copy whose every text is in the pseudo-locale, whichever locale is asked for.

    >>> from agentprompts import PromptTemplate
    >>> plain = PromptRegistry({"ask": PromptTemplate("Ask {q}", variables=["q"])})
    >>> pseudo_registry(plain).localized("fr").render("ask", q="who?")
    '⟦Åšķ who? ··⟧'
    """
    texts = {key: pseudo_text(template) for key, template in prompts.items()}
    made = prompts.with_overrides(texts)
    for locale in list(made._state.local):
        made.override(texts, locale)
    return made


def leaks(
    messages: Iterable[Any],
    prompts: PromptRegistry,
    *,
    allow: Iterable[str] = (),
    values: bool = False,
) -> list[str]:
    """Return the stretches of text that came from no prompt and no value of a slot.

    Args:
        messages: What reached the model: texts, or messages with a `content`, as mappings or as
            objects.
        prompts: The pseudo-locale's registry that the agent ran on.
        allow: Texts that come from elsewhere by right: the user's input, a tool's output, names.
        values: Whether to search what the slots were filled with, too. `prompts` is a `Recorder`
            then, and all values that are no prompts need to be allowed.

    Returns:
        Each stretch once, in the order of its coming. One without a letter is none. A text that
        was cut, so that its closing mark is lost, is told from its opening mark on.

    Raises:
        PromptError: The registry is not in the pseudo-locale, or is no recorder of values.

    >>> from agentprompts import PromptTemplate
    >>> plain = PromptRegistry({"ask": PromptTemplate("Ask {q}", variables=["q"])})
    >>> prompts = pseudo_registry(plain)
    >>> leaks([prompts.render("ask", q="who?"), "Be brief! " + prompts.text("ask")], prompts)
    ['Be brief!']
    """
    templates = prompts.items()
    unmarked = [k for k, t in templates if t.template.strip() and LEFT not in t.template]
    if unmarked:
        raise PromptError(
            f"The prompt {unmarked[0]!r} is not in the pseudo-locale: run the agent on "
            "pseudo_registry(prompts), or on the fixture pseudo_prompts"
        )
    # A prompt of which the agent takes a part, such as one line, has lost its marks and is known.
    known = "\n".join(
        part for _, t in templates for part in find_slots(t.template, t.contract).parts
    )
    allowed = sorted({text.strip() for text in allow if text.strip()}, key=len, reverse=True)
    texts = list(message_texts(messages))
    if values:
        if not isinstance(prompts, Recording):
            raise PromptError("Only a Recorder knows the values: run the agent on one")
        filled = [read.values for read in prompts.reads if read.values]
        texts += [str(value) for values in filled for value in values.values()]
    found: dict[str, None] = {}
    for text in texts:
        for one in allowed:
            text = text.replace(one, _GAP)
        for stretch in _unmarked(text):
            for line in re.split(f"[{_GAP}\n]", stretch):
                bare = line.strip()
                cut = LEFT in bare or RIGHT in bare
                if any(c.isalpha() for c in bare) and (cut or bare not in known):
                    found[bare] = None
    return list(found)


def message_texts(messages: Iterable[Any]) -> Iterator[str]:
    """Yield the texts of messages: of a `str` itself, of its `content`, of the parts of that."""
    if isinstance(messages, str):
        yield messages
        return
    for message in messages:
        if isinstance(message, str):
            yield message
            continue
        read = message.get if isinstance(message, Mapping) else partial(getattr, message)
        content = read("content", None) or read("text", None)
        if content is not None:
            yield from message_texts(content)


def _unmarked(text: str) -> Iterator[str]:
    """Yield what stands in no pair of marks, and what an opening mark without its pair begins."""
    opened: list[int] = []
    at, outside = 0, []
    for mark in _PIECE.finditer(text):
        if mark[0] == LEFT:
            if not opened:
                outside.append(text[at : mark.start()])
            opened.append(mark.start())
        elif opened:
            opened.pop()
            at = mark.end()
        else:  # the opening mark was cut off
            outside.append(text[at : mark.end()])
            at = mark.end()
    yield from outside
    yield text[opened[0] if opened else at :]
