"""Catalogs and language packs that installed distributions offer, by their entry points.

A library offers its catalog. The entry point's name is the namespace of its keys; its value names
the package that is the catalog's folder, or a folder, a registry, or a function that returns one:

    [project.entry-points."agentprompts.catalogs"]
    minutes = "minutes.prompts"

Anybody offers texts of that catalog in more languages: a folder of `<locale>.toml` files. The name
tells which catalog it extends; the default catalog is called `agentprompts`:

    [project.entry-points."agentprompts.packs"]
    minutes = "minutes_fr.prompts"

Nothing is found by an import: a host calls `discover`, and every offer that is broken is told with
the name of its distribution, and stops nobody.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .catalog import load_catalog, pack_locales, read_pack_file
from .diagnostics import Diagnostic
from .errors import PromptError
from .registry import PromptRegistry

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["CATALOGS", "PACKS", "discover"]

CATALOGS, PACKS = "agentprompts.catalogs", "agentprompts.packs"


class _Offer(NamedTuple):
    distribution: str
    name: str
    value: str
    entry: EntryPoint

    def __str__(self) -> str:
        return f"{self.distribution}, entry point {self.name} = {self.value!r}"


def discover(registry: PromptRegistry) -> list[Diagnostic]:
    """Include every catalog that is offered, then every language pack for what is included.

    What is offered twice is taken once, from the distribution whose name comes first. What the
    registry has already stays; so a second call changes nothing and finds nothing new.

    Returns:
        What was left out, and why. Errors are for those who made the distribution.

    Raises:
        PromptError: The registry is a snapshot.
    """
    registry.override({})  # a snapshot refuses here, and not once for each offer
    findings: list[Diagnostic] = []
    owners: dict[str, str] = {}
    for group in (CATALOGS, PACKS):
        for offer in sorted(_offers(group, findings), key=lambda one: one[:3]):
            told: Iterable[Diagnostic]
            try:
                if group == CATALOGS:
                    told = _take_catalog(registry, offer, _loaded(offer), owners)
                else:
                    told = _take_packs(registry, offer.name, _loaded(offer))
            except PromptError as error:
                told = error.diagnostics or (_broken(error.headline),)
            except (Exception, SystemExit) as error:  # whatever somebody's import does
                told = [_broken(f"{type(error).__name__}: {error}")]
            findings += [replace(one, message=f"{offer}: {one.message}") for one in told]
    return findings


def _broken(message: str) -> Diagnostic:
    return Diagnostic(
        code="offer-broken",
        message=message,
        mend="tell who made the distribution, or uninstall it; all else goes on without it",
    )


def _offers(group: str, findings: list[Diagnostic]) -> Iterator[_Offer]:
    """Yield the offers of a group, each distribution read by itself: one may be broken."""
    import re
    from importlib.metadata import distributions

    seen: set[str] = set()
    for found in distributions():
        name = "a distribution without a name"
        try:
            text = found.read_text("entry_points.txt")
            if text is None or group not in text:
                continue
            fields = found.metadata
            name = fields["Name"] if "Name" in fields else name  # noqa: SIM401  # typed without get
            plain = re.sub(r"[-_.]+", "-", name).lower()
            if plain not in seen:  # the same one further down the path is shadowed
                seen.add(plain)
                for entry in found.entry_points.select(group=group):
                    yield _Offer(plain, entry.name, entry.value, entry)
        except Exception as error:
            findings.append(_broken(f"{name}: its entry points cannot be read: {error}"))


def _loaded(offer: _Offer) -> Any:
    from importlib.resources import files
    from types import ModuleType

    found = offer.entry.load()
    if isinstance(found, ModuleType):
        return files(found)
    found = found() if callable(found) else found
    if not isinstance(found, str | os.PathLike | PromptRegistry) and not hasattr(found, "iterdir"):
        raise PromptError(f"{type(found).__name__} where a folder or a registry belongs")
    return found


def _prefix(name: str, keys: list[str]) -> str:
    """Return what is put before keys; nothing where they all have their namespace already."""
    return "" if all(key.startswith(f"{name}.") for key in keys) else f"{name}."


def _take_catalog(
    registry: PromptRegistry, offer: _Offer, found: Any, owners: dict[str, str]
) -> list[Diagnostic]:
    catalog = found if isinstance(found, PromptRegistry) else load_catalog(found)
    prefix = _prefix(offer.name, catalog.keys())
    ours, theirs = registry._state, catalog._state
    there = [key for key in theirs.names() if prefix + key in ours]
    if not there:
        (registry.namespace(offer.name) if prefix else registry).include(catalog)
        owners.update(dict.fromkeys((prefix + key for key in theirs.names()), offer.distribution))
        return []
    owner = owners.get(prefix + there[0])
    whole = owner is None and len(there) == len(theirs)
    if whole and all(ours.source(prefix + key) == theirs.source(key) for key in there):
        return []  # the host has included it
    shown = ", ".join(repr(prefix + key) for key in there[:3]) + ", …" * (len(there) > 3)
    return [
        Diagnostic(
            code="key-exists",
            message=f"left out, for {len(there)} of its keys are there already: {shown}",
            why=f"they are those of {owner or 'the registry itself'}",
            mend="uninstall one of the two, or include it under another namespace yourself",
            key=prefix + there[0],
        )
    ]


def _take_packs(registry: PromptRegistry, name: str, folder: Any) -> list[Diagnostic]:
    findings: list[Diagnostic] = []
    known = {*registry.keys(), *registry.renamed}
    for locale in pack_locales(folder):
        try:
            pack = read_pack_file(folder, locale)
            prefix = "" if name == "agentprompts" else _prefix(name, list(pack.texts))
            if any(prefix + key in known for key in pack.texts):
                findings += registry.extend(locale, pack.judged, prefix)
            else:
                findings.append(_without_catalog(name, locale))
        except PromptError as error:
            findings += error.diagnostics or [_broken(error.headline)]
    return findings


def _without_catalog(name: str, locale: str) -> Diagnostic:
    return Diagnostic(
        code="key-unknown",
        message=f"the registry has none of the prompts of {name!r} that it translates",
        mend="install or include that catalog; the entry point is named as its namespace is",
        severity="warning",
        locale=locale,
    )
