"""A prompt as a Markdown file: front matter, and the text below it. Bytes in, values out.

Front matter stands at the very top: TOML between two lines `+++`, or YAML between two lines `---`.
All of its fields may be left out: `id`, `version`, `description`, `variables`, `protected` and
`locale`. The text is what follows, without one blank line after the front matter and without the
last line's end; all else, rules (`---`) included, is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from .diagnostics import Diagnostic, Place, place_at
from .errors import PromptError, raise_faults
from .locales import spelling
from .scanner import Contract, guess_slots, key_faults
from .tomltext import TomlFile, decoded, refuse_controls

__all__ = ["MOST_BYTES", "MarkdownPrompt", "read_markdown"]

MOST_BYTES = 1024 * 1024
"""Largest file that is read: some 250,000 tokens, more than most models take in."""

_MOST_FRONT = 64 * 1024
_MOST_DEPTH = 8
_CODE = "markdown-invalid"
_LISTS = ("variables", "protected")
_FIELDS = ("id", "version", "description", *_LISTS, "locale")
_RULE = "; a line of '---' that is only a rule is written '***'"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownPrompt:
    """What a file says: a text, and what its front matter tells of it.

    Args:
        file: The file's name in diagnostics.
        source: The whole file, its line ends made LF.
        start: Where the text begins in it.
        text: The prompt's text.
        contract: The slots and tokens declared; without front matter, there are none.
        declared: The fields that the front matter has.
        id: The prompt's key, where it is not the file's name that tells it.
        version: What the author calls this wording.
        locale: The language of the text, in BCP 47's spelling.
    """

    file: str
    source: str
    start: int
    text: str
    contract: Contract
    declared: frozenset[str]
    id: str | None
    version: str | None
    locale: str | None

    @property
    def place(self) -> Place:
        """Where the text begins."""
        return place_at(self.source, self.start, self.file)

    def placed(self, found: Diagnostic, key: str) -> Diagnostic:
        """Return a finding on the text with its place in the file."""
        at = place_at(self.source, self.start + (found.offset or 0), self.file)
        return found.at(key=key, place=at)


def read_markdown(data: bytes, file: str, *, guess: bool = False) -> MarkdownPrompt:
    """Read a prompt; whether its text holds what it declares is judged by whoever takes it in.

    Args:
        data: The file's bytes.
        file: What diagnostics call it.
        guess: Whether what looks like a slot, `{name}`, is one where no variables are declared.

    Raises:
        PromptError: The file is too long, empty or no text, or its front matter is wrong; with
            every fault of the front matter's fields.

    >>> read_markdown(b"+++\\nvariables = ['os']\\n+++\\n\\nYou run on {os}.\\n", "a.md").text
    'You run on {os}.'
    """
    if len(data) > MOST_BYTES:
        why = f"the file has {len(data):,} bytes; {MOST_BYTES:,} are read at most"
        _refuse(Place(1, 1, file), why, "shorten it, or split the prompt")
    source, _ = decoded(data, file, _CODE)
    refuse_controls(source, file, _CODE)
    fields, place, start = _front_matter(source, file)
    text = source[start:].removesuffix("\n")
    faults = _wrong_fields(fields, place)
    if not text.strip():
        at = place_at(source, start, file)
        faults.append(_fault(at, "the prompt has no text", "write one, or take the file away"))
    raise_faults(f"Invalid prompt {file}", faults)
    declared = frozenset(fields)
    given = {name: fields[name] for name in ("description", *_LISTS) if name in fields}
    if guess and "variables" not in declared:
        given["variables"] = guess_slots(text)
    try:
        contract = Contract(**given)
    except PromptError as error:
        wrong = [fault.at(place=place(fault.subject or "")) for fault in error.diagnostics]
        raise PromptError(f"Invalid prompt {file}: {error.headline}", wrong) from None
    locale = fields.get("locale")
    version = fields.get("version")
    return MarkdownPrompt(
        file=file,
        source=source,
        start=start,
        text=text,
        contract=contract,
        declared=declared,
        id=fields.get("id"),
        version=None if version is None else str(version),
        locale=None if locale is None else spelling(locale),
    )


class _Front(NamedTuple):
    fields: dict[str, Any]
    place: Callable[[str], Place]
    """Where a field stands."""
    start: int
    """Where the text begins below it."""


def _front_matter(source: str, file: str) -> _Front:
    first = source.partition("\n")[0]
    fence = first.rstrip(" \t")
    if fence not in ("+++", "---"):
        return _Front({}, lambda _: Place(1, 1, file), 0)
    begin = len(first) + 1
    closing = re.compile(rf"^{re.escape(fence)}[ \t]*$", re.MULTILINE).search(source, begin)
    rule = _RULE if fence == "---" else ""
    if closing is None:
        mend = f"end it with a line of {fence!r}{rule}"
        _refuse(Place(1, 1, file), f"the front matter is not closed by a line of {fence!r}", mend)
    if closing.start() - begin > _MOST_FRONT:
        mend = f"write at most {_MOST_FRONT:,} characters between the two lines{rule}"
        _refuse(Place(1, 1, file), "the front matter is too long", mend)
    front = source[begin : closing.start()]
    start = closing.end() + 1
    if (blank := re.compile(r"[ \t]*\n").match(source, start)) is not None:
        start = blank.end()
    start = min(start, len(source))
    if fence == "+++":
        toml = TomlFile("\n" + front, file)  # a line before it, as in the file
        return _Front(toml.data, lambda name: toml.place((name,)), start)
    fields, offsets = _read_yaml(front, lambda at: place_at(source, begin + at, file))
    return _Front(fields, lambda name: place_at(source, begin + offsets.get(name, 0), file), start)


def _read_yaml(text: str, place: Callable[[int], Place]) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the fields, and where each stands; the safe loader alone makes values of them."""
    try:
        import yaml
    except ImportError:
        raise PromptError(
            f"Cannot read {place(0).file}: YAML needs an extra, pip install 'agentprompts[yaml]'; "
            "TOML between lines of '+++' needs none"
        ) from None
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            # Before any value is made: nested aliases are how a few lines fill a memory.
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _MOST_DEPTH:
                what = "an alias" if isinstance(event, yaml.AliasEvent) else "deep nesting"
                at = event.start_mark.index if event.start_mark is not None else 0
                _refuse(place(at), f"{what} where a plain value belongs", "write the value out")
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            mend = f"write lines such as 'id: chat.coding'{_RULE}"
            _refuse(place(node.start_mark.index), "this is no front matter: no fields", mend)
        offsets: dict[str, int] = {}
        for key, _ in node.value:
            at, name = key.start_mark.index, key.value
            if key.tag != "tag:yaml.org,2002:str" or not isinstance(name, str):
                _refuse(place(at), "this is no name of a field", f"there are {', '.join(_FIELDS)}")
            if name in offsets:
                what, first = f"the field {name!r} is there twice", place(offsets[name])
                _refuse(place(at), what, "keep one of the two", first)
            offsets[name] = at
        return loader.construct_document(node), offsets
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        _refuse_yaml(place(0 if mark is None else mark.index), error.problem or error.context)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        # What the reader, or Python's own date and int, refuses.
        _refuse_yaml(place(getattr(error, "position", 0) or 0), str(error).split("\n")[0])


