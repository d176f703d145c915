"""A directory, or package data, into a registry; and the default catalog.

The source texts are read at once and must all be right. A pack is read when its locale is first
asked for: a text in it that breaks its contract is left out, reported, and falls back.
"""

from __future__ import annotations

import os
import stat
from _thread import RLock, get_ident
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .diagnostics import Diagnostic, Place
from .errors import PromptError
from .registry import LocalePacks, PromptRegistry

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from .packfile import Contracts, Pack
    from .packstate import Made
    from .template import PromptTemplate
    from .tomltext import TomlFile

__all__ = [
    "DEFAULT_PROMPTS",
    "CatalogFiles",
    "default_directory",
    "load_catalog",
    "read_catalog",
    "read_pack_file",
    "read_source",
    "read_state_file",
    "write_state_file",
    "write_text",
]

Folder: TypeAlias = "str | os.PathLike[str] | Traversable"

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
    others = tuple(locale for locale in _locales(folder) if locale != contracts.source)
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
    data = _read(folder, name)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        why = f"the byte 0x{data[error.start]:02X} is no UTF-8"
        raise _unreadable(_shown(folder, name), why) from None


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
        raise _unreadable(where, "it is a link out of its folder")
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


def _locales(folder: Folder) -> list[str]:
    """Return the locales that have a file, sorted. A file's name is its locale's BCP 47 tag."""
    from .locales import spelling

    found = []
    for name in sorted(_names(folder)):
        stem, dot, ending = name.rpartition(".")
        if not dot or ending != "toml" or name == CONTRACTS or name.startswith("."):
            continue
        try:
            tag = spelling(stem)
        except PromptError as error:
            raise PromptError(f"Cannot read {_shown(folder, name)}: {error}") from None
        if tag != stem:
            raise PromptError(f"Cannot read {_shown(folder, name)}: the locale is spelled {tag!r}")
        found.append(stem)
    return found


def _names(folder: Folder) -> list[str]:
    try:
        if isinstance(folder, str | os.PathLike):
            return os.listdir(folder)
        return [entry.name for entry in folder.iterdir()]
    except (OSError, ValueError) as error:
        raise _unreadable(_shown(folder), error) from error


def _read_toml(folder: Folder, name: str) -> TomlFile:
    from .tomltext import read_toml

    return read_toml(_read(folder, name), _shown(folder, name))


def _read(folder: Folder, name: str) -> bytes:
    """Read a file that lies in the folder itself: no other place, no device, no FIFO."""
    from .tomltext import MOST_BYTES

    shown = _shown(folder, name)
    if os.path.basename(name) != name or "\0" in name:
        raise _unreadable(shown, "it is no name of a file")
    if not isinstance(folder, str | os.PathLike):
        try:
            with (folder / name).open("rb") as file:
                # One byte more than is allowed, so that it shows; never the whole of it.
                data: bytes = file.read(MOST_BYTES + 1)
        except Exception as error:  # whatever the importer of an archive raises
            raise _unreadable(shown, error) from error
        size = "more"
    else:
        data, size = _read_file(folder, name, shown, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _unreadable(shown, f"it has {size} bytes, more than {MOST_BYTES:,}")
    return data


def _read_file(
    folder: str | os.PathLike[str], name: str, shown: str, most: int
) -> tuple[bytes, str]:
    try:
        root = os.path.realpath(folder)
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, path]) != root:
            raise _unreadable(shown, "it is a link out of its folder")
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise _unreadable(shown, "it is no regular file")
        with open(path, "rb") as file:
            return file.read(most), f"{status.st_size:,}"
    except (OSError, ValueError) as error:
        raise _unreadable(shown, error) from error


def _unreadable(shown: str, why: BaseException | str) -> PromptError:
    reason = (why.strerror or why) if isinstance(why, OSError) else why
    message = f"Cannot read {shown}: {reason}"
    found = Diagnostic(
        code="file-unreadable",
        message=str(reason),
        mend="put a file of texts there that can be read",
        place=Place(1, 1, shown),
    )
    return PromptError(message, [found])


def _shown(folder: Folder, name: str = "") -> str:
    where = os.fspath(folder) if isinstance(folder, str | os.PathLike) else str(folder)
    return os.path.join(where, name) if name else where


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file so that whoever looks finds the old one or the new one, whole.

    Raises:
        PromptError: The text is no Unicode, or the file system refuses.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise PromptError(f"Cannot write {os.fspath(path)}: {error}") from None
    try:
        target = os.path.realpath(path)
        temporary = f"{target}.{os.getpid()}.{get_ident()}.tmp"
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError, UnboundLocalError):
            os.unlink(temporary)
        reason = error.strerror if isinstance(error, OSError) else error
        raise PromptError(f"Cannot write {os.fspath(path)}: {reason or error}") from error
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(os.path.dirname(target), os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Without it, a power cut could bring the old name back. Some network file systems
            # cannot; the file is whole all the same.
            with suppress(OSError):
                os.fsync(folder)
        finally:
            os.close(folder)
