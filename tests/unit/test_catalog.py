"""A directory or package data into a registry, its packs on first use; and the default catalog."""

from __future__ import annotations

import copy
import importlib
import logging
import os
import pickle
import re
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

from agentprompts import (
    DEFAULT_PROMPTS,
    LocalizedRegistry,
    Origin,
    PromptError,
    PromptRegistry,
    catalog,
    load_catalog,
    packs,
)
from agentprompts.catalog import default_directory, read_catalog, read_pack_file

CONTRACTS = """\
[catalog]
source = "en"
["chat.ask"]
variables = ["query"]
["chat.hello"]
["memory.pick"]
protected = ["ADD"]
"""
ENGLISH = "[chat]\nask = 'Ask: {query}'\nhello = 'Hello'\n[memory]\npick = 'ADD or not'\n"
FRENCH = "[chat]\nask = 'Demande : {query}'\nhello = 'Bonjour'\n[memory]\npick = 'ADD ou non'\n"
TEXTS = {"chat.ask": "Ask: {query}", "chat.hello": "Hello", "memory.pick": "ADD or not"}
FRENCH_TEXTS = {
    "chat.ask": "Demande : {query}",
    "chat.hello": "Bonjour",
    "memory.pick": "ADD ou non",
}
# One text is broken, one key is unknown, one prompt is not translated.
BROKEN = "[chat]\nask = '''\nDemande :\n{ query }'''\nhello = 'Hallo'\nhallo = 'x'\n"
FILES = {"catalog.toml": CONTRACTS, "en.toml": ENGLISH, "fr.toml": FRENCH, "de.toml": BROKEN}


def written(folder: Path, texts: Mapping[str, str | bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def made(folder: Path, **packs: str | bytes) -> PromptRegistry:
    """Load a catalog of the usual three prompts with the packs given (`zh_Hans` for `zh-Hans`)."""
    named = {f"{name.replace('_', '-')}.toml": text for name, text in packs.items()}
    return load_catalog(written(folder, {"catalog.toml": CONTRACTS, "en.toml": ENGLISH, **named}))


# From where: every kind of folder gives the same registry.


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], object]]:
    """Return a function that makes a folder of a kind and hands it over."""
    name = "library_of_this_test"

    def zipped() -> Path:
        target = tmp_path / "library.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}/__init__.py", "")
            for file, text in FILES.items():
                archive.writestr(f"{name}/prompts/{file}", text)
        return target

    def package(entry: Path) -> Traversable:
        monkeypatch.syspath_prepend(entry)
        importlib.invalidate_caches()
        return files(name) / "prompts"

    def make(kind: str) -> object:
        if kind == "zipfile.Path":
            return zipfile.Path(zipped(), f"{name}/prompts/")
        if kind == "package in a zip":
            return package(zipped())
        folder = written(tmp_path / name / "prompts", FILES)
        if kind == "package":
            (tmp_path / name / "__init__.py").touch()
            return package(tmp_path)
        if kind == "namespace package":
            return package(tmp_path)
        return {"str": str(folder), "Path": folder, "str/": f"{folder}/"}[kind]

    yield make
    sys.modules.pop(name, None)