def _refuse_yaml(place: Place, why: object) -> NoReturn:
    _refuse(place, f"this is no YAML: {why}", f"put the value in quotes, or write TOML{_RULE}")


def _wrong_fields(fields: dict[str, Any], place: Callable[[str], Place]) -> list[Diagnostic]:
    """Return what is wrong with names and types; values are never shown, large as they may be."""
    found = []
    for name, value in fields.items():
        what = "a list of texts" if name in _LISTS else "a text"
        kind = type(value).__name__
        if name not in _FIELDS:
            mend = f"there are {', '.join(_FIELDS)}"
            found.append(_fault(place(name), f"unknown field {name[:40]!r}", mend))
        elif name == "version" and type(value) is int:
            continue
        elif name in _LISTS and isinstance(value, list):
            if not all(isinstance(entry, str) for entry in value):
                found.append(_fault(place(name), f"{name} holds what is no text", "quote each"))
        elif name in _LISTS or not isinstance(value, str):
            mend = "put it in quotes" if what == "a text" else "put it in [ and ]"
            found.append(_fault(place(name), f"{name} is {kind}, but must be {what}", mend))
        elif name == "id":
            found += [fault.at(place=place(name)) for fault in key_faults(value)]
        elif name == "locale":
            try:
                spelling(value)
            except PromptError as error:
                found.append(_fault(place(name), error.headline, "take it out, or mend it"))
    return found


def _fault(
    place: Place, message: str, mend: str | None = None, related: Place | None = None
) -> Diagnostic:
    return Diagnostic(code=_CODE, message=message, mend=mend, place=place, related=related)


def _refuse(place: Place, message: str, mend: str, related: Place | None = None) -> NoReturn:
    found = _fault(place, message, mend, related)
    raise PromptError(f"Cannot read {place.file}: {message}", [found])
