"""The files under one root: read, written, edited, listed and searched, and nothing beyond it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatch
from hashlib import sha256
from itertools import islice
from pathlib import Path

import regex

from agentprompts import PromptRegistry

from .worktool import FaultError, as_json, out_of_range

IMAGES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"})
HIDDEN = frozenset({".git"})
MOST_FILES = 5000
MOST_LISTED = 200
MOST_HITS = 100
MOST_OF_A_LINE = 300
SECONDS = 0.5


class Workspace:
    """A folder that the model works in.

    A file that has content is changed only if the model has read it as it is now: neither the
    model's memory nor somebody else's change in between is overwritten.
    """

    def __init__(self, prompts: PromptRegistry, root: str | os.PathLike[str]) -> None:
        self.prompts = prompts
        self.root = Path(root).resolve()
        self._seen: dict[Path, str] = {}

    def read_file(self, path: str, offset: int, limit: int) -> str:
        """Return lines of a file, numbered."""
        file = self._file(path)
        if file.suffix.lower() in IMAGES:
            size = file.stat().st_size
            return self.prompts.render("tool.result.image", path=path, size=size)
        text = self._text(file, path)
        self._seen[file] = _digest(text)
        lines = text.removesuffix("\n").split("\n")
        if not text:
            return self.prompts.render("tool.result.empty_file", path=path)
        if offset > len(lines):
            raise out_of_range("offset", offset, f"1-{len(lines)}")
        part = lines[offset - 1 : offset - 1 + limit]
        shown = [f"{number}\t{line.rstrip(chr(13))}" for number, line in enumerate(part, offset)]
        last = offset + len(part) - 1
        if last < len(lines):
            note = self.prompts.render(
                "tool.result.more_lines",
                first=offset,
                last=last,
                total=len(lines),
                next=last + 1,
            )
            shown.append(note)
        return "\n".join(shown)

    def write_file(self, path: str, content: str) -> str:
        """Create a file, or replace the content of one that was read."""
        file = self._inside(path)
        if file.exists():
            self._current(file, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        self._store(file, content)
        lines = len(content.splitlines())
        return self.prompts.render("tool.result.written", path=path, lines=lines)

    def edit_file(self, path: str, old: str, new: str, all: bool) -> str:
        """Replace one text, or every one, in a file that was read."""
        file = self._file(path)
        text = self._current(file, path)
        if "\r\n" in text:
            old, new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
        if old == new:
            raise FaultError("tool.error.same_text", path=path)
        count = text.count(old)
        if count == 0:
            raise FaultError("tool.error.no_match", path=path)
        if count > 1 and not all:
            lines = ", ".join(str(line) for line in islice(_lines_of(text, old), 10))
            raise FaultError("tool.error.several_matches", path=path, count=count, lines=lines)
        self._store(file, text.replace(old, new))
        return self.prompts.render("tool.result.edited", path=path, count=count)

    def list_files(self, path: str, pattern: str, order: str) -> str:
        """Return the paths of files whose name, or whose path, fits a pattern."""
        base = self._existing(path)
        wanted = pattern.removeprefix("**/")
        files = [
            file
            for file in self._walk(base)
            if fnmatch(file.name, wanted) or fnmatch(self._shown(file), pattern)
        ]
        if order == "changed":
            files.sort(key=lambda file: -file.stat().st_mtime_ns)
        return self._listed([self._shown(file) for file in files], pattern, MOST_LISTED)

    def find_text(self, pattern: str, path: str) -> str:
        """Return the lines of files that fit a regular expression.

        Raises:
            FaultError: It is none.
            TimeoutError: It takes too long; an expression can do so on a single line.
        """
        try:
            wanted = regex.compile(pattern)
        except regex.error as error:
            raise FaultError("tool.error.invalid_pattern", pattern=pattern, error=error) from None
        hits = []
        for file in self._walk(self._existing(path)):
            try:
                text = self._text(file, "")
            except FaultError:
                continue  # no text
            for number, line in enumerate(text.splitlines(), 1):
                try:
                    found = wanted.search(line, timeout=SECONDS)
                except TimeoutError:
                    raise TimeoutError(SECONDS) from None
                if found:
                    hits.append(f"{self._shown(file)}:{number}: {line.strip()[:MOST_OF_A_LINE]}")
        return self._listed(hits, pattern, MOST_HITS)

    def _listed(self, found: list[str], pattern: str, most: int) -> str:
        if not found:
            return self.prompts.render("tool.result.no_matches", pattern=pattern)
        shown = found[:most]
        if len(found) > most:
            note = self.prompts.render("tool.result.more", shown=most, total=len(found))
            shown.append(note)
        return "\n".join(shown)

    # Places

    def _inside(self, path: str) -> Path:
        """Return the real place of a path: links and `..` are followed before it is judged."""
        try:
            place = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links; a NUL
            raise FaultError("tool.error.file_not_found", path=as_json(path)[1:-1]) from None
        if not place.is_relative_to(self.root):
            raise FaultError("tool.error.path_outside", path=path)
        return place

    def _existing(self, path: str) -> Path:
        place = self._inside(path)
        if place.exists():
            return place
        known = [self._shown(file) for file in islice(self._walk(self.root), MOST_FILES)]
        names = {os.path.basename(each): each for each in reversed(known)}
        near = get_close_matches(path, known, 3)
        near += [names[name] for name in get_close_matches(place.name, names, 3, 0.8)]
        if near:
            listed = ", ".join(dict.fromkeys(near))
            raise FaultError("tool.error.file_not_found_near", path=path, names=listed)
        raise FaultError("tool.error.file_not_found", path=path)

    def _file(self, path: str) -> Path:
        place = self._existing(path)
        if place.is_dir():
            raise FaultError("tool.error.not_a_file", path=path)
        return place

    def _walk(self, base: Path) -> Iterator[Path]:
        """Yield the files in a folder, sorted; no link out of the root is among them."""
        if base.is_file():
            yield base
        for folder, folders, names in os.walk(base):
            folders[:] = sorted(set(folders) - HIDDEN)
            for name in sorted(names):
                file = Path(folder, name)
                if file.is_file() and file.resolve().is_relative_to(self.root):
                    yield file

    def _shown(self, file: Path) -> str:
        return file.relative_to(self.root).as_posix()

    # Content

    def _text(self, file: Path, path: str) -> str:
        try:
            text = file.read_bytes().decode() if file.is_file() else "\0"  # a device could block
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise FaultError("tool.error.binary_file", path=path)
        return text

    def _current(self, file: Path, path: str) -> str:
        """Return the content of a file that may be changed."""
        if file.is_dir():
            raise FaultError("tool.error.not_a_file", path=path)
        text = self._text(file, path)
        if text and file not in self._seen:
            raise FaultError("tool.error.not_read_yet", path=path)
        if text and self._seen[file] != _digest(text):
            raise FaultError("tool.error.file_changed", path=path)
        return text

    def _store(self, file: Path, text: str) -> None:
        file.write_bytes(text.encode())
        self._seen[file] = _digest(text)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _lines_of(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield text.count("\n", 0, at) + 1
        at = text.find(part, at + len(part))
