"""The example of extensions: prompts registered in `setup`, beside tools and hooks."""

from __future__ import annotations

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptError
from examples import extension


def test_extensions_register_prompts_beside_tools_and_hooks() -> None:
    """H5, H4: an extension brings all three; a persona that none brought is the built-in one."""
    host = extension.Host()
    before = host.system("review", "agentprompts")
    assert before == DEFAULT_PROMPTS.text("chat.persona")
    assert host.install(extension.Review()) is None
    assert host.system("review", "x") == (
        "You review x. Name the line of every fault.\nEnd with PASS or FAIL."
    )
    assert list(host.tools) == ["show_change"]
    host.prompts.override({"review.tool.empty": "Nothing.", "review.note": "PASS or FAIL?"})
    assert host.tools["show_change"]("") == "Nothing."
    assert host.system("review", "x").endswith("PASS or FAIL?")
    assert "review.persona" not in DEFAULT_PROMPTS


def test_a_broken_extension_is_named_and_leaves_no_tool_behind() -> None:
    class Half(extension.Broken):
        def setup(self, ctx: extension.Context) -> None:
            ctx.tools["half"] = str.upper
            super().setup(ctx)

    host = extension.Host()
    assert host.install(Half()) == (
        "broken: Invalid prompt template: missing placeholder ['project']"
    )
    assert (host.tools, host.before_model) == ({}, [])
    assert host.install(extension.Review()) is None


def test_two_extensions_of_one_name_do_not_overwrite_each_other() -> None:
    host = extension.Host()
    host.install(extension.Review())
    assert "already exists" in (host.install(extension.Review()) or "")
    with pytest.raises(PromptError, match="'FAIL'"):
        host.prompts.override({"review.note": "PASS"})


def test_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    extension.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "review: installed",
        "broken: Invalid prompt template: missing placeholder ['project']",
    ]
    assert lines[-1] == "You are a helpful assistant."
