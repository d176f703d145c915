"""Hot reload with real files: one registry, whole sets, and the last good one kept."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.loaders import ChainLoader, Loader, PromptLoader, PromptSet
from agentprompts.watch import HotReload, Reload

NAMES = ("a", "b", "c")
PATIENCE = 30.0
"""Seconds until a test gives up; none is asserted."""


def eventually(holds: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


def replace(path: Path, text: str) -> None:
    """Write a file as editors do: beside it, and renamed."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    beside.replace(path)


class Markdown:
    """A folder of Markdown prompts, switched as a whole by a link, as deployments do."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "current"
        self.source: Loader | str = PromptLoader(self.folder)

    def write(self, version: int, broken: bool = False) -> None:
        made = self.root / f"release-{version}-{broken}"
        made.mkdir(exist_ok=True)
        for name in NAMES:
            slot = "" if broken and name == "b" else "{x}"
            head = "+++\nvariables = ['x']\n+++\n"
            (made / f"{name}.md").write_text(f"{head}v{version} {name} {slot}")
            (made / f"{name}.de.md").write_text(f"d{version} {name} {{x}}")
        link = self.root / "link"
        link.symlink_to(made)
        link.replace(self.folder)


class Catalog:
    """A catalog, whose texts are in one file a language."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "catalog"
        self.folder.mkdir()
        self.source: Loader | str = str(self.folder)
        lines = [f'["{name}"]\nvariables = ["x"]\n' for name in NAMES]
        (self.folder / "catalog.toml").write_text('[catalog]\nsource = "en"\n' + "".join(lines))

    def write(self, version: int, broken: bool = False) -> None:
        for tag, letter in (("de", "d"), ("en", "v")):
            slots = {name: "" if broken and name == "b" else "{x}" for name in NAMES}
            lines = [f"{n} = '{letter}{version} {n} {slot}'\n" for n, slot in slots.items()]
            replace(self.folder / f"{tag}.toml", "".join(lines))


@pytest.fixture(params=[Markdown, Catalog])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Markdown | Catalog:
    made: Markdown | Catalog = request.param(tmp_path)
    made.write(0)
    return made


