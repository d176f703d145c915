"""The system prompt of a coding agent, from its sections."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass

from agentprompts import PromptRegistry

from .workbench import Workbench


@dataclass(frozen=True, slots=True)
class Repository:
    """The state of a git repository, as git prints it."""

    branch: str
    status: str
    commits: str


@dataclass(frozen=True, slots=True)
class Project:
    """Where an agent works: two folders, and a repository if there is one."""

    cwd: str
    scratch: str
    repository: Repository | None = None


def sections(prompts: PromptRegistry, project: Project, bench: Workbench) -> dict[str, str]:
    """Return the sections by their names, in order.

    Without a repository, what concerns git is left out; while the agent plans, `plan_mode` takes
    the place of the list of tools.
    """
    say, text = prompts.render, prompts.text
    found = {
        "identity": text("coding.identity"),
        "cwd": say("coding.cwd", cwd=project.cwd, scratch=project.scratch),
    }
    if project.repository:
        found["git_context"] = _git_context(prompts, project.repository)
    found |= {
        "workflow": text("coding.workflow"),
        "engineering_standards": text("coding.engineering_standards"),
        "tool_usage": text("coding.tool_usage"),
    }
    if project.repository:
        found["git_rules"] = text("coding.git_rules")
    found |= {
        "security": text("coding.security"),
        "tone": text("coding.tone"),
        "files": text("coding.files"),
    }
    if bench.permissions.planning:
        found["plan_mode"] = say("coding.plan_mode", tools=bench.listing())
    else:
        found["tool_catalog"] = say("coding.tool_catalog", tools=bench.listing())
        found["permissions"] = bench.permissions.note(bench.open())
    return {name: body for name, body in found.items() if body}


def system_prompt(prompts: PromptRegistry, project: Project, bench: Workbench) -> str:
    """Return the sections, each in tags that bear its name."""
    return "\n\n".join(
        f"<{name}>\n{body}\n</{name}>" for name, body in sections(prompts, project, bench).items()
    )


def _git_context(prompts: PromptRegistry, state: Repository) -> str:
    """Return the section of a repository; names in it, which others chose, close no tag."""
    none = prompts.text("tool.label.none")
    branch, status, commits = (
        part.replace("<", "&lt;") or none for part in (state.branch, state.status, state.commits)
    )
    return prompts.render("coding.git_context", branch=branch, status=status, commits=commits)


def read_repository(cwd: str) -> Repository | None:
    """Return the state of the repository that a folder is in, `None` where it is in none."""
    try:
        return Repository(
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
