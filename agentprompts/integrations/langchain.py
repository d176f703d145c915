"""LangChain: templates of langchain-core, to and from.

    chat = write_prompts(chat, registry.localized("zh"))   # the same chat prompt, in Chinese

Its `f-string` format doubles literal braces; here they stand single. Both directions keep every
character of the text that the model sees, JSON included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..registry import PromptRegistry
from ..scanner import Contract
from ..template import PromptTemplate
from .foreign import Prompts, extra, format_parts, format_text, numbered, template_of

if TYPE_CHECKING:
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.prompts import PromptTemplate as LangchainTemplate

__all__ = ["chat_prompt", "from_langchain", "read_prompts", "to_langchain", "write_prompts"]

_Put: TypeAlias = Callable[[Any, PromptTemplate], None]
_Place: TypeAlias = tuple[str, PromptTemplate, _Put]


class _Late:
    """A partial value that a function makes at each rendering, as LangChain allows it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __str__(self) -> str:
        return str(self.make())


def to_langchain(template: PromptTemplate) -> LangchainTemplate:
    """Return LangChain's `PromptTemplate` of the same text, slots and partial values.

    Raises:
        PromptError: langchain-core is not installed, or reserves the name of a slot.
    """
    with extra("langchain"):
        from langchain_core.prompts import PromptTemplate as LangchainTemplate
    bound = {n: v for n, v in (template._bound or {}).items() if n in template.variables}
    values = {n: v.make if isinstance(v, _Late) else str(v) for n, v in bound.items()}
    with _refused("the template"):
        return LangchainTemplate.from_template(format_text(template), partial_variables=values)


def from_langchain(
    prompt: LangchainTemplate, *, protected: Iterable[str] = (), description: str = ""
) -> PromptTemplate:
    """Return a template of the text, slots and partial values of LangChain's `PromptTemplate`.

    Args:
        prompt: A template in the format `f-string`.
        protected: Literals that the parser of the model's answer depends on.
        description: A note for translators.

    Raises:
        PromptError: It is written in Jinja or Mustache, fills a slot by more than its name, or is
            no template of a text.
    """
    form = getattr(prompt, "template_format", None)
    if form != "f-string":
        raise PromptError(
            f"Cannot take over a {type(prompt).__name__} in the format {form!r}: "
            "only 'f-string' is slots and literal text; the others are programs"
        )
    parts, names = format_parts(prompt.template)
    made = template_of(parts, names, Contract(names, protected, description))
    given = prompt.partial_variables
    values = {name: _Late(v) if callable(v) else v for name, v in given.items()}
    return made.partial(values) if values else made


def read_prompts(chat: ChatPromptTemplate) -> PromptRegistry:
    """Return the texts of a chat prompt by role: `system`, `human`, `human_2`.

    Placeholders of messages and images have no text. Override or localize the registry, then hand
    it to `write_prompts`.

    Raises:
        PromptError: A part of it is no text in the format `f-string`.
    """
    return PromptRegistry({key: template for key, template, _ in _places(chat)})


def write_prompts(chat: ChatPromptTemplate, prompts: Prompts) -> ChatPromptTemplate:
    """Return a chat prompt with the texts of a registry; all else of it stays as it was.

    Args:
        chat: The chat prompt, which is not changed.
        prompts: Texts by the keys of `read_prompts`: a registry, a view in a locale, a namespace.

    Raises:
        PromptError: A text breaks its contract. All such are named.
    """
    made = chat.model_copy(update={"messages": list(chat.messages)})
    faults: list[Diagnostic] = []
    for key, old, put in _places(chat):
        text = prompts[key].template
        if found := old.check(text):
            faults += [fault.at(key=key) for fault in found]
        else:
            put(made, old.reworded(text))
    raise_faults("Cannot write the chat prompt", faults)
    return made


def chat_prompt(prompts: Prompts, messages: Iterable[Any]) -> ChatPromptTemplate:
    """Return a chat prompt made of a registry's prompts.

    Args:
        prompts: A registry, a view in a locale, or a namespace.
        messages: (role, key) for a prompt; anything else, such as a `MessagesPlaceholder` or a
            message, as LangChain takes it.

    Raises:
        PromptError: langchain-core is not installed, a key is unknown, or a role.
    """
    with extra("langchain"):
        from langchain_core.prompts import ChatPromptTemplate
    made: list[Any] = []
    for message in messages:
        if not isinstance(message, tuple):
            made.append(message)
            continue
        role, key = message
        template = to_langchain(prompts[key])
        with _refused(f"the role {role!r}"):
            [one] = ChatPromptTemplate([(role, template.template)]).messages
        made.append(one.model_copy(update={"prompt": template}))
    with _refused("the messages"):
        return ChatPromptTemplate(made)


def _places(chat: ChatPromptTemplate) -> list[_Place]:
    """Return key and template of each text of a chat prompt, and what puts a new one there."""
    with extra("langchain"):
        from langchain_core.messages import BaseMessage
        from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
        from langchain_core.prompts.image import ImagePromptTemplate
    if not isinstance(chat, ChatPromptTemplate):
        raise PromptError(f"Cannot read {type(chat).__name__}: a ChatPromptTemplate belongs here")
    roles: list[str] = []
    found: list[tuple[PromptTemplate, _Put]] = []
    for at, message in enumerate(chat.messages):
        if isinstance(message, MessagesPlaceholder):
            continue
        if isinstance(message, BaseMessage) and isinstance(message.content, str):
            roles.append(message.type)
            found.append((PromptTemplate(message.content), _put_content(at)))
            continue
        prompt = getattr(message, "prompt", None)
        if prompt is None:
            raise PromptError(
                f"Cannot read the message {at} of the chat prompt: {type(message).__name__} "
                "holds more than a text. Read its own prompts one by one, with from_langchain"
            )
        for index, part in enumerate(prompt if isinstance(prompt, list) else [prompt]):
            if not isinstance(part, ImagePromptTemplate):
                name = type(message).__name__.removesuffix("MessagePromptTemplate").lower()
                roles.append(getattr(message, "role", name))
                found.append((from_langchain(part), _put_prompt(at, index)))
    return [(key, *rest) for key, rest in zip(numbered(roles), found, strict=True)]


def _put_content(at: int) -> _Put:
    def put(chat: Any, template: PromptTemplate) -> None:
        update = {"content": template.template}
        chat.messages[at] = chat.messages[at].model_copy(update=update)

    return put


def _put_prompt(at: int, index: int) -> _Put:
    def put(chat: Any, template: PromptTemplate) -> None:
        message = chat.messages[at]
        many = isinstance(message.prompt, list)
        parts = list(message.prompt) if many else [message.prompt]
        parts[index] = parts[index].model_copy(update={"template": format_text(template)})
        update = {"prompt": parts if many else parts[0]}
        chat.messages[at] = message.model_copy(update=update)

    return put


@contextmanager
def _refused(what: str) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError) as error:
        raise PromptError(f"LangChain refuses {what}: {error}") from error
