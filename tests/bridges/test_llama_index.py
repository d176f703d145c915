"""LlamaIndex's own engines, synthesizers and mock models, with llama-index-core from PyPI."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core import MockEmbedding, SummaryIndex
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, TextBlock
from llama_index.core.evaluation import RelevancyEvaluator
from llama_index.core.llms import MockLLM
from llama_index.core.prompts import (
    BasePromptTemplate,
    ChatPromptTemplate,
    RichPromptTemplate,
    SelectorPromptTemplate,
)
from llama_index.core.prompts import PromptTemplate as LlamaTemplate
from llama_index.core.prompts.mixin import PromptMixin
from llama_index.core.query_engine import RetrieverQueryEngine, RetryQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import TextNode

from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.exchange import pseudo_text
from agentprompts.integrations.llama_index import read_prompts, write_prompts
from agentprompts.testing import pseudo_registry
from examples import llama_index_engine


class Module(PromptMixin):
    """A module with prompts of any kind, and modules in it."""

    def __init__(self, inner: dict[str, PromptMixin] | None = None, **prompts: Any) -> None:
        self.inner = inner or {}
        self.prompts: dict[str, BasePromptTemplate] = {
            name: LlamaTemplate(one) if isinstance(one, str) else one
            for name, one in prompts.items()
        }

    def _get_prompts(self) -> dict[str, BasePromptTemplate]:
        return dict(self.prompts)

    def _get_prompt_modules(self) -> dict[str, PromptMixin]:
        return self.inner

    def _update_prompts(self, prompts_dict: dict[str, BasePromptTemplate]) -> None:
        self.prompts |= {name: p for name, p in prompts_dict.items() if name in self.prompts}


class EchoLLM(MockLLM):
    """The library's mock, which answers with its prompt, and is no chat model."""


def engine() -> RetryQueryEngine:
    llm = EchoLLM()
    index = SummaryIndex([TextNode(text="CONTEXT")], embed_model=MockEmbedding(embed_dim=2))
    inner = RetrieverQueryEngine(
        index.as_retriever(), get_response_synthesizer(llm=llm, response_mode="compact")
    )
    return RetryQueryEngine(inner, RelevancyEvaluator(llm=llm), max_retries=0)


def deep() -> Module:
    return Module({"mid": Module({"leaf": Module(qa="Ask {q}")}, own="Own {x}")}, top="Top")


def test_any_depth_that_listing_returns_is_written() -> None:
    """LlamaIndex's own update refuses `mid:leaf:qa`, which its listing returns."""
    module = deep()
    assert "mid:leaf:qa" in module.get_prompts()
    with pytest.raises(ValueError, match="too many values"):
        module.update_prompts({"mid:leaf:qa": LlamaTemplate("{q}")})
    prompts = read_prompts(module)
    assert prompts.as_dict() == {"top": "Top", "mid.own": "Own {x}", "mid.leaf.qa": "Ask {q}"}
    prompts.override({"mid.leaf.qa": "问：<q>", "top": "上"})
    write_prompts(module, prompts)
    said = {key: prompt.get_template() for key, prompt in module.get_prompts().items()}
    assert said == {"top": "上", "mid:own": "Own {x}", "mid:leaf:qa": "问：{q}"}


def test_a_query_engine_answers_in_another_language() -> None:
    whole = engine()
    prompts = read_prompts(whole)
    listed = {key.replace(":", ".") for key in whole.get_prompts()}
    assert {key for key in prompts if key.startswith(tuple(listed))} == set(prompts)
    assert all(any(key.startswith(one) for key in prompts) for one in listed)
    qa = "query_engine.response_synthesizer.text_qa_template.default"
    assert prompts[qa].variables == ("context_str", "query_str")
    asked = str(whole._query_engine.query("QUESTION"))
    prompts.localized("zh").override({qa: "资料：<context_str>\n问：<query_str>"})
    write_prompts(whole, prompts.localized("zh"))
    assert str(whole._query_engine.query("QUESTION")) == "资料：CONTEXT\n问：QUESTION"
    write_prompts(whole, prompts)
    assert str(whole._query_engine.query("QUESTION")) == asked
    assert "Given the context information" in asked


