"""One check, many doors: each refuses a broken text, and only because of that one check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import pytest

from agentprompts import (
    PromptError,
    PromptRegistry,
    PromptsMixin,
    PromptTemplate,
    load_catalog,
)
from agentprompts.loaders import ChainLoader, PromptLoader
from agentprompts.saved import load_overrides
from agentprompts.scanner import check
from agentprompts.watch import HotReload

GOOD, BAD = "Use ADD for {fact}.", "Nutze HINZU für { fact }."


def template() -> PromptTemplate:
    return PromptTemplate(GOOD, variables=["fact"], protected=["ADD"])


def registry() -> PromptRegistry:
    return PromptRegistry({"a.b": template()})


class Agent(PromptsMixin):
    pass


def catalog(folder: Path, source: str = GOOD, pack: str = GOOD) -> PromptRegistry:
    header = '[catalog]\nsource = "en"\n["a.b"]\nvariables = ["fact"]\nprotected = ["ADD"]\n'
    (folder / "catalog.toml").write_text(header)
    (folder / "en.toml").write_text(f"a.b = '{source}'")
    (folder / "de.toml").write_text(f"a.b = '{pack}'")
    return load_catalog(folder)


def pack_door(folder: Path) -> None:
    view = catalog(folder, pack=BAD).localized("de")
    if view.text("a.b") == GOOD:  # left out, and fallen back
        raise PromptError("", view.findings)


def raw_registration(registry: PromptRegistry) -> None:
    registry.register("c.d", BAD, variables=["fact"], protected=["ADD"])


HEAD = "+++\nvariables = ['fact']\nprotected = ['ADD']\n+++\n"


def markdown(folder: Path, source: str, german: str = GOOD) -> PromptLoader:
    (folder / "a.b.md").write_text(source)
    (folder / "a.b.de.md").write_text(german)
    return PromptLoader(folder)


def saved_door(folder: Path) -> None:
    (folder / "saved.toml").write_text(f"[everywhere.'a.b']\ntext = '{BAD}'\n")
    if findings := load_overrides(registry(), folder / "saved.toml"):
        raise PromptError("", findings)


def reload_door(folder: Path) -> None:
    hot = HotReload(markdown(folder, HEAD + GOOD))
    markdown(folder, HEAD + BAD)
    if not (done := hot.reload()).applied:
        raise PromptError("", done.findings)


DOORS: dict[str, Callable[[Path], object]] = {
    "constructor": lambda _: PromptTemplate(BAD, variables=["fact"], protected=["ADD"]),
    "from_contract": lambda _: PromptTemplate.from_contract(BAD, template().contract),
    "with_text": lambda _: template().with_text(BAD),
    "register": lambda _: raw_registration(registry()),
    "namespace": lambda _: raw_registration(registry().namespace("n")),  # type: ignore[arg-type]
    "override": lambda _: registry().override({"a.b": BAD}),
    "override by a template": lambda _: registry().override({"a.b": PromptTemplate(BAD)}),
    "override by a registry": lambda _: registry().override(
        PromptRegistry({"a.b": PromptTemplate(BAD)})
    ),
    "override in a locale": lambda _: registry().override({"a.b": BAD}, locale="de"),
    "override through a view": lambda _: registry().localized("de").override({"a.b": BAD}),
    "with_overrides": lambda _: registry().with_overrides({"a.b": BAD}),
    "update_prompts": lambda _: Agent(prompts=registry()).update_prompts({"a.b": BAD}),
    "source of a catalog": lambda folder: catalog(folder, source=BAD),
    "pack of a catalog": pack_door,
    "Markdown file": lambda folder: markdown(folder, HEAD + BAD).load(),
    "Markdown file of a locale": lambda folder: markdown(folder, HEAD + GOOD, BAD).load(),
    "Markdown file for a built-in prompt": lambda folder: ChainLoader(
        markdown(folder, BAD), registry()
    ).load(),
    "hot reload": reload_door,
    "saved override": saved_door,
}


@pytest.mark.parametrize("door", DOORS)
def test_each_door_refuses_a_broken_text(door: str, tmp_path: Path) -> None:
    """M3, M6"""
    with pytest.raises(PromptError) as caught:
        DOORS[door](tmp_path)
    assert {found.lacks for found in caught.value.diagnostics} == {"slot", "token"}


@pytest.mark.parametrize("door", DOORS)
def test_each_door_depends_on_the_one_check(
    door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the check itself broken, every door lets the text in: none has a check of its own."""

    def blind(text: object, contract: object, base: object = None) -> list[object]:
        return []

    assert isinstance(check, FunctionType)
    monkeypatch.setattr(check, "__code__", blind.__code__)
    DOORS[door](tmp_path)
