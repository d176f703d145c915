"""The builder of system prompts: seed 003, promises O1 to O9."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptRegistry, PromptTemplate
from agentprompts.loaders import override_section
from agentprompts.packs import available_locales
from agentprompts.sections import (
    CodingContext,
    FromCatalog,
    GitState,
    PromptBuilder,
    Section,
    default_builder,
    plan_builder,
)

GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = [
    "identity",
    "cwd",
    "git_context",
    "workflow",
    "engineering_standards",
    "tool_usage",
    "git_rules",
    "security",
    "tone",
    "files",
    "tool_catalog",
]


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    read_only: bool = True


CONTEXT = CodingContext(
    "/home/ada/site",
    "/tmp/scratch",
    GitState("main", " M app.py", ""),
    (Tool("read_file", "Reads a file."), Tool("shell", "Runs a command.", False)),
)


def ids(builder: PromptBuilder[Any]) -> list[str]:
    return [section.id for section in builder]


def test_add_and_remove_chain() -> None:
    """O1."""
    builder: PromptBuilder[str] = PromptBuilder()
    builder.add(Section("a", lambda ctx: f"A {ctx}")).add(
        Section("b", "B", condition=lambda ctx: ctx == "x")
    ).add(Section("c", "C")).remove("c")
    assert builder.build("x") == "A x\n\nB"
    assert builder.build("y") == "A y"
    assert (len(builder), "a" in builder, "c" in builder) == (2, True, False)


@pytest.mark.parametrize(
    ("change", "order"),
    [
        (lambda b: b.insert_before("a", Section("x")), "xabc"),
        (lambda b: b.insert_before("b", Section("x")), "axbc"),
        (lambda b: b.insert_after("b", Section("x")), "abxc"),
        (lambda b: b.insert_after("c", Section("x", order=-5)), "abcx"),
        (lambda b: b.insert_after("a", Section("y")).insert_after("a", Section("x")), "axybc"),
        (lambda b: b.replace("b", Section("x")), "axc"),
        (lambda b: b.replace("b", "new"), "abc"),
        (lambda b: b.replace("b", Section("b", order=10**6)), "acb"),
        (lambda b: b.remove("b").add(Section("b")), "acb"),
    ],
)
def test_sections_are_toggled_and_reordered_alone(
    change: Callable[[PromptBuilder[Any]], PromptBuilder[Any]], order: str
) -> None:
    """O2."""
    builder: PromptBuilder[Any] = PromptBuilder([Section(name, name) for name in "abc"])
    derived = builder.derive()
    assert change(derived) is derived
    assert "".join(ids(derived)) == order
    assert "".join(ids(builder)) == "abc"


def test_there_is_room_between_neighbours_or_an_error_says_why_not() -> None:
    builder: PromptBuilder[Any] = PromptBuilder([Section("a", order=1), Section("c", order=1)])
    with pytest.raises(PromptError, match="no room beside 'a'"):
        builder.insert_after("a", Section("b"))
    close: PromptBuilder[Any] = PromptBuilder([Section("a", order=1), Section("z", order=2)])
    for number in range(40):
        close.insert_after("a", Section(f"s{number:02}"))
    assert ids(close) == ["a", *[f"s{number:02}" for number in reversed(range(40))], "z"]


@pytest.mark.parametrize("method", ["get", "remove", "replace", "insert_after", "insert_before"])
def test_an_unknown_section_is_an_error_with_a_guess(method: str) -> None:
    builder: PromptBuilder[Any] = PromptBuilder([Section("identity")])
    arguments: list[Any] = [] if method in ("get", "remove") else [Section("x")]
    with pytest.raises(PromptError, match="did you mean 'identity'"):
        getattr(builder, method)("identiti", *arguments)
    with pytest.raises(PromptError, match="two sections 'identity'"):
        builder.add(Section("identity"))
    assert ids(builder) == ["identity"]


def test_the_default_builder_has_eleven_named_sections() -> None:
    """O3."""
    assert ids(default_builder(DEFAULT_PROMPTS)) == NAMES


def test_plan_mode_is_a_derived_builder() -> None:
    """O4, O6: the tools that only read, from their own metadata."""
    builder = default_builder(DEFAULT_PROMPTS)
    plan = plan_builder(builder)
    assert ids(plan) == [*NAMES[:-1], "plan_mode"]
    assert ids(builder) == NAMES
    assert "shell" in builder.build(CONTEXT)
    assert "- read_file: Reads a file." in plan.build(CONTEXT)
    assert "shell" not in plan.get("plan_mode").text(CONTEXT, DEFAULT_PROMPTS)


@pytest.mark.parametrize("locale", ["en", *available_locales()])
@pytest.mark.parametrize("mode", ["default", "plan"])
def test_the_default_prompts_are_byte_for_byte_the_golden_files(locale: str, mode: str) -> None:
    """O5."""
    builder = default_builder(DEFAULT_PROMPTS)
    builder = plan_builder(builder) if mode == "plan" else builder
    text = builder.build(CONTEXT, DEFAULT_PROMPTS.localized(locale))
    assert text == (GOLDEN / f"coding.{mode}.{locale}.txt").read_text(encoding="utf-8")


def test_lists_of_tools_come_from_the_tools() -> None:
    """O6."""
    builder = default_builder(DEFAULT_PROMPTS)
    more = replace(CONTEXT, tools=(*CONTEXT.tools, Tool("fetch", "Fetches a page.")))
    assert "- fetch: Fetches a page." not in builder.build(CONTEXT)
    assert "- fetch: Fetches a page." in builder.build(more)
    bare = builder.build(CodingContext("/", "/tmp"))
    assert "main" not in bare
    assert "git_rules" not in [part.id for part in builder.assemble(CodingContext("/", "/")).parts]


@dataclass
class Mutable:
    cwd: str = "/a"
    other: int = 0


def test_a_text_is_made_again_only_when_what_it_depends_on_changed() -> None:
    """O7."""
    made: list[str] = []

    def body(name: str) -> Callable[[Mutable], str]:
        def make(context: Mutable) -> str:
            made.append(name)
            return f"{name} {context.cwd} {context.other}"

        return make

    builder: PromptBuilder[Mutable] = PromptBuilder(
        [
            Section("declared", body("declared"), depends=attrgetter("cwd")),
            Section("undeclared", body("undeclared")),
        ]
    )
    context = Mutable()
    for _ in range(3):
        builder.build(context)
    assert made == ["declared", "undeclared", "undeclared", "undeclared"]
    context.other = 1
    assert builder.build(context) == "declared /a 0\n\nundeclared /a 1"
    context.cwd = "/b"
    assert builder.build(context) == "declared /b 1\n\nundeclared /b 1"
    made.clear()
    mode = builder.derive().add(Section("mode", "plan"))
    mode.build(context)
    assert made == ["undeclared"], "a mode makes only its own anew"


def test_a_condition_is_asked_again_only_when_what_it_depends_on_changed() -> None:
    """O7."""
    asked: list[str] = []

    def condition(context: Mutable) -> bool:
        asked.append(context.cwd)
        return True

    builder: PromptBuilder[Mutable] = PromptBuilder(
        [Section("a", "A", condition=condition, depends=attrgetter("cwd"))]
    )
    context = Mutable()
    assert [builder.build(context) for _ in range(3)] == ["A"] * 3
    assert asked == ["/a"]


def registry() -> PromptRegistry:
    return PromptRegistry(
        {
            "a.label": PromptTemplate("label"),
            "a.fixed": PromptTemplate("fixed"),
            "a.filled": PromptTemplate("filled {x}", variables=["x"]),
        }
    )


def test_an_override_reaches_the_prompt_at_once() -> None:
    """O7, M9: texts from the catalog depend on it, also those that values take from it."""
    prompts = registry()
    builder: PromptBuilder[Mutable] = PromptBuilder(
        [
            Section("fixed", FromCatalog("a.fixed")),
            Section(
                "filled",
                FromCatalog("a.filled", lambda ctx, reg: {"x": reg.text("a.label")}),
                depends=attrgetter("cwd"),
            ),
        ],
        prompts=prompts,
    )
    context = Mutable()
    assert builder.build(context) == "fixed\n\nfilled label"
    prompts.override({"a.fixed": "changed"})
    assert builder.build(context) == "changed\n\nfilled label"
    prompts.override({"a.label": "other"})
    assert builder.build(context) == "changed\n\nfilled other"
    other = prompts.copy()
    other.override({"a.fixed": "theirs"})
    assert builder.build(context, other) == "theirs\n\nfilled other"
    assert builder.build(context) == "changed\n\nfilled other"


def test_two_languages_at_once_never_share_instructions() -> None:
    """CASES: two requests at once in two languages."""
    builder = default_builder(DEFAULT_PROMPTS)
    english, chinese = DEFAULT_PROMPTS, DEFAULT_PROMPTS.localized("zh-Hans")
    texts = [builder.build(CONTEXT, one) for one in (english, chinese) * 3]
    assert len(set(texts)) == 2
    assert texts[0::2] == [texts[0]] * 3
    assert builder.assemble(CONTEXT, chinese).text == texts[1]


def test_more_registries_than_are_remembered_are_all_right() -> None:
    prompts = registry()
    builder: PromptBuilder[Any] = PromptBuilder([Section("a", FromCatalog("a.fixed"))])
    copies = [prompts.copy() for _ in range(100)]
    for number, copy in enumerate(copies):
        copy.override({"a.fixed": f"text {number}"})
    for _ in range(2):
        assert [builder.build(None, copy) for copy in copies] == [f"text {n}" for n in range(100)]


def test_what_a_section_depends_on_must_be_hashable() -> None:
    tools = ["a"]
    builder: PromptBuilder[Any] = PromptBuilder(
        [Section("tools", str, depends=lambda ctx: tools)]  # type: ignore[arg-type, return-value]
    )
    with pytest.raises(PromptError, match="depends on list"):
        builder.build(None)


def test_another_wording_of_a_prompt_is_held_to_its_contract() -> None:
    """O2, O8: through the builder, too."""
    builder = default_builder(DEFAULT_PROMPTS)
    builder.replace("cwd", "Here: {cwd}, {scratch}")
    assert "Here: /home/ada/site, /tmp/scratch" in builder.build(CONTEXT)
    with pytest.raises(PromptError, match="missing placeholder"):
        builder.replace("cwd", "Here.")
    assert "Here: /home/ada/site" in builder.build(CONTEXT)
    with pytest.raises(PromptError, match="Invalid section"):
        builder.replace("cwd", None)  # type: ignore[arg-type]


def test_a_file_overrides_one_section(tmp_path: Path) -> None:
    """O8: the text of a file, held to the contract of what it stands for."""
    file = tmp_path / "my-tone.md"
    file.write_text("+++\ndescription = 'Ours.'\n+++\n\nBe brief, {name}.\n", encoding="utf-8")
    builder = default_builder(DEFAULT_PROMPTS)
    assert override_section(builder, "tone", file) is builder
    prompt = builder.assemble(CONTEXT)
    assert {part.id: part.text for part in prompt.parts}["tone"] == "Be brief, {name}."
    assert ids(builder) == NAMES


@pytest.mark.parametrize(
    ("id", "content", "message"),
    [
        ("tone", None, "No such file"),
        ("tone", b"", "no text"),
        ("tone", b"\xff", "UTF-8"),
        ("tone", b"+++\nid = \n+++\nx", "mine.md:2:6"),
        ("cwd", b"no slots", "missing placeholder"),
        ("tune", b"text", "did you mean 'tone'"),
    ],
)
def test_a_file_that_cannot_override_is_named(
    tmp_path: Path, id: str, content: bytes | None, message: str
) -> None:
    """O8."""
    file = tmp_path / "mine.md"
    if content is not None:
        file.write_bytes(content)
    builder = default_builder(DEFAULT_PROMPTS)
    before = builder.build(CONTEXT)
    with pytest.raises(PromptError, match=r"mine\.md") as caught:
        override_section(builder, id, file)
    assert message in str(caught.value)
    assert builder.build(CONTEXT) == before


def test_two_sets_differ_by_fingerprint_and_by_what_changed() -> None:
    """O9: the registry behind a builder tells versions apart."""
    prompts = DEFAULT_PROMPTS.copy()
    before = prompts.snapshot()
    prompts.override({"coding.tone": "Be brief."})
    assert prompts.fingerprint != before.fingerprint
    assert list(before.diff(prompts).changed) == ["coding.tone"]
