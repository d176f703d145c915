"""Catalogs and language packs of installed distributions: found, joined, and told when broken."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentprompts import DEFAULT_PROMPTS, PromptError, PromptRegistry, load_catalog
from agentprompts.discovery import discover

CONTRACTS = """\
[catalog]
source = "en"
[greet]
variables = ["name"]
renamed_from = "hello"
[bye]
"""
ENGLISH = "greet = 'Hello {name}'\nbye = 'Bye'\n"
FRENCH = "greet = 'Bonjour {name}'\nbye = 'Au revoir'\n"
Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """A function that puts a distribution with its entry points and files on `sys.path`."""
    before = set(sys.modules)

    def put(distribution: str, points: str, files: dict[str, str], where: str = "site") -> Path:
        site = tmp_path / where
        info = site / f"{distribution}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(points)
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(str(site))
        importlib.invalidate_caches()
        return site

    yield put
    for name in set(sys.modules) - before:
        del sys.modules[name]


def catalog(point: str, value: str) -> str:
    return f"[agentprompts.catalogs]\n{point} = {value}\n"


def pack(point: str, value: str) -> str:
    return f"[agentprompts.packs]\n{point} = {value}\n"


def library(package: str = "lib", contracts: str = CONTRACTS, en: str = ENGLISH) -> dict[str, str]:
    return {
        f"{package}/__init__.py": "",
        f"{package}/prompts/catalog.toml": contracts,
        f"{package}/prompts/en.toml": en,
    }


def told(registry: PromptRegistry) -> list[tuple[str, str, str]]:
    return [(one.severity, one.code, one.message) for one in discover(registry)]


FOLDERS = {
    "the package that is the folder": ("lib.prompts", ""),
    "a folder": (
        "lib:FOLDER",
        "import pathlib\nFOLDER = pathlib.Path(__file__).parent / 'prompts'",
    ),
    "a function": (
        "lib:offer",
        "from importlib.resources import files\ndef offer(): return files('lib') / 'prompts'",
    ),
    "a registry": (
        "lib:offer",
        "from agentprompts import load_catalog\nfrom importlib.resources import files\n"
        "def offer(): return load_catalog(files('lib') / 'prompts')",
    ),
}


@pytest.mark.parametrize(("value", "code"), FOLDERS.values(), ids=FOLDERS)
def test_an_installed_library_offers_its_catalog(install: Install, value: str, code: str) -> None:
    install("lib", catalog("lib", value), library() | {"lib/__init__.py": code})
    registry = DEFAULT_PROMPTS.copy()
    assert discover(registry) == []
    assert registry.render("lib.greet", name="Ada") == "Hello Ada"
    assert len(registry) == len(DEFAULT_PROMPTS) + 2
    assert discover(registry) == []  # a second time changes nothing


def test_keys_that_have_their_namespace_keep_it(install: Install) -> None:
    contracts, en = (
        CONTRACTS.replace("[greet]", '["lib.greet"]'),
        ENGLISH.replace("greet", "lib.greet"),
    )
    files = library(
        contracts=contracts.replace("[bye]", '["lib.bye"]'), en=en.replace("bye", "lib.bye")
    )
    install("lib", catalog("lib", "lib.prompts"), files)
    registry = PromptRegistry()
    assert discover(registry) == []
    assert registry.keys() == ["lib.greet", "lib.bye"]


def test_a_language_pack_extends_somebody_elses_catalog(install: Install) -> None:
    install("lib", catalog("lib", "lib.prompts"), library())
    files = {
        "lib_fr/fr.toml": FRENCH.replace("greet", "hello"),
        "lib_fr/pt-BR.toml": "bye = 'Tchau'",
    }
    install("a-french-pack", pack("lib", "lib_fr"), files)
    registry = PromptRegistry()
    assert [one[1] for one in told(registry)] == ["key-renamed"]
    assert registry.localized("fr").render("lib.greet", name="Ada") == "Bonjour Ada"
    assert registry.localized("pt-BR").text("lib.bye") == "Tchau"
    assert str(registry.localized("fr").origin("lib.bye")) == "pack [fr]"
    assert registry.locales == ("en", "fr", "pt-BR")
    assert registry.text("lib.bye") == "Bye"


def test_a_language_pack_of_the_default_catalog(install: Install) -> None:
    """The default catalog is named as the package is, and its own packs stay."""
    texts = "[chat]\npersona = 'Vous aidez.'\n"
    install("fr-pack", pack("agentprompts", "texts"), {"texts/fr.toml": texts})
    registry = DEFAULT_PROMPTS.copy()
    assert discover(registry) == []
    assert registry.localized("fr-CA").text("chat.persona") == "Vous aidez."
    assert "fr" not in DEFAULT_PROMPTS.locales


BROKEN = {
    "no such module": (catalog("lib", "nowhere.prompts"), "ModuleNotFoundError", {}),
    "no such attribute": (catalog("lib", "lib:gone"), "AttributeError", {}),
    "a failing import": (catalog("lib", "lib:x"), "ZeroDivisionError", {"lib/__init__.py": "0/0"}),
    "an import that exits": (catalog("lib", "lib:x"), "SystemExit", {"lib/__init__.py": "exit(3)"}),
    "no folder": (catalog("lib", "lib:X"), "int where a folder", {"lib/__init__.py": "X = 3"}),
    "no catalog": (catalog("lib", "lib"), "No such file", {"lib/__init__.py": ""}),
    "a source text without its slot": (
        catalog("lib", "lib.prompts"),
        "the slot '{name}' does not stand",
        {"lib/prompts/en.toml": "greet = 'Hello'\nbye = 'Bye'"},
    ),
    "no line of entry points": ("[agentprompts.catalogs]\nrubbish\n", "cannot be read", {}),
    "a pack without the token": (
        pack("good", "fr"), "the slot '{name}' does not stand", {"fr/fr.toml": "greet = 'Salut'"}
    ),
    "a pack that is no TOML": (pack("good", "fr"), "no TOML", {"fr/fr.toml": "greet = "}),
    "a pack of no locale": (pack("good", "fr"), "locale", {"fr/fran ais.toml": ""}),
    "a pack of the source": (pack("good", "fr"), "override", {"fr/en.toml": "bye = 'Bye!'"}),
    "a pack of nothing here": (pack("else", "fr"), "none of the prompts", {"fr/fr.toml": FRENCH}),
}  # fmt: skip


@pytest.mark.parametrize(("points", "why", "files"), BROKEN.values(), ids=BROKEN)
def test_a_broken_offer_is_told_by_its_name_and_stops_nobody(
    install: Install, points: str, why: str, files: dict[str, str]
) -> None:
    install("bad-lib", points, library() | files)
    install("a-good", catalog("good", "good.prompts"), library("good"))
    install("z-pack", pack("good", "good_it"), {"good_it/it.toml": "bye = 'Ciao'"})
    registry = PromptRegistry()
    found = told(registry)
    assert len(found) == 1
    assert "bad-lib" in found[0][2]
    assert why in found[0][2]
    assert registry.keys() == ["good.greet", "good.bye"]
    assert registry.localized("it").text("good.bye") == "Ciao"
    assert (
        "fr" not in registry.locales
        or registry.localized("fr").text("good.greet") == "Hello {name}"
    )


def test_of_two_that_offer_the_same_keys_the_first_wins(install: Install) -> None:
    """The first is the one whose name is first, wherever it stands on the path."""
    install("a-lib", catalog("lib", "a.prompts"), library("a"), where="further")
    install("b-lib", catalog("lib", "b.prompts"), library("b", en=ENGLISH.replace("Bye", "B")))
    registry = PromptRegistry()
    (found,) = discover(registry)
    assert (found.code, found.key) == ("key-exists", "lib.greet")
    assert found.message.startswith("b-lib, entry point lib = 'b.prompts': left out, for 2 of its")
    assert found.why == "they are those of a-lib"
    assert registry.text("lib.bye") == "Bye"


def test_of_two_packs_with_the_same_text_missing_the_first_wins(install: Install) -> None:
    install(
        "lib", catalog("lib", "lib.prompts"), library() | {"lib/prompts/fr.toml": "bye = 'Salut'"}
    )
    install("z-fr", pack("lib", "z_fr"), {"z_fr/fr.toml": "greet = 'Z {name}'"})
    install("a-fr", pack("lib", "a_fr"), {"a_fr/fr.toml": FRENCH})
    registry = PromptRegistry()
    found = discover(registry)
    assert [(one.code, one.key, one.message.partition(",")[0]) for one in found] == [
        ("key-exists", "lib.bye", "a-fr"),  # the catalog's own text
        ("key-exists", "lib.greet", "z-fr"),
    ]
    french = registry.localized("fr")
    assert (french.text("lib.bye"), french.text("lib.greet")) == ("Salut", "Bonjour {name}")


def test_what_the_host_has_included_already_is_no_clash(install: Install) -> None:
    site = install("lib", catalog("lib", "lib.prompts"), library())
    registry = PromptRegistry()
    registry.namespace("lib").include(load_catalog(site / "lib" / "prompts"))
    registry.override({"lib.bye": "So long"})
    assert discover(registry) == []
    assert registry.text("lib.bye") == "So long"
    registry = PromptRegistry()
    registry.register("lib.bye", "Mine")
    assert told(registry)[0][:2] == ("error", "key-exists")
    assert registry.keys() == ["lib.bye"]


def test_a_distribution_further_down_the_path_is_shadowed(install: Install) -> None:
    install(
        "lib", catalog("lib", "old.prompts"), library("old", en=ENGLISH.replace("Bye", "Old")), "b"
    )
    install("Lib", catalog("lib", "lib.prompts"), library(), where="a")
    registry = PromptRegistry()
    assert discover(registry) == []
    assert registry.text("lib.bye") == "Bye"


def test_a_snapshot_refuses(install: Install) -> None:
    with pytest.raises(PromptError, match="snapshot"):
        discover(PromptRegistry().snapshot())


def test_texts_are_checked_when_they_come_in_a_view_too(install: Install) -> None:
    install("lib", catalog("lib", "lib.prompts"), library())
    install("fr", pack("lib", "fr"), {"fr/fr.toml": FRENCH})
    registry = PromptRegistry()
    assert discover(registry.localized("fr")) == []
    assert registry.localized("fr").text("lib.bye") == "Au revoir"


def test_a_copy_made_before_does_not_see_it(install: Install) -> None:
    install("lib", catalog("lib", "lib.prompts"), library())
    install("fr", pack("lib", "fr"), {"fr/fr.toml": FRENCH})
    registry = PromptRegistry()
    before = registry.copy()
    discover(registry)
    assert (before.keys(), before.locales) == ([], ("en",))
