"""Extensions that bring prompts along with their tools and hooks, and an agent that runs on them.

An extension has a name and a `setup(ctx)`. What it may add is what the context offers: tools,
hooks, and prompts under a namespace of its own, so that two extensions never clash. An agent knows
none of its extensions; it takes its system prompt from the registry, and the built-in one where no
extension has brought the persona that was asked for.

    python examples/extension.py
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptNamespace, PromptRegistry

Tool = Callable[[str], str]
Hook = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Context:
    """What an extension may add to. The prompts are the host's registry, under its namespace."""

    tools: dict[str, Tool]
    before_model: list[Hook]
    prompts: PromptNamespace


class Extension(Protocol):
    """A part of an agent that somebody else wrote."""

    name: str

    def setup(self, ctx: Context) -> None:
        """Register tools, hooks and prompts."""


class Review:
    """Reviews code: a persona, a tool whose words are a prompt too, and a hook."""

    name = "review"

    def setup(self, ctx: Context) -> None:
        """Register all of it. The prompts are there before the tool that speaks with them."""
        prompts = ctx.prompts
        prompts.register("persona", "You review {project}. Name the line of every fault.",
                         variables=["project"])  # fmt: skip
        prompts.register("tool.empty", "There is no change to review.")
        prompts.register("note", "End with PASS or FAIL.", protected=["PASS", "FAIL"])
        empty, note = prompts.ref("tool.empty"), prompts.ref("note")
        ctx.tools["show_change"] = lambda change: change or str(empty)
        ctx.before_model.append(lambda system: f"{system}\n{note}")


class Broken:
    """Declares a slot that its text does not have."""

    name = "broken"

    def setup(self, ctx: Context) -> None:
        """Fail, and say why."""
        ctx.prompts.register("persona", "You are broken.", variables=["project"])


@dataclass
class Host:
    """An agent's runtime: its registry, and what its extensions have added."""

    prompts: PromptRegistry = field(default_factory=DEFAULT_PROMPTS.copy)
    tools: dict[str, Tool] = field(default_factory=dict)
    before_model: list[Hook] = field(default_factory=list)

    def install(self, extension: Extension) -> str | None:
        """Set an extension up; return why it was left out, if it was.

        Of one that fails, no tool and no hook is taken; prompts that nothing uses do no harm.
        """
        ctx = Context({}, [], self.prompts.namespace(extension.name))
        try:
            extension.setup(ctx)
        except PromptError as error:
            return f"{extension.name}: {error.headline}"
        self.tools.update(ctx.tools)
        self.before_model += ctx.before_model
        return None

    def system(self, persona: str, project: str) -> str:
        """Return the system prompt of a persona, or the built-in one, after all hooks."""
        key = f"{persona}.persona"
        if key not in self.prompts:
            key = "chat.persona"
        text = self.prompts.render(key, project=project)
        for hook in self.before_model:
            text = hook(text)
        return text


def main() -> None:
    """Install two extensions, one of them broken; list, use and reword what they brought."""
    host = Host()
    for extension in (Review(), Broken()):
        print(host.install(extension) or f"{extension.name}: installed")
    for key, text in host.prompts.as_dict().items():
        if key.startswith("review."):
            print(f"  {key} ({len(text)} characters) {text.splitlines()[0][:60]}")
    print(host.system("review", "agentprompts"))
    print(host.tools["show_change"](""))
    host.prompts.override({"review.tool.empty": "Nothing has changed."})
    print(host.tools["show_change"](""))
    try:
        host.prompts.override({"review.note": "End with PASS or with your doubts."})
    except PromptError as error:
        print(error.headline)
    print(host.system("translate", "agentprompts").splitlines()[0])


if __name__ == "__main__":
    main()
