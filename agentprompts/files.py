"""Reading a file that lies in a folder, and writing one whole: the one place that does either.

A folder is a directory or package data. What is read lies in the folder itself: no link out of it,
no device, no FIFO.
"""

from __future__ import annotations

import os
import stat
from _thread import get_ident
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from .diagnostics import Diagnostic, Place
from .errors import PromptError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["Folder", "file_names", "read_file", "shown", "unreadable", "write_text"]

Folder: TypeAlias = "str | os.PathLike[str] | Traversable"


def file_names(folder: Folder) -> list[str]:
    """Return the names of what lies in a folder, in no order.

    Raises:
        PromptError: It is no folder, or cannot be read.
    """
    try:
        if isinstance(folder, str | os.PathLike):
            return os.listdir(folder)
        return [entry.name for entry in folder.iterdir()]
    except (OSError, ValueError) as error:
        raise unreadable(shown(folder), error) from error


def read_file(folder: Folder, name: str, most: int) -> bytes:
    """Read a file that lies in the folder itself: no other place, no device, no FIFO.

    Raises:
        PromptError: It is no such file, cannot be read, or has more than `most` bytes.
    """
    file = shown(folder, name)
    if os.path.basename(name) != name or "\0" in name:
        raise unreadable(file, "it is no name of a file")
    if not isinstance(folder, str | os.PathLike):
        try:
            with (folder / name).open("rb") as stream:
                # One byte more than is allowed, so that it shows; never the whole of it.
                data: bytes = stream.read(most + 1)
        except Exception as error:  # whatever the importer of an archive raises
            raise unreadable(file, error) from error
        size = "more"
    else:
        data, size = _read_file(folder, name, file, most + 1)
    if len(data) > most:
        raise unreadable(file, f"it has {size} bytes, more than {most:,}")
    return data


def _read_file(
    folder: str | os.PathLike[str], name: str, file: str, most: int
) -> tuple[bytes, str]:
    try:
        root = os.path.realpath(folder)
        path = os.path.realpath(os.path.join(root, name))
        if os.path.commonpath([root, path]) != root:
            raise unreadable(file, "it is a link out of its folder")
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(file, "it is no regular file")
        with open(path, "rb") as stream:
            return stream.read(most), f"{status.st_size:,}"
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error


def unreadable(file: str, why: BaseException | str) -> PromptError:
    """Return the error for a file that cannot be read."""
    reason = (why.strerror or why) if isinstance(why, OSError) else why
    message = f"Cannot read {file}: {reason}"
    found = Diagnostic(
        code="file-unreadable",
        message=str(reason),
        mend="put a file of texts there that can be read",
        place=Place(1, 1, file),
    )
    return PromptError(message, [found])


def shown(folder: Folder, name: str = "") -> str:
    """Return what diagnostics call a folder, or a file in it."""
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