def test_all_prompts_of_an_engine_go_out_and_back_in_the_pseudo_locale() -> None:
    whole = engine()
    source = read_prompts(whole)
    write_prompts(whole, pseudo_registry(source))
    assert read_prompts(whole).as_dict() == {k: pseudo_text(t) for k, t in source.items()}
    assert str(whole._query_engine.query("Q")).startswith("⟦")


def test_a_broken_text_changes_nothing() -> None:
    module = deep()
    broken = PromptRegistry(
        {"top": PromptTemplate("New"), "mid.own": PromptTemplate("No slot")}
        | {"mid.leaf.qa": PromptTemplate("{{q}} {q}", variables=["q"])}
    )
    with pytest.raises(PromptError, match="2 faults in 2 prompts") as caught:
        write_prompts(module, broken)
    assert [(f.key, f.code) for f in caught.value.diagnostics] == [
        ("mid.own", "slot-missing"),
        ("mid.leaf.qa", "foreign-brace"),
    ]
    assert read_prompts(module).as_dict() == read_prompts(deep()).as_dict()


def test_a_module_that_takes_no_update_is_told() -> None:
    class Deaf(Module):
        def _update_prompts(self, prompts_dict: dict[str, BasePromptTemplate]) -> None:
            pass

    module = Module({"deaf": Deaf(a="A")}, b="B")
    with pytest.raises(PromptError, match=r"Deaf did not take the new text of 'deaf\.a'"):
        write_prompts(module, read_prompts(module).with_overrides({"deaf.a": "x", "b": "y"}))
    assert module.prompts["b"].get_template() == "B"


def test_json_and_doubled_braces_are_kept() -> None:
    """`{"name": "x"}` beside a slot stays byte for byte; doubled braces around one do, too."""
    text = 'As {"name": "x", "n": {}}: {q}, {{q}}, {not this}'
    module = Module(a=text)
    prompts = read_prompts(module)
    said = module.prompts["a"].format(q="V")
    assert prompts.render("a", q="V") == said == 'As {"name": "x", "n": {}}: V, {V}, {not this}'
    write_prompts(module, prompts)
    assert module.prompts["a"].format(q="V") == said


def test_mappings_and_partial_values_stay() -> None:
    prompt = LlamaTemplate(
        "{mine} {now} {lang}",
        template_var_mappings={"query_str": "mine"},
        function_mappings={"now": lambda **kw: f"<{kw['query_str']}>"},
        lang="L",
    )
    module = Module(a=prompt)
    prompts = read_prompts(module)
    prompts.override({"a": "再 {lang}：{now}：{mine}"})
    write_prompts(module, prompts)
    assert module.prompts["a"].format(query_str="Q") == "再 L：<Q>：Q"
    assert prompt.format(query_str="Q") == "Q <Q> L"


def test_chat_and_conditional_prompts_are_written() -> None:
    user = ChatMessage(role="user", blocks=[TextBlock(text="See {q}"), ImageBlock(url="http://x/")])
    chat = ChatPromptTemplate([ChatMessage.from_str("Be {tone}.", "system"), user, user])
    module = Module(a=SelectorPromptTemplate(LlamaTemplate("{q}{tone}"), [(bool, chat)]))
    prompts = read_prompts(module)
    keys = ["a.default", "a.if_1.system", "a.if_1.user", "a.if_1.user_2"]
    assert prompts.keys() == keys
    prompts.override(
        {"a.if_1.system": "要{tone}。", "a.if_1.user_2": "再看{q}", "a.default": "{tone}{q}"}
    )
    write_prompts(module, prompts)
    said = module.prompts["a"].format_messages(llm=MockLLM(), q="Q", tone="T")
    assert [message.blocks[0].text for message in said] == ["要T。", "See Q", "再看Q"]
    assert isinstance(said[1].blocks[1], ImageBlock)
    assert module.prompts["a"].format(q="Q", tone="T") == "TQ"
    assert chat.message_templates[0].content == "Be {tone}."


