"""The cases from the field that concern files, one by one: `CASES.md`, "Files"."""

from __future__ import annotations

import importlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from agentprompts import PromptError, PromptRegistry, load_catalog, packs, tomltext
from agentprompts.catalog import (
    read_pack_file,
    read_source,
    read_state_file,
    write_state_file,
    write_text,
)
from agentprompts.tomltext import quote_text, read_toml, replace_text

CONTRACTS = '[catalog]\nsource = "en"\n["a.ask"]\nvariables = ["query"]\n["a.hello"]\n'
ENGLISH = "[a]\nask = 'Ask: {query}'\nhello = 'Hello'\n"
FRENCH = "[a]\nask = 'Demande : {query}'\nhello = 'Bonjour'\n"
TEXTS = {"a.ask": "Ask: {query}", "a.hello": "Hello"}
FRENCH_TEXTS = {"a.ask": "Demande : {query}", "a.hello": "Bonjour"}


def write(folder: Path, **changed: str | bytes) -> Path:
    """Write a catalog of two prompts, with English texts and a French pack."""
    folder.mkdir(exist_ok=True)
    texts: dict[str, str | bytes] = {"catalog": CONTRACTS, "en": ENGLISH, "fr": FRENCH, **changed}
    for name, text in texts.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.toml").write_bytes(data)
    return folder


