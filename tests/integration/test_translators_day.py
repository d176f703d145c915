"""A translator's walk, on the real commands: new, check, fix, a changed source, update, status."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from babel.messages.pofile import read_po, write_po
from click.testing import CliRunner, Result

from agentprompts import load_catalog
from agentprompts.cli.app import cli
from agentprompts.packfile import read_pack
from agentprompts.tomltext import quote_key, quote_text, read_toml, replace_text

CATALOG = """\
[catalog]
source = "en"

["chat.ask"]
description = "Asks."
variables = ["query"]

["memory.pick"]
description = "Picks one; the parser reads the word."
protected = ["ADD", "NOOP"]

["memory.note"]
description = "A note."
"""
ENGLISH = """\
# The source.
[chat]
ask = '''
Answer briefly:
{query}'''

[memory]
pick = 'Is it new? Answer ADD or NOOP.'
note = 'Noted.'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalog.toml").write_text(CATALOG)
    (tmp_path / "en.toml").write_text(ENGLISH)
    return tmp_path


def run(folder: Path, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(cli, [words[0], "--catalog", str(folder), *words[1:]])
    assert done.exit_code == code, done.output
    return done


def translate(folder: Path, path: tuple[str, ...], text: str) -> None:
    file = folder / "fr.toml"
    file.write_text(replace_text(file.read_text(), path, text))


def status(folder: Path) -> dict[str, int]:
    [row] = json.loads(run(folder, "status", "--json").output)
    return {name: row[name] for name in ("translated", "stale", "missing")}


def test_a_translators_day(folder: Path) -> None:
    run(folder, "new", "fr")
    scaffold = (folder / "fr.toml").read_text()
    assert (
        "#. Asks.\n#. Keep as they are: {query}\n#: Answer briefly:\n#: {query}\nask =" in scaffold
    )
    assert status(folder) == {"translated": 0, "stale": 0, "missing": 3}
    assert load_catalog(folder).localized("fr").findings == ()

    translate(folder, ("chat", "ask"), "Répondez brièvement :\n{ query }")
    translate(folder, ("memory", "pick"), "Nouveau ? Répondez ADD ou RIEN.")
    told = run(folder, "check", "--format", "json", code=1).output
    errors = {o["code"]: o["line"] for o in json.loads(told) if o["severity"] == "error"}
    lines = (folder / "fr.toml").read_text().splitlines()
    assert errors == {
        "slot-mangled": lines.index("{ query }'''") + 1,
        "token-missing": next(i for i, line in enumerate(lines) if "RIEN" in line) + 1,
    }
    before = (folder / "fr.toml").read_text()
    run(folder, "check", "--fix", code=1)
    after = (folder / "fr.toml").read_text()
    assert after == before.replace("{ query }'''", "{query}'''"), "nothing but the certain mend"
    translate(folder, ("memory", "pick"), "Nouveau ? Répondez ADD ou NOOP.")
    run(folder, "check")
    run(folder, "update")
    assert status(folder) == {"translated": 2, "stale": 0, "missing": 1}

    # The source changes: one text reworded, one renamed, one new, one gone.
    (folder / "catalog.toml").write_text(
        CATALOG.replace(
            '["memory.pick"]', '["memory.choose"]\nrenamed_from = "memory.pick"'
        ).replace('["memory.note"]', '["memory.log"]')
    )
    (folder / "en.toml").write_text(
        ENGLISH.replace("briefly", "in one sentence")
        .replace("pick", "choose")
        .replace("note = 'Noted.'", "log = 'Logged.'")
    )
    translate(folder, ("memory", "note"), "C'est noté.")
    file = folder / "fr.toml"
    file.write_text(file.read_text().replace("[memory]", "# mine: keep\n[memory]"))
    assert "1 stale" in run(folder, "update", "fr").output
    text = file.read_text()
    assert "# mine: keep\n[memory]" in text
    assert "choose = 'Nouveau ? Répondez ADD ou NOOP.'" in text
    assert "#~ memory.note = '''\n#~ C'est noté.'''" in text
    assert "#: Logged.\nlog = ''" in text
    assert "#: Answer in one sentence:\n" in text
    assert status(folder) == {"translated": 2, "stale": 1, "missing": 1}
    assert "stale" in run(folder, "check", "--format", "concise").output
    once_more = file.read_text()
    assert "1 stale" in run(folder, "update").output
    assert file.read_text() == once_more, "a second update finds nothing to do"

    translate(folder, ("chat", "ask"), "Répondez en une phrase :\n{query}")
    translate(folder, ("memory", "log"), "C'est consigné.")
    run(folder, "update")
    assert status(folder) == {"translated": 3, "stale": 0, "missing": 0}
    run(folder, "check", "--strict")
    view = load_catalog(folder).localized("fr-CA")
    assert view.fallen_back() == {}
    assert view.render("chat.ask", query="Qui ?") == "Répondez en une phrase :\nQui ?"


def test_a_stale_text_can_be_confirmed_as_it_is(folder: Path) -> None:
    run(folder, "new", "fr")
    translate(folder, ("memory", "note"), "C'est noté.")
    run(folder, "update")
    (folder / "en.toml").write_text(ENGLISH.replace("Noted.", "Noted!"))
    assert status(folder)["stale"] == 1
    run(folder, "update", "--confirm", "memory.note")
    assert status(folder)["stale"] == 0


def test_ignoring_a_check_needs_a_reason(folder: Path) -> None:
    (folder / "fr.toml").write_text(
        "# ignore unchanged: a proper name\nmemory.note = 'Noted by him.'\n"
        "# ignore number\nchat.ask = 'Answer briefly:\\n{query}'\n".replace(
            "'Answer briefly:\\n{query}'", '"Répondez :\\n{query}"'
        )
    )
    (folder / "en.toml").write_text(ENGLISH.replace("'Noted.'", "'Noted by him.'"))
    told = run(folder, "check", "--format", "concise").output
    assert "unchanged" not in told
    assert "ignore-invalid" in told
    assert "gives no reason" in told


def test_the_pseudo_locale_keeps_every_contract(folder: Path) -> None:
    run(folder, "new", "en-XA", "--pseudo")
    run(folder, "check", "en-XA")
    view = load_catalog(folder).localized("en-XA")
    assert view.text("chat.ask").startswith("⟦Åñšŵéŕ")
    assert "{query}" in view.text("chat.ask")
    assert view.findings == ()


def test_a_pack_that_is_there_is_not_written_over(folder: Path) -> None:
    run(folder, "new", "fr")
    assert "is there already" in run(folder, "new", "FR", code=2).output


def test_a_pack_goes_out_as_po_and_comes_back(folder: Path) -> None:
    run(folder, "new", "fr")
    translate(folder, ("memory", "pick"), "Nouveau ? Répondez ADD ou NOOP.")
    translate(folder, ("memory", "note"), "C'est noté.")
    run(folder, "update")
    (folder / "en.toml").write_text(ENGLISH.replace("Noted.", "Noted!"))
    po = folder / "fr.po"
    run(folder, "export", "fr", "-o", str(po))
    text = po.read_text()
    assert '#, fuzzy\n#| msgid "Noted."\nmsgctxt "memory.note"\nmsgid "Noted!"' in text
    before = (folder / "fr.toml").read_bytes()
    run(folder, "import", str(po), "fr")
    assert (folder / "fr.toml").read_bytes() == before
    assert status(folder) == {"translated": 2, "stale": 1, "missing": 1}
    po.write_text(text.replace("#, fuzzy\n", "").replace("C'est noté.", "Noté !"))
    run(folder, "import", str(po), "fr")
    assert (folder / "fr.toml").read_text() == before.decode().replace("C'est noté.", "Noté !")
    assert status(folder) == {"translated": 2, "stale": 0, "missing": 1}
    run(folder, "check")
    for form in ("json", "nested"):
        out = folder / "fr.json"
        run(folder, "export", "fr", "--format", form, "-o", str(out))
        assert "0 texts changed" in run(folder, "import", str(out), "fr").output


def test_other_peoples_json_becomes_a_catalog(folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "their.json"
    source.write_text('{"slices": {"tools": "Action: one of {tools}", "odd key": "it\'s"}}')
    target = tmp_path / "theirs"
    done = CliRunner().invoke(
        cli, ["import", str(source), "--new", str(target), "--protect", "Action:"]
    )
    assert done.exit_code == 1, "a key with a space is told, and nothing is made"
    assert not target.exists()
    source.write_text('{"slices": {"tools": "Action: one of {tools}", "odd-key": "it\'s"}}')
    done = CliRunner().invoke(
        cli, ["import", str(source), "--new", str(target), "--protect", "Action:"]
    )
    assert done.exit_code == 0, done.output
    registry = load_catalog(target)
    assert registry.get("slices.tools").protected == ("Action:",)
    assert registry.get("slices.tools").variables == ("tools",)
    assert registry.text("slices.odd-key") == "it's"


# Ten prompts of a small assistant, their French, and what a translator gets wrong at first.
TEN = {
    "chat.persona": ("You are a patient tutor.", "Tu es un tuteur patient."),
    "chat.ask": ("Answer briefly:\n{query}", "Réponds brièvement :\n{query}"),
    "chat.limit": ("Use at most 120 words.", "Utilise au plus 120 mots."),
    "chat.language": ("Write in {language}.", "Écris en {language}."),
    "memory.pick": ("Is it new? Answer ADD or NOOP.", "Est-ce nouveau ? Réponds ADD ou NOOP."),
    "memory.list": ("# Memory\n1. Read {facts}.\n2. Sort.", "# Mémoire\n1. Lis {facts}.\n2. Trie."),
    "tool.call": ('Answer as {"tool": "name"}.', 'Réponds sous la forme {"tool": "nom"}.'),
    "tool.error.gone": ("The tool is gone.", "L'outil n'existe plus."),
    "tool.error.slow": ("It took {n} seconds.", "Cela a pris {n} secondes."),
    "tool.math": ("Write \\frac{a}{b} in LaTeX.", "Écris \\frac{a}{b} en LaTeX."),
}
CONTRACTS = {
    "chat.ask": 'variables = ["query"]',
    "chat.language": 'variables = ["language"]',
    "memory.pick": 'protected = ["ADD", "NOOP"]',
    "memory.list": 'variables = ["facts"]',
    "tool.call": "protected = ['\"tool\"']",
    "tool.error.slow": 'variables = ["n"]',
}
BROKEN = {
    "chat.ask": "Réponds brièvement :\n｛query｝",
    "memory.pick": "Est-ce nouveau ? Réponds AJOUTER ou NOOP.",
}


def write_ten(folder: Path, texts: dict[str, str]) -> None:
    contracts = [
        f'["{key}"]\ndescription = "About {key}."\n{CONTRACTS.get(key, "")}' for key in texts
    ]
    (folder / "catalog.toml").write_text("\n".join(['[catalog]\nsource = "en"', *contracts]))
    lines, table = [], ""
    for key, text in texts.items():
        first, _, rest = key.partition(".")
        lines += [] if first == table else [f"\n[{first}]"]
        table = first
        lines.append(f"{quote_key([rest])} = {quote_text(text)}")
    (folder / "en.toml").write_text("\n".join(lines) + "\n")


def edited_in_a_po_editor(path: Path, texts: dict[str, str]) -> None:
    """Change a PO file as an editor does: parsed, translated, no longer fuzzy, written anew."""
    with path.open("rb") as file:
        catalog = read_po(file, locale="fr", abort_invalid=True)
    for message in catalog:
        if message.context in texts:
            message.string = texts[message.context]
            message.flags.discard("fuzzy")
    with path.open("wb") as file:
        write_po(file, catalog, width=40)


def test_ten_prompts_from_nothing_to_a_po_editor_and_back(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    folder.mkdir()
    english = {key: source for key, (source, _) in TEN.items()}
    write_ten(folder, english)
    assert "10 texts to translate" in run(folder, "new", "fr").output
    scaffold = (folder / "fr.toml").read_text()
    assert all(f"#. About {key}." in scaffold for key in TEN)
    assert all(f"#: {line}" in scaffold for text in english.values() for line in text.split("\n"))
    assert status(folder) == {"translated": 0, "stale": 0, "missing": 10}

    # Ten texts, two of them broken: each is named with its place, and the other eight are good.
    paths = read_pack(read_toml((folder / "fr.toml").read_bytes(), "fr.toml"), "fr").paths
    french = {key: target for key, (_, target) in TEN.items()} | BROKEN
    for key, text in french.items():
        file = folder / "fr.toml"
        file.write_text(replace_text(file.read_text(), paths[key], text))
    told = json.loads(run(folder, "check", "--format", "json", code=1).output)
    lines = (folder / "fr.toml").read_text().splitlines()
    places = {one["key"]: (one["code"], one["line"], one["column"]) for one in told}
    assert places == {
        "chat.ask": ("slot-mangled", lines.index("｛query｝'''") + 1, 1),
        "memory.pick": (
            "token-missing",
            next(at for at, line in enumerate(lines, 1) if "AJOUTER" in line),
            1,
        ),
    }
    shown = run(folder, "check", code=1).output
    assert "｛query｝" in shown
    assert "'ADD'" in shown
    view = load_catalog(folder).localized("fr")
    assert set(view.fallen_back()) == {"chat.ask", "memory.pick"}

    # What is certain is mended; the rest is the translator's.
    run(folder, "check", "--fix", code=1)
    translate(folder, ("memory", "pick"), TEN["memory.pick"][1])
    run(folder, "check", "--strict")
    run(folder, "update", "fr")
    assert status(folder) == {"translated": 10, "stale": 0, "missing": 0}
    view = load_catalog(folder).localized("fr")
    assert {key: view.text(key) for key in TEN} == {key: french for key, (_, french) in TEN.items()}

    # The source changes: one text means something else, two are new, one is no longer needed.
    before = tmp_path / "before"
    shutil.copytree(folder, before)
    new = english | {"chat.limit": "Use at most 80 words.", "tool.error.busy": "The tool is busy."}
    del new["chat.persona"]
    new["chat.tone"] = "Be kind."
    write_ten(folder, dict(sorted(new.items())))
    updated = run(folder, "update", "fr").output
    assert "2 added" in updated
    assert "1 set aside" in updated
    assert "1 stale" in updated
    assert status(folder) == {"translated": 9, "stale": 1, "missing": 2}
    warned = json.loads(run(folder, "check", "--format", "json").output)
    assert ("chat.limit", "stale") in {(one["key"], one["code"]) for one in warned}
    difference = run(folder, "diff", str(before), "--json", code=1).output
    changes = json.loads(difference)
    assert changes["changed"] == {"chat.limit": [english["chat.limit"], new["chat.limit"]]}
    assert set(changes["added"]) == {"tool.error.busy", "chat.tone"}

    # Out as PO, translated in an editor that wraps its lines, and in again.
    po = tmp_path / "fr.po"
    run(folder, "export", "fr", "-o", str(po))
    edited = {
        "chat.limit": "Utilise au plus 80 mots.",
        "chat.tone": "Sois aimable, même quand la question t'est posée pour la troisième fois.",
        "tool.error.busy": 'L\'outil est occupé : "réessaie"\\plus tard.\nMerci.',
    }
    edited_in_a_po_editor(po, edited)
    comments = [line for line in (folder / "fr.toml").read_text().splitlines() if line[:1] == "#"]
    assert "3 texts changed" in run(folder, "import", str(po), "fr").output
    assert comments == [
        line for line in (folder / "fr.toml").read_text().splitlines() if line[:1] == "#"
    ]
    assert status(folder) == {"translated": 11, "stale": 0, "missing": 0}
    assert "nothing to do" in run(folder, "update", "fr").output
    run(folder, "check")
    view = load_catalog(folder).localized("fr-BE")
    assert view.fallen_back() == {}
    assert {key: view.text(key) for key in edited} == edited
    changed = json.loads(
        run(folder, "diff", str(before), "--locale", "fr", "--json", code=1).output
    )
    assert changed["changed"] == {"chat.limit": [TEN["chat.limit"][1], edited["chat.limit"]]}
