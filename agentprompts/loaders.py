"""Folders of Markdown prompts into a registry, and loaders that are put together of others.

A loader reads a whole set of prompts at once, every language of it, and all of it must be right.
Where one set stands over another, the contract of the one below stays in force: a file may reword
a built-in prompt, and must keep its slots and tokens.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from .diagnostics import Diagnostic, Place
from .errors import PromptError, raise_faults
from .files import Folder, file_names, read_file, shown
from .locales import spelling
from .markdown import MOST_BYTES, MarkdownPrompt, read_markdown
from .registry import LocalePacks, PromptRegistry
from .scanner import check, key_faults
from .sections import PromptBuilder
from .template import PromptTemplate

__all__ = [
    "ChainLoader",
    "Listed",
    "LoadedPrompt",
    "Loader",
    "PrefixLoader",
    "PromptLoader",
    "PromptSet",
    "override_section",
]

BuiltIn: TypeAlias = "PromptRegistry | Mapping[str, str | PromptTemplate]"

FIRST_LINE = 60
_PATH = (str, os.PathLike)


@dataclass(frozen=True, slots=True)
class LoadedPrompt:
    """One text of a set.

    Args:
        name: The prompt's key.
        template: Its text and contract.
        read: What was read of its file; `None` for a built-in one.
    """

    name: str
    template: PromptTemplate
    read: MarkdownPrompt | None = None

    @property
    def text(self) -> str:
        """The text, slots and all."""
        return self.template.template

    @property
    def version(self) -> str | None:
        """What the author calls this wording."""
        return self.read.version if self.read else None

    def under(self, old: PromptTemplate, faults: list[Diagnostic]) -> LoadedPrompt:
        """Return this text under the contract of the prompt that it translates or stands for."""
        found = old.check(self.text)
        mine = self.read.contract if self.read else self.template.contract
        for name in ("variables", "protected"):
            more = set(getattr(mine, name)) - set(getattr(old, name))
            if more and (self.read is None or name in self.read.declared):
                what = f"{name} has {sorted(more)}, which the prompt itself does not declare"
                mend = "take them out here, or declare them there"
                found.append(Diagnostic(code="contract-differs", message=what, mend=mend))
        place = self.read.placed if self.read else Diagnostic.at
        faults += [place(fault, key=self.name) for fault in found]
        return replace(self, template=old.reworded(self.text))


class Listed(NamedTuple):
    """A line of a listing: a name, the text's length, its first line that is not blank."""

    name: str
    length: int
    first_line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSet(Mapping[str, LoadedPrompt]):
    """What a loader read: prompts by name, in their order. `get` answers `None` for what is not.

    Args:
        prompts: The prompts by name.
        source: The language of their texts.
        texts: Texts in other languages, by locale and name; each honours its prompt's contract.
        foreign: The language of those prompts that have no text in the source's.
        renamed: The name of today by the name that a prompt had.
        findings: What was left out of a catalog's packs, and why.
    """

    prompts: Mapping[str, LoadedPrompt]
    source: str = "en"
    texts: Mapping[str, Mapping[str, LoadedPrompt]] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()

    def __getitem__(self, name: str) -> LoadedPrompt:
        return self.prompts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.prompts)

    def __len__(self) -> int:
        return len(self.prompts)

    def listing(self) -> list[Listed]:
        """Return name, length and first line of each prompt, at most 60 characters of the line."""
        rows = []
        for name, one in self.items():
            lines = (line.strip() for line in one.text.splitlines())
            first = next(filter(None, lines), "")
            rows.append(Listed(name, len(one.text), first[:FIRST_LINE]))
        return rows

    def registry(self) -> PromptRegistry:
        """Return a new registry of these prompts, in all their languages."""

        def load(locale: str) -> tuple[Mapping[str, PromptTemplate], tuple[Diagnostic, ...]]:
            found = tuple(one for one in self.findings if one.locale == locale)
            return _templates(self.texts[locale]), found

        # `tag=locale` binds each function to its own locale.
        loads = {locale: lambda tag=locale: load(tag) for locale in self.texts}
        packs = LocalePacks(self.source, loads, self.renamed)
        packs.foreign = dict(self.foreign)
        return PromptRegistry.with_packs(_templates(self.prompts), packs)

    @classmethod
    def of(cls, prompts: BuiltIn) -> PromptSet:
        """Return the set of what is in force in a registry, or of a mapping's texts."""
        if not isinstance(prompts, PromptRegistry):
            prompts = PromptRegistry(
                (name, text if isinstance(text, PromptTemplate) else PromptTemplate(text))
                for name, text in prompts.items()
            )
        state = prompts.snapshot()._state
        overrides, packs = state.overrides(), state.packs
        locales = [tag for tag in {*packs.locales, *overrides} if tag and tag != packs.source]
        texts = {
            tag: {k: t for k, t in packs.texts(tag).items() if k not in overrides[None]}
            | overrides.get(tag, {})
            for tag in sorted(locales)
        }
        return cls(
            prompts=_loaded(state.items()),
            source=packs.source,
            texts={tag: _loaded(found) for tag, found in texts.items()},
            foreign=packs.foreign,
            renamed=packs.renamed,
            findings=tuple(found for tag in texts for found in packs.findings(tag)),
        )

    def over(self, below: PromptSet) -> PromptSet:
        """Return both sets as one: where both have a name, this one's text and below's contract.

        Raises:
            PromptError: A text of this set breaks the contract of the prompt that it stands for,
                or the two sets are in different languages.
        """
        if self and below and self.source != below.source:
            raise PromptError(
                f"Cannot put prompts in {self.source!r} over prompts in {below.source!r}: tell "
                "PromptLoader the locale of its files"
            )
        faults: list[Diagnostic] = []

        def merged(
            ours: Mapping[str, LoadedPrompt], theirs: Mapping[str, LoadedPrompt]
        ) -> dict[str, LoadedPrompt]:
            kept = {
                name: one.under(below[name].template, faults) if name in below else one
                for name, one in ours.items()
            }
            return {**kept, **{name: one for name, one in theirs.items() if name not in self}}

        locales = dict.fromkeys([*self.texts, *below.texts])
        made = replace(
            below if below else self,
            prompts=merged(self, below),
            texts={t: merged(self.texts.get(t, {}), below.texts.get(t, {})) for t in locales},
            foreign={n: t for n, t in below.foreign.items() if n not in self} | {**self.foreign},
            renamed={**below.renamed, **self.renamed},
            findings=self.findings + below.findings,
        )
        raise_faults("Invalid prompt override", faults)
        return made