@pytest.fixture(autouse=True)
def brisk() -> Iterator[None]:
    """Let threads change places often: more chances to see a torn set, and less waiting."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


class Readers:
    """Four threads that render without a pause, and what they saw that they must not see."""

    def __init__(self, registry: PromptRegistry) -> None:
        self.registry = registry
        self.wrong: list[object] = []
        self.seen: set[str] = set()
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._guarded, args=[read])
            for read in (self._run, self._items, self._single, self._german)
        ]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _guarded(self, read: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set():
                read()
                time.sleep(2e-4)  # or the writer waits for the interpreter most of the time
        except Exception as error:
            self.wrong.append(error)

    def _same(self, texts: list[str]) -> None:
        versions = {text.split()[0] for text in texts}
        if len(versions) != 1 or len(texts) != len(NAMES):
            self.wrong.append(texts)
        self.seen |= versions

    def _run(self) -> None:
        """A run keeps what it started with."""
        pinned = self.registry.snapshot()
        first = [pinned.render(name, x="1") for name in NAMES]
        self._same(first)
        if first != [pinned.render(name, x="1") for name in NAMES]:
            self.wrong.append(first)

    def _items(self) -> None:
        self._same(list(self.registry.as_dict().values()))

    def _single(self) -> None:
        for name in NAMES:
            if not self.registry.render(name, x="filled").endswith(f" {name} filled"):
                self.wrong.append(name)

    def _german(self) -> None:
        self._same([t.template for _, t in self.registry.localized("de").snapshot().items()])


def test_a_thousand_swaps_under_four_readers(files: Markdown | Catalog) -> None:
    """H10: never a torn set, and a broken file never takes effect; the object stays the same."""
    hot = HotReload(files.source)
    registry = hot.registry
    heard: list[Reload] = []
    hot.listen(heard.append)
    with Readers(registry) as readers:
        for version in range(1, 1001):
            if version % 100 == 0:
                files.write(9000 + version, broken=True)
                assert not hot.reload().applied
            files.write(version)
            assert hot.reload().applied
            assert registry.text("c") == f"v{version} c {{x}}"
    assert readers.wrong == []
    assert readers.seen <= {f"{letter}{version}" for letter in "vd" for version in range(1001)}
    assert len(readers.seen) > 100, "the readers saw the swaps"
    assert [done.applied for done in heard].count(True) == 1000
    assert hot.registry is registry


def follows(registry: PromptRegistry, wanted: dict[str | None, str]) -> bool:
    return all((registry.localized(t) if t else registry).text("a") == x for t, x in wanted.items())


def test_watching_follows_real_edits_and_never_a_broken_one(
    files: Markdown | Catalog, caplog: pytest.LogCaptureFixture
) -> None:
    """H10, with the real watcher."""
    heard: list[Reload] = []
    with HotReload(files.source, on_reload=heard.append) as hot, Readers(hot.registry) as readers:
        for version in (1, 2):
            files.write(version)
            wanted = {None: f"v{version} a {{x}}", "de": f"d{version} a {{x}}"}
            eventually(partial(follows, hot.registry, wanted))
            files.write(900 + version, broken=True)
            eventually(lambda: hot.findings)
            assert hot.registry.text("a") == f"v{version} a {{x}}"
            assert {found.key for found in hot.findings} == {"b"}
            assert all(found.place for found in hot.findings)
            files.write(version)
            eventually(lambda: not hot.findings)
    # A catalog's two languages are two files: a set of one version each, seen one after the other.
    assert readers.wrong == []
    assert not {text for text in readers.seen if text[1:].startswith("9")}
    assert [done.applied for done in heard].count(False) >= 2
    assert "were not reloaded" in caplog.text
    files.write(5)  # nobody watches any more
    hot.stop()
    assert hot.registry.text("a") == "v2 a {x}"


def test_each_kind_of_edit_is_followed(tmp_path: Path) -> None:
    """H10: renames, in-place writes, new files, deletes, folders that come and go."""
    folder = tmp_path / "deep" / "prompts"
    with HotReload(ChainLoader(PromptLoader(folder), {"a": "built in"})) as hot:
        assert hot.registry.as_dict() == {"a": "built in"}

        def becomes(expected: dict[str, str]) -> None:
            eventually(lambda: hot.registry.as_dict() == expected)

        folder.mkdir(parents=True)
        (folder / "a.md").write_text("one")
        becomes({"a": "one"})
        replace(folder / "a.md", "two")
        becomes({"a": "two"})
        with (folder / "a.md").open("a") as stream:
            stream.write(" and more")
        becomes({"a": "two and more"})
        replace(folder / "b.md", "new")
        becomes({"a": "two and more", "b": "new"})
        (folder / "a.md").unlink()
        becomes({"b": "new", "a": "built in"})
        (folder / "b.md").rename(folder / "c.md")
        becomes({"c": "new", "a": "built in"})
        (folder / "c.md").unlink()
        folder.rmdir()
        becomes({"a": "built in"})
        folder.mkdir()
        replace(folder / "a.md", "again")
        becomes({"a": "again"})


def test_a_listener_hears_what_changed_and_cannot_stop_the_reload(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.md").write_text("one")
    (tmp_path / "a.de.md").write_text("eins")
    heard: list[Reload] = []
    hot = HotReload(PromptLoader(tmp_path), on_reload=lambda done: 1 / 0)
    forget = hot.listen(heard.append)
    assert not hot.reload().applied
    assert heard == [], "nothing changed"
    replace(tmp_path / "a.de.md", "zwei")
    replace(tmp_path / "b.md", "B")
    done = hot.reload()
    assert heard == [done]
    assert done.changes == {"en": ({"b": "B"}, {}, {}), "de": ({}, {}, {"a": ("eins", "zwei")})}
    assert "ZeroDivisionError" in caplog.text
    replace(tmp_path / "b.md", "")
    assert [hot.reload().findings[0].code, hot.reload().findings] == ["markdown-invalid", ()]
    assert len(heard) == 2, "the same fault is told once"
    assert [found.code for found in hot.findings] == ["markdown-invalid"]
    replace(tmp_path / "b.md", "B")
    assert (hot.reload().applied, hot.findings) == (False, ())
    forget()
    replace(tmp_path / "b.md", "B2")
    assert hot.reload().applied
    assert len(heard) == 2


def test_a_contract_that_changes_alone_takes_effect(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("{x}")
    hot = HotReload(PromptLoader(tmp_path))
    replace(tmp_path / "a.md", "+++\nvariables = ['x']\n+++\n{x}")
    assert hot.reload() == Reload(True)
    assert hot.registry.render("a", x="1") == "1"


def test_the_applications_overrides_and_own_prompts_stay(tmp_path: Path) -> None:
    """H10: only those whose prompt is gone, or asks for more, are dropped and told."""
    head = "+++\nvariables = ['x']\n+++\n"
    for name in ("a", "b", "gone"):
        (tmp_path / f"{name}.md").write_text(head + "{x}")
    (tmp_path / "a.de.md").write_text("d {x}")
    hot = HotReload(PromptLoader(tmp_path))
    registry, ref, view = hot.registry, hot.registry.ref("a"), hot.registry.localized("de")
    registry.override({"a": "mine {x}", "b": "b {x}", "gone": "g {x}"})
    view.override({"a": "meins {x}"})
    registry.register("app.own", "own")
    other = PromptRegistry({"c": PromptTemplate("C")})
    other.override({"c": "CC"}, locale="fr")
    registry.namespace("lib").include(PromptSet.of(other).registry())
    pinned = registry.snapshot()
    (tmp_path / "gone.md").unlink()
    replace(tmp_path / "b.md", "+++\nvariables = ['x', 'y']\n+++\n{x} {y}")
    replace(tmp_path / "a.md", head + "now {x}")
    replace(tmp_path / "new.md", "new")
    done = hot.reload()
    assert done.applied
    assert [(found.code, found.key) for found in done.findings] == [
        ("slot-missing", "b"), ("key-unknown", "gone"),
    ]  # fmt: skip
    assert registry.as_dict() == {
        "a": "mine {x}", "b": "{x} {y}", "new": "new", "app.own": "own", "lib.c": "C",
    }  # fmt: skip
    assert (str(ref), view.text("a")) == ("mine {x}", "meins {x}")
    assert registry.localized("fr").text("lib.c") == "CC"
    assert registry.overrides() == {None: {"a": "mine {x}"}, "de": {"a": "meins {x}"}}
    assert pinned.text("gone") == "g {x}"
    assert registry.copy().text("new") == "new"
    with pytest.raises(PromptError, match="missing placeholder"):
        registry.override({"b": "only {x}"})


def test_a_new_prompt_under_a_key_that_the_application_registered_is_refused(
    tmp_path: Path,
) -> None:
    hot = HotReload(PromptLoader(tmp_path))
    hot.registry.register("a", "own")
    (tmp_path / "a.md").write_text("file")
    (tmp_path / "b.md").write_text("file")
    assert [found.code for found in hot.reload().findings] == ["key-exists"]
    assert hot.registry.as_dict() == {"a": "own"}


def test_a_broken_pack_keeps_the_last_good_text(tmp_path: Path) -> None:
    """A fault that was there at the start stands in nobody's way; a new one refuses the set."""
    files = Catalog(tmp_path)
    files.write(0)
    german = files.folder / "de.toml"
    good = german.read_text()
    hot = HotReload(files.folder)
    replace(german, good.replace("d0 b {x}", "d0 b"))
    replace(files.folder / "en.toml", (files.folder / "en.toml").read_text().replace("v0", "v1"))
    assert [found.code for found in hot.reload().findings] == ["slot-missing"]
    assert hot.registry.text("a") == "v0 a {x}"
    assert hot.registry.localized("de").text("b") == "d0 b {x}"
    tolerant = HotReload(files.folder)
    assert tolerant.registry.localized("de").text("b") == "v1 b {x}"
    replace(files.folder / "en.toml", (files.folder / "en.toml").read_text().replace("v1", "v2"))
    assert tolerant.reload().applied
    assert tolerant.registry.text("a") == "v2 a {x}"
    german.write_text("no toml")
    assert [found.code for found in tolerant.reload().findings] == ["toml-invalid"]