JINJA = """{% chat role="system" %}
Be {{ tone }}.
{% endchat %}
{% chat role="user" %}
{% for one in many %}- {{ one }}
{% endfor %}Ask: {{ q }}
{% endchat %}
"""


def test_what_jinja_does_is_protected_and_its_words_are_written() -> None:
    module = Module(a=RichPromptTemplate(JINJA), b=RichPromptTemplate("Ask {{ q }}"))
    prompts = read_prompts(module)
    assert prompts.keys() == ["a.system", "a.user", "b"]
    assert prompts["b"].protected == ("{{ q }}",)
    same = read_prompts(module)
    prompts.override({"a.system": "\n要{{ tone }}。\n", "b": "问{{ q }}"})
    write_prompts(module, prompts)
    said = module.prompts["a"].format_messages(tone="T", many=["1", "2"], q="Q")
    assert [(str(m.role.value), (m.content or "").strip()) for m in said] == [
        ("system", "要T。"),
        ("user", "- 1\n- 2\nAsk: Q"),
    ]
    assert module.prompts["b"].format(q="Q") == "问Q"
    write_prompts(module, same)
    with pytest.raises(PromptError, match=r"\{\{ q \}\}"):
        prompts.override({"b": "{{q}}"})
    for code in ("{{ q }} {{ q.__class__ }}", "{{ q }}{{ q }}", "{{ q }}{# x #}"):
        with pytest.raises(PromptError, match="other Jinja statements"):
            write_prompts(module, same.with_overrides({"b": code}))
    assert read_prompts(module).as_dict() == same.as_dict()


def test_prompts_of_other_kinds_are_refused_and_can_be_left_alone() -> None:
    class Odd(LlamaTemplate):
        pass

    class Other(BasePromptTemplate):
        def partial_format(self, **kwargs: Any) -> BasePromptTemplate:
            return self

        def format(self, llm: Any = None, **kwargs: Any) -> str:
            return ""

        def format_messages(self, llm: Any = None, **kwargs: Any) -> list[ChatMessage]:
            return []

        def get_template(self, llm: Any = None) -> str:
            return ""

    other = Other(metadata={}, template_vars=[], kwargs={}, output_parser=None)
    module = Module({"in": Module(a=other)}, b=Odd("B"))
    with pytest.raises(PromptError, match=r"'in\.a': Other is none .* skip=\['in\.a'\]"):
        read_prompts(module)
    prompts = read_prompts(module, skip=["in.a"])
    write_prompts(module, prompts.with_overrides({"b": "C"}), skip=["in.a"])
    assert module.prompts["b"].get_template() == "C"
    assert isinstance(module.prompts["b"], Odd)


def test_names_with_dots_are_refused_with_their_key() -> None:
    with pytest.raises(PromptError, match=r"Cannot read the prompt 'a': .*'x\.y' is no identifier"):
        read_prompts(Module(a="{x.y}"))


def test_tokens_can_be_protected() -> None:
    prompts = read_prompts(Module(a="YES or NO: {q}"), protected={"a": ["YES", "NO"]})
    with pytest.raises(PromptError, match=r"\['YES', 'NO'\]"):
        prompts.override({"a": "是或否：{q}"})
    with pytest.raises(PromptError, match="No prompt 'b' to protect"):
        read_prompts(Module(a="A"), protected={"b": ["NO"]})


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    llama_index_engine.main()
    assert "euros.\n请只根据资料回答。\n问题：How much is a ticket?" in capsys.readouterr().out
