"""How locales are spelled, and which of the available ones stand in for the one asked for."""

from __future__ import annotations

from typing import Any

import pytest

from agentprompts import PromptError
from agentprompts.locales import _read, canonical, parse, resolve, spelling

# CASES, "Locales": (asked for, has, must answer). The source stands last in every answer; where a
# row names none, it is one of nobody's, so that nothing can come by way of it.
NO_SOURCE = "qaa"
CASES: list[tuple[str, str, str, str]] = [
    ("zh-TW", "zh-Hans zh-Hant en", "en", "zh-Hant"),
    ("zh-HK", "zh-Hans zh-Hant en", "en", "zh-Hant"),
    ("zh_Hant_HK", "zh-Hans zh-Hant en", "en", "zh-Hant"),
    ("zh-TW", "zh-Hans en", "en", ""),
    ("zh", "zh-Hans zh-Hant", NO_SOURCE, "zh-Hans"),
    ("zh-CN", "zh-Hans zh-Hant", NO_SOURCE, "zh-Hans"),
    ("zh_SG", "zh-Hans zh-Hant", NO_SOURCE, "zh-Hans"),
    ("sr-Latn-RS", "sr sr-Latn", NO_SOURCE, "sr-Latn"),
    ("pt-AO", "pt-PT pt-BR", NO_SOURCE, "pt-PT pt-BR"),
    ("pt_MZ", "pt-PT pt-BR", NO_SOURCE, "pt-PT pt-BR"),
    ("pt", "pt-BR", NO_SOURCE, "pt-BR"),
    ("no", "no", NO_SOURCE, "no"),
    ("nb", "no", NO_SOURCE, "no"),
    ("nb_NO", "no", NO_SOURCE, "no"),
    ("no", "nb", NO_SOURCE, "nb"),
    ("nb", "nb", NO_SOURCE, "nb"),
    ("nb_NO", "nb", NO_SOURCE, "nb"),
    ("iw", "he", NO_SOURCE, "he"),
    ("en-AU", "en-GB en", NO_SOURCE, "en en-GB"),
    ("en-AU", "en-GB en", "en", ""),
    ("uk", "ru en", "en", ""),
    ("C", "en zh-Hans", "en", ""),
    ("POSIX", "en zh-Hans", "zh-Hans", ""),
    ("", "en zh-Hans", "en", ""),
]


@pytest.mark.parametrize(
    ("asked", "has", "source", "stand_ins"),
    CASES,
    ids=[f"{asked or 'nothing'} has {has} source {source}" for asked, has, source, _ in CASES],
)
def test_a_row_of_the_cases(asked: str, has: str, source: str, stand_ins: str) -> None:
    """CASES, Locales; DESIGN 5: the whole answer, the source at its end."""
    assert resolve(asked, has.split(), source) == (*stand_ins.split(), source)
    assert resolve(asked, reversed(has.split()), source) == (*stand_ins.split(), source)


# The kinds that the rows stand for.
KINDS: dict[str, tuple[str, str, str]] = {
    "itself first": ("de-AT", "de de-AT", "de-AT de"),
    "usual region before a sibling": ("de-AT", "de-CH de-DE", "de-DE de-CH"),
    "sibling before another language": ("fr", "en fr-CA", "fr-CA"),
    "sibling by a parent before the usual region": ("es-AR", "es-ES es-MX", "es-MX es-ES"),
    "nothing after the source": ("en-AU", "en-GB en-US qaa", "en-GB en-US"),
    "its own region before none": ("de-DE", "de de-DE", "de-DE de"),
    "no region before its own": ("de", "de-DE de", "de de-DE"),
    "shortest of the same": ("de", "de-Latn-DE de-Latn", "de-Latn de-Latn-DE"),
    "cldr parent": ("es-MX", "es es-419 es-ES", "es-419 es es-ES"),
    "cldr grandparent": ("en-AT", "en-150 en-001 en", "en-150 en-001 en"),
    "cldr parent with a script": ("zh-MO", "zh-Hant zh-HK zh-TW", "zh-HK zh-Hant zh-TW"),
    "the macro region itself": ("es-419", "es-MX es", "es es-MX"),
    "variant": ("ca-ES-valencia", "ca ca-valencia", "ca-valencia ca"),
    "variant is no parent of none": ("ca", "ca-valencia", ""),
    "norwegian nynorsk": ("nn", "nb nn", "nn nb"),
    "bokmal is not nynorsk": ("nb", "nn", ""),
    "outdated in the shelf": ("he", "iw", "iw"),
    "serbo-croatian": ("sh", "sr sr-Latn", "sr-Latn"),
    "moldavian": ("mo", "ro", "ro"),
    "dari": ("prs", "fa en", "fa"),
    "congo swahili": ("swc", "sw", "sw"),
    "tagalog": ("tl", "fil", "fil"),
    "extension": ("de-u-co-phonebk", "de", "de"),
    "private use": ("de-x-tenant", "de", "de"),
    "unknown language": ("qq", "en de", ""),
    "unknown language present": ("qq", "qq", "qq"),
    "nothing there": ("de", "", ""),
}


