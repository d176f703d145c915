"""LlamaIndex: the prompts of any query engine, synthesizer or other `PromptMixin`.

    prompts = read_prompts(engine)                      # all of them, at any depth
    write_prompts(engine, prompts.localized("zh"))      # the same engine, in Chinese

A module holds its prompts itself, so that a later override is written again. Keys are the names
that `get_prompts` lists, with dots: `response_synthesizer.text_qa_template`; a chat prompt has one
for each role below that, one with conditions `default`, `if_1`, and so on. Of a prompt in Jinja,
the statements and expressions are protected tokens, and stay as they are and as many as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..registry import PromptRegistry
from ..scanner import Contract, find_slots
from ..template import PromptTemplate
from .foreign import Prompts, extra, numbered, template_of, written

if TYPE_CHECKING:
    from llama_index.core.prompts.mixin import PromptMixin

__all__ = ["read_prompts", "write_prompts"]

# Of a key, a text and whether it is written in Jinja.
_Change: TypeAlias = Callable[[str, str, bool], str]

# What LlamaIndex's formatter looks at; it fills those whose names it was given.
_FIELD = re.compile(r"\{([^{}]+)\}")
_JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
_CHAT = re.compile(
    r"""(?P<open>\{%-?\s*chat\s+role\s*=\s*["'](?P<role>\w+)["'].*?%\})"""
    r"(?P<text>.*?)(?=\{%-?\s*endchat\b)",
    re.DOTALL,
)


class _Place(NamedTuple):
    """A prompt where its module holds it."""

    path: str
    owner: Any
    name: str
    prompt: Any


def read_prompts(
    module: PromptMixin,
    *,
    protected: Mapping[str, Iterable[str]] | None = None,
    skip: Iterable[str] = (),
) -> PromptRegistry:
    """Return every prompt of a module and of the modules in it, with contracts.

    Args:
        module: Anything with `get_prompts` and `update_prompts`.
        protected: Literals that parsers of the answers depend on, by key.
        skip: Keys of prompts to leave alone, such as those of other libraries.

    Raises:
        PromptError: llama-index-core is not installed; or a prompt is of a kind that is not known
            here, such as one of LangChain's, and not in `skip`.
    """
    tokens = dict(protected or {})
    found: dict[str, PromptTemplate] = {}

    def take(key: str, text: str, jinja: bool) -> str:
        found[key] = _template(key, text, jinja, tokens.pop(key, ()))
        return text

    for place in _places(module, skip):
        _changed(place.path, place.prompt, take)
    if tokens:
        raise PromptError(f"No prompt {next(iter(tokens))!r} to protect; there are {list(found)}")
    return PromptRegistry(found)


def write_prompts(module: PromptMixin, prompts: Prompts, *, skip: Iterable[str] = ()) -> None:
    """Give a module, and the modules in it, the texts of a registry; or change nothing.

    Mappings of variables and functions, partial values and output parsers stay as they are.

    Args:
        module: The module that `read_prompts` was given, or one like it.
        prompts: Texts by the keys of `read_prompts`: a registry, a view in a locale, a namespace.
        skip: As for `read_prompts`.

    Raises:
        PromptError: A text breaks its contract (all such are named), or a module did not take it.
    """
    faults: list[Diagnostic] = []

    def give(key: str, text: str, jinja: bool) -> str:
        old, new = _template(key, text, jinja), prompts[key].template
        if found := old.check(new):
            faults.extend(fault.at(key=key) for fault in found)
            return text
        if jinja:
            if _JINJA.findall(new) != _JINJA.findall(text):
                faults.append(_reprogrammed(key))
            return new
        slots = find_slots(new, old.contract)
        made = written(slots)
        if _fields(made, old.contract)[1] != list(slots.names):
            faults.append(_misread(key))
        return made

    places = list(_places(module, skip))
    new = [_changed(place.path, place.prompt, give) for place in places]
    raise_faults("Cannot write the prompts", faults)
    for place, prompt in zip(places, new, strict=True):
        place.owner._update_prompts({place.name: prompt})
    for place, prompt in zip(places, new, strict=True):
        if _texts(place.owner._get_prompts().get(place.name)) != _texts(prompt):
            for one in places:
                one.owner._update_prompts({one.name: one.prompt})
            raise PromptError(
                f"{type(place.owner).__name__} did not take the new text of {place.path!r}; "
                "all are as they were"
            )


def _places(module: PromptMixin, skip: Iterable[str], above: str = "") -> Iterator[_Place]:
    """Yield the prompts of a module and, at any depth, of those in it.

    LlamaIndex's own update takes one level of names only; its listing has all of them.
    """
    skipped = frozenset(skip)
    for name, prompt in module._get_prompts().items():
        if f"{above}{name}" not in skipped:
            yield _Place(f"{above}{name}", module, name, prompt)
    for name, inner in module._get_prompt_modules().items():
        yield from _places(inner, skipped, f"{above}{name}.")


def _changed(path: str, prompt: Any, change: _Change) -> Any:
    """Return a copy of a prompt with each of its texts as `change` of key and text answers it."""
    with extra("llama-index"):
        from llama_index.core.prompts import (
            ChatPromptTemplate,
            RichPromptTemplate,
            SelectorPromptTemplate,
        )
        from llama_index.core.prompts import (
            PromptTemplate as LlamaTemplate,
        )
        from llama_index.core.prompts.utils import get_template_vars
    if isinstance(prompt, LlamaTemplate):
        text = change(path, prompt.template, False)
        update = {"template": text, "template_vars": get_template_vars(text)}
        return prompt.model_copy(update=update)
    if isinstance(prompt, ChatPromptTemplate):
        messages = _changed_messages(path, prompt.message_templates, change)
        names = [name for message in messages for name in message.get_template_vars()]
        return prompt.model_copy(update={"message_templates": messages, "template_vars": names})
    if isinstance(prompt, SelectorPromptTemplate):
        default = _changed(f"{path}.default", prompt.default_template, change)
        others = [
            (condition, _changed(f"{path}.if_{number}", other, change))
            for number, (condition, other) in enumerate(prompt.conditionals or (), 1)
        ]
        return prompt.model_copy(
            update={
                "default_template": default,
                "conditionals": others or prompt.conditionals,
                "template_vars": default.template_vars,
            }
        )
    if isinstance(prompt, RichPromptTemplate):
        return prompt.model_copy(
            update={"template_str": _changed_jinja(path, prompt.template_str, change)}
        )
    raise PromptError(
        f"Cannot read the prompt {path!r}: {type(prompt).__name__} is none of LlamaIndex's own "
        f"kinds of prompts. Leave it alone with skip=[{path!r}]"
    )


def _changed_messages(path: str, messages: Iterable[Any], change: _Change) -> list[Any]:
    copies = [message.model_copy(update={"blocks": list(message.blocks)}) for message in messages]
    at = [(m, n) for m in copies for n, block in enumerate(m.blocks) if hasattr(block, "text")]
    roles = numbered(getattr(message.role, "value", message.role) for message, _ in at)
    for (message, n), role in zip(at, roles, strict=True):
        text = change(f"{path}.{role}", message.blocks[n].text, False)
        message.blocks[n] = message.blocks[n].model_copy(update={"text": text})
    return copies


def _changed_jinja(path: str, source: str, change: _Change) -> str:
    """Change what stands in the chat blocks of a Jinja text, or all of one that has none."""
    blocks = list(_CHAT.finditer(source))
    if not blocks:
        return change(path, source, True)
    out, done = [], 0
    for block, role in zip(blocks, numbered(block["role"] for block in blocks), strict=True):
        out += [source[done : block.start("text")], change(f"{path}.{role}", block["text"], True)]
        done = block.end("text")
    return "".join([*out, source[done:]])


def _texts(prompt: Any) -> list[str]:
    found: list[str] = []

    def take(key: str, text: str, jinja: bool) -> str:
        found.append(text)
        return text

    if prompt is not None:
        _changed("", prompt, take)
    return found


def _template(key: str, text: str, jinja: bool, protected: Iterable[str] = ()) -> PromptTemplate:
    """Return the template of a text of LlamaIndex, with the slots that it would fill."""
    from llama_index.core.prompts.utils import get_template_vars

    try:
        if jinja:
            return PromptTemplate(text, protected=[*_JINJA.findall(text), *protected])
        contract = Contract(get_template_vars(text), protected)
        return template_of(*_fields(text, contract), contract)
    except PromptError as error:
        found = [one.at(key=key) for one in error.diagnostics]
        raise PromptError(f"Cannot read the prompt {key!r}: {error.headline}", found) from None


def _fields(text: str, contract: Contract) -> tuple[list[str], list[str]]:
    """Return the literals of a text, and between them the slots that LlamaIndex would fill."""
    first, *rest = _FIELD.split(text)
    parts, names = [first], []
    for name, literal in zip(rest[::2], rest[1::2], strict=True):
        if name in contract.names:
            names.append(name)
            parts.append(literal)
        else:
            parts[-1] += f"{{{name}}}{literal}"
    return parts, names


def _misread(key: str) -> Diagnostic:
    return Diagnostic(
        code="foreign-brace",
        message="LlamaIndex would fill a slot that stands in the text as literal",
        why="it knows no way to write a slot's name in braces and mean it",
        mend="write the name without braces where it is no slot",
        key=key,
    )


def _reprogrammed(key: str) -> Diagnostic:
    return Diagnostic(
        code="foreign-statement",
        message="the text has other Jinja statements than before, or has them in another order",
        why="they are a program: a text brings no code of its own",
        mend="keep each one verbatim, and their order; translate what is between them",
        key=key,
    )
