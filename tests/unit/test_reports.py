"""The renderers, all given the same findings."""

from __future__ import annotations

import json

import pytest

from agentprompts import Diagnostic, Place
from agentprompts.reports import FORMATS

SOURCE = "[a]\nb = '漢字 { q } ok'\n"
FINDINGS = [
    Diagnostic(
        code="slot-mangled",
        message="'{ q }' is no slot",
        why="it has spaces",
        mend="write '{q}'",
        key="a.b",
        locale="zh-Hans",
        place=Place(2, 9, "zh-Hans.toml"),
        fix=(3, 8, "{q}"),
        related=Place(1, 1, "en.toml"),
    ),
    Diagnostic(code="key-missing", message="2 texts, are: missing", severity="warning"),
]
SOURCES = {"zh-Hans.toml": SOURCE, "en.toml": "[a]\n"}


def test_the_text_has_a_caret_under_wide_characters() -> None:
    lines = FORMATS["text"](FINDINGS, SOURCES).splitlines()
    excerpt = next(i for i, line in enumerate(lines) if line.endswith("ok'"))
    # `b = '` has five cells, 漢字 four, and a space: the caret begins in the cell of the brace.
    before = lines[excerpt].index("b =") + 5 + 4 + 1
    assert lines[excerpt + 1] == " " * 4 + "| " + " " * (before - 6) + "^" * 5
    assert "  why: it has spaces" in lines
    assert "  mend: write '{q}' (`check --fix` does it)" in lines
    assert lines[-1] == "1 error, 1 warning"


def test_concise_is_a_line_each() -> None:
    assert FORMATS["concise"](FINDINGS, SOURCES).splitlines() == [
        "zh-Hans.toml:2:9: error[slot-mangled] a.b: '{ q }' is no slot",
        "-: warning[key-missing] -: 2 texts, are: missing",
    ]


def test_json_is_a_list_of_objects() -> None:
    first, second = json.loads(FORMATS["json"](FINDINGS, SOURCES))
    assert first == {
        "code": "slot-mangled",
        "severity": "error",
        "key": "a.b",
        "locale": "zh-Hans",
        "file": "zh-Hans.toml",
        "line": 2,
        "column": 9,
        "message": "'{ q }' is no slot",
        "mend": "write '{q}'",
        "fixable": True,
    }
    assert (second["file"], second["line"]) == (None, None)


def test_sarif_has_rules_levels_and_places() -> None:
    log = json.loads(FORMATS["sarif"](FINDINGS, SOURCES))
    [run] = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "key-missing",
        "slot-mangled",
    ]
    first, second = run["results"]
    assert (first["level"], second["level"]) == ("error", "warning")
    place = first["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 2, "startColumn": 9}
    assert "locations" not in second


def test_github_annotations_are_escaped() -> None:
    first, second = FORMATS["github"](FINDINGS, SOURCES).splitlines()
    assert first.startswith("::error title=slot-mangled a.b,file=zh-Hans.toml,line=2,col=9::")
    assert second == "::warning title=key-missing::2 texts, are: missing"
    odd = Diagnostic(code="c", message="a\nb%", place=Place(1, 1, "x,y:z.toml"))
    assert FORMATS["github"]([odd], {}).endswith("file=x%2Cy%3Az.toml,line=1,col=1::a%0Ab%25")


@pytest.mark.parametrize("form", FORMATS)
def test_no_findings_are_no_fault(form: str) -> None:
    text = FORMATS[form]([], {})
    assert text in ("", "[]", "no findings") or json.loads(text)["runs"][0]["results"] == []
