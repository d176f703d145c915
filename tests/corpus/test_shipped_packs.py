"""The shipped packs: complete, right, and in their own language. A translator runs this file."""

from __future__ import annotations

import pytest
import regex

from agentprompts import DEFAULT_PROMPTS
from agentprompts.catalog import default_directory, read_pack_file
from agentprompts.packs import available_locales, load_pack

PACKS = [locale for locale in available_locales() if locale != "en"]


@pytest.mark.parametrize("locale", PACKS)
def test_a_pack_keeps_every_contract(locale: str) -> None:
    """M11: slots and tokens are kept; each fault is told with its line."""
    findings = DEFAULT_PROMPTS.localized(locale).findings
    assert not findings, "\n".join(str(found) for found in findings)


@pytest.mark.parametrize("locale", PACKS)
def test_a_pack_covers_every_key(locale: str) -> None:
    """M11"""
    assert sorted(load_pack(locale)) == sorted(DEFAULT_PROMPTS)
    assert DEFAULT_PROMPTS.localized(locale).fallen_back() == {}


def test_the_english_texts_hold_no_chinese() -> None:
    """M11"""
    held = {k: t for k, t in DEFAULT_PROMPTS.as_dict().items() if regex.search(r"\p{Han}", t)}
    assert held == {}


def test_the_chinese_texts_hold_no_english_sentence() -> None:
    """Tokens, tags, slots and names of formats stand alone between Chinese characters."""
    sentence = regex.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
    held = {k: t for k, t in load_pack("zh-Hans").items() if sentence.search(t)}
    assert held == {}


@pytest.mark.parametrize("locale", ["en", *PACKS])
def test_texts_are_written_in_literal_strings(locale: str) -> None:
    """Nothing in them needs an escape, and they parse four times faster."""
    file = read_pack_file(default_directory(), locale).file
    starts = {file.text[string.start] for string in file.positions.strings.values()}
    assert starts == {"'"}


@pytest.mark.parametrize("key", DEFAULT_PROMPTS.keys())
def test_each_prompt_has_a_note_for_translators(key: str) -> None:
    assert len(DEFAULT_PROMPTS.get(key).description) > 30
