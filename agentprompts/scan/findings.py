"""What is wrong with the uses of prompts in a code base."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..diagnostics import Diagnostic, Place, Severity
from ..registry import PromptRegistry
from .scopes import Form, Later
from .uses import Given, Use, Uses, read_uses

__all__ = ["scan", "unreadable"]

_MOST_GUESSES = 1000
"""Most unknown keys that a known one is looked for: each look costs as much as the catalog."""
_SILENCED = re.compile(r"#\s*agentprompts:\s*ignore\b")


def scan(
    sources: Mapping[str, str],
    registry: PromptRegistry,
    unused: Mapping[str, Place] | None = None,
) -> list[Diagnostic]:
    """Return the findings on the uses of a catalog's prompts in Python code.

    Args:
        sources: The code by the name of its file.
        registry: The catalog, under the prefix under which the code includes it.
        unused: The keys to be reported where nothing uses them, and where each is declared. Give
            it only where `sources` are all that uses the catalog.

    >>> from agentprompts import PromptTemplate
    >>> prompts = PromptRegistry({"chat.ask": PromptTemplate("{query}?", variables=["query"])})
    >>> code = 'prompts.render("chat.ask", qurey="who")'
    >>> for found in scan({"app.py": code}, prompts):
    ...     print(found.place, found.severity, found.message)
    app.py:1:16 error the slot 'query' is given no value
    app.py:1:28 warning there is no slot 'qurey': the value is ignored
    """
    uses = Uses()
    findings = []
    with warnings.catch_warnings(action="ignore"):  # of code that is not ours
        for name, text in sources.items():
            try:
                read_uses(name, text, uses)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                findings.append(unreadable(name, error))
    judge = _Judge(uses, registry)
    findings += (
        found for use in uses.found for found in judge.findings(use)
        if not _is_silenced(found, sources)
    )  # fmt: skip
    findings = sorted(dict.fromkeys(findings), key=_order)
    message = "nothing in the code that was scanned uses this prompt"
    mend = "take it out, or scan the code that uses it as well"
    return findings + [
        _Told(*one).finding("key-unused", message, mend, severity="warning")
        for one in judge.unused(unused or {})
    ]


def unreadable(name: str, error: Exception) -> Diagnostic:
    """Return the finding on a file that is no Python, and is passed over."""
    line, column = 1, 1
    reason: object = error
    if isinstance(error, SyntaxError):
        line, column, reason = error.lineno or 1, error.offset or 1, error.msg
    elif isinstance(error, OSError):
        reason = error.strerror
    return Diagnostic(
        code="file-unreadable",
        message=f"this cannot be read as Python: {reason}",
        mend="nothing is known of its uses of prompts; mend it, or leave it out",
        severity="warning",
        place=Place(max(line, 1), max(column, 1), name),
    )


def _order(found: Diagnostic) -> tuple[str, int, int]:
    place = found.place or Place(1, 1)
    return place.file or "", place.line, place.column


def _is_silenced(found: Diagnostic, sources: Mapping[str, str]) -> bool:
    place = found.place
    if place is None or place.file is None or "agentprompts:" not in sources[place.file]:
        return False
    return bool(_SILENCED.search(sources[place.file].split("\n")[place.line - 1]))


class _Told(NamedTuple):
    """Makes the findings on a key at a place."""

    key: str
    place: Place

    def finding(
        self,
        code: str,
        message: str,
        mend: str,
        subject: str | None = None,
        severity: Severity = "error",
    ) -> Diagnostic:
        return Diagnostic(
            code=code,
            message=message,
            mend=mend,
            severity=severity,
            key=self.key,
            place=self.place,
            subject=subject,
        )


class _Judge:
    """The catalog and everything that the code registers, and what is said of a use."""

    def __init__(self, uses: Uses, registry: PromptRegistry) -> None:
        self.uses = uses
        self.renamed = registry.renamed
        self.slots: dict[str, tuple[str, ...] | None] = {
            key: template.variables for key, template in registry.items()
        }
        self.catalog = set(self.slots)
        self.open: list[re.Pattern[str]] = []
        for use in uses.found:
            if use.method in ("register", "include") and use.on.sure is not None:
                for form in use.keys:
                    self._register(use, self.settled((*use.on.prefix, *form)))
        self.families: dict[str, list[str]] = {}
        for key in self.slots:
            self.families.setdefault("".join(key.partition(".")[:2]), []).append(key)
        self.evident = {
            use.name
            for use in uses.found
            for key, _ in self.exact(use)
            if "." in key and key in self.slots and use.method != "register"
        }
        self.guesses: dict[str, str | None] = {}

    def _register(self, use: Use, form: Form) -> None:
        match form:
            case (str() as key,) if use.method == "register":
                self.slots.setdefault(key, use.slots)
            case (str() as start, *_) if not any(key.startswith(start) for key in self.catalog):
                self.open.append(_pattern(form))

    def settled(self, form: Form) -> Form:
        """Return a form with the constants of other files in it, and its known parts joined."""
        parts: list[str | None] = []
        for part in form:
            if isinstance(part, Later):
                part = self.constant(part.name)
            if parts and parts[-1] is not None and part is not None:
                parts[-1] += part
            else:
                parts.append(part)
        return tuple(parts)

    def constant(self, name: str) -> str | None:
        """Return the value of a constant, if it is the only one of its name."""
        while name:  # `keys.Key.HELLO` may be `Key.HELLO` of the file `keys`
            if len(known := self.uses.constants.get(name, ())) == 1:
                return next(iter(known))
            name = name.partition(".")[2]
        return None

    def exact(self, use: Use) -> Iterator[tuple[str, str]]:
        """Yield (key, key without its namespace's prefix) where the code says all of it."""
        for form in use.keys:
            match self.settled((*use.on.prefix, *form)), self.settled(form):
                case (str() as key,), (str() as name,):
                    # A library's catalog, scanned by itself, has keys without the prefix.
                    yield (name if key not in self.slots and name in self.slots else key), name

    def findings(self, use: Use) -> Iterator[Diagnostic]:
        """Yield what is wrong with a use."""
        if use.method in ("register", "include"):
            return
        keys = list(self.exact(use))
        for key, name in keys:
            if key in self.slots:
                if use.given is not None and (use.on.sure is not None or "." in key):
                    yield from self._values(use.given, key, use.place, alone=len(keys) == 1)
            elif self._is_reported(use, key, name):
                told = _Told(key, use.place)
                if (today := self.renamed.get(key)) is not None:
                    message = f"the key {key!r} is called {today!r} today"
                    yield told.finding(
                        "key-renamed", message, f"write {today!r}", severity="warning"
                    )
                    continue
                near = self._near(key) or self._near(name)
                yield told.finding(
                    "key-unknown",
                    f"the catalog has no key {key!r}",
                    f"did you mean {near!r}?" if near else "`agentprompts list` shows them all",
                )

    def _is_reported(self, use: Use, key: str, name: str) -> bool:
        """Whether an unknown key is one of this catalog's, as the package's docstring tells."""
        if any(one.fullmatch(key) for one in self.open):
            return False
        belongs = "." in key and (key[: key.index(".") + 1] in self.families or key in self.renamed)
        if use.on.sure:
            return belongs or key in self.renamed or bool(self._near(key) or self._near(name))
        if use.on.sure is False or use.name in self.evident:
            return belongs
        return belongs and use.method in _ASKED and bool(key in self.renamed or self._near(key))

    def _near(self, key: str) -> str | None:
        if key not in self.guesses and len(self.guesses) < _MOST_GUESSES:
            first, dot, _ = key.partition(".")
            known = self.families.get(first + dot) or self.slots
            close = difflib.get_close_matches(key, known, 1, 0.75)
            self.guesses[key] = close[0] if close else None
        return self.guesses.get(key)

    def _values(self, given: Given, key: str, at: Place, *, alone: bool) -> Iterator[Diagnostic]:
        if (declared := self.slots[key]) is None:
            return
        missing = [name for name in declared if name not in given.values]
        for name in missing if given.complete else ():
            message = f"the slot {name!r} is given no value"
            yield _Told(key, at).finding("slot-missing", message, f"add {name}=…", name)
        for name, (place, is_text) in given.values.items():
            told = _Told(key, place)
            if name in declared and not is_text:
                message = f"the slot {name!r} cannot be filled from None or bytes"
                mend = "pass text, such as '' for nothing, or decode the bytes"
                yield told.finding("value-invalid", message, mend, name)
            elif name not in declared and alone:
                close = difflib.get_close_matches(name, missing or declared, 1)
                message = f"there is no slot {name!r}: the value is ignored"
                mend = f"did you mean {close[0]!r}?" if close else "take it out"
                yield told.finding("slot-unknown", message, mend, name, severity="warning")

    def unused(self, keys: Mapping[str, Place]) -> Iterator[tuple[str, Place]]:
        """Yield the keys that no string of the code can be, and where they are declared."""
        prefixes = [one[0] for one in map(self.settled, self.uses.prefixes) if len(one) == 1]
        names = {
            key: [key, *(key[len(p) :] for p in prefixes if p is not None and key.startswith(p))]
            for key in keys
        }
        beginnings = {n[:size] for every in names.values() for n in every for size in range(len(n))}
        shapes = {self.settled(form) for use in self.uses.found for form in use.keys}
        shapes |= {self.settled(one) for one in self.uses.patterns}
        shapes |= {(text, None) for text in self.uses.literals if text.endswith(".")}
        patterns = [
            _pattern(one)
            for one in shapes
            if None in one and _says_much(one) and (one[0] is None or one[0] in beginnings)
        ]
        used = {self.renamed.get(text, text) for text in self.uses.literals}
        used |= {key for use in self.uses.found for key, _ in self.exact(use)}
        for key, place in keys.items():
            if not any(n in used or any(p.fullmatch(n) for p in patterns) for n in names[key]):
                yield key, place


_ASKED = ("render", "text", "ref", "origin")


def _says_much(form: Form) -> bool:
    return any(isinstance(part, str) and re.search(r"\w", part) for part in form)


def _pattern(form: Form) -> re.Pattern[str]:
    return re.compile(
        "".join(re.escape(p) if isinstance(p, str) else ".+" for p in form), re.DOTALL
    )
