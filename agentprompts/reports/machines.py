"""Findings for programs: one line each, JSON, SARIF, and annotations of a pull request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..diagnostics import Diagnostic

__all__ = ["concise", "github", "json_list", "sarif"]


def concise(findings: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    """Return a line for each: `file:line:column: severity[code] key: message`."""
    return "\n".join(
        f"{one.place or '-'}: {one.severity}[{one.code}] {one.key or '-'}: {one.message}"
        for one in findings
    )


def as_object(one: Diagnostic) -> dict[str, Any]:
    """Return a finding as a JSON object; the names are stable."""
    place = one.place
    return {
        "code": one.code,
        "severity": one.severity,
        "key": one.key,
        "locale": one.locale,
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "message": one.message,
        "mend": one.mend,
        "fixable": one.fix is not None,
    }


def json_list(findings: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    """Return a list of objects."""
    return json.dumps([as_object(one) for one in findings], ensure_ascii=False, indent=2)


def sarif(
    findings: Sequence[Diagnostic],
    sources: Mapping[str, str],
    told: Mapping[str, tuple[str, str]] | None = None,
) -> str:
    """Return a log of SARIF 2.1.0 (OASIS), as code hosts read it.

    Args:
        findings: The findings.
        sources: The texts of the files, which this form does not need.
        told: What each code means, in a sentence and as a page of Markdown.
    """
    rules = [_rule(code, (told or {}).get(code)) for code in sorted({o.code for o in findings})]
    run = {
        "tool": {"driver": {"name": "agentprompts", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one) for one in findings],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, ensure_ascii=False, indent=2)


def _rule(code: str, told: tuple[str, str] | None) -> dict[str, Any]:
    if told is None:
        return {"id": code}
    title, page = told
    help_text = {"text": page, "markdown": page}
    return {"id": code, "shortDescription": {"text": title}, "help": help_text}


def _result(one: Diagnostic) -> dict[str, Any]:
    text = f"{one.key}: {one.message}" if one.key else one.message
    result: dict[str, Any] = {
        "ruleId": one.code,
        "level": one.severity,
        "message": {"text": f"{text}. {one.mend}" if one.mend else text},
    }
    if one.place is not None and one.place.file is not None:
        region = {"startLine": one.place.line, "startColumn": one.place.column}
        location = {"artifactLocation": {"uri": one.place.file}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
    return result


def github(findings: Sequence[Diagnostic], sources: Mapping[str, str]) -> str:
    """Return workflow commands, which GitHub shows beside the lines of a pull request."""
    return "\n".join(_command(one) for one in findings)


def _command(one: Diagnostic) -> str:
    fields = {"title": f"{one.code} {one.key or ''}".strip()}
    if one.place is not None and one.place.file is not None:
        fields |= {
            "file": one.place.file,
            "line": str(one.place.line),
            "col": str(one.place.column),
        }
    # GitHub's own escapes: a comma or a colon in a property would end it.
    properties = ",".join(f"{k}={_escaped(v, ':,')}" for k, v in fields.items())
    text = f"{one.message}. {one.mend}" if one.mend else one.message
    return f"::{one.severity} {properties}::{_escaped(text, '')}"


def _escaped(text: str, more: str) -> str:
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text
