"""Sections and how they are put together: seed 001's assembly, in every form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.sections import (
    AssembledPrompt,
    Band,
    FromCatalog,
    PromptBuilder,
    Section,
    assemble,
)

PROMPTS = PromptRegistry(
    {
        "role.ada": PromptTemplate("You are Ada."),
        "role.place": PromptTemplate("You work in {cwd}.", variables=["cwd"]),
    }
)


def test_bands_stand_a_thousand_apart() -> None:
    """C1."""
    assert [(band.name, int(band)) for band in Band] == [
        ("ROLE", 1000),
        ("PERSONA", 2000),
        ("SKILL", 3000),
        ("KNOWLEDGE", 4000),
        ("TRAIT", 5000),
    ]
    assert Section("x", order=Band.ROLE + 1).order == 1001


@pytest.mark.parametrize(
    ("sections", "text"),
    [
        ([], ""),
        ([Section("a")], ""),
        ([Section("b", "B", 2), Section("a", "A", 1)], "A\n\nB"),
        ([Section("b", "B", 1), Section("a", "A", 1)], "A\n\nB"),
        ([Section("b", "B"), Section("a", "A")], "B\n\nA"),
        ([Section("n", "N", -1), Section("f", "F", 0.5), Section("z", "Z", 0)], "N\n\nZ\n\nF"),
        ([Section("a", "A", 1, "Title")], "Title\nA"),
        ([Section("a", "", 1, "Title")], "Title"),
        ([Section("a", "A", 1), Section("gap", "", 2), Section("c", "C", 3)], "A\n\nC"),
        ([Section("a", "A\n", 1), Section("b", "B", 2)], "A\n\n\nB"),
        ([Section("a", lambda ctx: "", 1), Section("b", "B", 2)], "B"),
        ([Section("a", "A", 1, condition=lambda ctx: False), Section("b", "B", 2)], "B"),
        ([Section("a", "A", 1, "T", condition=lambda ctx: False)], ""),
        ([Section("a", FromCatalog("role.ada"))], "You are Ada."),
        ([Section("a", FromCatalog("role.place", {"cwd": "/home"}))], "You work in /home."),
        ([Section("a", FromCatalog("role.ada", text="I am Ada."))], "I am Ada."),
    ],
)
def test_sections_are_joined_by_a_blank_line(sections: list[Section[Any]], text: str) -> None:
    """C2, C3: by order, then id; what is empty leaves no gap."""
    assert assemble(sections, None, PROMPTS) == text
    assert PromptBuilder(sections, prompts=PROMPTS).build() == text


def test_nothing_depends_on_the_source_and_inputs_stay_as_they_are() -> None:
    """C4, C5."""
    ours: list[Section[Any]] = [Section("b", "B"), Section("a", "A", 7)]
    before = list(ours)
    other = [Section(one.id, one.body, one.order, source="trait") for one in ours]
    assert assemble(ours) == assemble(other)
    assert ours == before
    assert ours[0].order is None


def test_two_sections_of_one_id_are_an_error() -> None:
    """C3."""
    with pytest.raises(PromptError, match="two sections 'a'"):
        assemble([Section("a", "A"), Section("a", "B")])


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": ""},
        {"id": " "},
        {"id": "a\nb"},
        {"id": "a\0"},
        {"id": "x" * 201},
        {"id": 7},
        {"order": float("nan")},
        {"order": float("inf")},
        {"order": 10**16},
        {"order": True},
        {"order": "1"},
        {"title": "two\nlines"},
        {"title": None},
        {"body": "nul \0"},
        {"body": "lone \ud800"},
        {"body": None},
        {"body": 7},
    ],
)
def test_what_is_no_section_is_refused_with_its_mend(wrong: dict[str, Any]) -> None:
    with pytest.raises(PromptError, match="Invalid section") as caught:
        Section(**{"id": "a", "body": "A", **wrong})
    assert all(found.mend for found in caught.value.diagnostics)


def raising(context: object) -> str:
    raise ZeroDivisionError("0")


def keyed(key: str, values: Any = None, text: str | None = None) -> FromCatalog[Any]:
    return FromCatalog(key, values, text)


@pytest.mark.parametrize(
    "fields",
    [
        {"body": raising},
        {"condition": raising},
        {"body": lambda ctx: None},
        {"body": lambda ctx: b"x"},
        {"body": lambda ctx: "nul \0"},
        {"body": keyed("role.nobody")},
        {"body": keyed("role.place")},
        {"body": keyed("role.place", raising)},
        {"body": keyed("role.place", {"cwd": None})},
        {"body": keyed("role.place", {"cwd": "/"}, "without its slot")},
        {"condition": bool, "depends": raising},
        {"body": str, "depends": lambda ctx: []},
    ],
)
def test_a_section_that_cannot_be_built_is_named(fields: dict[str, Any]) -> None:
    with pytest.raises(PromptError, match="'here'"):
        PromptBuilder([Section("here", **{"body": "x", **fields})], prompts=PROMPTS).build()


def test_a_prompt_of_the_catalog_needs_a_registry() -> None:
    with pytest.raises(PromptError, match="prompts=DEFAULT_PROMPTS"):
        assemble([Section("a", FromCatalog("role.ada"))])


@dataclass(frozen=True)
class Context:
    cwd: str = "/home"
    tools: tuple[str, ...] = ()


def example() -> AssembledPrompt:
    """A prompt with sections of every kind, for the golden files."""
    builder: PromptBuilder[Context] = PromptBuilder(
        [
            Section("role", FromCatalog("role.ada"), Band.ROLE, locked=True),
            Section("rules", "Never delete <files> & folders.", Band.PERSONA, "Rules"),
            Section(
                "place",
                FromCatalog("role.place", lambda ctx, prompts: {"cwd": ctx.cwd}),
                Band.SKILL,
                depends=attrgetter("cwd"),
            ),
            Section("skills", "<skill name='x'>Do.</skill>", Band.SKILL + 1),
            Section("now", lambda ctx: "It is noon.", Band.TRAIT),
            Section("tools", "none", condition=lambda ctx: bool(ctx.tools)),
        ],
        prompts=PROMPTS,
    )
    return builder.assemble(Context())


GOLDEN = Path(__file__).parent.parent / "golden"
FORMS: dict[str, Callable[[AssembledPrompt], Any]] = {
    "text": str,
    "xml": AssembledPrompt.to_xml,
    "messages": AssembledPrompt.to_messages,
    "openai": AssembledPrompt.to_openai,
    "anthropic": AssembledPrompt.to_anthropic,
    "explain": lambda prompt: [[*span[:3], *span.piece] for span in prompt.explain()],
    "stable-first": lambda prompt: prompt.stable_first().to_anthropic(),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_byte_for_byte_the_golden_file(form: str) -> None:
    """O5."""
    import json

    made = FORMS[form](example())
    text = made if isinstance(made, str) else json.dumps(made, indent=1, ensure_ascii=False)
    assert text == (GOLDEN / f"sections.{form}.txt").read_text(encoding="utf-8")


def test_the_forms_hold_the_same_text() -> None:
    prompt = example()
    assert "".join(block["text"] for block in prompt.to_anthropic()) == prompt.text
    [message] = prompt.to_openai()
    assert "".join(part["text"] for part in message["content"]) == prompt.text
    assert prompt.to_messages("developer") == [{"role": "developer", "content": prompt.text}]
    assert "".join(span.piece.text for span in prompt.explain()) == prompt.text
    assert [prompt.text[s.start : s.end] for s in prompt.explain()] == [
        span.piece.text for span in prompt.explain()
    ]
    empty = AssembledPrompt(())
    assert (empty.to_messages(), empty.to_openai(), empty.to_anthropic()) == ([], [], [])
    assert (str(empty), empty.to_xml()) == ("", "")


def test_the_static_part_holds_nothing_dynamic() -> None:
    """What is cached first is the same in every context."""
    for context in (Context(), Context("/elsewhere", ("shell",))):
        prompt = AssembledPrompt(example().parts).stable_first()
        static = prompt.to_anthropic()[0]
        assert static["cache_control"] == {"type": "ephemeral"}
        assert "/home" not in static["text"]
        assert "noon" not in static["text"]
        assert "Ada" in static["text"], context


def test_cache_marks_are_at_most_four_and_after_sections_that_are_there() -> None:
    prompt = AssembledPrompt(
        PromptBuilder([Section(name, name) for name in "abcdef"]).assemble().parts
    )
    marked = prompt.to_anthropic(cache_after=["b", "d"])
    assert [(block["text"], "cache_control" in block) for block in marked] == [
        ("a\n\nb", True),
        ("\n\nc\n\nd", True),
        ("\n\ne\n\nf", False),
    ]
    assert len(prompt.to_anthropic(cache_after=())) == 1
    with pytest.raises(PromptError, match="4 at most"):
        prompt.to_anthropic(cache_after=list("abcde"))
    with pytest.raises(PromptError, match="no section 'x'"):
        prompt.to_anthropic(cache_after=["x"])


@pytest.mark.parametrize(
    ("section", "tier"),
    [
        (Section("a", "A"), "static"),
        (Section("a", FromCatalog("role.ada")), "static"),
        (Section("a", FromCatalog("role.place", {"cwd": "/"})), "static"),
        (Section("a", FromCatalog("role.place", {"cwd": object()})), "turn"),
        (Section("a", FromCatalog("role.place", lambda ctx, prompts: {})), "turn"),
        (Section("a", FromCatalog("role.ada"), depends=len), "static"),
        (Section("a", "A", condition=bool), "turn"),
        (Section("a", "A", condition=bool, depends=len), "session"),
        (Section("a", str), "turn"),
        (Section("a", str, depends=len), "session"),
    ],
)
def test_how_often_a_section_changes_follows_from_what_it_declares(
    section: Section[Any], tier: str
) -> None:
    assert section.tier == tier


def test_a_context_can_be_anything() -> None:
    section: Section[Any] = Section("a", lambda ctx: ctx.word)
    assert section.text(SimpleNamespace(word="hey")) == "hey"