def _templates(prompts: Mapping[str, LoadedPrompt]) -> dict[str, PromptTemplate]:
    return {name: one.template for name, one in prompts.items()}


def _loaded(templates: Mapping[str, PromptTemplate]) -> dict[str, LoadedPrompt]:
    return {name: LoadedPrompt(name, template) for name, template in templates.items()}


class Loader(ABC):
    """Where a set of prompts comes from. Write `load`, and a loader of your own fits in."""

    @abstractmethod
    def load(self) -> PromptSet:
        """Read the whole set as it is now.

        Raises:
            PromptError: With every fault found; then nothing was loaded.
        """

    def folders(self) -> tuple[str, ...]:
        """Return the directories that are read, for whoever watches them."""
        return ()

    async def aload(self) -> PromptSet:
        """Read the set in another thread, so that the event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.load)

    def get(self, name: str, default: Any = None) -> Any:
        """Read the set, and return one prompt of it as `LoadedPrompt`, or the default."""
        return self.load().get(name, default)

    def registry(self) -> PromptRegistry:
        """Read the set, and return it as a new registry."""
        return self.load().registry()


class PromptLoader(Loader):
    """The `*.md` files of a folder, sorted: each a prompt, named by its file or by its own `id`.

    Args:
        folder: A directory, or package data. One that does not exist has no prompts.
        locale: The language of files that name none.
        guess: Whether what looks like a slot, `{name}`, is one in a file that declares no
            variables. Without it, only what is declared is a slot.

    `coding.zh-Hans.md` beside `coding.md` is the same prompt in another language, unless it has
    an `id` of its own; so is a file whose front matter has the same `id` and a `locale`. Names that
    begin with a dot are passed over, as by a shell.
    """

    def __init__(self, folder: Folder, *, locale: str = "en", guess: bool = False) -> None:
        # Read now and later: the process may have changed its directory in between.
        self.folder = os.path.abspath(folder) if isinstance(folder, _PATH) else folder
        self.locale = spelling(locale)
        self.guess = guess

    def folders(self) -> tuple[str, ...]:
        """Return the folder, unless it is package data."""
        return (os.fspath(self.folder),) if isinstance(self.folder, _PATH) else ()

    def load(self) -> PromptSet:
        """Read every file of the folder."""
        faults: list[Diagnostic] = []
        made = self._set(self._by_key(faults), faults)
        raise_faults(f"Cannot load {shown(self.folder)}", faults)
        return made

    def _by_key(self, faults: list[Diagnostic]) -> dict[str, dict[str, MarkdownPrompt]]:
        """Return what was read by key and locale."""
        names = [name for name in self._names() if name == ".md" or not name.startswith(".")]
        read: dict[str, MarkdownPrompt] = {}
        for name in names:
            try:
                data = read_file(self.folder, name, MOST_BYTES)
                read[name] = read_markdown(data, shown(self.folder, name), guess=self.guess)
            except PromptError as error:
                faults += error.diagnostics
        found: dict[str, dict[str, MarkdownPrompt]] = {}
        # Translations last: a prompt's place, and its contract, are those of its own file.
        for name in sorted(read, key=lambda name: _beside(name, names)[1] is not None):
            one, (base, tag) = read[name], _beside(name, names)
            home = (read[base].id if base in read else None) or base.removesuffix(".md")
            key = one.id or home
            if key != home:
                tag = None  # a prompt of its own, such as `rag.ask` beside `rag`
            locale = one.locale or tag or self.locale
            wrong = key_faults(key)
            if tag and one.locale not in (None, tag):
                what = f"the file's name says {tag!r}, and its front matter {one.locale!r}"
                mend = "take the locale out of one of the two"
                wrong.append(Diagnostic(code="locale-invalid", message=what, mend=mend))
            first = found.setdefault(key, {}).setdefault(locale, one)
            if first is not one:
                what = f"the prompt {key!r} is there twice in {locale!r}"
                mend, there = "keep one of the two, or give one an id of its own", first.place
                wrong.append(
                    Diagnostic(code="key-duplicate", message=what, mend=mend, related=there)
                )
            faults += [fault.at(key=key, place=Place(1, 1, one.file)) for fault in wrong]
        return found

    def _names(self) -> list[str]:
        try:
            names = file_names(self.folder)
        except PromptError:
            if _exists(self.folder):
                raise
            return []
        return sorted(name for name in names if name.endswith(".md"))

    def _set(
        self, found: Mapping[str, Mapping[str, MarkdownPrompt]], faults: list[Diagnostic]
    ) -> PromptSet:
        prompts: dict[str, LoadedPrompt] = {}
        texts: dict[str, dict[str, LoadedPrompt]] = {}
        foreign: dict[str, str] = {}
        for key, by_locale in found.items():
            home = self.locale if self.locale in by_locale else next(iter(by_locale))
            base = by_locale[home]
            if wrong := check(base.text, base.contract):
                faults += [base.placed(fault, key) for fault in wrong]
                continue
            template = PromptTemplate.from_contract(base.text, base.contract)
            prompts[key] = LoadedPrompt(key, template, base)
            if home != self.locale:
                foreign[key] = home
                texts.setdefault(home, {})[key] = prompts[key]
            for locale, one in by_locale.items():
                if one is not base:
                    new = LoadedPrompt(key, template.reworded(one.text), one)
                    texts.setdefault(locale, {})[key] = new.under(template, faults)
        return PromptSet(prompts=prompts, source=self.locale, texts=texts, foreign=foreign)


def _beside(name: str, names: list[str]) -> tuple[str, str | None]:
    """Return the file whose text this one has in another language, and which: else itself."""
    base, _, tag = name.removesuffix(".md").rpartition(".")
    try:
        if f"{base}.md" in names:
            return f"{base}.md", spelling(tag)
    except PromptError:
        pass  # a part of a key, such as the last one of `memory.extract`
    return name, None


def _exists(folder: Folder) -> bool:
    if isinstance(folder, _PATH):
        return os.path.lexists(folder)
    return folder.is_dir() or folder.is_file()


class ChainLoader(Loader):
    """Several sources as one: the first that has a prompt wins, the others stand in.

    Args:
        *layers: Loaders, registries, and mappings of texts or templates: built-in prompts last.

    A text that stands for another's prompt honours that prompt's contract, whatever its own file
    declares, and brings its own translations; those of the text below do not follow it.

    >>> built_in = {"coding": PromptTemplate("You work in {workspace}.", variables=["workspace"])}
    >>> ChainLoader(PromptLoader("no/such/folder"), built_in).get("coding").text
    'You work in {workspace}.'
    """

    def __init__(self, *layers: Loader | BuiltIn) -> None:
        self.layers = layers

    def folders(self) -> tuple[str, ...]:
        """Return the folders of every layer."""
        return tuple(f for one in self.layers if isinstance(one, Loader) for f in one.folders())

    def load(self) -> PromptSet:
        """Read every layer."""
        made: PromptSet | None = None
        for layer in reversed(self.layers):
            one = layer.load() if isinstance(layer, Loader) else PromptSet.of(layer)
            made = one if made is None else one.over(made)
        return PromptSet(prompts={}) if made is None else made


class PrefixLoader(Loader):
    """Another loader's prompts under a prefix: `memory` makes `extract` to `memory.extract`.

    Raises:
        PromptError: The prefix cannot begin a key.
    """

    def __init__(self, prefix: str, loader: Loader) -> None:
        raise_faults("Invalid prefix", key_faults(prefix))
        self.prefix = prefix
        self.loader = loader

    def folders(self) -> tuple[str, ...]:
        """Return the other loader's folders."""
        return self.loader.folders()

    def load(self) -> PromptSet:
        """Read the other loader's prompts."""
        found, start = self.loader.load(), f"{self.prefix}."

        def moved(prompts: Mapping[str, LoadedPrompt]) -> dict[str, LoadedPrompt]:
            return {start + n: replace(one, name=start + n) for n, one in prompts.items()}

        return replace(
            found,
            prompts=moved(found),
            texts={locale: moved(texts) for locale, texts in found.texts.items()},
            foreign={start + name: locale for name, locale in found.foreign.items()},
            renamed={start + old: start + name for old, name in found.renamed.items()},
            findings=tuple(one.at(key=one.key and start + one.key) for one in found.findings),
        )


def override_section(
    builder: PromptBuilder[Any], id: str, path: str | os.PathLike[str]
) -> PromptBuilder[Any]:
    """Let the text of a Markdown file stand for one section of a builder. Return the builder.

    Where the section's own body is a prompt of the catalog, the text is held to its contract.

    Raises:
        PromptError: The file is missing or cannot be used, or there is no such section; the file
            is named.
    """
    folder, name = os.path.split(os.path.abspath(path))
    read = read_markdown(read_file(folder, name, MOST_BYTES), os.fspath(path))
    try:
        return builder.replace(id, read.text)
    except PromptError as error:
        found = [read.placed(one, id) for one in error.diagnostics]
        raise PromptError(f"Cannot use {os.fspath(path)}: {error.headline}", found) from error
