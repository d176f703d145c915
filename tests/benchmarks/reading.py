"""Reading packs: from a file to the texts by key."""

from __future__ import annotations

import io
import json
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentprompts.catalog import load_catalog, read_pack_file

from .measure import Timing, spans
from .peers import peer
from .printing import Reach, Table

SIZES = {"80 keys": 80, "2,000": 2000, "20,000": 20_000}
LIMIT, OURS = "tomllib, ''': the limit", "agentprompts, a pack"
SOURCES, BOTH = "agentprompts, contracts and texts", "tomllib, the same two files"
CHECKED = "agentprompts, judged, every position"
_TEXT = "The assistant answers {q} briefly, and says where it knows nothing of it.\n" * 6


def _texts(size: int) -> dict[str, str]:
    return {f"n{i}": f"Text {i}.\n{_TEXT}" for i in range(size)}


def write(folder: Path, size: int) -> None:
    """Write a catalog of so many keys; a text has about 450 characters."""
    contracts = "".join(f'["k.n{i}"]\nvariables = ["q"]\n' for i in range(size))
    texts = "".join(f"{name} = '''\n{text}'''\n" for name, text in _texts(size).items())
    (folder / "catalog.toml").write_text('[catalog]\nsource = "en"\n' + contracts)
    for locale in ("en", "de"):
        (folder / f"{locale}.toml").write_text("[k]\n" + texts)


def write_for_peers(folder: Path, size: int) -> None:
    """Write the same texts in the forms that peers read."""
    texts = _texts(size)
    basic = "".join(f"{name} = {json.dumps(text)}\n" for name, text in texts.items())
    message = _TEXT.replace("{q}", "{ $q }").replace("\n", "\n    ")
    (folder / "basic.txt").write_text("[k]\n" + basic)
    (folder / "messages.ftl").write_text("".join(f"{n} =\n    {message}\n" for n in texts))
    _write_gettext(folder, texts)


def _write_gettext(folder: Path, texts: dict[str, str]) -> None:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import write_po

    catalog = Catalog(locale="de", charset="utf-8")
    for name, text in texts.items():
        catalog.add(name, text)
    with (folder / "de.po").open("wb") as po, (folder / "de.mo").open("wb") as mo:
        write_po(po, catalog)
        write_mo(mo, catalog)


def readers(folder: Path) -> dict[str, Callable[[], Any] | None]:
    def toml(*names: str) -> list[dict[str, Any]]:
        return [tomllib.loads((folder / name).read_bytes().decode()) for name in names]

    def po() -> Any:
        from babel.messages.pofile import read_po

        return read_po(io.BytesIO((folder / "de.po").read_bytes()))

    def mo() -> Any:
        import gettext

        return gettext.GNUTranslations(io.BytesIO((folder / "de.mo").read_bytes()))

    def checked() -> int:
        from agentprompts.catalog import read_catalog

        files = read_catalog(folder)
        pack = read_pack_file(folder, "de")
        pack.judged(files.templates, {})
        return sum(pack.file.place(path, 3).line for path in pack.paths.values())

    found: dict[str, Callable[[], Any] | None] = {
        LIMIT: lambda: toml("de.toml"),
        "read and decode": lambda: (folder / "de.toml").read_bytes().decode(),
        OURS: lambda: read_pack_file(folder, "de"),
        BOTH: lambda: toml("catalog.toml", "en.toml"),
        SOURCES: lambda: load_catalog(folder),
        CHECKED: checked,
        'tomllib, """': lambda: toml("basic.txt"),
        "gettext MO": mo,
        "Babel read_po": po,
        "rtoml, '''": None,
        "tomlkit": None,
        "fluent.runtime": None,
    }
    if rtoml := peer("rtoml"):
        found["rtoml, '''"] = lambda: rtoml.loads((folder / "de.toml").read_bytes().decode())
    if tomlkit := peer("tomlkit"):
        found["tomlkit"] = lambda: tomlkit.parse((folder / "de.toml").read_bytes())
    if fluent := peer("fluent.runtime"):
        found["fluent.runtime"] = lambda: fluent.FluentBundle(["en"]).add_resource(
            fluent.FluentResource((folder / "messages.ftl").read_bytes().decode())
        )
    return found


def table() -> Table:
    rows: dict[str, dict[str, Timing | None]] = {}
    whole: dict[str, float] = {}
    for column, size in SIZES.items():
        with tempfile.TemporaryDirectory() as name:
            write(Path(name), size)
            write_for_peers(Path(name), size)
            found = readers(Path(name))
            slow = size > 2000
            timed = spans(
                {
                    row: read
                    for row, read in found.items()
                    if read is not None and not (slow and row == "fluent.runtime")
                },
                rounds=2 if slow else 5,
            )
        for row in found:
            rows.setdefault(row, {})
            if row in timed:
                span = timed[row]
                rows[row][column] = Timing(span.best / size, span.median / size)
        whole[column] = timed[CHECKED].best
    made = Table("Reading packs, a key", "µs", tuple(SIZES), LIMIT, rows)
    made.promise("a pack to tomllib", OURS, LIMIT, most=(1.5, 1.5, 1.5))
    line = Reach("2,000 prompts checked, with positions", whole["2,000"], most=0.5, unit="s")
    made.reach.append(line)
    return made
