"""Weblate works on the packs as they are: tried with Translate Toolkit, whose TOML it uses.

CONTRIBUTING.md has the settings, and what these tests show to be kept and to be lost.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from copy import deepcopy
from pathlib import Path

import pytest
from click.testing import CliRunner
from translate.storage.toml import TOMLFile

from agentprompts.catalog import default_directory, read_catalog, read_pack_file
from agentprompts.cli.app import cli
from agentprompts.packfile import read_pack
from agentprompts.tomltext import read_toml, replace_text

SHIPPED = Path(default_directory())
PACKS = sorted(path.stem for path in SHIPPED.glob("*.toml") if path.stem != "catalog")

# A pack with whatever is hard for an editor of TOML.
HARD = r"""# the head

[a]
# about x: keep \ and '
x = '''
\frac{n}{m}, it's
two'''
crlf = "one\r\ntwo\r\n"   # behind
"s.one" = 'C:\new'
"s.two" = '''

after an empty line'''
lead = "\nafter a newline"
tail = '''
a backslash \
at the end of a line
'''

["t.u"]
z = '''\d+ '' "q"''' # last
"""


def opened(text: str) -> TOMLFile:
    store = TOMLFile()
    store.parse(text.encode())
    return store


def texts_of(text: str) -> dict[str, str]:
    return dict(read_pack(read_toml(text.encode(), "x.toml"), "de").texts)


def comments_of(text: str) -> list[str]:
    return re.findall(r"^[ \t]*#.*|(?<=['\"])[ \t]+#.*", text, re.MULTILINE)


def set_texts(store: TOMLFile, texts: dict[str, str]) -> str:
    """Translate as Weblate does: by plain strings, and write the file."""
    for unit in store.units:
        if unit.getid() in texts:
            unit.target = texts[unit.getid()]
    return bytes(store).decode()


def add_unit(store: TOMLFile, source: TOMLFile, key: str, text: str) -> None:
    """Add a text as Weblate does: a copy of the source's unit, with another target."""
    unit = deepcopy(next(unit for unit in source.units if unit.getid() == key))
    store.addunit(unit)
    unit.target = text


@pytest.mark.parametrize("locale", PACKS)
def test_a_shipped_pack_is_read_whole_and_comes_back_byte_by_byte(locale: str) -> None:
    text = (SHIPPED / f"{locale}.toml").read_text(encoding="utf-8")
    store = opened(text)
    assert {unit.getid(): str(unit.target) for unit in store.units} == texts_of(text)
    assert bytes(store).decode() == text


@pytest.mark.parametrize("locale", [locale for locale in PACKS if locale != "en"])
def test_a_pack_translated_in_weblate_passes_check(locale: str, tmp_path: Path) -> None:
    folder = tmp_path / "packs"
    shutil.copytree(SHIPPED, folder, ignore=shutil.ignore_patterns("*.py*", "__pycache__"))
    path = folder / f"{locale}.toml"
    before = texts_of(path.read_text(encoding="utf-8"))
    edited = ["chat.clarify", "chat.language"]
    added = "context.section.history"
    # The pack without one text: a key that the source has got since.
    whole = path.read_text(encoding="utf-8")
    entry = re.search(r'^"section\.history" = .*\n', whole, re.MULTILINE)
    assert entry is not None
    short = whole.replace(entry[0], "")
    store = opened(short)
    add_unit(store, opened((SHIPPED / "en.toml").read_text()), added, before[added])
    new = {key: f"{before[key]} \\ '''" for key in edited}
    path.write_text(set_texts(store, new), encoding="utf-8")

    written = path.read_text(encoding="utf-8")
    assert texts_of(written) == before | new
    assert comments_of(written) == comments_of(whole)
    unchanged = short.splitlines()
    for key in edited:
        name = key.partition(".")[2]
        start = next(i for i, line in enumerate(unchanged) if line.startswith(f"{name} ="))
        end = next(i for i in range(start + 1, len(unchanged)) if " = '" in unchanged[i])
        unchanged[start:end] = []
    lines = iter(written.splitlines())
    assert all(line in lines for line in unchanged), "all other lines stay, in their order"
    done = CliRunner().invoke(cli, ["check", "--catalog", str(folder), locale])
    assert done.exit_code == 0, done.output
    assert read_pack_file(folder, locale).texts.keys() == read_catalog(folder).templates.keys()


