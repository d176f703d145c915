"""Loaders: a folder of Markdown prompts as a set, its languages, and sets over one another."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from agentprompts import DEFAULT_PROMPTS, Origin, PromptError, PromptRegistry, PromptTemplate
from agentprompts.loaders import ChainLoader, Listed, Loader, PrefixLoader, PromptLoader, PromptSet
from agentprompts.markdown import MOST_BYTES
from tests.unit.test_cases_files import NO_FILES


def write(folder: Path, texts: Mapping[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def texts(loader: Loader) -> dict[str, str]:
    return {name: prompt.text for name, prompt in loader.load().items()}


def test_markdown_files_are_prompts_sorted_and_named_by_their_stem(tmp_path: Path) -> None:
    """H1, H3"""
    write(
        tmp_path, {"review.md": "R\n", "coding.md": "C\n", "notes.txt": "x", "memory.ask.md": "M"}
    )
    write(tmp_path, {".draft.md": "", "UPPER.MD": "x", "x.md.tmp": ""})
    (tmp_path / ".#coding.md").symlink_to("an editor's lock")
    write(tmp_path / "sub", {"inner.md": "x"})
    assert list(texts(PromptLoader(tmp_path)).items()) == [
        ("coding", "C"), ("memory.ask", "M"), ("review", "R"),
    ]  # fmt: skip


def test_front_matter_names_a_prompt_whatever_its_file_is_called(tmp_path: Path) -> None:
    """H1, H7"""
    head = "+++\nid = 'chat.coding'\nversion = '2'\n+++\n"
    write(tmp_path, {"a name of any kind.md": head + "C"})
    found = PromptLoader(tmp_path).get("chat.coding")
    assert (found.name, found.version, found.text) == ("chat.coding", "2", "C")
    (tmp_path / "a name of any kind.md").rename(tmp_path / "b.md")
    assert PromptLoader(tmp_path).get("chat.coding").version == "2"


@pytest.mark.parametrize("kind", ["str", "PathLike", "zip"])
def test_a_missing_folder_has_no_prompts(kind: str, tmp_path: Path) -> None:
    """H2"""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("p/a.md", "A")
    missing: dict[str, Any] = {
        "str": str(tmp_path / "none"),
        "PathLike": tmp_path / "none" / "more",
        "zip": zipfile.Path(tmp_path / "a.zip", "none/"),
    }
    assert dict(PromptLoader(missing[kind]).load()) == {}
    assert PromptLoader(missing[kind]).registry().keys() == []


def test_a_file_for_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(PromptError, match="Cannot read"):
        PromptLoader(tmp_path / "file").load()


def test_an_unknown_name_gives_none_or_the_default(tmp_path: Path) -> None:
    """H3: in the loader's view; the registry itself raises."""
    loader = PromptLoader(write(tmp_path, {"a.md": "A"}))
    assert loader.get("b") is None
    assert loader.load().get("b") is None
    assert loader.get("b", "x") == "x"
    with pytest.raises(KeyError):
        loader.registry().get("b")


def test_the_listing_shows_name_length_and_first_line(tmp_path: Path) -> None:
    """H6"""
    write(tmp_path, {"a.md": "\n \t\n  First line  \nmore\n", "b.md": "长" * 100})
    assert PromptLoader(tmp_path).load().listing() == [
        Listed("a", 23, "First line"),
        Listed("b", 100, "长" * 60),
    ]


def test_declared_variables_are_slots_and_nothing_else_is(tmp_path: Path) -> None:
    """H8"""
    head = "+++\nvariables = ['workspace', 'os', 'date']\n+++\n"
    write(tmp_path, {"a.md": head + "{workspace} {os} {date} {json}", "b.md": "Plain {os}"})
    registry = PromptLoader(tmp_path).registry()
    assert registry.render("a", workspace="/w", os="Linux", date="1.1.") == "/w Linux 1.1. {json}"
    assert registry.render("b") == "Plain {os}"
    guessed = PromptLoader(tmp_path, guess=True).registry()
    assert guessed.render("b", os="Linux") == "Plain Linux"
    with pytest.raises(PromptError, match="missing placeholder"):
        registry.override({"a": "no slots"})


# Languages


