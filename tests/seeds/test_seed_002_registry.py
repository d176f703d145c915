"""The snippets of seed 002 that need neither agent nor packs, on a registry of our own.

`test_seed_002` runs them on the shipped catalog; here the texts are the page's, so that these hold
whatever the catalog says.
"""

from __future__ import annotations

import inspect

import pytest

from agentprompts import PromptError, PromptRegistry, PromptTemplate

# What the page calls CHINESE_PROMPTS: the raw mapping of key to text.
CHINESE = {
    "chat.persona": "你是一个乐于助人的助手。",
    "context.section.memory": "【记忆】",
    "context.current_question": "【当前问题】\n{query}",
    "harness.schema_instruction": "只返回符合此结构的 JSON：{schema}",
    "memory.reconcile": '选择 ADD、UPDATE、DELETE 或 NOOP：{"op": "ADD"}',
    "tool.error.not_found": "没有工具 {name}。",
}


@pytest.fixture
def default() -> PromptRegistry:
    """Play DEFAULT_PROMPTS."""
    registry = PromptRegistry()
    registry.register("chat.persona", "You are a helpful assistant.")
    registry.register("context.section.memory", "[Memory]")
    registry.register(
        "context.current_question", "[Current question]\n{query}", variables=("query",)
    )
    registry.register(
        "harness.schema_instruction",
        "Return JSON only, of this schema: {schema}",
        variables=("schema",),
        protected=("JSON",),
    )
    registry.register(
        "memory.reconcile",
        'Choose ADD, UPDATE, DELETE or NOOP: {"op": "ADD"}',
        protected=("ADD", "UPDATE", "DELETE", "NOOP"),
    )
    registry.register("tool.error.not_found", "There is no tool {name}.", variables=("name",))
    return registry


def test_a_registry_answers_direct_questions(
    default: PromptRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    """M1: `keys` is a list, `text` and `render` answer strings, `as_dict` a plain dict."""
    print(len(default.keys()), "prompts registered")
    print(default.text("chat.persona"))
    print(default.render("context.current_question", query="What time is it?"))
    assert capsys.readouterr().out == (
        "6 prompts registered\nYou are a helpful assistant.\n[Current question]\nWhat time is it?\n"
    )
    prompts = default.as_dict()
    assert type(prompts) is dict
    assert [key for key in sorted(prompts) if key.startswith("tool.error.")] == [
        "tool.error.not_found"
    ]


def test_an_override_keeps_the_required_placeholder(default: PromptRegistry) -> None:
    """M3, M5: accepted with `{query}`, refused up front without it."""
    default.override({"context.current_question": "[User asks]\n{query}"})
    with pytest.raises(PromptError) as caught:
        default.override({"context.current_question": "The question is above."})
    first = str(caught.value).splitlines()[0]
    assert first == "Invalid prompt override: missing placeholder ['query']"
    assert default.render("context.current_question", query="x") == "[User asks]\nx"


@pytest.mark.parametrize(
    ("key", "text", "lost"),
    [
        ("memory.reconcile", 'Choose ADD, UPDATE, REMOVE or NOOP: {"op": "ADD"}', "DELETE"),
        ("memory.reconcile", "添加, UPDATE, DELETE, NOOP", "ADD"),
        ("harness.schema_instruction", "Return Json only: {schema}", "JSON"),
        ("harness.schema_instruction", "Return JSON only.", "schema"),
        ("tool.error.not_found", "There is no tool {tool}.", "name"),
    ],
)
def test_every_declared_placeholder_and_token_must_survive(
    default: PromptRegistry, key: str, text: str, lost: str
) -> None:
    """M3: what would break at run time is moved forward to the moment of the change."""
    before = default.as_dict()
    with pytest.raises(PromptError, match=lost) as caught:
        default.override({key: text})
    assert [found.subject for found in caught.value.diagnostics] == [lost]
    assert default.as_dict() == before


def test_rendering_leaves_other_braces_as_they_are(default: PromptRegistry) -> None:
    """M2: protocol examples are never mangled; a missing placeholder is a PromptError."""
    assert default.render("memory.reconcile").endswith('{"op": "ADD"}')
    with pytest.raises(PromptError, match="query"):
        default.render("context.current_question")


def test_templates_can_be_built_directly() -> None:
    """M2, M4: the constructor, `render` and `with_text` are the page's."""
    tpl = PromptTemplate("Answer this question:\n{query}", variables=("query",))
    assert tpl.render(query="How tall is Everest?") == "Answer this question:\nHow tall is Everest?"
    reworded = tpl.with_text("Please answer the following.\n{query}")
    assert reworded.render(query="x") == "Please answer the following.\nx"
    assert tpl.template == "Answer this question:\n{query}"
    with pytest.raises(PromptError):
        reworded.with_text("Please answer.")


def test_option_a_an_isolated_registry_in_another_language(default: PromptRegistry) -> None:
    """M5, M11: `with_overrides` returns a new catalog, of the same keys, and no English is left."""
    chinese = default.with_overrides(CHINESE)
    assert chinese.as_dict() == CHINESE
    assert default.text("context.section.memory") == "[Memory]"
    assert chinese.render("context.current_question", query="几点了？") == "【当前问题】\n几点了？"


def test_option_b_the_shared_registry_switches_in_place(default: PromptRegistry) -> None:
    """M5: every component that reads it later, and every one that holds it, becomes Chinese."""
    holder = default
    default.override(CHINESE)
    assert holder.as_dict() == default.copy().as_dict() == CHINESE


def test_a_whole_registry_can_be_handed_across(default: PromptRegistry) -> None:
    """M6: an agent's own copy takes every text of another registry at once."""
    own = default.copy()
    own.override(default.with_overrides(CHINESE))
    assert own.as_dict() == CHINESE
    assert default.text("chat.persona") == "You are a helpful assistant."


def test_register_your_own_prompts_on_a_copy(default: PromptRegistry) -> None:
    """M8, M13: new keys only; they show up alongside the built-in ones and render like any."""
    reg = default.copy()
    reg.register("myapp.greeting", "Greet {name} warmly and offer help.", variables=("name",))
    assert "myapp.greeting" in reg.as_dict()
    assert reg.render("myapp.greeting", name="Ada") == "Greet Ada warmly and offer help."
    assert "myapp.greeting" not in default.as_dict()
    with pytest.raises(PromptError):
        reg.register("chat.persona", "You are mine.")
    assert reg.text("chat.persona") == "You are a helpful assistant."


def test_a_host_catches_prompt_errors_with_its_own() -> None:
    """M12: a host may derive its errors from the root, as the page's AgentmakerError shows."""

    class AgentmakerError(Exception):
        pass

    class AgentPromptError(AgentmakerError, PromptError):
        pass

    with pytest.raises(AgentmakerError, match="a headline"):
        raise AgentPromptError("a headline")


def test_the_signatures_are_the_pages() -> None:
    """DESIGN 4, drop-in: positional arguments and keyword-only ones are those of the page."""
    kinds = {
        name: parameter.kind.name
        for name, parameter in inspect.signature(PromptRegistry.register).parameters.items()
    }
    assert kinds == {
        "self": "POSITIONAL_OR_KEYWORD",
        "key": "POSITIONAL_OR_KEYWORD",
        "template": "POSITIONAL_OR_KEYWORD",
        "variables": "KEYWORD_ONLY",
        "protected": "KEYWORD_ONLY",
        "description": "KEYWORD_ONLY",
    }
    assert {
        name: parameter.default
        for name, parameter in inspect.signature(PromptTemplate).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    } == {"variables": (), "protected": (), "description": ""}
