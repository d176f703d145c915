"""Patches on sections: seed 001, promises C5 to C13."""

from __future__ import annotations

from typing import Any

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptRegistry, PromptTemplate
from agentprompts.overlays import Outcome, Patch, apply_patches
from agentprompts.sections import FromCatalog, Section, assemble
from agentprompts.sections.assembled import assemble_parts

PROMPTS = PromptRegistry(
    {
        "pick.op": PromptTemplate(
            "Pick for {fact}. Answer ADD or NOOP.", variables=["fact"], protected=["ADD", "NOOP"]
        ),
        "plain": PromptTemplate("Plain."),
    }
)
KEYED: Section[Any] = Section("op", FromCatalog("pick.op", {"fact": "<f>{x}"}))
SECTIONS: list[Section[Any]] = [
    Section("role", "You are Ada.", 1000, locked=True),
    Section("rules", "Be brief.", 2000, "Rules"),
    Section("empty", "", 3000),
    Section("live", lambda ctx: f"At {ctx}.", 4000),
    Section("absent", "gone", 4500, condition=lambda ctx: False),
]


def texts(sections: list[Section[Any]], context: object = "noon") -> dict[str, str]:
    return {section.id: section.text(context, PROMPTS) for section in sections}


@pytest.mark.parametrize(
    ("patches", "changed", "results"),
    [
        ([], {}, []),
        ([Patch("rules", "Be long.")], {"rules": "Rules\nBe long."}, ["applied"]),
        ([Patch("rules", "Be long.", "replace")], {"rules": "Rules\nBe long."}, ["applied"]),
        ([Patch("rules", "")], {"rules": "Rules"}, ["applied"]),
        ([Patch("rules", "Kind.", "append")], {"rules": "Rules\nBe brief.\nKind."}, ["applied"]),
        ([Patch("empty", "New.", "append")], {"empty": "New."}, ["applied"]),
        ([Patch("empty", "New.")], {"empty": "New."}, ["applied"]),
        ([Patch("rules", "", "append")], {}, ["applied"]),
        ([Patch("role", "", "append")], {}, ["applied"]),
        ([Patch("live", "Stay.", "append")], {"live": "At noon.\nStay."}, ["applied"]),
        ([Patch("live", "Fixed.")], {"live": "Fixed."}, ["applied"]),
        ([Patch("absent", "still gone")], {}, ["applied"]),
        ([Patch("role", "And kind.", "append")], {"role": "You are Ada.\nAnd kind."}, ["applied"]),
        ([Patch("role", "You are Bob.")], {}, ["declined"]),
        ([Patch("role", "You are Bob.", "replace")], {}, ["declined"]),
        ([Patch("role", "")], {}, ["declined"]),
        (
            [Patch("rules", "A"), Patch("rules", "B", "append"), Patch("rules", "C", "append")],
            {"rules": "Rules\nA\nB\nC"},
            ["applied"] * 3,
        ),
        (
            [Patch("rules", "B", "append"), Patch("rules", "A")],
            {"rules": "Rules\nA"},
            ["applied"] * 2,
        ),
        (
            [Patch("rules", ""), Patch("rules", "B", "append")],
            {"rules": "Rules\nB"},
            ["applied"] * 2,
        ),
    ],
)  # fmt: skip
def test_patches_apply_in_their_order(
    patches: list[Patch], changed: dict[str, str], results: list[str]
) -> None:
    """C6, C7, C8, C12: replacing changes the body alone; locked takes an append only."""
    before = texts(SECTIONS)
    patched, outcomes = apply_patches(SECTIONS, patches)
    assert texts(patched) == {**before, **changed}
    assert [outcome.result for outcome in outcomes] == results
    assert texts(SECTIONS) == before


@pytest.mark.parametrize("mode", ["Replace", "REPLACE", "set", " ", "append ", "prepend", None, 7])
@pytest.mark.parametrize("target", ["role", "rules", "nobody"])
def test_any_other_mode_is_declined_and_makes_no_section(target: str, mode: Any) -> None:
    """C9."""
    patched, [outcome] = apply_patches(SECTIONS, [Patch(target, "x", mode)])
    assert texts(patched) == texts(SECTIONS)
    assert outcome.result == "declined"
    assert "'replace' or 'append'" in outcome.reason


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (Patch("role", "x"), "locked"),
        (Patch("", "x"), "id"),
        (Patch("a\nb", "x"), "id"),
        (Patch("x" * 201, "x"), "longer than 200"),
        (Patch("rules", "nul \0"), "U+0000"),
        (Patch("rules", "lone \ud800"), "U+D800"),
        (Patch("rules", None), "NoneType"),  # type: ignore[arg-type]
        (Patch("rules", "x" * 1_000_001), "1,000,001 characters"),
    ],
)
def test_what_cannot_be_applied_comes_back_with_its_reason(patch: Patch, reason: str) -> None:
    """C10: the rest applies, and the run goes on; strict, it is an error."""
    good = Patch("rules", "Good.", "append")
    patched, [declined, applied] = apply_patches(SECTIONS, [patch, good], origin="acme")
    assert (declined.result, declined.number, declined.origin) == ("declined", 0, "acme")
    assert reason in declined.reason
    assert applied == Outcome("rules", "applied", number=1, origin="acme")
    assert texts(patched)["rules"] == "Rules\nBe brief.\nGood."
    with pytest.raises(PromptError, match="Cannot apply 1 of 2 patches") as caught:
        apply_patches(SECTIONS, [patch, good], strict=True)
    assert reason in str(caught.value.diagnostics[0].why)


