"""The sections of a coding agent's system prompt, each a prompt of the default catalog."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol, TypeAlias

from ..registry import PromptRegistry
from .builder import PromptBuilder
from .section import FromCatalog, Section

__all__ = ["CodingContext", "GitState", "Tool", "default_builder", "plan_builder"]


class Tool(Protocol):
    """What a list of tools is made from: the tool's own metadata, and no second list."""

    @property
    def name(self) -> str:
        """The name that the model calls it by."""

    @property
    def description(self) -> str:
        """What it does and when to use it."""

    @property
    def read_only(self) -> bool:
        """Whether it changes nothing, and so may be used while the agent plans."""


@dataclass(frozen=True, slots=True)
class GitState:
    """The state of a git repository, as git prints it."""

    branch: str
    status: str = ""
    commits: str = ""


@dataclass(frozen=True, slots=True)
class CodingContext:
    """What the default sections depend on.

    Args:
        cwd: The working directory.
        scratch: A directory for temporary files.
        git: The repository's state, `None` where there is none.
        tools: The tools that the model may call.
    """

    cwd: str
    scratch: str
    git: GitState | None = None
    tools: tuple[Tool, ...] = ()


def default_builder(prompts: PromptRegistry) -> PromptBuilder[CodingContext]:
    """Return a new builder of eleven sections, from who the agent is to which tools it has.

    Args:
        prompts: Has the prompts `coding.*` and `tool.*`, as `DEFAULT_PROMPTS` does.

    What concerns git is there only where there is a repository. The sections that never change
    come first but for the two that say where the agent works.
    """
    plain = ("workflow", "engineering_standards", "tool_usage")
    last = ("security", "tone", "files")
    sections: list[Section[CodingContext]] = [
        _section("identity"),
        _section("cwd", values=_cwd, depends=attrgetter("cwd", "scratch")),
        _section("git_context", values=_git, condition=_has_git, depends=attrgetter("git")),
        *map(_section, plain),
        _section("git_rules", condition=_has_git, depends=_has_git),
        *map(_section, last),
        _section("tool_catalog", values=_tools, depends=_tool_texts),
    ]
    return PromptBuilder(sections, prompts=prompts)


def plan_builder(builder: PromptBuilder[CodingContext]) -> PromptBuilder[CodingContext]:
    """Return a builder for planning: its rules, with the tools that only read, for the list of all.

    The builder given stays as it is.
    """
    old = builder.get("tool_catalog")
    mode = _section("plan_mode", values=_reading, depends=_tool_texts, order=old.order)
    return builder.derive().remove("tool_catalog").add(mode)


_Values: TypeAlias = Callable[[CodingContext, PromptRegistry], Mapping[str, str]]
_Condition: TypeAlias = Callable[[CodingContext], bool]
_Depends: TypeAlias = Callable[[CodingContext], Hashable]


def _section(
    id: str,
    *,
    values: _Values | None = None,
    condition: _Condition | None = None,
    depends: _Depends | None = None,
    order: float | None = None,
) -> Section[CodingContext]:
    return Section(
        id,
        FromCatalog(f"coding.{id}", values),
        order,
        source="host",
        condition=condition,
        depends=depends,
    )


def _has_git(context: CodingContext) -> bool:
    return context.git is not None


def _cwd(context: CodingContext, prompts: PromptRegistry) -> Mapping[str, str]:
    return {"cwd": context.cwd, "scratch": context.scratch}


def _git(context: CodingContext, prompts: PromptRegistry) -> Mapping[str, str]:
    state, none = context.git or GitState(""), prompts.text("tool.label.none")
    parts = {"branch": state.branch, "status": state.status, "commits": state.commits}
    return {name: part or none for name, part in parts.items()}


def _tools(context: CodingContext, prompts: PromptRegistry) -> Mapping[str, str]:
    return _listed(context.tools, prompts)


def _reading(context: CodingContext, prompts: PromptRegistry) -> Mapping[str, str]:
    return _listed([tool for tool in context.tools if tool.read_only], prompts)


def _listed(tools: Iterable[Tool], prompts: PromptRegistry) -> Mapping[str, str]:
    lines = [f"- {tool.name}: {tool.description}" for tool in tools]
    return {"tools": "\n".join(lines) or prompts.text("tool.label.none")}


def _tool_texts(context: CodingContext) -> Hashable:
    return tuple((tool.name, str(tool.description), tool.read_only) for tool in context.tools)