def test_a_locale_in_the_name_is_the_same_prompt_in_that_language(tmp_path: Path) -> None:
    head = "+++\nvariables = ['os']\nid = 'chat.{}'\n+++\n"
    write(tmp_path, {
        "coding.md": head.format("coding") + "On {os}", "coding.zh-Hans.md": "在{os}上",
        "coding.de.md": "Auf {os}", "other.md": "Other", "fr.md": "a prompt called fr",
        "memory.ask.md": "not Ask of a prompt called memory", "x.md": "X",
        "anything.md": "---\nid: x\nlocale: pt_br\n---\nXis",
    })  # fmt: skip
    registry = PromptLoader(tmp_path).registry()
    assert registry.keys() == ["x", "chat.coding", "fr", "memory.ask", "other"]
    assert registry.locales == ("de", "en", "pt-BR", "zh-Hans")
    chinese = registry.localized("zh-CN")
    assert chinese.render("chat.coding", os="Linux") == "在Linux上"
    assert chinese.origin("chat.coding") == Origin("pack", "zh-Hans")
    assert chinese.text("other") == "Other"
    assert registry.localized("pt").text("x") == "Xis"
    assert registry.text("chat.coding") == "On {os}"


def test_a_prompt_that_ends_like_a_locale_is_told_apart_by_its_id(tmp_path: Path) -> None:
    """`ask` is a language, too: beside `rag.md`, `rag.ask.md` is taken for a translation."""
    write(tmp_path, {"rag.md": "R", "rag.ask.md": "A", "rag.pt_br.md": "P"})
    assert PromptLoader(tmp_path).registry().locales == ("ask", "en", "pt-BR")
    write(tmp_path, {"rag.ask.md": "+++\nid = 'rag.ask'\n+++\nA"})
    registry = PromptLoader(tmp_path).registry()
    assert (registry.as_dict(), registry.locales) == ({"rag": "R", "rag.ask": "A"}, ("en", "pt-BR"))


def test_the_folders_own_language_is_told_by_the_caller(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "你好", "a.en.md": "Hello"})
    registry = PromptLoader(tmp_path, locale="zh_hans").registry()
    assert (registry.source_locale, registry.text("a")) == ("zh-Hans", "你好")
    assert registry.localized("en").text("a") == "Hello"


def test_a_prompt_without_a_text_in_the_folders_language_is_known_as_foreign(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a.md": "---\nlocale: de\n---\nHallo", "a.fr.md": "Salut", "b.md": "B"})
    registry = PromptLoader(tmp_path).registry()
    assert registry.origin("a") == Origin("source", "de")
    assert [registry.localized(tag).text("a") for tag in ("en", "de", "fr")] == [
        "Hallo", "Hallo", "Salut",
    ]  # fmt: skip
    assert registry.localized("en").fallen_back() == {"a": "de"}


# What is refused: (files, [(code, file, line, related file)])
REFUSED: dict[str, tuple[dict[str, str | bytes], list[tuple[str, str, int, str | None]]]] = {
    "two files of one id": (
        {"a.md": "+++\nid = 'x'\n+++\nA", "x.md": "X"},
        [("key-duplicate", "x.md", 1, "a.md")],
    ),
    "two files of one locale": (
        {"a.md": "A", "a.de.md": "D", "b.md": "---\nid: a\nlocale: de\n---\nE"},
        [("key-duplicate", "a.de.md", 1, "b.md")],
    ),
    "a blank name": ({".md": "A"}, [("key-invalid", ".md", 1, None)]),
    "a name with a blank": ({"a b.md": "A"}, [("key-invalid", "a b.md", 1, None)]),
    "two locales": (
        {"a.md": "A", "a.de.md": "---\nlocale: fr\n---\nB"},
        [("locale-invalid", "a.de.md", 1, None)],
    ),
    "every fault of every file": (
        {"a.md": "", "b.md": b"x\n\xff", "c.md": "+++\nx = 1\n+++\nC", "d.md": "D"},
        [("markdown-invalid", name, line, None) for name, line in
         (("a.md", 1), ("b.md", 2), ("c.md", 2))],
    ),
    "a slot that does not stand in the text": (
        {"a.md": "+++\nvariables = ['os']\n+++\n\nOn { os }"}, [("slot-mangled", "a.md", 5, None)],
    ),
    "a translation without the slot": (
        {"a.md": "+++\nvariables = ['os']\n+++\n{os}", "a.de.md": "\nAuf {os>"},
        [("slot-mangled", "a.de.md", 2, None)],
    ),
    "a translation with slots of its own": (
        {"a.md": "On {os}", "a.de.md": "+++\nvariables = ['os']\nprotected = ['X']\n+++\nX {os}"},
        [("contract-differs", "a.de.md", 5, None)] * 2,
    ),
    "too long": ({"a.md": b"x" * (MOST_BYTES + 1)}, [("file-unreadable", "a.md", 1, None)]),
}  # fmt: skip


@pytest.mark.parametrize("row", REFUSED)
def test_what_is_wrong_is_refused_with_its_place(row: str, tmp_path: Path) -> None:
    """H3, H9"""
    written, expected = REFUSED[row]
    with pytest.raises(PromptError) as caught:
        PromptLoader(write(tmp_path, written)).load()
    name = os.path.basename
    assert [
        (f.code, name(f.place.file or ""), f.place.line, f.related and name(f.related.file or ""))
        for f in caught.value.diagnostics
        if f.place is not None
    ] == expected
    assert all(found.mend for found in caught.value.diagnostics)


@pytest.mark.parametrize("row", NO_FILES)
def test_what_is_no_file_of_the_folder_is_refused(row: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "p", {"a.md": "A", "b.md": "B"})
    NO_FILES[row](folder / "a.md")
    done: list[BaseException] = []

    def load() -> None:
        try:
            PromptLoader(folder).load()
        except PromptError as error:
            done.append(error)

    thread = threading.Thread(target=load, daemon=True)  # a FIFO that is opened waits for ever
    thread.start()
    thread.join(20)
    assert isinstance(done[0], PromptError)
    assert [found.code for found in done[0].diagnostics] == ["file-unreadable"]


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path / "p" / "..data", {"a.md": "A"})
    (tmp_path / "p" / "a.md").symlink_to(Path("..data", "a.md"))
    assert texts(PromptLoader(tmp_path / "p")) == {"a": "A"}