# Files that no reader may take, and where the fault stands in them.
UNREADABLE: dict[str, tuple[bytes, int, int]] = {
    r"'\''": (b"a.ask = 'x'\na.hello = '\\''\n", 2, 14),
    r"\( in a string": (b'a.ask = "x"\na.hello = "\\("\n', 2, 12),
    r"a trailing \ in a string": (b'a.ask = "x"\na.hello = "y\\"\n', 2, 11),
    r"a trailing \ at a line's end": (b'a.ask = "x"\na.hello = "y\\\n', 2, 13),
    "malformed TOML": (b"a.ask = 'x'\na.hello = Bonjour\n", 2, 11),
    "malformed TOML: no key": (b"a.ask = 'x'\nBonjour\n", 2, 8),
    "duplicate keys": (b"a.ask = 'x'\na.ask = 'y'\n", 2, 1),
    "a BOM": (b"\xef\xbb\xbfa.ask = 'x'\n", 1, 1),
    "invalid UTF-8": (b"a.ask = 'x'\na.hello = '\xe9'\n", 2, 12),
    "NUL": (b"a.ask = 'x'\na.hello = '\0'\n", 2, 12),
    "a lone surrogate": (b"a.ask = 'x'\na.hello = '\xed\xa0\xbd'\n", 2, 12),
    "a lone surrogate, escaped": (b'a.ask = "x"\na.hello = "\\ud83d"\n', 2, 12),
    "a key of 20,000 parts": (b"a.ask = 'x'\n" + b"b." * 19_999 + b"b = 'y'\n", 2, 1),
    "a table of 20,000 parts": (b"a.ask = 'x'\n[" + b"b." * 19_999 + b"b]\n", 2, 2),
    "a quoted key of 20,000 parts": (b"a.ask = 'x'\n'" + b"b." * 19_999 + b"b' = 'y'\n", 2, 1),
    "arrays 100,000 deep": (b"a.ask = 'x'\nb = " + b"[" * 100_000, 2, 69),
    "tables 100,000 deep": (b"a.ask = 'x'\nb = " + b"{b=" * 100_000, 2, 197),
    "an integer of 5,000 digits": (b"a.ask = 'x'\nb = " + b"7" * 5000 + b"\n", 2, 5),
    "16 MiB and a byte": (b"#" * (16 * 1024 * 1024 + 1), 1, 1),
}
ROLES = ["catalog", "en", "fr"]


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("row", UNREADABLE)
def test_a_file_that_cannot_be_read_is_one_finding_with_file_line_and_column(
    row: str, role: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Contracts and source texts are refused; a pack is reported, and falls back."""
    data, line, column = UNREADABLE[row]
    folder = write(tmp_path, **{role: data})
    if role == "fr":
        view = load_catalog(folder).localized("fr")
        assert view.as_dict() == TEXTS
        found = view.findings
        assert f"{tmp_path / 'fr.toml'}:{line}:{column}" in caplog.text
    else:
        with pytest.raises(PromptError) as caught:
            load_catalog(folder)
        found = caught.value.diagnostics
    if role == "catalog" and "quoted key" in row:
        return  # there it is no table, and the header is missing, too: more than one finding
    [one] = found
    assert str(one.place) == f"{tmp_path / role}.toml:{line}:{column}"
    assert one.mend


def test_duplicate_keys_show_both_places(tmp_path: Path) -> None:
    view = load_catalog(write(tmp_path, fr=FRENCH + "'hello' = 'Salut'\n")).localized("fr")
    [found] = view.findings
    assert str(found.related) == f"{tmp_path / 'fr.toml'}:3:1"
    assert str(found.place) == f"{tmp_path / 'fr.toml'}:4:1"
    assert str(found.related) in str(found)


def test_an_escaped_nul_is_no_text_either(tmp_path: Path) -> None:
    text = '[a]\nask = "{query}"\nhello = "x\\u0000"\n'
    view = load_catalog(write(tmp_path, fr=text)).localized("fr")
    assert view.text("a.hello") == "Hello"
    [found] = view.findings
    assert "U+0000" in found.message
    assert str(found.place) == f"{tmp_path / 'fr.toml'}:3:11"
    with pytest.raises(PromptError, match=r"U\+0000"):
        load_catalog(write(tmp_path, en=text))


@pytest.mark.parametrize("text", ["'\\''", "\\(", "x\\", "\\", "'''\\", '"\\"', "\\u12", ""])
def test_our_writer_never_makes_what_no_reader_takes(text: str) -> None:
    for literal in (True, False):
        data = f"a = {quote_text(text, literal)}\n".encode()
        assert read_toml(data, "f.toml").data == {"a": text}


# A Windows checkout


@pytest.mark.parametrize("name", ROLES)
def test_a_file_with_crlf_is_read_as_lf(name: str, tmp_path: Path) -> None:
    texts = {
        "catalog": CONTRACTS,
        "en": ENGLISH.replace("'Ask: {query}'", "'''\nAsk:\n{query}'''"),
        "fr": FRENCH.replace("'Demande : {query}'", "'''\nDemande :\n{query}'''"),
    }
    folder = write(tmp_path, **{**texts, name: texts[name].replace("\n", "\r\n")})
    registry = load_catalog(folder)
    assert registry.text("a.ask") == "Ask:\n{query}"
    assert registry.localized("fr").text("a.ask") == "Demande :\n{query}"
    assert registry.localized("fr").findings == ()


def test_crlf_and_escaped_line_ends_survive_reading_editing_and_writing(tmp_path: Path) -> None:
    text = "# é\r\n[a] # 1\r\nask = '''\r\nDemande :\r\n{query}''' # 2\r\nhello = \"B\\r\\nj\"\r\n"
    folder = write(tmp_path, fr=text)
    view = load_catalog(folder).localized("fr")
    assert view.as_dict() == {"a.ask": "Demande :\n{query}", "a.hello": "B\r\nj"}
    pack = read_pack_file(folder, "fr")
    assert read_source(folder, "fr.toml") == text
    edited = replace_text(text, pack.paths["a.ask"], "D :\n\n{query}\n")
    edited = replace_text(edited, pack.paths["a.hello"], "B\r\nj\r\n\r")
    write_text(folder / "fr.toml", edited)
    raw = (folder / "fr.toml").read_bytes()
    assert (
        raw
        == (
            "# é\r\n[a] # 1\r\nask = '''\r\nD :\r\n\r\n{query}\r\n''' # 2\r\n"
            'hello = """\r\nB\\r\r\nj\\r\r\n\\r"""\r\n'
        ).encode()
    )
    again = load_catalog(folder).localized("fr")
    assert again.as_dict() == {"a.ask": "D :\n\n{query}\n", "a.hello": "B\r\nj\r\n\r"}
    assert again.findings == ()


# What is no file of the folder


def link_out(path: Path) -> None:
    outside = path.parent.parent / f"outside-{path.name}"
    outside.write_text(path.read_text())
    path.unlink()
    path.symlink_to(outside)


def link_up(path: Path) -> None:
    outside = path.parent.parent / f"outside-{path.name}"
    path.rename(outside)
    path.symlink_to(Path("..", outside.name))


def link_through_a_folder(path: Path) -> None:
    outside = path.parent.parent / "folder"
    outside.mkdir()
    path.rename(outside / path.name)
    (path.parent / "link").symlink_to(outside)
    path.symlink_to(Path("link", path.name))


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nothing.toml")


def loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


NO_FILES: dict[str, Callable[[Path], None]] = {
    "a symbolic link out of the folder": link_out,
    "a relative symbolic link out of the folder": link_up,
    "a symbolic link out of the folder, through a folder": link_through_a_folder,
    "a symbolic link to nothing": dangling,
    "a symbolic link to itself": loop,
    "a symbolic link to a device": device,
    "a FIFO": fifo,
    "a folder": folder,
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("row", NO_FILES)
def test_what_is_no_file_of_the_folder_is_refused(
    row: str, role: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = write(tmp_path / "prompts")
    path = catalog / f"{role}.toml"
    NO_FILES[row](path)
    with pytest.raises(PromptError, match=r"^Cannot read ") as caught:
        read_pack_file(catalog, "fr") if role == "fr" else load_catalog(catalog)
    assert str(path) in str(caught.value)
    assert "Errno" not in str(caught.value), "in words, not in numbers"
    if role == "fr":
        view = load_catalog(catalog).localized("fr")
        assert view.as_dict() == TEXTS
        assert str(path) in caplog.text
        [found] = view.findings
        assert str(path) in str(found), "what falls back is never hidden"


def test_a_link_inside_the_folder_and_a_folder_that_is_a_link_are_read(tmp_path: Path) -> None:
    write(tmp_path / "prompts")
    (tmp_path / "prompts" / "fr-CA.toml").symlink_to("fr.toml")
    (tmp_path / "link").symlink_to("prompts")
    registry = load_catalog(tmp_path / "link")
    assert registry.localized("fr-CA").as_dict() == FRENCH_TEXTS


OUTSIDE = ["../outside", "sub/fr", "sub/../en", "../prompts/en", "./en", "{absolute}", "en\0", ""]


@pytest.mark.parametrize("locale", OUTSIDE)
def test_a_locale_never_becomes_part_of_a_path(locale: str, tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts")
    write(prompts / "sub")
    (tmp_path / "outside.toml").write_text(FRENCH)
    with pytest.raises(PromptError):
        read_pack_file(prompts, locale.format(absolute=tmp_path / "outside"))


@pytest.mark.parametrize("locale", ["../outside", "../../outside", "sub/fr", "fr\0", ""])
def test_a_locale_never_becomes_part_of_the_path_of_a_state_file(
    locale: str, tmp_path: Path
) -> None:
    prompts = write(tmp_path / "prompts")
    (prompts / ".state" / "sub").mkdir(parents=True)
    for folder in (tmp_path, prompts):
        (folder / "outside.toml").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(PromptError):
        read_state_file(prompts, locale)
    with pytest.raises(PromptError):
        write_state_file(prompts, locale, {})
    assert sorted(tmp_path.rglob("*")) == before


def test_a_state_folder_that_is_a_link_out_is_neither_read_nor_written(tmp_path: Path) -> None:
    prompts = write(tmp_path / "prompts")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "fr.toml").write_text("# not ours\n")
    (prompts / ".state").symlink_to(tmp_path / "outside")
    with pytest.raises(PromptError):
        read_state_file(prompts, "fr")
    with pytest.raises(PromptError):
        write_state_file(prompts, "fr", {})
    assert (tmp_path / "outside" / "fr.toml").read_text() == "# not ours\n"


def test_a_source_that_is_no_text_is_an_error_like_the_others(tmp_path: Path) -> None:
    prompts = write(tmp_path, fr=b"a.hello = '\xff'\n")
    with pytest.raises(PromptError, match="0xFF"):
        read_source(prompts, "fr.toml")


def test_package_data_has_no_way_out_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A namespace package's folder is no path, and joins `..` all the same."""
    write(tmp_path / "namespace_of_this_test")
    (tmp_path / "outside.toml").write_text(FRENCH)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    data = files("namespace_of_this_test")
    assert not isinstance(data, os.PathLike)
    assert read_pack_file(data, "fr").texts == FRENCH_TEXTS
    with pytest.raises(PromptError):
        read_pack_file(data, "../outside")
    sys.modules.pop("namespace_of_this_test", None)


LOCALES = ["en_US@x=../..", "../en", "en/../fr", "en\0", "fr\n", "..", ".", "/etc/passwd"]
LOCALES += ["fr;x", "C/../en", "x" * 10_000, "fr-" + "a-" * 5000, "ｆｒ", "фр", "*", "fr toml"]


@pytest.mark.parametrize("locale", LOCALES, ids=[repr(locale[:20]) for locale in LOCALES])
def test_a_string_that_is_no_locale_is_refused_by_every_door(locale: str, tmp_path: Path) -> None:
    registry = load_catalog(write(tmp_path))
    doors: dict[str, Callable[[], object]] = {
        "localized": lambda: registry.localized(locale),
        "override": lambda: registry.override({"a.hello": "Hi"}, locale=locale),
        "through a view": lambda: registry.localized("fr").localized(locale),
        "load_pack": lambda: packs.load_pack(locale),
        "source": lambda: load_catalog(
            write(tmp_path / "other", catalog=CONTRACTS.replace('"en"', quote_text(locale, False)))
        ),
    }
    for door, use in doors.items():
        with pytest.raises(PromptError) as caught:
            use()
        assert repr(locale)[1:10] in str(caught.value), door
    assert registry.as_dict() == TEXTS


@pytest.mark.parametrize("name", ["a\0b", "\0"])
def test_a_folder_that_no_system_can_name_is_refused(name: str, tmp_path: Path) -> None:
    for path in (name, str(tmp_path / name), tmp_path / name):
        with pytest.raises(PromptError):
            load_catalog(path)
        with pytest.raises(PromptError):
            write_text(path, "x")


def huge_file(folder: Path, size: int) -> object:
    with open(folder / "fr.toml", "wb") as file:
        file.truncate(size)  # sparse: it takes no room on the disk
    return folder


def huge_entry(folder: Path, size: int) -> object:
    with (
        zipfile.ZipFile(folder / "p.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("p/fr.toml", "w") as entry,
    ):
        for _ in range(size // 2**20):
            entry.write(b"\n" * 2**20)
    return zipfile.Path(folder / "p.zip", "p/")


@pytest.mark.parametrize("make", [huge_file, huge_entry])
def test_a_huge_file_is_refused_before_it_is_read(
    make: Callable[[Path, int], Any], tmp_path: Path
) -> None:
    catalog = make(write(tmp_path), 128 * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(PromptError, match="bytes"):
            read_pack_file(catalog, "fr")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * 2**20


def test_a_file_of_the_greatest_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = write(tmp_path)
    size = len(FRENCH.encode())
    monkeypatch.setattr(tomltext, "MOST_BYTES", size)
    assert read_pack_file(catalog, "fr").texts == FRENCH_TEXTS
    monkeypatch.setattr(tomltext, "MOST_BYTES", size - 1)
    with pytest.raises(PromptError, match=f"{size} bytes"):
        read_pack_file(catalog, "fr")


# A new key in the catalog, an old pack: it falls back, and is counted.


def test_a_new_key_falls_back_in_an_old_pack_and_is_counted(tmp_path: Path) -> None:
    """The row "a new key in the catalog, an old pack" of "Overrides and packs"."""
    write(tmp_path, catalog=CONTRACTS + '["a.new"]\n', en=ENGLISH + "new = 'New'\n")
    view = load_catalog(tmp_path).localized("fr")
    assert view.as_dict() == {**FRENCH_TEXTS, "a.new": "New"}
    assert view.fallen_back() == {"a.new": "en"}
    assert view.findings == ()


# Power lost during a write: the old file or the new one.


def leftovers(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.parent.iterdir() if entry.name != path.name)


@pytest.mark.parametrize("step", ["replace", "fsync"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fr.toml"
    path.write_text("old")

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(PromptError, match=r"^Cannot write .*fr\.toml: No space left on device"):
            write_text(path, "new")
    assert path.read_text() == "old"
    assert leftovers(path) == []
    write_text(path, "new")
    assert path.read_text() == "new"


def test_the_text_is_on_the_disk_before_its_name_is_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fr.toml"
    path.write_text("old")
    steps: list[object] = []
    real_replace, real_fsync = os.replace, os.fsync

    def fsync(file: int) -> None:
        info = os.fstat(file)
        steps.append("folder" if stat.S_ISDIR(info.st_mode) else info.st_size)
        real_fsync(file)

    def replace(source: str, target: str) -> None:
        assert Path(source).parent == path.parent, "a name is replaced within one file system"
        steps.append("replace")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_text(path, "é漢")
    assert steps == [5, "replace", "folder"]


def test_a_folder_that_cannot_be_synced_is_an_error_like_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fr.toml"
    path.write_text("old")
    real = os.fsync

    def fsync(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(22, "Invalid argument")  # some network file systems
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    with suppress(PromptError):
        write_text(path, "new")
    assert path.read_text() == "new"


WRITER = """
import itertools, sys
from agentprompts.catalog import write_text
for letter in itertools.cycle("ab"):
    write_text(sys.argv[1], letter * 400_000)
"""


def test_a_writer_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "fr.toml"
    for delay in range(8):
        path.write_text("o" * 400_000)
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)])
        try:
            while path.read_bytes()[:1] == b"o":
                assert writer.poll() is None
            begun = time.monotonic()
            while time.monotonic() - begun < delay / 300:
                text = path.read_text()
                assert text in ("a" * 400_000, "b" * 400_000), "a reader sees one of them, whole"
        finally:
            writer.send_signal(signal.SIGKILL)
            writer.wait()
        assert path.read_text() in ("a" * 400_000, "b" * 400_000)
        write_text(path, "whole")  # what a killed writer left is in nobody's way
        assert path.read_text() == "whole"


def test_writers_in_many_threads_leave_one_of_their_texts_whole(tmp_path: Path) -> None:
    path = tmp_path / "fr.toml"
    texts = {letter * 300_000 for letter in "abcdef"}
    write_text(path, min(texts))
    errors: list[BaseException] = []
    seen: set[str] = set()
    done = threading.Event()

    def work(text: str) -> None:
        try:
            for _ in range(8):
                write_text(path, text)
        except BaseException as error:
            errors.append(error)

    def look() -> None:
        while not done.is_set():
            seen.add(path.read_text())

    reader = threading.Thread(target=look)
    writers = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert errors == []
    assert seen <= texts
    assert leftovers(path) == []


def test_a_write_leaves_no_file_open(tmp_path: Path) -> None:
    def opened() -> int:
        return len(os.listdir("/dev/fd"))

    write_text(tmp_path / "fr.toml", "x")
    before = opened()
    for _ in range(5):
        write_text(tmp_path / "fr.toml", "x")
        with suppress(PromptError):
            write_text(tmp_path, "x")
    assert opened() == before


def test_a_write_keeps_the_mode_and_goes_through_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "fr.toml", tmp_path / "link.toml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path.name)
    write_text(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_text(tmp_path / "es.toml", "x\r\n")
    assert (tmp_path / "es.toml").read_bytes() == b"x\r\n", "line ends are the text's own"


UNWRITABLE: dict[str, tuple[str, str, str]] = {
    "a folder": ("", "x", "Is a directory"),
    "in no folder": ("nope/fr.toml", "x", "No such file or directory"),
    "in a file": ("file.txt/fr.toml", "x", "Not a directory"),
    "a lone surrogate": ("fr.toml", "x\ud83d", "surrogate"),
}


@pytest.mark.parametrize("row", UNWRITABLE)
def test_what_cannot_be_written_is_an_error_that_names_the_file(row: str, tmp_path: Path) -> None:
    name, text, words = UNWRITABLE[row]
    (tmp_path / "file.txt").touch()
    with pytest.raises(PromptError, match=f"^Cannot write .*{words}") as caught:
        write_text(tmp_path / name, text)
    assert str(tmp_path / name) in str(caught.value)
    assert leftovers(tmp_path / "file.txt") == []


def test_a_registry_does_not_depend_on_the_folder_once_it_is_read(tmp_path: Path) -> None:
    registry: PromptRegistry = load_catalog(write(tmp_path))
    view = registry.localized("fr")
    assert view.as_dict() == FRENCH_TEXTS
    for name in ROLES:
        (tmp_path / f"{name}.toml").unlink()
    assert registry.copy().localized("fr_FR").as_dict() == FRENCH_TEXTS
    assert registry.as_dict() == TEXTS
