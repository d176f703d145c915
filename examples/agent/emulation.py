"""Tool calls for a model that has none of its own: written out between markers, and parsed."""

from __future__ import annotations

import json
import re

from agentprompts import PromptRegistry

from .forms import parse_object, parse_text
from .model import Message, Model
from .parsers import Call, UnreadableError
from .tokens import Field, Marker
from .tools import Tool, Toolbox


def run(
    prompts: PromptRegistry, model: Model, toolbox: Toolbox, task: str, most_turns: int = 8
) -> str:
    """Answer a task, calling tools on the way.

    Raises:
        UnreadableError: No answer came within the turns.
    """
    system = f"{prompts.text('chat.persona')}\n\n{instruction(prompts, toolbox)}"
    messages = [Message("system", system), Message("user", task)]
    for _ in range(most_turns):
        answer = model.complete(messages)
        try:
            text, calls = parse_calls(answer)
        except UnreadableError as error:
            reply = prompts.render("emulation.retry", error=error)
        else:
            if not calls:
                return text
            reply = "\n".join(
                prompts.render(
                    "emulation.result",
                    name=call.tool,
                    result=unmarked(toolbox.call(call.tool, call.arguments)),
                )
                for call in calls
            )
        messages += [Message("assistant", answer), Message("user", reply)]
    raise UnreadableError(f"{most_turns} turns")


def instruction(prompts: PromptRegistry, toolbox: Toolbox) -> str:
    """Return what the model is told of its tools, or of there being none."""
    if not toolbox.tools:
        return prompts.text("emulation.no_tool")
    entries = [
        prompts.render(
            "emulation.entry",
            name=tool.name,
            description=tool.description,
            parameters=_schema(tool),
        )
        for tool in toolbox.tools.values()
    ]
    return prompts.render("emulation.instruction", tools="\n\n".join(entries))


_BLOCK = re.compile(f"{re.escape(Marker.CALL)}(.*?){re.escape(Marker.CALL_END)}", re.DOTALL)


def parse_calls(answer: str) -> tuple[str, list[Call]]:
    """Read the text for the user and the calls of one answer.

    A marker that is left over is an error: a call broke off, or the model made up a result.
    """
    text = _BLOCK.sub("", answer).strip()
    if found := [marker for marker in Marker if marker.value in text]:
        raise UnreadableError(f"{found[0].value} ?")
    calls = [_call(block) for block in _BLOCK.findall(answer)]
    return (text if calls else parse_text(text)), calls


def _call(block: str) -> Call:
    name, arguments = parse_object(block, Field.NAME, Field.ARGUMENTS)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise UnreadableError(f"{block.strip()!r}")
    return Call(name, arguments)


def unmarked(text: str) -> str:
    """Return a tool's result that can neither end itself nor make a call."""
    for marker in Marker:
        text = text.replace(marker.value, marker.value.replace("[", "("))
    return text


def _schema(tool: Tool) -> str:
    properties = {
        name: {"type": "string", "description": str(about)}
        for name, about in tool.parameters.items()
    }
    schema = {"type": "object", "properties": properties, "required": list(tool.parameters)}
    return json.dumps(schema, ensure_ascii=False)
