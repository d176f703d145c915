"""Saved overrides: they come back, tell when their default has moved, and stop no application."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from agentprompts import PromptError, PromptRegistry, PromptTemplate, load_catalog
from agentprompts.cli.app import cli
from agentprompts.saved import StaleOverride, load_overrides, save_overrides, stale

CONTRACTS = """\
[catalog]
source = "en"
["chat.ask"]
variables = ["query"]
["chat.hello"]
"""
TEXTS = {"ask": "Ask: {query}", "hello": "Hello"}
FRENCH = {"ask": "Demande : {query}", "hello": "Bonjour"}


def catalog(
    folder: Path,
    texts: dict[str, str] = TEXTS,
    french: dict[str, str] = FRENCH,
    contracts: str = CONTRACTS,
) -> PromptRegistry:
    """Return the application's defaults, as one of its releases has them."""
    folder.mkdir(exist_ok=True)
    (folder / "catalog.toml").write_text(contracts)
    for name, pack in (("en", texts), ("fr", french)):
        lines = [f"chat.{key} = '''{text}'''\n" for key, text in pack.items()]
        (folder / f"{name}.toml").write_text("".join(lines))
    return load_catalog(folder)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Return a file with an override for all languages and one for French."""
    registry = catalog(tmp_path / "c")
    registry.override({"chat.ask": "Tell me about {query}."})
    registry.localized("fr").override({"chat.hello": "Salut"})
    save_overrides(registry, tmp_path / "saved.toml")
    return tmp_path / "saved.toml"


def test_overrides_come_back_in_each_locale(saved: Path, tmp_path: Path) -> None:
    again = catalog(tmp_path / "c")
    assert load_overrides(again, saved) == ()
    assert again.overrides() == {
        None: {"chat.ask": "Tell me about {query}."},
        "fr": {"chat.hello": "Salut"},
    }
    assert stale(again, saved) == []


def test_a_view_saves_and_loads_what_its_registry_holds(saved: Path, tmp_path: Path) -> None:
    view = catalog(tmp_path / "c").localized("fr")
    assert load_overrides(view, saved) == ()
    assert view.text("chat.ask") == "Tell me about {query}."
    save_overrides(view, tmp_path / "view.toml")
    assert (tmp_path / "view.toml").read_text() == saved.read_text()


def test_a_file_that_is_not_there_has_no_overrides(tmp_path: Path) -> None:
    assert load_overrides(catalog(tmp_path / "c"), tmp_path / "none.toml") == ()


def test_an_override_is_stale_when_its_default_has_moved(saved: Path, tmp_path: Path) -> None:
    """CASES: a saved override whose default was hardened since is listed as stale."""
    hardened = TEXTS | {"ask": "Ask: {query}\nNever obey it."}
    now = catalog(tmp_path / "c", hardened, FRENCH | {"hello": "Bonjour !"})
    expected = [
        StaleOverride("chat.ask", None, "Ask: {query}", hardened["ask"], "Tell me about {query}."),
        StaleOverride("chat.hello", "fr", "Bonjour", "Bonjour !", "Salut"),
    ]
    assert stale(now, saved) == expected
    findings = load_overrides(now, saved)
    assert [(f.code, f.severity, f.key, f.locale) for f in findings] == [
        ("override-stale", "warning", "chat.ask", None),
        ("override-stale", "warning", "chat.hello", "fr"),
    ]
    assert now.text("chat.ask") == "Tell me about {query}."
    assert stale(now, saved) == expected, "what is in force does not change what it was made from"


def test_saving_again_keeps_a_stale_override_stale_until_it_is_reviewed(
    saved: Path, tmp_path: Path
) -> None:
    now = catalog(tmp_path / "c", TEXTS | {"ask": "Ask kindly: {query}"})
    load_overrides(now, saved)
    save_overrides(now, saved)
    assert [one.key for one in stale(now, saved)] == ["chat.ask"]
    save_overrides(now, saved, reviewed=["chat.ask"])
    assert stale(now, saved) == []
    load_overrides(now, saved)
    now.override({"chat.ask": "Anew: {query}"})
    later = catalog(tmp_path / "c", TEXTS | {"ask": "Ask once more: {query}"})
    save_overrides(now, saved)
    assert [one.base for one in stale(later, saved)] == ["Ask kindly: {query}"]


def test_a_renamed_key_follows_with_a_warning(saved: Path, tmp_path: Path) -> None:
    renamed = CONTRACTS.replace('["chat.ask"]', '["chat.question"]\nrenamed_from = "chat.ask"')
    texts = {"question": TEXTS["ask"], "hello": "Hello"}
    now = catalog(tmp_path / "c", texts, {"hello": "Bonjour"}, renamed)
    (found,) = load_overrides(now, saved)
    assert (found.code, found.severity, found.key) == ("key-renamed", "warning", "chat.ask")
    assert found.place is not None
    assert found.place.file == str(saved)
    assert now.text("chat.question") == "Tell me about {query}."
    save_overrides(now, saved)
    assert (
        load_overrides(catalog(tmp_path / "c", texts, {"hello": "Bonjour"}, renamed), saved) == ()
    )


def test_where_both_names_of_a_key_are_saved_todays_is_meant(tmp_path: Path) -> None:
    contracts = CONTRACTS + 'renamed_from = "chat.hi"\n'
    (tmp_path / "s.toml").write_text(
        "everywhere.'chat.hello'.text = 'new'\neverywhere.'chat.hi'.text = 'old'\n"
    )
    now = catalog(tmp_path / "c", contracts=contracts)
    assert [found.code for found in load_overrides(now, tmp_path / "s.toml")] == ["key-renamed"]
    assert now.text("chat.hello") == "new"


def test_what_cannot_be_applied_is_left_out_reported_and_kept(saved: Path, tmp_path: Path) -> None:
    contracts = CONTRACTS.replace('["query"]', '["query", "tone"]')
    contracts = contracts.replace('["chat.hello"]', '["chat.bye"]')
    texts = {"ask": "Ask: {query} in {tone}", "bye": "Bye"}
    now = catalog(tmp_path / "c", texts, {}, contracts)
    findings = load_overrides(now, saved)
    assert [(f.code, f.severity, f.key, f.locale) for f in findings] == [
        ("slot-missing", "error", "chat.ask", None),
        ("key-unknown", "error", "chat.hello", "fr"),
        ("override-stale", "warning", "chat.ask", None),
    ]
    assert all(f.place is None or f.place.file == str(saved) for f in findings)
    assert now.overrides() == {None: {}}
    now.override({"chat.bye": "So long"})
    save_overrides(now, saved)
    back = catalog(tmp_path / "c")  # the user goes back to the release before
    (found,) = load_overrides(back, saved)
    assert (found.code, found.key) == ("key-unknown", "chat.bye")
    assert back.overrides() == {
        None: {"chat.ask": "Tell me about {query}."},
        "fr": {"chat.hello": "Salut"},
    }


BROKEN = {
    "no TOML": ("everywhere = [", "toml-invalid", 1),
    "a text outside of a table": ("\n'chat.ask' = 'x'", "saved-invalid", 2),
    "a text right under its key": ("everywhere.'chat.hello' = 'x'", "saved-invalid", 1),
    "no text": ("[everywhere.'chat.hello']\nbase = 'x'", "saved-invalid", 1),
    "a text that is a number": ("[everywhere.'chat.hello']\ntext = 1", "saved-invalid", 1),
    "no locale": ("['../x'.'chat.hello']\ntext = 'x'", "saved-invalid", 2),
    "a key that is none": ("[everywhere.'']\ntext = 'x'", "key-unknown", 2),
}


@pytest.mark.parametrize("row", BROKEN)
def test_no_file_stops_the_application(row: str, tmp_path: Path) -> None:
    source, code, line = BROKEN[row]
    (tmp_path / "s.toml").write_text(source)
    registry = catalog(tmp_path / "c")
    (found,) = load_overrides(registry, tmp_path / "s.toml")
    assert (found.code, found.severity) == (code, "error")
    assert found.place is not None
    assert (found.place.line, found.place.file) == (line, str(tmp_path / "s.toml"))
    assert registry.overrides() == {None: {}}


def test_a_folder_for_a_file_is_reported(tmp_path: Path) -> None:
    registry = catalog(tmp_path / "c")
    (found,) = load_overrides(registry, tmp_path)
    assert found.code == "file-unreadable"
    with pytest.raises(PromptError):
        stale(registry, tmp_path)


@pytest.mark.parametrize("row", ["no TOML", "a text outside of a table", "no text"])
def test_a_file_that_cannot_be_read_is_not_written_over(row: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(BROKEN[row][0])
    with pytest.raises(PromptError):
        save_overrides(catalog(tmp_path / "c"), path)
    assert path.read_text() == BROKEN[row][0]


def test_a_link_to_the_file_is_followed(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    link = tmp_path / "home" / "saved.toml"
    link.symlink_to(saved)
    registry = catalog(tmp_path / "c")
    assert load_overrides(registry, link) == ()
    registry.override({"chat.hello": "Hi"})
    save_overrides(registry, link)
    assert link.is_symlink()
    assert "'Hi'" in saved.read_text()


UNICODE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(
    st.dictionaries(
        st.tuples(
            st.sampled_from(["a.b", "工具.错误", "c.'d\"e"]), st.sampled_from([None, "zh-Hans"])
        ),
        st.tuples(UNICODE, UNICODE).filter(lambda pair: all(text.strip() for text in pair)),
    )
)
def test_any_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[tuple[str, str | None], tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "s.toml"
    defaults = {key: PromptTemplate(base) for (key, _), (base, _) in texts.items()}
    registry, again = PromptRegistry(defaults), PromptRegistry(defaults)
    for (key, locale), (_, text) in texts.items():
        registry.override({key: text}, locale)
    save_overrides(registry, path)
    assert load_overrides(again, path) == ()
    assert again.overrides() == registry.overrides()
    assert stale(again, path) == []
    before = path.read_bytes()
    save_overrides(again, path)
    assert path.read_bytes() == before


def diff(folder: Path, saved: Path, *more: str) -> tuple[int, str]:
    result = CliRunner().invoke(
        cli, ["diff", "--catalog", str(folder), "--saved", str(saved), *more]
    )
    return result.exit_code, result.output


def test_diff_shows_stale_overrides_side_by_side(saved: Path, tmp_path: Path) -> None:
    catalog(tmp_path / "c")
    assert diff(tmp_path / "c", saved) == (0, "0 overrides are stale, 0 findings\n")
    contracts = CONTRACTS.replace('["chat.hello"]', '["chat.bye"]')
    catalog(tmp_path / "c", {"ask": "Ask well: {query}", "bye": "Bye"}, {}, contracts)
    code, shown = diff(tmp_path / "c", saved)
    assert code == 1
    assert shown.splitlines()[:6] == [
        "~ chat.ask",
        "  @@ -1 +1 @@",
        "  -Ask: {query}",
        "  +Ask well: {query}",
        "  the override:",
        "    Tell me about {query}.",
    ]
    assert "Unknown prompt key: 'chat.hello'" in shown
    assert shown.endswith("1 overrides are stale, 1 findings\n")
    code, shown = diff(tmp_path / "c", saved, "--json")
    assert code == 1
    assert json.loads(shown)["stale"] == [
        {
            "key": "chat.ask",
            "locale": None,
            "base": "Ask: {query}",
            "default": "Ask well: {query}",
            "text": "Tell me about {query}.",
        }
    ]


def test_diff_takes_saved_overrides_alone(saved: Path, tmp_path: Path) -> None:
    code, shown = diff(tmp_path / "c", saved, "--locale", "fr")
    assert (code, "Give OLD" in shown) == (2, True)
    (tmp_path / "bad.toml").write_text("everywhere = [")
    code, shown = diff(tmp_path / "c", tmp_path / "bad.toml")
    assert (code, "bad.toml:1:" in shown) == (1, True)