# Package data, and the event loop


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], Any]]:
    def make(zipped: bool) -> Any:
        name = f"package_of_prompts_{int(zipped)}"
        found = {"__init__.py": "", "prompts/a.md": "A {os}", "prompts/a.de.md": "D {os}"}
        if zipped:
            with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
                for path, text in found.items():
                    archive.writestr(f"{name}/{path}", text)
            monkeypatch.syspath_prepend(tmp_path / "lib.zip")
        else:
            write(tmp_path / name / "prompts", {})
            write(tmp_path / name, found)
            monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return files(name) / "prompts"

    yield make
    importlib.invalidate_caches()


@pytest.mark.parametrize("zipped", [False, True])
def test_a_librarys_package_data_is_a_folder(zipped: bool, packaged: Callable[[bool], Any]) -> None:
    loader = PromptLoader(packaged(zipped))
    assert texts(loader) == {"a": "A {os}"}
    assert loader.registry().localized("de").text("a") == "D {os}"


class _Slow:
    """Package data that a read of waits until the event loop has gone on."""

    def __init__(self, gone_on: threading.Event) -> None:
        self.gone_on = gone_on

    def iterdir(self) -> Iterator[Any]:
        assert self.gone_on.wait(20), "the event loop stood still"
        return iter(())


def test_loading_does_not_block_the_event_loop() -> None:
    """H12: the folder is not read to its end before a coroutine has run beside it."""
    gone_on = threading.Event()

    async def beside() -> None:
        gone_on.set()

    async def main() -> tuple[PromptSet, None]:
        loader: Loader = PromptLoader(_Slow(gone_on))  # type: ignore[arg-type]
        return await asyncio.gather(loader.aload(), beside())

    assert dict(asyncio.run(main())[0]) == {}


def test_a_relative_folder_is_that_of_the_loaders_making(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "p", {"a.md": "A"})
    monkeypatch.chdir(tmp_path)
    loader = PromptLoader("p")
    monkeypatch.chdir("/")
    assert texts(loader) == {"a": "A"}
    assert loader.folders() == (str(tmp_path / "p"),)


# Loaders of loaders


BUILT_IN = {
    "coding": PromptTemplate("In {workspace}", variables=["workspace"], protected=["In"]),
    "review": PromptTemplate("Review"),
}


def test_a_built_in_default_stands_in_for_what_is_missing(tmp_path: Path) -> None:
    """H4"""
    loader = ChainLoader(PromptLoader(write(tmp_path, {"review.md": "Mine"})), BUILT_IN)
    assert texts(loader) == {"review": "Mine", "coding": "In {workspace}"}
    (tmp_path / "review.md").unlink()
    assert texts(loader) == {"coding": "In {workspace}", "review": "Review"}
    assert texts(ChainLoader({"a": "A {x}"})) == {"a": "A {x}"}
    assert texts(ChainLoader()) == {}


def test_the_first_layer_wins(tmp_path: Path) -> None:
    layers = [
        PromptLoader(write(tmp_path / str(n), {"a.md": f"a{n}", f"b{n}.md": "b"})) for n in range(3)
    ]
    loader = ChainLoader(*layers)
    assert texts(loader) == {"a": "a0", "b0": "b", "b1": "b", "b2": "b"}
    assert loader.folders() == tuple(str(tmp_path / str(n)) for n in range(3))


