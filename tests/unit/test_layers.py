"""Layers over an agent: promises C14, C15, C18 to C23, and what overlays hold."""

from __future__ import annotations

from typing import Any

import pytest

from agentprompts import PromptError
from agentprompts.overlays import Agent, Overlay, Patch, Policy, Run, Scope, Settings, layer
from agentprompts.sections import PromptBuilder, Section

BROAD = Scope.of(workspace="acme")
NARROW = Scope.of(workspace="acme", project="site")
AGENT: Agent[Any] = Agent(
    sections=PromptBuilder([Section("role", "Ada.", locked=True), Section("tone", "Brief.")]),
    tools=("read", "shell"),
    settings=Settings(model="big", temperature=1.0),
)
ALL = ("read", "shell", "fetch")


def broad(**content: Any) -> Overlay:
    return Overlay(agent="ada", scope=BROAD, **content)


def narrow(**content: Any) -> Overlay:
    return Overlay(agent="ada", scope=NARROW, **content)


def test_without_overlays_the_agent_is_what_it_was() -> None:
    """C15."""
    plain = layer(AGENT)
    assert plain.assemble().text == "Ada.\n\nBrief."
    assert (plain.tools, plain.settings) == (("read", "shell"), AGENT.settings)
    changed = layer(AGENT, [broad(patches=[Patch("tone", "x")], tools_removed=["shell"])])
    assert changed.assemble().text != plain.assemble().text
    assert layer(AGENT) == plain


def test_the_narrower_applies_last() -> None:
    """C19, C27."""
    both = [broad(patches=[Patch("tone", "B")]), narrow(patches=[Patch("tone", "N", "append")])]
    assert layer(AGENT, both).assemble().text == "Ada.\n\nB\nN"
    assert layer(AGENT, both[::-1]).assemble().text == "Ada.\n\nB"


def test_a_runs_own_prompt_takes_the_place_of_all_sections() -> None:
    """C14: locked ones too; overlays still reach it."""
    run = Run(system_prompt="Only this.")
    found = layer(AGENT, [broad(patches=[Patch("role", "And that.", "append")])], run=run)
    assert found.assemble().text == "Only this.\nAnd that."
    [section] = found.sections
    assert (section.id, section.locked) == ("role", False)
    replaced = layer(AGENT, [broad(patches=[Patch("role", "Mine.")])], run=run)
    assert replaced.assemble().text == "Mine."
    assert layer(AGENT, run=Run(system_prompt="")).assemble().text == ""


@pytest.mark.parametrize(
    ("own", "overlays", "tools"),
    [
        (("a",), [], ("a",)),
        ((), [], ()),
        (None, [], None),
        (("a",), [broad(tools_added=["b"])], ("a", "b")),
        (("a",), [broad(tools_added=["a"])], ("a",)),
        (("a", "b"), [broad(tools_removed=["a"])], ("b",)),
        (("a",), [broad(tools_removed=["a"])], ()),
        (("a",), [broad(tools_added=["b"], tools_removed=["b"])], ("a",)),
        (("a",), [broad(tools_removed=["a"]), narrow(tools_added=["a"])], ("a",)),
        (("a",), [broad(tools_removed=["a"]), narrow(tools_added=["b"])], ("b",)),
        (("a",), [broad(tools_added=["b"]), narrow(tools_removed=["b"])], ("a",)),
        (None, [broad(tools_added=["a"])], None),
        (None, [broad(tools_removed=["a"])], ("b", "c")),
        (None, [broad(tools_removed=["a", "b", "c"])], ()),
        (None, [broad(tools_removed=["a"]), narrow(tools_added=["a"])], ("b", "c", "a")),
        (None, [broad(tools_removed=["x"])], ("a", "b", "c")),
        ((), [broad(tools_removed=["a"])], ()),
        (("a",), [broad(tools_added=["none"])], ("a",)),
    ],
)
def test_tools_are_added_and_removed(
    own: tuple[str, ...] | None, overlays: list[Overlay], tools: tuple[str, ...] | None
) -> None:
    """C18, C19, C20: removals win within one overlay, the narrower across them."""
    found = layer(Agent[Any](tools=own), overlays, tools=("a", "b", "c"))
    assert found.tools == tools


def test_subtracting_from_all_needs_to_know_all() -> None:
    """C20."""
    with pytest.raises(PromptError, match="say with tools="):
        layer(Agent(), [broad(tools_removed=["shell"])])


def test_a_tool_that_does_not_exist_is_told() -> None:
    found = layer(AGENT, [broad(tools_added=["sehll"])], tools=ALL)
    [outcome] = found.outcomes
    assert (outcome.subject, outcome.result, outcome.origin) == ("sehll", "declined", str(BROAD))


@pytest.mark.parametrize("floors", [False, True])
def test_removals_are_no_floor_unless_the_host_says_so(floors: bool) -> None:
    """C23."""
    both = [broad(tools_removed=["shell"]), narrow(tools_added=["shell", "fetch"])]
    found = layer(AGENT, both, tools=ALL, policy=Policy(floors=floors))
    assert found.tools == (("read", "fetch") if floors else ("read", "shell", "fetch"))
    assert [one.subject for one in found.outcomes] == (["shell"] if floors else [])


@pytest.mark.parametrize("floors", [False, True])
def test_locks_hold_under_narrower_scopes_where_the_host_says_so(floors: bool) -> None:
    """C23: and where it does not, nobody is left to believe that they do."""
    overlays = [
        broad(patches=[Patch("tone", "Broad.")], locks=["tone", "nobody"]),
        narrow(patches=[Patch("tone", "Narrow."), Patch("tone", "More.", "append")]),
    ]
    found = layer(AGENT, overlays, policy=Policy(floors=floors))
    text = "Ada.\n\nBroad.\nMore." if floors else "Ada.\n\nNarrow.\nMore."
    assert found.assemble().text == text
    told = {one.subject: one.reason for one in found.outcomes if "not locked" in one.reason}
    assert set(told) == ({"nobody"} if floors else {"tone", "nobody"})


