"""A directory, or package data, into a registry; and the default catalog.

The source texts are read at once and must all be right. A pack is read when its locale is first
asked for: a text in it that breaks its contract is left out, reported, and falls back.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .diagnostics import Diagnostic
from .errors import PromptError
from .files import Folder, file_names, read_file, shown, unreadable, write_text
from .registry import LocalePacks, PromptRegistry

if TYPE_CHECKING:
    from .packfile import Contracts, Pack
    from .packstate import Made
    from .template import PromptTemplate
    from .tomltext import TomlFile

__all__ = [
    "DEFAULT_PROMPTS",
    "CatalogFiles",
    "default_directory",
    "load_catalog",
    "pack_locales",
    "read_catalog",
    "read_pack_file",
    "read_source",
    "read_state_file",
    "write_state_file",
    "write_text",
]

CONTRACTS = "catalog.toml"


class CatalogFiles(NamedTuple):
    """A catalog as it was read from its folder: contracts, source texts, and which packs there are.

    Args:
        folder: Where it was read from.
        contracts: What `catalog.toml` says.
        source: The source texts and where they stand.
        templates: The source's templates by key.
        locales: The locales that have a pack, without the source's, sorted.
    """

    folder: Folder
    contracts: Contracts
    source: Pack
    templates: dict[str, PromptTemplate]
    locales: tuple[str, ...]


def read_catalog(folder: Folder) -> CatalogFiles:
    """Read the contracts and the source texts of a catalog, and look which packs it has.

    Raises:
        PromptError: With every fault of the contracts and the source texts.
    """
    from .packfile import read_contracts, source_templates

    contracts = read_contracts(_read_toml(folder, CONTRACTS))
    source = read_pack_file(folder, contracts.source)
    templates = source_templates(contracts, source)
    others = tuple(locale for locale in pack_locales(folder) if locale != contracts.source)
    return CatalogFiles(folder, contracts, source, templates, others)


def load_catalog(folder: Folder) -> PromptRegistry:
    """Read a catalog: `catalog.toml`, the source's texts, and the names of its packs.

    Args:
        folder: A directory, or package data: `importlib.resources.files("mylib") / "prompts"`.

    Returns:
        A registry of its own; a library hands it to `registry.include`.

    Raises:
        PromptError: With every fault of the contracts and the source texts.
    """
    files = read_catalog(folder)
    if isinstance(folder, str | os.PathLike):
        # The packs are read later, when the process may have changed its directory.
        files = files._replace(folder=os.path.abspath(folder))
    renamed = files.contracts.renamed
    loads = {locale: _loader(files, locale) for locale in files.locales}
    packs = LocalePacks(files.contracts.source, loads, renamed)
    return PromptRegistry.with_packs(files.templates, packs)


def _loader(
    files: CatalogFiles, locale: str
) -> Callable[[], tuple[dict[str, PromptTemplate], tuple[Diagnostic, ...]]]:
    def load() -> tuple[dict[str, PromptTemplate], tuple[Diagnostic, ...]]:
        try:
            pack = read_pack_file(files.folder, locale)
        except PromptError as error:
            _report(error)
            return {}, error.diagnostics
        texts, findings = pack.judged(files.templates, files.contracts.renamed)
        _report(*findings)
        return texts, findings

    return load


def _report(*findings: object) -> None:
    if findings:
        import logging  # 5 ms at start-up, and needed only where something is wrong

        for found in findings:
            logging.getLogger("agentprompts").warning("%s", found)


def read_pack_file(folder: Folder, locale: str) -> Pack:
    """Read the pack of a locale, without judging it against the contracts.

    Raises:
        PromptError: There is none, or it is no file of texts.
    """
    from .packfile import read_pack

    return read_pack(_read_toml(folder, f"{locale}.toml"), locale)


def read_source(folder: Folder, name: str) -> str:
    """Return the text of one of a catalog's files as it is, its line ends kept.

    Raises:
        PromptError: It cannot be read.
    """
    from .tomltext import MOST_BYTES

    data = read_file(folder, name, MOST_BYTES)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        why = f"the byte 0x{data[error.start]:02X} is no UTF-8"
        raise unreadable(shown(folder, name), why) from None


def read_state_file(folder: Folder, locale: str) -> dict[str, Made]:
    """Return what is written down of a pack's translation; nothing where nothing is.

    Raises:
        PromptError: The file is there and is no TOML.
    """
    from .packstate import read_state

    state = _state_folder(folder, locale)
    if state is None or not os.path.lexists(os.path.join(state, f"{locale}.toml")):
        return {}
    return read_state(_read_toml(state, f"{locale}.toml"))


def write_state_file(folder: Folder, locale: str, state: Mapping[str, Made]) -> None:
    """Write down how a pack's texts were made.

    Raises:
        PromptError: The folder is package data, or the file system refuses.
    """
    from .packstate import write_state

    where = _state_folder(folder, locale)
    if where is None:
        raise PromptError(f"Cannot write into {folder}: it is package data")
    try:
        os.makedirs(where, exist_ok=True)
    except OSError as error:
        raise PromptError(f"Cannot write {where}: {error.strerror or error}") from error
    write_text(os.path.join(where, f"{locale}.toml"), write_state(state))


def _state_folder(folder: Folder, locale: str) -> str | None:
    """Return where a locale's bookkeeping stands: in the catalog's own folder, or nowhere."""
    from .locales import spelling

    spelling(locale)  # what is no locale never becomes part of a path
    if not isinstance(folder, str | os.PathLike):
        return None
    where = os.path.join(os.fspath(folder), ".state")
    if os.path.realpath(where) != os.path.join(os.path.realpath(folder), ".state"):
        raise unreadable(where, "it is a link out of its folder")
    return where


def default_directory() -> str:
    """Return where the shipped packs are: in the wheel beside `packs`, else in the checkout."""
    here = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(here, "packs")
    if os.path.exists(os.path.join(inside, CONTRACTS)):
        return inside
    return os.path.join(os.path.dirname(here), "packs")


class _DefaultPrompts(PromptRegistry):
    """The shipped catalog: one object from the first moment, filled on first use, once."""

    __slots__ = ()
    _filling = RLock()

    def __init__(self) -> None:
        pass  # `_state` stays unset, which is how `__getattr__` gets to hear of the first use

    def __getattr__(self, name: str) -> Any:
        if name not in PromptRegistry.__slots__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with self._filling:
            try:
                return object.__getattribute__(self, name)  # filled while this thread waited
            except AttributeError:
                self._point_at(load_catalog(default_directory())._state)
            return object.__getattribute__(self, name)


DEFAULT_PROMPTS: PromptRegistry = _DefaultPrompts()
"""The prompts that every agent library needs. A copy of it is cheap; agents take one each."""


def pack_locales(folder: Folder) -> list[str]:
    """Return the locales that have a file, sorted. A file's name is its locale's BCP 47 tag.

    Raises:
        PromptError: There is no such folder, or a file of another name is in it.
    """
    from .locales import spelling

    found = []
    for name in sorted(file_names(folder)):
        stem, dot, ending = name.rpartition(".")
        if not dot or ending != "toml" or name == CONTRACTS or name.startswith("."):
            continue
        try:
            tag = spelling(stem)
        except PromptError as error:
            raise PromptError(f"Cannot read {shown(folder, name)}: {error}") from None
        if tag != stem:
            raise PromptError(f"Cannot read {shown(folder, name)}: the locale is spelled {tag!r}")
        found.append(stem)
    return found


def _read_toml(folder: Folder, name: str) -> TomlFile:
    from .tomltext import MOST_BYTES, read_toml

    return read_toml(read_file(folder, name, MOST_BYTES), shown(folder, name))
