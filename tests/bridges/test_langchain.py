"""LangChain's own templates, chains and fake model, with langchain-core from PyPI."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import (
    ChatMessagePromptTemplate,
    ChatPromptTemplate,
    FewShotChatMessagePromptTemplate,
    MessagesPlaceholder,
)
from langchain_core.prompts import PromptTemplate as LangchainTemplate

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptRegistry, PromptTemplate
from agentprompts.integrations.langchain import (
    chat_prompt,
    from_langchain,
    read_prompts,
    to_langchain,
    write_prompts,
)
from examples import langchain_chain

VALUES = {"q": 'say {q}, {{q}} or {"a": 1}', "name": "N"}
# (ours, slots): the text that the model sees is the same in both libraries.
OURS = [
    ('{"status": "ok"}', []),
    ('Ask {q} as {"a": {"b": [1]}}', ["q"]),
    ("{q}{name}", ["q", "name"]),
    ("a } stray { {{q}} and {q}", ["q"]),
    ("{{name}} stays, {q}", ["q"]),
    ('{"a": {q}}', ["q"]),
    (r"\textbf{<q>} {q", ["q"]),
    ("<q> and <name>", ["q", "name"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "slots"), OURS)
def test_braces_are_right_in_both_directions(text: str, slots: list[str]) -> None:
    ours = PromptTemplate(text, variables=slots)
    theirs = to_langchain(ours)
    assert sorted(theirs.input_variables) == sorted(slots)
    assert theirs.format(**VALUES) == ours.render(VALUES)
    back = from_langchain(theirs)
    assert back.render(VALUES) == ours.render(VALUES)
    assert set(back.variables) == set(slots)


# (theirs, slots): what LangChain's users write.
THEIRS = [
    ('Ask {q} as {{"a": {{}}}}', ["q"]),
    ("{{{q}}}", ["q"]),
    ("{{{{{q}}}}} <b>", ["q"]),
    ("{q} </q>", ["q"]),
]


@pytest.mark.parametrize(("text", "slots"), THEIRS)
def test_their_texts_read_the_same_here(text: str, slots: list[str]) -> None:
    theirs = LangchainTemplate.from_template(text)
    ours = from_langchain(theirs)
    assert list(ours.variables) == slots
    assert ours.render(VALUES) == theirs.format(**VALUES)
    assert to_langchain(ours).format(**VALUES) == theirs.format(**VALUES)


@given(st.lists(st.sampled_from(["{", "}", "<", ">", "q", "name", "{q}", "<q>", '"a": ', "é"])))
def test_any_text_goes_out_and_back(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        ours = PromptTemplate(text, variables=["q"])
    except PromptError:
        ours = PromptTemplate(text)
    theirs = to_langchain(ours)
    assert theirs.format(**VALUES) == ours.render(VALUES)
    assert from_langchain(theirs).render(VALUES) == ours.render(VALUES)


@pytest.mark.parametrize(
    ("text", "form", "said"),
    [
        ("{q!r}", "f-string", r"\{q!r\}"),
        ("{q:>10}", "f-string", r"\{q:>10\}"),
        ("{{q}}", "mustache", "'mustache'"),
        ("{{ q }}", "jinja2", "'jinja2'"),
        ("{{q}} is {q}", "f-string", "read alike"),
        ("{{{q}}} and <q>", "f-string", "read alike"),
    ],
)
def test_what_is_more_than_slots_is_refused(text: str, form: Any, said: str) -> None:
    theirs = LangchainTemplate.from_template(text, template_format=form)
    with pytest.raises(PromptError, match=said):
        from_langchain(theirs)


def test_reserved_names_are_refused_in_words() -> None:
    with pytest.raises(PromptError, match="LangChain refuses the template"):
        to_langchain(PromptTemplate("{stop}", variables=["stop"]).partial(stop="x"))


def test_partial_values_go_both_ways() -> None:
    """Slots filled in two steps count as present."""
    days = iter("12345")
    theirs = LangchainTemplate.from_template("{day}: {q} {n}").partial(day=lambda: next(days), n=3)
    ours = from_langchain(theirs)
    assert (ours.render(q="x"), ours.render(q="x")) == ("1: x 3", "2: x 3")
    again = to_langchain(ours)
    assert again.input_variables == ["q"]
    assert again.format(q="y") == "3: y 3"


def test_protected_tokens_come_with_the_contract() -> None:
    ours = from_langchain(LangchainTemplate.from_template("ADD {q}"), protected=["ADD"])
    with pytest.raises(PromptError, match="ADD"):
        ours.with_text("Füge {q} hinzu")


CHAT = ChatPromptTemplate(
    [
        ("system", 'Answer as {{"text": …}} in the voice of {name}.'),
        MessagesPlaceholder("history"),
        SystemMessage("A fixed {text}."),
        ("human", "Question: {q}"),
        ("ai", [{"type": "text", "text": "Let me see."}, {"image_url": "https://x.invalid/{q}"}]),
        ("human", "Again: {q}"),
        ChatMessagePromptTemplate.from_template("No.", role="critic"),
    ]
).partial(name="Ada")


def said(chat: ChatPromptTemplate) -> list[BaseMessage]:
    return chat.format_messages(q='{"a": 1}', history=[HumanMessage("before")])


def test_a_chat_prompt_is_listed_and_comes_back_as_it_was() -> None:
    prompts = read_prompts(CHAT)
    assert prompts.keys() == ["system", "system_2", "human", "ai", "human_2", "critic"]
    assert prompts["system"].variables == ("name",)
    assert prompts["system_2"].variables == ()
    same = write_prompts(CHAT, prompts)
    assert said(same) == said(CHAT)
    assert same.input_variables == CHAT.input_variables


def test_a_chat_prompt_is_written_in_another_language() -> None:
    prompts = read_prompts(CHAT)
    prompts.localized("zh").override(
        {
            "system": '以<name>的口吻回答：{"text": …}',
            "system_2": "固定的{text}。",
            "human_2": "再问：{q}",
        }
    )
    before = said(CHAT)
    seen = said(write_prompts(CHAT, prompts.localized("zh")))
    assert [m.content for m in (seen[0], seen[2], seen[5])] == [
        '以Ada的口吻回答：{"text": …}',
        "固定的{text}。",
        '再问：{"a": 1}',
    ]
    assert seen[4] == before[4]  # its image stays
    assert said(CHAT) == before


def test_a_broken_text_is_not_written() -> None:
    broken = PromptRegistry({key: PromptTemplate("x") for key in read_prompts(CHAT)})
    with pytest.raises(PromptError, match="3 faults in 3 prompts") as caught:
        write_prompts(CHAT, broken)
    assert {found.key for found in caught.value.diagnostics} == {"system", "human", "human_2"}


def test_messages_of_other_kinds_are_refused() -> None:
    shots = FewShotChatMessagePromptTemplate(
        examples=[{"q": "1"}], example_prompt=ChatPromptTemplate([("human", "{q}")])
    )
    with pytest.raises(PromptError, match=r"message 1 .* FewShotChatMessagePromptTemplate"):
        read_prompts(ChatPromptTemplate([("human", "x"), shots]))
    with pytest.raises(PromptError, match="ChatPromptTemplate belongs here"):
        read_prompts(LangchainTemplate.from_template("x"))


@pytest.mark.parametrize("locale", ["en", "zh-Hans"])
def test_a_chain_runs_on_a_registry(locale: str) -> None:
    seen: list[list[BaseMessage]] = []

    class Model(GenericFakeChatModel):
        def _generate(self, messages: list[BaseMessage], *rest: Any, **kw: Any) -> Any:
            seen.append(messages)
            return super()._generate(messages, *rest, **kw)

    prompts = DEFAULT_PROMPTS.localized(locale)
    roles = [("system", "memory.reconcile"), ("human", "memory.reconcile_user")]
    chain = (
        chat_prompt(prompts, roles)
        | Model(messages=iter([AIMessage('{"op": "ADD"}')]))
        | StrOutputParser()
    )
    assert chain.invoke({"fact": "{F}", "listing": "L"}) == '{"op": "ADD"}'
    assert [message.content for message in seen[0]] == [
        prompts.text("memory.reconcile"),
        prompts.render("memory.reconcile_user", fact="{F}", listing="L"),
    ]


def test_a_chat_prompt_takes_what_langchain_takes() -> None:
    prompts = PromptRegistry(
        {"a": PromptTemplate("{x} {q}", variables=["x", "q"]).partial(x="{1}")}
    )
    made = chat_prompt(prompts, [("system", "a"), MessagesPlaceholder("h"), ("user", "a")])
    assert made.input_variables == ["h", "q"]
    assert [m.content for m in made.format_messages(q="Q", h=[])] == ["{1} Q", "{1} Q"]
    with pytest.raises(PromptError, match="LangChain refuses the role"):
        chat_prompt(prompts, [(3, "a")])
    with pytest.raises(KeyError, match="'b'"):
        chat_prompt(prompts, [("system", "b")])


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    langchain_chain.main()
    assert "新事实：Ada likes tea." in capsys.readouterr().out