def test_a_file_for_a_built_in_prompt_keeps_its_contract(tmp_path: Path) -> None:
    """The one promise: its own front matter cannot loosen, nor widen, what the prompt holds."""
    loader = ChainLoader(PromptLoader(tmp_path), BUILT_IN)
    write(tmp_path, {"coding.md": "In the folder {workspace}"})
    registry = loader.registry()
    assert registry.render("coding", workspace="/w") == "In the folder /w"
    assert registry["coding"].contract == BUILT_IN["coding"].contract
    for text, codes in {
        "Anywhere": ["slot-missing", "token-missing"],
        "+++\nvariables = []\n+++\nIn it": ["slot-missing"],
        "+++\nvariables = ['workspace', 'os']\n+++\nIn {workspace}, {os}": ["contract-differs"],
    }.items():
        write(tmp_path, {"coding.md": text})
        with pytest.raises(PromptError) as caught:
            loader.load()
        assert [found.code for found in caught.value.diagnostics] == codes
        assert {str(tmp_path / "coding.md")} == {
            found.place.file for found in caught.value.diagnostics if found.place
        }


def test_a_translation_for_a_built_in_prompt_keeps_its_contract(tmp_path: Path) -> None:
    write(tmp_path, {"coding.md": "In {workspace}!", "coding.de.md": "Im {workspace}"})
    with pytest.raises(PromptError) as caught:
        ChainLoader(PromptLoader(tmp_path), BUILT_IN).load()
    assert [(f.code, f.key) for f in caught.value.diagnostics] == [("token-missing", "coding")]


def test_a_registry_stands_in_with_its_languages_and_overrides(tmp_path: Path) -> None:
    """H4: what an own file says replaces the built-in prompt in every language."""
    built_in = DEFAULT_PROMPTS.copy()
    key, other, third = "chat.persona", "memory.extract", "context.current_question"
    built_in.override({other: built_in.text(other) + "\nMore."})
    built_in.override({third: "Frage: {query}"}, locale="de")
    write(tmp_path, {f"{key}.md": "You are mine."})
    registry = ChainLoader(PromptLoader(tmp_path), built_in).registry()
    assert set(registry.keys()) == set(built_in.keys())
    chinese = registry.localized("zh-Hans")
    assert (registry.text(key), chinese.text(key)) == ("You are mine.", "You are mine.")
    assert chinese.text(other) == built_in.text(other)
    assert registry.localized("de").text(third) == "Frage: {query}"
    assert chinese.text(third) == built_in.localized("zh-Hans").text(third) != built_in.text(third)


def test_layers_of_two_languages_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "Hallo"})
    with pytest.raises(PromptError, match="tell PromptLoader the locale"):
        ChainLoader(PromptLoader(tmp_path, locale="de"), BUILT_IN).load()


def test_a_prefix_stands_before_every_name(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "A", "a.de.md": "D", "b.md": "---\nlocale: fr\n---\nB"})
    loader = PrefixLoader("memory", PromptLoader(tmp_path))
    registry = loader.registry()
    assert registry.keys() == ["memory.a", "memory.b"]
    assert registry.localized("de").text("memory.a") == "D"
    assert registry.origin("memory.b") == Origin("source", "fr")
    assert loader.folders() == (str(tmp_path),)
    assert loader.get("memory.a").name == "memory.a"
    with pytest.raises(PromptError, match="Invalid prefix"):
        PrefixLoader("a b", loader)


def test_an_extension_registers_its_prompts_beside_those_that_are_there(tmp_path: Path) -> None:
    """H5: what `setup(ctx)` does with its folder."""
    registry = PromptRegistry(BUILT_IN)
    registry.namespace("ext").include(PromptLoader(write(tmp_path, {"a.md": "A"})).registry())
    assert registry.keys() == ["coding", "review", "ext.a"]
    with pytest.raises(PromptError, match="already exists"):
        registry.namespace("ext").include(PromptLoader(tmp_path).registry())


def test_two_versions_of_a_folder_can_be_compared(tmp_path: Path) -> None:
    """H11"""
    old = PromptLoader(write(tmp_path / "1", {"a.md": "A", "b.md": "B"})).registry()
    new = PromptLoader(write(tmp_path / "2", {"a.md": "A2", "c.md": "C"})).registry()
    assert old.diff(new) == ({"c": "C"}, {"b": "B"}, {"a": ("A", "A2")})
    assert old.fingerprint != new.fingerprint
