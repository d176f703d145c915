"""The system prompt of a coding agent: the default sections, with this workbench's tools."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from agentprompts import PromptRegistry
from agentprompts.sections import (
    AssembledPrompt,
    CodingContext,
    FromCatalog,
    GitState,
    PromptBuilder,
    Section,
    default_builder,
)

from .workbench import Workbench


@dataclass(frozen=True, slots=True)
class Project:
    """Where an agent works: two folders, and a repository if there is one."""

    cwd: str
    scratch: str
    repository: GitState | None = None


def builder(prompts: PromptRegistry, bench: Workbench) -> PromptBuilder[CodingContext]:
    """Return the default sections with this workbench's list of tools, in the mode that it is in.

    While the agent plans, `plan_mode` takes the place of the list; else a section says which tools
    need the user's leave.
    """

    def listing(context: CodingContext, prompts: PromptRegistry) -> Mapping[str, str]:
        return {"tools": bench.listing()}

    made = default_builder(prompts)
    if bench.permissions.planning:
        plan = FromCatalog("coding.plan_mode", listing)
        return made.replace("tool_catalog", Section("plan_mode", plan))
    made.replace(
        "tool_catalog", Section("tool_catalog", FromCatalog("coding.tool_catalog", listing))
    )
    leave = Section[CodingContext](
        "permissions", lambda context: bench.permissions.note(bench.open())
    )
    return made.add(leave)


def assembled(prompts: PromptRegistry, project: Project, bench: Workbench) -> AssembledPrompt:
    """Return the sections that are there in a project; without a repository, none on git."""
    context = CodingContext(project.cwd, project.scratch, project.repository)
    return builder(prompts, bench).assemble(context)


def system_prompt(prompts: PromptRegistry, project: Project, bench: Workbench) -> str:
    """Return the sections, each in tags that bear its name and that no branch's name can close."""
    return assembled(prompts, project, bench).to_xml()


def read_repository(cwd: str) -> GitState | None:
    """Return the state of the repository that a folder is in, `None` where it is in none."""
    try:
        return GitState(
            _git(cwd, "branch", "--show-current"),
            _git(cwd, "status", "--short"),
            _git(cwd, "log", "--oneline", "-5", check=False),  # it fails before the first commit
        )
    except (OSError, subprocess.SubprocessError):
        return None


def _git(cwd: str, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, capture_output=True, check=check, timeout=10, text=True
    )
    return done.stdout.rstrip()
