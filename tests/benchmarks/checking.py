"""How long it takes to read and to check a pack of 2,000 prompts of about 500 characters.

`python -m tests.benchmarks.checking` makes such a catalog in a temporary folder, in English and
in two translations that break nothing, and prints the times: reading beside tomllib on the same
file, each check by itself, and the whole of `agentprompts check` with every position found.
"""

from __future__ import annotations

import gc
import tempfile
import time
import tomllib
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from agentprompts.catalog import read_catalog, read_pack_file
from agentprompts.checks import ALL_CHECKS, Unit, review
from agentprompts.checks.packs import review_pack
from agentprompts.cli.check import check_catalog
from agentprompts.packfile import read_pack
from agentprompts.tomltext import locate, quote_text, read_toml

SIZE = 2_000
ROUNDS = 7

# What prompts are made of: prose, slots, tokens, numbers, lists, headings, tags, JSON, addresses.
PIECES: dict[str, tuple[str, ...]] = {
    "en": (
        "You compare a new fact with the stored memories and pick one operation.",
        "## Rules\n1. Answer ADD, UPDATE or NOOP, and nothing else.\n2. Use at most {n} words.\n"
        "3. Never guess: if the {{topic}} is not in the material, say so.",
        "The question of the user is about {{topic}}; it stands below:\n<question>\n{{query}}\n"
        "</question>",
        'Answer as JSON:\n{{"operation": "ADD", "text": "what to store", "score": {n}}}',
        "- Keep names, quotations and code as they are.\n- Be brief, {n} sentences suffice.\n"
        "- See https://example.org/guide/{n} for the scale from 1 to 10.",
    ),
    "de": (
        "Du vergleichst eine neue Tatsache mit den Erinnerungen und wählst eine Operation.",
        "## Regeln\n1. Antworte mit ADD, UPDATE oder NOOP und sonst nichts.\n2. Nimm höchstens {n} "
        "Wörter.\n3. Rate nie: steht {{topic}} nicht im Material, so sage es.",
        "Die Frage des Benutzers handelt von {{topic}}; sie steht hier:\n<question>\n{{query}}\n"
        "</question>",
        'Antworte als JSON:\n{{"operation": "ADD", "text": "was zu merken ist", "score": {n}}}',
        "- Namen, Zitate und Code bleiben, wie sie sind.\n- Fasse dich kurz, {n} Sätze genügen.\n"
        "- Siehe https://example.org/guide/{n} für die Skala von 1 bis 10.",
    ),
    "zh-Hans": (
        "你要把新的事实与已有的记忆进行比较，并选择一种操作。",
        "## 规则\n1. 只回答 ADD、UPDATE 或 NOOP,不要有其他内容。\n2. 最多使用 {n} 个词。\n"
        "3. 绝不猜测：如果材料中没有 {{topic}}，就直接说明。",
        "用户的问题与 {{topic}} 有关，内容如下：\n<question>\n{{query}}\n</question>",
        '以 JSON 回答：\n{{"operation": "ADD", "text": "要保存的内容", "score": {n}}}',
        "- 名称、引文和代码保持原样。\n- 简明扼要,{n} 句话即可。\n"
        "- 参见 https://example.org/guide/{n}，评分范围为 1 到 10。",
    ),
}


def make_catalog(folder: Path, size: int = SIZE) -> None:
    """Write a catalog of `size` prompts in three languages; no check finds anything in it."""
    contracts = ['[catalog]\nsource = "en"\n']
    files: dict[str, list[str]] = {locale: [] for locale in PIECES}
    for number in range(size):
        if number % 50 == 0:
            for lines in files.values():
                lines.append(f"\n[area{number // 50}]")
        contracts.append(
            f'["area{number // 50}.prompt{number}"]\ndescription = "The prompt of number {number}."'
            '\nvariables = ["query", "topic"]\nprotected = ["ADD", "UPDATE", "NOOP"]\n'
        )
        for locale, pieces in PIECES.items():
            # Every text has the parts of the contract; the order of all changes.
            turned = pieces[number % 3 :] + pieces[: number % 3]
            text = "\n\n".join(turned[:: 1 if number % 2 else -1]).format(n=number + 10)
            files[locale].append(f"prompt{number} = {quote_text(text)}")
    (folder / "catalog.toml").write_text("\n".join(contracts), encoding="utf-8")
    for locale, lines in files.items():
        (folder / f"{locale}.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def best(run: Callable[[], object]) -> float:
    """Return the least time of several runs, in seconds, without the garbage collector."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
        gc.enable()
    return min(times)


def report(folder: Path, locale: str) -> None:
    """Print the times of reading and checking the pack of one locale."""
    files = read_catalog(folder)
    path = folder / f"{locale}.toml"
    pack = read_pack_file(folder, locale)
    size = sum(map(len, pack.texts.values())) / len(pack.texts)
    print(f"\n{locale}: {len(pack.texts)} prompts of {size:.0f} characters, best of {ROUNDS}, ms")

    bare = best(lambda: tomllib.loads(path.read_bytes().decode()))
    ours = best(lambda: read_pack(read_toml(path.read_bytes(), path.name), locale))
    print(f"  {'tomllib':24}{bare * 1e3:8.1f}")
    print(f"  {'reading a pack':24}{ours * 1e3:8.1f}  {ours / bare:.2f} x tomllib")
    print(f"  {'positions':24}{best(lambda: locate(pack.file.text)) * 1e3:8.1f}")

    def units() -> list[Unit]:
        return [Unit(key, locale, files.templates[key], text) for key, text in pack.texts.items()]

    contract = best(lambda: [unit.source.check(unit.text) for unit in units()])
    print(f"  {'the contract':24}{contract * 1e3:8.1f}")
    empty = best(lambda: [unit.plain + unit.source_plain for unit in units()])
    print(f"  {'slots, made blank':24}{empty * 1e3:8.1f}")
    for check in ALL_CHECKS:
        ready = units()
        for unit in ready:
            unit.plain, unit.source_plain  # noqa: B018  # what the checks share
        took = best(lambda: [list(check.find(unit)) for unit in ready])  # noqa: B023
        print(f"  {check.id:24}{took * 1e3:8.1f}")
    print(f"  {'all checks of the texts':24}{best(lambda: [*map(review, units())]) * 1e3:8.1f}")
    whole = best(
        lambda: review_pack(
            read_pack_file(folder, locale), files.templates, files.source, files.contracts.renamed
        )
    )
    print(f"  {'reading and checking':24}{whole * 1e3:8.1f}")
    command = ["--catalog", str(folder), "--format", "json", locale]
    with redirect_stdout(StringIO()) as printed:
        run = best(lambda: check_catalog.main(command, standalone_mode=False))
    found = "nothing" if set(printed.getvalue().split()) == {"[]"} else printed.getvalue()
    print(f"  {'the command, all files':24}{run * 1e3:8.1f}  {found} found")


def main() -> None:
    """Make the catalog and print the report."""
    with tempfile.TemporaryDirectory() as folder:
        make_catalog(Path(folder))
        for locale in list(PIECES)[1:]:
            report(Path(folder), locale)


if __name__ == "__main__":
    main()