UNSET: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("defaults", "agent", "broader", "narrower", "run", "found"),
    [
        (UNSET, UNSET, UNSET, UNSET, UNSET, UNSET),
        ({"model": "d"}, UNSET, UNSET, UNSET, UNSET, {"model": "d"}),
        ({"model": "d"}, {"model": "a"}, UNSET, UNSET, UNSET, {"model": "a"}),
        ({"model": "d"}, {"model": "a"}, {"model": "b"}, {"model": "n"}, UNSET, {"model": "n"}),
        ({"model": "d"}, UNSET, {"model": "b"}, {"model": "n"}, {"model": "r"}, {"model": "r"}),
        (UNSET, {"model": "a"}, {"model": ""}, UNSET, {"model": ""}, {"model": "a"}),
        (UNSET, {"temperature": 1.0}, {"temperature": 0.0}, UNSET, UNSET, {"temperature": 0.0}),
        (UNSET, UNSET, {"temperature": 0}, UNSET, {"temperature": 0.5}, {"temperature": 0.5}),
        (UNSET, {"max_tokens": 9}, {"max_tokens": 0}, UNSET, UNSET, {"max_tokens": 0}),
        (
            {"max_tokens": 9},
            {"model": "a"},
            {"temperature": 0.0},
            UNSET,
            UNSET,
            {"max_tokens": 9, "model": "a", "temperature": 0.0},
        ),
    ],
)  # fmt: skip
def test_settings_are_layered_field_by_field(
    defaults: dict[str, Any],
    agent: dict[str, Any],
    broader: dict[str, Any],
    narrower: dict[str, Any],
    run: dict[str, Any],
    found: dict[str, Any],
) -> None:
    """C21, C22: zero is a setting, unset and an empty model are none."""
    layered = layer(
        Agent[Any](settings=Settings(**agent)),
        [broad(settings=Settings(**broader)), narrow(settings=Settings(**narrower))],
        run=Run(settings=Settings(**run)),
        defaults=Settings(**defaults),
    )
    assert layered.settings == Settings(**found)
    assert layered.origins.keys() == found.keys()


def test_where_each_setting_comes_from() -> None:
    overlays = [
        broad(settings=Settings(max_tokens=5), tools_removed=["shell"]),
        narrow(settings=Settings(model="small"), tools_added=["fetch"]),
    ]
    found = layer(AGENT, overlays, defaults=Settings(temperature=0.0, max_tokens=1), tools=ALL)
    assert found.origins == {
        "model": str(NARROW),
        "temperature": "agent",
        "max_tokens": str(BROAD),
        "tool shell": f"removed by {BROAD}",
        "tool fetch": str(NARROW),
    }


def test_a_strict_host_gets_an_error_for_what_is_declined() -> None:
    """C10."""
    patch = [broad(patches=[Patch("role", "x")])]
    assert layer(AGENT, patch).outcomes[0].result == "declined"
    with pytest.raises(PromptError, match="Cannot apply 1 of 1"):
        layer(AGENT, patch, policy=Policy(strict=True))


@pytest.mark.parametrize(
    "content",
    [
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"temperature": -0.1},
        {"temperature": True},
        {"temperature": "1"},
        {"max_tokens": -1},
        {"max_tokens": 1.5},
        {"max_tokens": 2**31},
        {"max_tokens": True},
        {"model": 7},
        {"model": "a\nb"},
        {"model": "x" * 201},
        {"tools_added": "shell"},
        {"tools_added": [""]},
        {"tools_removed": [7]},
        {"tools_removed": ["a\0"]},
        {"locks": ["x" * 201]},
        {"patches": "tone"},
        {"patches": [{"id": "tone"}]},
        {"patches": [{"id": "tone", "body": "x", "order": 1}]},
        {"patches": [{"id": "", "body": "x"}]},
        {"patches": [{"id": "tone", "body": "nul \0"}]},
        {"patches": [{"id": "tone", "body": "x", "mode": 7}]},
        {"patches": [Patch("tone", "x")] * 1001},
        {"tools_added": ["x"] * 1001},
        {"tempreature": 1.0},
        {"scope": "x"},
    ],
)
def test_what_is_no_overlay_is_refused_with_its_mend(content: dict[str, Any]) -> None:
    """C13, C21: bad input tells all that is wrong, and how to mend it."""
    with pytest.raises(PromptError, match="Invalid") as caught:
        Overlay.from_content("ada", content)
    assert all(found.mend for found in caught.value.diagnostics)
    with pytest.raises(PromptError, match="agent"):
        Overlay(agent=" ")


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(PromptError) as caught:
        Overlay(agent="", tools_added=("",), patches=(Patch("", "x"), Patch("a", "\0")))
    assert len(caught.value.diagnostics) == 4


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"temperature": 0.0, "max_tokens": 0, "model": ""},
        {"patches": [{"id": "a", "body": "", "mode": "Replace"}, {"id": "b", "body": "x"}]},
        {"tools_added": ["a"], "tools_removed": ["b"], "locks": ["c"]},
    ],
)
def test_what_is_written_reads_back(content: dict[str, Any]) -> None:
    """C9, C21: unset, zero and empty stay apart; a mode that nobody knows is kept as it is."""
    assert Overlay.from_content("ada", content).content() == content
