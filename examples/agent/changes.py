"""A change to code: reviewed, given a message, and explained where a command fails on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agentprompts import PromptRegistry

from .asking import ask
from .model import Model
from .parsers import UnreadableError, load_json
from .worktokens import FindingKey, Severity

MOST_OF_A_SUBJECT = 72
_TOUCHED = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S.*?)(?:\t.*)?$", re.MULTILINE)
"""The files that a diff names, without git's `a/` and `b/`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a review found at a line."""

    path: str
    line: int
    severity: Severity
    problem: str
    mend: str


def review(prompts: PromptRegistry, model: Model, purpose: str, diff: str) -> list[Finding]:
    """Return what a model finds wrong with a change, the gravest first."""
    answer = ask(prompts, model, "coding.review", purpose=purpose, diff=diff)
    found = parse_findings(answer, diff)
    return sorted(found, key=lambda finding: list(Severity).index(finding.severity))


def parse_findings(answer: str, diff: str) -> list[Finding]:
    """Read the answer to a review.

    Raises:
        UnreadableError: The answer does not have the form that was asked for, or has a finding in
            a file that the change does not touch.
    """
    items = load_json(answer)
    if not isinstance(items, list):
        raise UnreadableError(f"{answer!r}")
    touched = set(_TOUCHED.findall(diff))
    return [_finding(item, touched) for item in items]


def _finding(item: object, touched: set[str]) -> Finding:
    if not isinstance(item, Mapping):
        raise UnreadableError(f"{item!r}")
    path, line, severity, problem, mend = (item.get(field.bare) for field in FindingKey)
    if path not in touched:
        raise UnreadableError(f"{FindingKey.PATH.bare}: {path!r}")
    if not isinstance(line, int) or isinstance(line, bool) or line < 1:
        raise UnreadableError(f"{FindingKey.LINE.bare}: {line!r}")
    if severity not in list(Severity):
        raise UnreadableError(f"{FindingKey.SEVERITY.bare}: {severity!r}")
    if not isinstance(problem, str) or not isinstance(mend, str):
        raise UnreadableError(
            f"{FindingKey.PROBLEM.bare}, {FindingKey.MEND.bare}: {problem!r}, {mend!r}"
        )
    return Finding(path, line, Severity(severity), problem, mend)


def commit_message(prompts: PromptRegistry, model: Model, commits: str, diff: str) -> str:
    """Return a message for a change.

    Args:
        prompts: The agent's prompts.
        model: Who writes it.
        commits: The latest messages, whose form it follows; empty for the first commit.
        diff: The change.
    """
    latest = commits or prompts.text("tool.label.none")
    return parse_message(ask(prompts, model, "coding.commit_message", commits=latest, diff=diff))


def parse_message(answer: str) -> str:
    """Read a commit's message.

    Raises:
        UnreadableError: It has no first line, a long one, one in a fence or quotation marks, or
            no empty line after it.
    """
    message = answer.strip()
    subject, _, rest = message.partition("\n")
    wrong = not subject or len(subject) > MOST_OF_A_SUBJECT or subject[0] in "`\"'“”"
    if wrong or (rest and not rest.startswith("\n")):
        raise UnreadableError(f"{subject!r}")
    return message


def explain_failure(prompts: PromptRegistry, model: Model, command: str, output: str) -> str:
    """Return an explanation of a command's failure, for the user."""
    shown = output or prompts.text("tool.result.empty")
    return ask(prompts, model, "coding.explain_failure", command=command, output=shown)