def test_what_is_not_touched_stays_byte_by_byte() -> None:
    assert bytes(opened(HARD)).decode() == HARD
    keys = ["a.x", "a.crlf", "a.s.one", "a.s.two", "a.lead", "a.tail", "t.u.z"]
    assert [unit.getid() for unit in opened(HARD).units] == keys == list(texts_of(HARD))
    for key in keys:
        lines = set_texts(opened(HARD), {key: "new"}).splitlines()
        name = key.removeprefix("a.").removeprefix("t.u.")
        assert [line for line in lines if line.startswith((f"{name} =", f'"{name}" ='))]
        kept = [line for line in lines if line in HARD.splitlines()]
        assert len(kept) >= len(lines) - 1


NEW_TEXTS = {
    "backslash": r"\frac{n}{m} \(a\) C:\new\\",
    "quotes": 'it\'s "so" and \'\'\'so\'\'\' and """so"""',
    "carriage returns": "one\r\ntwo\r\n",
    "leading newline": "\n\nthree",
    "blanks": "  two \n\t three  \n ",
    "control": "a\x1b[0m\x7f\x01",
    "json": '{"op": "ADD", "re": "\\\\d+"}',
    "other planes": "𝔄 é e\u0301 \u200f\u2028 😀",
    "comment": "# no comment\n[no.table]\nno = 'key'",
}


@pytest.mark.parametrize("text", NEW_TEXTS.values(), ids=NEW_TEXTS)
def test_any_new_text_is_read_back_by_us_as_it_was_written(text: str) -> None:
    before = texts_of(HARD)
    for key in before:
        written = set_texts(opened(HARD), {key: text})
        assert texts_of(written) == before | {key: text}
        assert comments_of(written) == comments_of(HARD)


def test_a_changed_text_loses_its_quoting_and_nothing_else() -> None:
    """The one loss, which CONTRIBUTING.md tells: many lines become one, with escapes."""
    written = set_texts(opened(HARD), {"a.x": "eins\n\\zwei"})
    old = "'''\n\\frac{n}{m}, it's\ntwo'''"
    assert written == HARD.replace(old, r'"eins\n\\zwei"')
    assert texts_of(replace_text(written, ("a", "x"), "drei"))["a.x"] == "drei"


@pytest.mark.parametrize("text", NEW_TEXTS.values(), ids=NEW_TEXTS)
def test_a_text_can_be_added_to_a_table_that_is_there_or_not(text: str) -> None:
    source = opened(
        HARD.replace('"s.two"', '"s.three" = \'3\'\n"s.two"') + "\n[new.table]\nk = '1'\n"
    )
    for pack in (HARD, ""):
        store = opened(pack)
        for key in ("a.s.three", "new.table.k"):
            add_unit(store, source, key, text)
        written = bytes(store).decode()
        added = {"a.s.three": text, "new.table.k": text}
        assert texts_of(written) == (texts_of(pack) if pack else {}) | added
        assert comments_of(written) == comments_of(pack)


def test_what_our_commands_write_can_be_read(tmp_path: Path) -> None:
    """Translate Toolkit refuses two dotted keys that begin alike: we write them in quotes."""
    with pytest.raises(ValueError, match="OutOfOrderTableProxy"):
        opened("[a]\ns.one = '1'\ns.two = '2'\n")
    json = tmp_path / "en.json"
    json.write_text('{"a": {"s": {"one": "One.", "two": "Two."}, "t": "Three."}}')
    folder = tmp_path / "catalog"
    run = CliRunner().invoke
    assert run(cli, ["import", str(json), "--new", str(folder)]).exit_code == 0
    keys = ["a.s.one", "a.s.two", "a.t"]
    assert [unit.getid() for unit in opened((folder / "en.toml").read_text()).units] == keys
    (folder / "de.toml").write_text("[a]\nt = 'Drei.'\n")
    assert run(cli, ["update", "--catalog", str(folder)]).exit_code == 0
    written = (folder / "de.toml").read_text()
    assert sorted(unit.getid() for unit in opened(written).units) == keys
    assert tomllib.loads(written)["a"] == {"t": "Drei.", "s.one": "", "s.two": ""}


def test_the_settings_fit_the_files() -> None:
    """CONTRIBUTING.md's language filter takes every pack, and not the contracts."""
    text = Path(__file__).parents[2].joinpath("CONTRIBUTING.md").read_text(encoding="utf-8")
    settings = dict(re.findall(r"^\| `(\w+)` \| `(.*?)` \|", text, re.MULTILINE))
    stems = {path.stem for path in SHIPPED.parent.glob(settings["filemask"])}
    assert {stem for stem in stems if re.match(settings["language_regex"], stem)} == set(PACKS)
    assert settings["template"] == "packs/en.toml"
    flag = re.fullmatch(r'placeholders:r"(.*)"', settings["check_flags"].split(", ")[0])
    assert flag is not None
    for template in read_catalog(SHIPPED).templates.values():
        slots = {f"{{{name}}}" for name in template.variables}
        assert slots <= set(re.findall(flag[1], template.template))
