"""The traps: broken translations, each with the finding that must be there, and good ones."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from agentprompts import DEFAULT_PROMPTS, PromptTemplate
from agentprompts.exchange import PSEUDO_LOCALE, contracts_for, pseudo_text, read_json
from agentprompts.packs import available_locales, load_pack
from tests.corpus.test_crewai import TOKENS
from tests.corpus.test_source_prompts import PACKAGES, pairs, prompts

__all__ = ["GLOSSARY", "Entry", "Group", "broken_groups", "corpus_groups", "good_groups"]

HERE = Path(__file__).parent
GLOSSARY = ("Kubernetes", "Grafana", "Terraform")
"""Terms that stay untranslated in every catalog of the two sets."""
CREWAI = HERE.parent / "corpus" / "crewai"


class Entry(NamedTuple):
    """A translation: its source with the contract, the text, and what is expected of it."""

    key: str
    source: PromptTemplate
    text: str
    code: str = ""
    """The finding that must be there; none where the text is good."""
    ignore: Mapping[str, str] = MappingProxyType({})
    """The checks that its translator has set aside, each with a reason."""


class Group(NamedTuple):
    """Entries of one catalog: one source language, one locale."""

    name: str
    source_locale: str
    locale: str
    entries: list[Entry]


def broken_groups() -> list[Group]:
    """Return the broken translations, a group per locale."""
    return list(_written("broken"))


def good_groups() -> list[Group]:
    """Return the good texts: our own that look dangerous, then those of others."""
    return [*_written("good"), *corpus_groups()]


def _written(folder: str) -> Iterator[Group]:
    for path in sorted((HERE / folder).glob("*.toml")):
        tables: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
        entries = []
        for key, table in tables.items():
            held = {name: table.pop(name, ()) for name in ("variables", "protected")}
            source = PromptTemplate(table.pop("source"), **held)
            entries.append(Entry(key, source, **table))
        yield Group(f"{folder}-{path.stem}", "en", path.stem, entries)


def corpus_groups() -> Iterator[Group]:
    """Yield the good texts that stand elsewhere: other people's, and the shipped packs."""
    sources = [
        (f"{package}.{number:03}", PromptTemplate(one["text"], variables=one["variables"]))
        for package in PACKAGES
        for number, one in enumerate(prompts(package))
    ]
    entries = [Entry(key, source, pseudo_text(source)) for key, source in sources]
    yield Group("pseudo", "en", PSEUDO_LOCALE, entries)
    for here, there, locale, other in (
        ("en", "zh", "en", "zh-Hans"),
        ("zh", "en", "zh-Hans", "en"),
    ):
        yield Group(
            f"memoryscope-{here}-{there}",
            locale,
            other,
            [
                Entry(
                    pair["key"],
                    PromptTemplate(pair[here], variables=pair["variables"]),
                    pair[there],
                )
                for pair in pairs()
            ],
        )
    for name, locale in (
        ("it", "it"),
        ("fr", "fr"),
        ("pt-br-before", "pt-BR"),
        ("pt-br-after", "pt-BR"),
    ):
        yield Group(f"crewai-{name}", "en", locale, list(_crewai(name)))
    for locale in available_locales():
        if locale != "en":
            texts = load_pack(locale).items()
            entries = [Entry(key, DEFAULT_PROMPTS.get(key), text) for key, text in texts]
            yield Group(f"pack-{locale}", "en", locale, entries)


def _crewai(name: str) -> Iterator[Entry]:
    """Yield the texts without a known defect: as many of each token, and the same names in braces.

    This is judged without the library: else it would only agree with itself.
    """
    sources = read_json((CREWAI / f"{name}.source.en.json").read_text(encoding="utf-8"))
    contracts = contracts_for(sources, TOKENS)
    for key, text in read_json((CREWAI / f"{name}.json").read_text(encoding="utf-8")).items():
        source = sources[key]
        kept = all(text.count(token) >= source.count(token) for token in TOKENS)
        names = [set(re.findall(r"\{\w+\}", one)) for one in (source, text)]
        if kept and names[0] == names[1]:
            yield Entry(key, PromptTemplate.from_contract(source, contracts[key]), text)