KINDS = ["str", "str/", "Path", "package", "namespace package", "package in a zip", "zipfile.Path"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_folder_gives_the_same_registry(
    kind: str, library: Callable[[str], str]
) -> None:
    registry = load_catalog(library(kind))
    assert type(registry) is PromptRegistry
    assert registry.as_dict() == TEXTS
    assert registry.keys() == list(TEXTS)
    assert (registry.locales, registry.source_locale) == (("de", "en", "fr"), "en")
    assert registry.get("chat.ask").variables == ("query",)
    assert registry.get("memory.pick").protected == ("ADD",)
    assert registry.localized("fr").as_dict() == FRENCH_TEXTS
    german = registry.localized("de")
    assert german.as_dict() == {**TEXTS, "chat.hello": "Hallo"}
    assert [(found.code, found.key) for found in german.findings] == [
        ("slot-mangled", "chat.ask"),
        ("key-unknown", "chat.hallo"),
    ]
    places = [found.place for found in german.findings]
    assert [(p.line, p.column) for p in places if p] == [(4, 1), (6, 1)]
    assert all(p is not None and str(p.file).endswith("de.toml") for p in places)


@pytest.mark.parametrize("kind", ["str", "package in a zip", "zipfile.Path"])
def test_a_folder_that_is_no_catalog_is_an_error_that_names_the_file(
    kind: str, library: Callable[[str], str]
) -> None:
    folder = library(kind)
    missing = os.path.join(folder, "nope") if isinstance(folder, str) else folder / "nope"
    with pytest.raises(PromptError, match=r"^Cannot read .*nope.catalog\.toml"):
        load_catalog(missing)


@pytest.mark.parametrize("kind", ["str", "zipfile.Path"])
def test_a_folder_that_cannot_be_listed_is_an_error_that_names_it(
    kind: str, library: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = library(kind)

    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied") if kind == "str" else ValueError("closed")

    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(zipfile.Path, "iterdir", refuse)
    with pytest.raises(PromptError, match=r"Permission denied|closed") as caught:
        load_catalog(folder)
    assert str(folder).rstrip("/") in str(caught.value)


def test_a_folder_named_relatively_is_the_one_that_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that changes its directory afterwards reads its packs all the same."""
    written(tmp_path / "prompts", FILES)
    monkeypatch.chdir(tmp_path)
    registry = load_catalog("prompts")
    monkeypatch.chdir("/")
    assert registry.localized("fr").as_dict() == FRENCH_TEXTS


def test_an_archive_that_is_closed_or_damaged_later_falls_back_and_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    target = tmp_path / "prompts.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in FILES.items():
            archive.writestr(f"p/{name}", text)
    with zipfile.ZipFile(target) as archive:
        closed = load_catalog(zipfile.Path(archive, "p/"))
    data = bytearray(target.read_bytes())
    start = data.index(b"p/fr.toml") + len(b"p/fr.toml")
    data[start : start + 20] = bytes(byte ^ 0xFF for byte in data[start : start + 20])
    (tmp_path / "damaged.zip").write_bytes(data)
    damaged = load_catalog(zipfile.Path(tmp_path / "damaged.zip", "p/"))
    for registry in (closed, damaged):
        view = registry.localized("fr")
        assert view.as_dict() == TEXTS
        assert view.findings
        assert "fr.toml" in caplog.text
        caplog.clear()


# Which packs: a file's name is its locale.

NAMES = {
    "fr.toml": "fr",
    "pt-BR.toml": "pt-BR",
    "zh-Hans.toml": "zh-Hans",
    "zh-Hant-HK.toml": "zh-Hant-HK",
    "es-419.toml": "es-419",
    "de-1996.toml": "de-1996",
    "iw.toml": "iw",
    "README.md": None,
    "fr.txt": None,
    "toml": None,
    ".fr.toml": None,
    "fr.toml~": None,
    "fr.toml.123.tmp": None,
    ".gitignore": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_a_pack_by_its_name(name: str, tmp_path: Path) -> None:
    written(tmp_path, {name: FRENCH})
    tag = NAMES[name]
    registry = made(tmp_path)
    assert registry.locales == tuple(sorted({"en", tag or "en"}))
    if tag is not None:
        assert registry.localized(tag).as_dict() == FRENCH_TEXTS


MISSPELT = {
    "pt_BR.toml": "'pt-BR'",
    "PT.toml": "'pt'",
    "zh-hans.toml": "'zh-Hans'",
    "notes.toml": "'notes'",
    "pyproject.toml": "'pyproject'",
    "C.toml": "'C'",
    "en_US@x=..toml": "'en_US@x=.'",
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_name_that_is_no_locale_is_an_error_that_names_the_file(
    name: str, tmp_path: Path
) -> None:
    written(tmp_path, {name: FRENCH})
    with pytest.raises(PromptError) as caught:
        made(tmp_path)
    assert MISSPELT[name] in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


@pytest.mark.parametrize("source", ["en", "EN", "fr"])
def test_the_source_has_a_file_of_its_name_and_is_no_pack(source: str, tmp_path: Path) -> None:
    texts = {**FILES, "catalog.toml": CONTRACTS.replace('"en"', f'"{source}"')}
    registry = load_catalog(written(tmp_path, texts))
    assert registry.source_locale == source.lower()
    assert registry.as_dict() == (FRENCH_TEXTS if source == "fr" else TEXTS)
    assert registry.locales == ("de", "en", "fr")
    assert registry.localized(source).origin("chat.ask") == Origin("source", source.lower())


# What a source must hold: all faults at once.


def test_a_source_of_many_faults_is_one_error(tmp_path: Path) -> None:
    texts = {"catalog.toml": CONTRACTS, "en.toml": "chat.ask = 'Ask'\nchat.more = 'x'\n"}
    with pytest.raises(PromptError) as caught:
        load_catalog(written(tmp_path, texts))
    assert [(found.code, found.key) for found in caught.value.diagnostics] == [
        ("contract-missing", "chat.more"),
        ("slot-missing", "chat.ask"),
        ("text-missing", "chat.hello"),
        ("text-missing", "memory.pick"),
    ]
    for name in ("catalog.toml", "en.toml"):
        assert str(tmp_path / name) in str(caught.value)


def test_a_catalog_as_files_says_what_a_registry_is_made_from(tmp_path: Path) -> None:
    read = read_catalog(written(tmp_path, FILES))
    assert read.folder == tmp_path
    assert read.locales == ("de", "fr")
    assert list(read.templates) == list(read.contracts.contracts) == list(TEXTS)
    assert (read.source.locale, read.source.texts) == ("en", TEXTS)
    assert read_pack_file(tmp_path, "fr").texts == FRENCH_TEXTS


# Packs at run time


def test_a_partial_pack_falls_back_along_its_chain_and_is_counted(tmp_path: Path) -> None:
    registry = made(
        tmp_path,
        fr="[chat]\nask = 'Demande : {query}'\nhello = 'Bonjour'",
        fr_CA="chat.hello='Allô'",
    )
    view = registry.localized("fr-CA")
    assert view.as_dict() == {
        "chat.ask": "Demande : {query}",
        "chat.hello": "Allô",
        "memory.pick": "ADD or not",
    }
    assert [view.origin(key) for key in TEXTS] == [
        Origin("pack", "fr"),
        Origin("pack", "fr-CA"),
        Origin("source", "en"),
    ]
    assert view.fallen_back() == {"memory.pick": "en"}
    assert view.findings == ()


def test_what_is_not_translated_at_all_is_counted_too(tmp_path: Path) -> None:
    """`zh-TW` of a catalog with `zh-Hans` is English, and says so."""
    registry = made(tmp_path, zh_Hans=FRENCH)
    assert registry.localized("zh-TW").fallen_back() == dict.fromkeys(TEXTS, "en")
    assert registry.localized("zh-CN").fallen_back() == {}
    assert registry.localized("en-AU").fallen_back() == {}


def test_a_text_that_breaks_its_contract_falls_back_and_is_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = made(tmp_path, de=BROKEN)
    assert caplog.records == [], "a pack is judged when it is asked for"
    for view in (registry.localized("de"), registry.copy().localized("de_DE")):
        assert view.text("chat.ask") == "Ask: {query}"
        assert view.text("chat.hello") == "Hallo"
        assert view.render("chat.ask", query="?") == "Ask: ?"
        assert view.origin("chat.ask") == Origin("source", "en")
        assert view.fallen_back() == {"chat.ask": "en", "memory.pick": "en"}
        assert [str(found.place) for found in view.findings] == [
            f"{tmp_path / 'de.toml'}:4:1",
            f"{tmp_path / 'de.toml'}:6:1",
        ]
    assert [(record.name, record.levelno) for record in caplog.records] == 2 * [
        ("agentprompts", logging.WARNING)
    ]
    assert f"{tmp_path / 'de.toml'}:4:1" in caplog.messages[0]
    assert "chat.ask" in caplog.messages[0]
    assert "did you mean 'chat.hello'?" in caplog.messages[1]


BROKEN_FILES: dict[str, tuple[str | bytes, str, str]] = {
    "no TOML": ("[chat]\nask = 'Demande : {query}'\nhello = Bonjour\n", "toml-invalid", ":3:9"),
    "no UTF-8": (FRENCH.encode("utf-16"), "toml-invalid", ":1:1"),
    "a key twice": ("chat.hello = '1'\nchat.hello = '2'\n", "toml-invalid", ":2:1"),
    "a key in two spellings": ("chat.hello = '1'\n'chat.hello' = '2'", "key-duplicate", ":2:1"),
    "a number": ("[chat]\nask = 'Demande : {query}'\nhello = 5", "text-type", ":3:1"),
    "a prefix": ("chat.hello = 'x'\n'chat.hello.x' = 'y'", "key-prefix", ":2:1"),
}


@pytest.mark.parametrize("name", BROKEN_FILES)
def test_a_broken_pack_falls_back_as_a_whole_and_is_reported(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text, code, place = BROKEN_FILES[name]
    view = made(tmp_path, fr=text).localized("fr-CA")
    assert view.as_dict() == TEXTS
    assert view.fallen_back() == dict.fromkeys(TEXTS, "en")
    [found] = view.findings
    assert (found.code, str(found.place)) == (code, f"{tmp_path / 'fr.toml'}{place}")
    assert [record.name for record in caplog.records] == ["agentprompts"]
    assert f"{tmp_path / 'fr.toml'}{place}" in caplog.text


def test_a_pack_that_is_gone_is_reported_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = made(tmp_path, fr=FRENCH)
    (tmp_path / "fr.toml").unlink()
    view = registry.localized("fr")
    assert view.as_dict() == TEXTS
    assert "fr.toml" in caplog.text
    [found] = view.findings
    assert "fr.toml" in str(found)


def test_an_old_key_in_an_old_pack_goes_on_working_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = {
        "catalog.toml": f"{CONTRACTS}renamed_from = 'memory.merge'\n",
        "en.toml": ENGLISH,
        "fr.toml": "memory.merge = 'ADD ou non'\n",
    }
    view = load_catalog(written(tmp_path, texts)).localized("fr")
    assert view.text("memory.pick") == "ADD ou non"
    assert [(found.code, found.severity) for found in view.findings] == [("key-renamed", "warning")]
    assert "memory.pick" in caplog.text


def counted(
    monkeypatch: pytest.MonkeyPatch, name: str, gate: threading.Barrier | None = None
) -> list[object]:
    """Count the calls of a function; with a gate, each call waits for another thread's."""
    calls: list[object] = []
    real = getattr(catalog, name)

    def call(*arguments: object) -> object:
        calls.append(arguments[-1])
        if gate is not None:
            with suppress(threading.BrokenBarrierError):
                gate.wait(0.2)
        return real(*arguments)

    monkeypatch.setattr(catalog, name, call)
    return calls


def in_threads(count: int, work: Callable[[], object]) -> list[object]:
    """Return what each of the threads got, all let off at the same moment."""
    start, results = threading.Barrier(count), []

    def run() -> None:
        start.wait()
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_a_pack_is_read_when_first_asked_for_and_once_for_all_copies_and_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = made(tmp_path, fr=FRENCH, de=BROKEN)
    calls = counted(monkeypatch, "read_pack_file", threading.Barrier(2))
    copies = [registry.copy() for _ in range(8)]
    assert registry.localized("fr").chain == ("fr", "en")
    assert calls == []
    results = in_threads(8, lambda: copies.pop().localized("fr").as_dict())
    assert results == 8 * [FRENCH_TEXTS]
    assert registry.localized("fr-BE").as_dict() == FRENCH_TEXTS
    assert calls == ["fr"]


# M13: a third party's prompts are listed, overridden and translated like the built-in ones.


def test_a_librarys_catalog_joins_a_registry_with_its_packs(tmp_path: Path) -> None:
    """M13"""
    registry = PromptRegistry()
    registry.namespace("lib").include(made(tmp_path, fr=FRENCH))
    assert registry.keys() == [f"lib.{key}" for key in TEXTS]
    assert registry.localized("fr").text("lib.chat.hello") == "Bonjour"
    with pytest.raises(PromptError, match=r"missing placeholder \['query'\]"):
        registry.override({"lib.chat.ask": "Ask"})
    registry.override({"lib.chat.hello": "Salut"}, locale="fr")
    assert registry.localized("fr").text("lib.chat.hello") == "Salut"
    assert registry.text("lib.chat.hello") == "Hello"


# The default catalog

FIRST_USES: dict[str, Callable[[PromptRegistry], object]] = {
    "text": lambda prompts: prompts.text("chat.persona"),
    "render": lambda prompts: prompts.render("chat.persona"),
    "get": lambda prompts: prompts.get("chat.persona"),
    "keys": lambda prompts: prompts.keys(),
    "iter": lambda prompts: list(prompts),
    "len": len,
    "in": lambda prompts: "chat.persona" in prompts,
    "dict": lambda prompts: dict(prompts),
    "repr": repr,
    "copy": lambda prompts: prompts.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "snapshot": lambda prompts: prompts.snapshot(),
    "localized": lambda prompts: prompts.localized("zh-Hans").text("chat.persona"),
    "namespace": lambda prompts: prompts.namespace("chat").keys(),
    "ref": lambda prompts: str(prompts.ref("chat.persona")),
    "locales": lambda prompts: prompts.locales,
    "fingerprint": lambda prompts: prompts.fingerprint,
    "origin": lambda prompts: prompts.origin("chat.persona"),
    "override": lambda prompts: prompts.override({"chat.persona": "Hi."}),
    "with_overrides": lambda prompts: prompts.with_overrides({"chat.persona": "Hi."}),
    "register": lambda prompts: prompts.register("my.key", "text"),
    "a constructor": lambda prompts: PromptRegistry(prompts),
    "diff": lambda prompts: PromptRegistry().diff(prompts),
}


def unfilled() -> PromptRegistry:
    """Return an object as `DEFAULT_PROMPTS` is before its first use."""
    made: PromptRegistry = type(DEFAULT_PROMPTS)()
    return made


@pytest.mark.parametrize("use", FIRST_USES)
def test_the_default_is_filled_by_whatever_comes_first_and_once(
    use: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    len(DEFAULT_PROMPTS)  # filled, so that only the other one counts
    calls = counted(monkeypatch, "load_catalog")
    prompts = unfilled()
    assert isinstance(prompts, PromptRegistry)
    assert bool(prompts)
    assert calls == []
    FIRST_USES[use](prompts)
    assert len(prompts) >= len(DEFAULT_PROMPTS) > 30
    assert calls == [default_directory()]


def test_eight_threads_fill_the_default_once(monkeypatch: pytest.MonkeyPatch) -> None:
    len(DEFAULT_PROMPTS)  # filled, so that only the other one counts
    calls = counted(monkeypatch, "load_catalog", threading.Barrier(2))
    prompts = unfilled()
    uses = [name for name in FIRST_USES if name not in ("override", "register")][:8]

    def first() -> object:
        FIRST_USES[uses.pop()](prompts)
        return prompts.as_dict()

    results = in_threads(8, first)
    assert results == 8 * [DEFAULT_PROMPTS.as_dict()]
    assert calls == [default_directory()]


def test_the_default_is_one_object_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = unfilled()
    holder, reference = prompts, prompts
    mapping = {prompts: "found"}
    prompts.override({"chat.persona": "Hi."})
    assert holder is reference is prompts
    assert holder.text("chat.persona") == "Hi."
    assert mapping[prompts] == "found"
    assert DEFAULT_PROMPTS.text("chat.persona") != "Hi."
    assert importlib.import_module("agentprompts").DEFAULT_PROMPTS is DEFAULT_PROMPTS
    assert catalog.DEFAULT_PROMPTS is DEFAULT_PROMPTS


COPIES: dict[str, Callable[[PromptRegistry], PromptRegistry]] = {
    "copy()": lambda prompts: prompts.copy(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda prompts: pickle.loads(pickle.dumps(prompts)),
    "with_overrides": lambda prompts: prompts.with_overrides({}),
}


@pytest.mark.parametrize("kind", COPIES)
@pytest.mark.parametrize("filled", [True, False])
def test_a_copy_of_the_default_is_an_ordinary_registry_of_its_own(kind: str, filled: bool) -> None:
    """M8: a copy's registrations leave the default untouched. M5: so do its overrides."""
    prompts = unfilled()
    if filled:
        len(prompts)
    made = COPIES[kind](prompts)
    assert type(made) is PromptRegistry
    assert made.as_dict() == prompts.as_dict() == DEFAULT_PROMPTS.as_dict()
    assert made.localized("zh-Hans").as_dict() == DEFAULT_PROMPTS.localized("zh-Hans").as_dict()
    made.register("my.key", "mine")
    made.override({"chat.persona": "Hi."})
    assert "my.key" not in prompts
    assert prompts.text("chat.persona") != "Hi."


def test_a_default_that_cannot_be_read_is_an_error_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = unfilled()
    with monkeypatch.context() as patch:
        patch.setattr(catalog, "default_directory", lambda: str(tmp_path))
        for _ in range(2):
            with pytest.raises(PromptError, match=r"^Cannot read .*catalog\.toml"):
                len(prompts)
    assert prompts.as_dict() == DEFAULT_PROMPTS.as_dict()


def test_the_default_has_no_attributes_but_a_registrys(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, "load_catalog")
    prompts = unfilled()
    assert not hasattr(prompts, "nothing")
    with pytest.raises(AttributeError, match="has no attribute '__array__'"):
        _ = prompts.__array__  # type: ignore[attr-defined]
    assert calls == [], "whoever looks at the object from outside does not fill it"


def test_the_shipped_packs_stand_beside_the_module_or_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "agentprompts"
    for folder in (package / "packs", tmp_path / "packs"):
        folder.mkdir(parents=True)
    (package / "packs" / "__init__.py").touch()
    monkeypatch.setattr(catalog, "__file__", str(package / "catalog.py"))
    assert default_directory() == str(tmp_path / "packs"), "a checkout, an editable install"
    (package / "packs" / "catalog.toml").touch()
    assert default_directory() == str(package / "packs"), "a wheel"


def test_the_shipped_packs_are_found_wherever_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert os.path.isabs(default_directory())
    assert os.path.exists(os.path.join(default_directory(), "catalog.toml"))
    assert unfilled().localized("zh-Hans").fallen_back() == {}


# The shipped packs by name


def test_the_chinese_texts_are_there_by_name() -> None:
    """M11: a pack covers every key; a full switch leaves no residue."""
    texts = packs.CHINESE_PROMPTS
    assert dict(texts) == packs.load_pack("zh-Hans")
    assert set(texts) == set(DEFAULT_PROMPTS)
    registry = packs.chinese_registry()
    assert registry.as_dict() == texts
    assert registry.keys() == DEFAULT_PROMPTS.keys()
    same = [t for key, t in DEFAULT_PROMPTS.as_dict().items() if t == registry.text(key)]
    assert [text for text in same if re.search("[a-z]{3,} [a-z]{3,}", text)] == []
    assert registry.as_dict() == DEFAULT_PROMPTS.localized("zh-Hans").as_dict()


def test_each_chinese_registry_is_its_own() -> None:
    """M5"""
    one, other = packs.chinese_registry(), packs.chinese_registry()
    assert type(one) is PromptRegistry
    one.override({"chat.persona": "你好。"})
    assert one.text("chat.persona") != other.text("chat.persona")
    assert DEFAULT_PROMPTS.text("chat.persona") == "You are a helpful assistant."
    with pytest.raises(PromptError, match=r"missing placeholder \['query'\]"):
        one.override({"context.current_question": "问题"})


def test_the_chinese_texts_cannot_be_changed_for_everyone() -> None:
    before = dict(packs.CHINESE_PROMPTS)
    with suppress(TypeError):
        packs.CHINESE_PROMPTS["chat.persona"] = "changed"  # type: ignore[index]
    try:
        assert packs.chinese_registry().as_dict() == before
        assert before == packs.CHINESE_PROMPTS
    finally:
        if isinstance(packs.CHINESE_PROMPTS, dict):
            packs.CHINESE_PROMPTS.update(before)


@pytest.mark.parametrize("locale", ["zh-Hans", "zh_hans", "ZH-HANS.UTF-8"])
def test_a_pack_is_loaded_by_any_spelling_of_its_locale(locale: str) -> None:
    texts = packs.load_pack(locale)
    assert texts == packs.CHINESE_PROMPTS
    texts.clear()
    assert packs.load_pack(locale) == packs.CHINESE_PROMPTS, "each caller gets its own"


def test_the_source_is_a_pack_too() -> None:
    assert packs.load_pack("en") == DEFAULT_PROMPTS.as_dict()


@pytest.mark.parametrize("locale", ["xx", "zh-Hant", "en_US@x=../..", "../en", "", "C", "catalog"])
def test_a_pack_that_there_is_not_is_an_error(locale: str) -> None:
    with pytest.raises(PromptError) as caught:
        packs.load_pack(locale)
    assert repr(locale) in str(caught.value) or f"{locale}.toml" in str(caught.value)
    assert "/.toml" not in str(caught.value)


def test_the_available_locales_are_those_of_the_default() -> None:
    assert packs.available_locales() == DEFAULT_PROMPTS.locales
    assert {"en", "zh-Hans"} <= set(packs.available_locales())
    assert isinstance(DEFAULT_PROMPTS.localized("zh-Hans"), LocalizedRegistry)


def test_the_module_has_no_other_names() -> None:
    assert set(packs.__all__) <= {*dir(packs), "CHINESE_PROMPTS"}
    with pytest.raises(AttributeError, match="no attribute 'GERMAN_PROMPTS'"):
        _ = packs.GERMAN_PROMPTS
