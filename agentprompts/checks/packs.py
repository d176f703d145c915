"""Everything to be said about a pack: each text against its source, and the pack as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ..diagnostics import Diagnostic, Place
from ..packfile import Pack, is_untranslated
from ..template import PromptTemplate
from . import ALL_CHECKS, Unit, review

__all__ = ["review_pack"]


def review_pack(
    pack: Pack,
    sources: Mapping[str, PromptTemplate],
    source_pack: Pack | None = None,
    renamed: Mapping[str, str] | None = None,
    stale: Mapping[str, str] | None = None,
    glossary: tuple[str, ...] = (),
) -> list[Diagnostic]:
    """Return the findings on a pack, in the order of the file.

    Args:
        pack: The texts of one locale.
        sources: The templates of the source language by key.
        source_pack: Where the source texts stand, to show them beside.
        renamed: The key of today by the key that it had.
        stale: The source text that a text was translated from, where it has changed since.
        glossary: Terms that stay as they are in every language.
    """
    found = [*pack.misnamed(sources, renamed or {}).values()]
    for key, text in pack.texts.items():
        today = key if key in sources else (renamed or {}).get(key)
        if today is None or is_untranslated(text, sources[today]):
            continue
        related = source_pack.file.place(source_pack.paths[today], 0) if source_pack else None
        unit = Unit(key, pack.locale, sources[today], text, glossary)
        findings = [pack.placed(key, one).at(related=related) for one in review(unit)]
        if today in (stale or {}):
            findings.append(pack.placed(key, _stale(key, related)))
        found += _without_ignored(pack, key, findings)
    found.sort(key=lambda one: (one.place.line, one.place.column) if one.place else (0, 0))
    return [*found, *_of_the_whole(pack, sources, renamed or {})]


def _without_ignored(pack: Pack, key: str, findings: list[Diagnostic]) -> list[Diagnostic]:
    ignores = pack.ignores(key)
    if not ignores:
        return findings
    known = {check.id for check in ALL_CHECKS} | {"stale"}
    kept = [one for one in findings if not ignores.get(one.code) or one.severity == "error"]
    for check, reason in ignores.items():
        if not reason or check not in known:
            what = "gives no reason" if check in known else "names no check that can be ignored"
            note = Diagnostic(
                code="ignore-invalid",
                message=f"the comment '# ignore {check}' {what}",
                mend=f"write '# ignore {check}: why', or take it out",
                severity="warning",
                key=key,
                locale=pack.locale,
            )
            kept.append(pack.placed(key, note))
    return kept


def _stale(key: str, related: Place | None) -> Diagnostic:
    return Diagnostic(
        code="stale",
        message="the source text has changed since this text was translated",
        mend="see `agentprompts diff --stale`, translate what is new, then run `update`",
        severity="warning",
        key=key,
        related=related,
    )


def _of_the_whole(
    pack: Pack, sources: Mapping[str, PromptTemplate], renamed: Mapping[str, str]
) -> list[Diagnostic]:
    """Return the findings on what is not there."""
    there = {
        today
        for key, text in pack.texts.items()
        for today in [key if key in sources else renamed.get(key, "")]
        if today in sources and not is_untranslated(text, sources[today])
    }
    missing = [key for key in sources if key not in there]
    if not missing:
        return []
    whole = Diagnostic(
        code="key-missing",
        message=f"{len(missing)} of {len(sources)} texts are missing and fall back: "
        + ", ".join(missing[:3])
        + (", …" if len(missing) > 3 else ""),
        mend=f"`agentprompts update {pack.locale}` puts them into the file",
        severity="warning",
        locale=pack.locale,
        place=Place(1, 1, pack.file.name),
    )
    # Half of one subsystem in another language is worse than none of it.
    lost, kept = (Counter(key.partition(".")[0] for key in keys) for keys in (missing, there))
    mixed = [name for name in lost if kept[name]]
    if not mixed:
        return [whole]
    mixture = replace(
        whole,
        code="mixed-by-fallback",
        message="translated in part, so that two languages are mixed: "
        + ", ".join(f"{name}.* ({kept[name]} of {kept[name] + lost[name]})" for name in mixed),
        mend="translate the rest of each, or take all of it out",
    )
    return [whole, mixture]