def test_a_source_that_is_broken_at_the_start_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("")
    with pytest.raises(PromptError, match="no text"):
        HotReload(PromptLoader(tmp_path))


class _Own(Loader):
    def __init__(self) -> None:
        self.fails = False

    def load(self) -> PromptSet:
        if self.fails:
            raise RuntimeError("a fault of its own")
        return PromptSet.of({"a": "A"})


def test_a_loader_of_ones_own_may_fail_in_its_own_way() -> None:
    source = _Own()
    hot = HotReload(source)
    source.fails = True
    (found,) = hot.reload().findings
    assert (found.code, found.message) == ("reload-failed", "a fault of its own")
    with pytest.raises(PromptError, match="no folder to watch"):
        hot.start()


def test_awatch_yields_reloads_and_lets_the_loop_run(tmp_path: Path) -> None:
    """H10, H12"""
    (tmp_path / "a.md").write_text("one")
    hot = HotReload(PromptLoader(tmp_path))

    async def edits() -> None:
        replace(tmp_path / "a.md", "two")
        while hot.registry.text("a") != "two":
            await asyncio.sleep(0.01)
        replace(tmp_path / "a.md", "")

    async def main() -> list[bool]:
        seen = []
        watching = hot.awatch()
        task = asyncio.create_task(edits())
        async with asyncio.timeout(PATIENCE):
            async for done in watching:
                seen.append(done.applied)
                if not done.applied:
                    break
            await watching.aclose()
            await task
        return seen

    assert asyncio.run(main()) == [True, False]
    assert "agentprompts-reload" not in {thread.name for thread in threading.enumerate()}


def test_start_and_stop_can_be_called_twice(tmp_path: Path) -> None:
    def running() -> int:
        return [thread.name for thread in threading.enumerate()].count("agentprompts-reload")

    hot = HotReload(PromptLoader(tmp_path))
    assert hot.start().start() is hot
    assert running() == 1
    hot.stop()
    hot.stop()
    assert running() == 0
    with hot:
        (tmp_path / "a.md").write_text("A")
        eventually(lambda: "a" in hot.registry)


def test_without_the_extra_watching_says_which_and_reload_works(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A")
    code = f"""
import sys
sys.modules["watchfiles"] = None
from agentprompts.loaders import PromptLoader
from agentprompts.watch import HotReload
hot = HotReload(PromptLoader({str(tmp_path)!r}))
hot.reload()
try:
    hot.start()
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("PromptError")
    assert "'agentprompts[watch]'" in done.stdout