@pytest.mark.parametrize(("asked", "has", "answer"), KINDS.values(), ids=KINDS)
def test_a_chain_holds_the_locale_its_parents_and_the_source(
    asked: str, has: str, answer: str
) -> None:
    assert resolve(asked, has.split(), NO_SOURCE) == (*answer.split(), NO_SOURCE)


SCRIPTS = {
    "az-Cyrl": "az az-Latn",
    "az": "az-Cyrl az-Arab",
    "bs-Cyrl": "bs",
    "hi-Latn": "hi hi-Deva",
    "iu-Latn": "iu",
    "kk-Arab": "kk",
    "ks-Deva": "ks",
    "mn-Mong": "mn",
    "mn-CN": "mn",
    "pa-PK": "pa pa-Guru",
    "pa": "pa-Arab",
    "sd-Deva": "sd",
    "sr": "sr-Latn",
    "sr-RS": "sr-Latn-RS",
    "sr-ME": "sr sr-Cyrl",
    "sr_RS@latin": "sr sr-Cyrl-RS",
    "uz_UZ@cyrillic": "uz uz-Latn",
    "yue-CN": "yue-Hant zh-Hant",
    "zh": "zh-Hant zh-TW",
    "zh-Hans-HK": "zh-HK zh-TW zh-Hant",
    "zh-Hant-CN": "zh zh-CN zh-Hans",
    "zh-MO": "zh zh-SG",
    "zh-TW": "zh zh-CN zh-Hans",
}


@pytest.mark.parametrize(("asked", "has"), SCRIPTS.items(), ids=SCRIPTS)
def test_a_chain_never_crosses_a_script(asked: str, has: str) -> None:
    """DESIGN 5: the source before the same language in letters that its reader may not know."""
    assert resolve(asked, has.split(), "en") == ("en",)


def test_an_override_is_no_stand_in_for_other_regions() -> None:
    assert resolve("de", ["de-CH"], "") == ("",)
    assert resolve("de-AT", ["de-CH", "de"], "") == ("de", "")
    assert resolve("de-AT", ["de-CH", "de"], "en") == ("de", "de-CH", "en")


def test_the_source_is_last_and_named_once() -> None:
    assert resolve("en-GB", ["en", "en-GB"], "en") == ("en-GB", "en")
    assert resolve("en", ["en"], "en") == ("en",)
    assert resolve("zh", ["zh-Hans", "en"], "zh-Hans") == ("zh-Hans",)
    assert resolve("de", [], "en") == ("en",)


# Spelling

SPELLED = {
    "zh-Hans": "zh-Hans",
    "ZH-hANS": "zh-Hans",
    "zh_Hans_CN": "zh-Hans-CN",
    "zh_hans_cn.UTF-8": "zh-Hans-CN",
    "en_US.ISO8859-1": "en-US",
    "en_US.UTF-8@euro": "en-US",
    "pt_br": "pt-BR",
    "es_419": "es-419",
    "EN_001": "en-001",
    "sr_RS@latin": "sr-Latn-RS",
    "sr_RS.UTF-8@Latin": "sr-Latn-RS",
    "uz_UZ@cyrillic": "uz-Cyrl-UZ",
    "ks_IN@devanagari": "ks-Deva-IN",
    "ca_ES@valencia": "ca-ES-valencia",
    "ca-ES-VALENCIA": "ca-ES-valencia",
    "de-1996": "de-1996",
    "sl_rozaj_biske": "sl-rozaj-biske",
    "iw": "he",
    "in_ID": "id-ID",
    "ji": "yi",
    "sh": "sr-Latn",
    "sh-Cyrl": "sr-Cyrl",
    "mo": "ro",
    "prs": "fa-AF",
    "swc": "sw-CD",
    "cnr": "sr-ME",
    "tl-PH": "fil-PH",
    "en-UK": "en-GB",
    "de-DD": "de-DE",
    "yue": "yue",
    "qq-ZZ": "qq-ZZ",
    "de-x-tenant": "de",
    "th-u-nu-thai": "th",
    "": "",
    "C": "",
    "POSIX": "",
    "C.UTF-8": "",
    "C.utf8": "",
    "POSIX.UTF-8": "",
}