def test_an_unknown_id_makes_a_section_after_every_other() -> None:
    """C11, C13: several keep the patches' order, whatever their ids."""
    patches = [Patch("zz", "1"), Patch("aa", "2", "append"), Patch("zz", "3", "append")]
    patched, outcomes = apply_patches(SECTIONS, patches)
    assert [outcome.result for outcome in outcomes] == ["created", "created", "applied"]
    text = assemble(patched, "noon")
    assert text.endswith("At noon.\n\n1\n3\n\n2")
    assert not hasattr(patches[0], "order")
    none: list[Section[Any]] = []
    alone, _ = apply_patches(none, patches)
    assert assemble(alone) == "1\n3\n\n2"


def test_a_patch_on_a_section_that_is_not_there_today_makes_no_other() -> None:
    """Where a condition leaves a section out, what is patched stays out with it."""
    patched, _ = apply_patches(SECTIONS, [Patch("absent", "sneaked in", "append")])
    assert "sneaked" not in assemble(patched, "noon")


def test_sections_of_one_id_are_an_error_here_too() -> None:
    """C3."""
    with pytest.raises(PromptError, match="two sections 'a'"):
        apply_patches([Section("a"), Section("a")], [])


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (Patch("op", "ADD {fact}, or NOOP."), "ADD <f>{x}, or NOOP."),
        (Patch("op", "ADD <fact>, or NOOP."), "ADD <f>{x}, or NOOP."),
        (Patch("op", "So {fact}.", "append"), "Pick for <f>{x}. Answer ADD or NOOP.\nSo <f>{x}."),
        (Patch("op", '{"a": 1}', "append"), 'Pick for <f>{x}. Answer ADD or NOOP.\n{"a": 1}'),
    ],
)  # fmt: skip
def test_a_text_for_a_section_from_the_catalog_keeps_its_contract(patch: Patch, text: str) -> None:
    patched, [outcome] = apply_patches([KEYED], [patch], PROMPTS)
    assert outcome.result == "applied", outcome
    assert texts(patched) == {"op": text}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (Patch("op", "ADD or NOOP."), "{fact}"),
        (Patch("op", "{fact}: hinzufügen oder NOOP."), "ADD"),
        (Patch("op", "ADD NOOP {fact} {fact>"), "{fact>"),
        (Patch("op", "And { fact }", "append"), "{ fact }"),
        (Patch("op", ""), "empty"),
    ],
)
def test_a_text_that_breaks_the_contract_is_declined(patch: Patch, reason: str) -> None:
    patched, [outcome] = apply_patches([KEYED], [patch], PROMPTS)
    assert texts(patched) == texts([KEYED])
    assert outcome.result == "declined"
    assert reason in outcome.reason
    assert outcome.diagnostics[0].key == "pick.op"


def test_without_a_registry_a_contract_cannot_be_kept() -> None:
    _, [outcome] = apply_patches([KEYED], [Patch("op", "x")])
    assert outcome.result == "declined"
    assert "registry" in outcome.reason


def test_every_byte_has_an_origin() -> None:
    """Which layer, which overlay, which patch: also inside of a rendered prompt."""
    sections: list[Section[Any]] = [KEYED, Section("rules", "Be brief.", source="host")]
    sections, _ = apply_patches(
        sections, [Patch("op", "A {fact}", "append")], PROMPTS, origin="broad"
    )
    sections, _ = apply_patches(
        sections,
        [Patch("rules", "x"), Patch("op", "B", "append"), Patch("rules", "y", "append")],
        PROMPTS,
        origin="narrow",
    )
    prompt = assemble_parts(sections, None, PROMPTS)
    found = [(span.piece.text, *span.piece[1:]) for span in prompt.explain()]
    assert found == [
        ("Pick for <f>{x}. Answer ADD or NOOP.", "catalog", "pick.op", None),
        ("\nA <f>{x}", "overlay", "broad", 0),
        ("\nB", "overlay", "narrow", 1),
        ("\n\n", "separator", "", None),
        ("x", "overlay", "narrow", 0),
        ("\ny", "overlay", "narrow", 2),
    ]


def test_an_overlays_text_follows_the_language_of_the_rest() -> None:
    """The appended text stands below the prompt in the language that is asked for."""
    section: Section[Any] = Section("tone", FromCatalog("coding.tone"))
    chinese = DEFAULT_PROMPTS.localized("zh-Hans")
    patched, _ = apply_patches([section], [Patch("tone", "简短。", "append")], chinese)
    assert patched[0].text(None, chinese) == f"{chinese.text('coding.tone')}\n简短。"