@pytest.mark.parametrize(("given", "tag"), SPELLED.items(), ids=lambda tag: repr(tag))
def test_a_locale_is_spelled_as_bcp_47_has_it(given: str, tag: str) -> None:
    """CASES, `C`, `POSIX`, ``: `C.UTF-8`, which containers have as their LANG, is of that kind."""
    assert canonical(given) == tag
    assert canonical(tag) == tag, "what is spelled rightly stays as it is"


REPARSED = sorted({tag for tag, made in SPELLED.items() if made} | {*SCRIPTS})


@pytest.mark.parametrize("tag", REPARSED)
def test_a_canonical_tag_is_read_as_the_locale_that_it_was_made_of(tag: str) -> None:
    """`prs` is `fa-AF`: a region, though it stands where others have a script."""
    assert parse(canonical(tag)) == parse(tag)


REFUSED: dict[str, object] = {
    "path in a modifier": "en_US@x=../..",
    "path": "../x",
    "absolute": "/etc/passwd",
    "path after a tag": "en/../../x",
    "backslash": "en\\..\\x",
    "dots": "..",
    "suffix": "en.toml/../x",
    "percent": "en%2e%2e",
    "unknown modifier": "en_US@posix",
    "nul": "en\0",
    "newline": "en\n",
    "blank": " ",
    "leading blank": " en",
    "inner blank": "en US",
    "separator only": "-",
    "trailing separator": "en-",
    "two separators": "en--US",
    "one letter": "e",
    "word": "english",
    "root": "root",
    "lower-case c": "c",
    "digits": "12",
    "full width": "ｅｎ",
    "cyrillic": "еn",
    "other digits": "es-٤١٩",
    "star": "*",
    "quality": "de;q=0.8",
    "list": "de,en",
    "long": "en" + "-abcdefgh" * 1_000,
    "101 characters": "en-" + "x" * 98,
    "none": None,
    "number": 49,
    "bytes": b"en",
    "tuple": ("en", "US"),
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED)
def test_what_is_no_locale_is_refused(given: Any) -> None:
    """CASES, the locale `en_US@x=../..`: be refused. DESIGN 5: none becomes part of a path."""
    for read in (canonical, parse, lambda tag: resolve(tag, ["en"], "en")):
        with pytest.raises(PromptError, match="is no locale") as caught:
            read(given)
        assert "'zh-Hans'" in str(caught.value), "the message shows a right one"


def test_a_hundred_characters_are_read_quickly() -> None:
    """A header is anybody's: no string makes the pattern try for long."""
    for tail in (
        "-a" * 49,
        "-abcdefgh" * 10 + "!",
        "-a-bb" * 19 + "-",
        "-1abc" * 19 + "@",
        "_x" * 48,
    ):
        with pytest.raises(PromptError):
            parse("en" + tail)


@pytest.mark.parametrize(
    "tag",
    ["en", "zh-Hans", "zh-hans", "EN", "e", "engl", "fr-CA", "fr-Can", "en-", "-Hans", "en-Han1",
     "zh-HANS", "zh-HanS", "en_Latn", "é", "en-Làtn", "12", "en-Latn-US", "zh-Hans\n", "", None],
)  # fmt: skip
def test_the_plain_spellings_need_no_expression(tag: Any) -> None:
    """The short way of `spelling` says what the expression says, of whatever it takes."""
    try:
        wanted = str(_read(tag))
    except PromptError:
        with pytest.raises(PromptError):
            spelling(tag)
    else:
        assert spelling(tag) == wanted
