"""The errors of the package: one root, and diagnostics on every one of them."""

from __future__ import annotations

from collections.abc import Iterable

from .diagnostics import Diagnostic

__all__ = ["PromptError", "PromptWarning", "UnknownPromptError", "raise_faults"]


class PromptError(Exception):
    """The root of every error that this package raises about prompts.

    Args:
        message: The headline. Without one, the first diagnostic's message is it.
        diagnostics: Every fault found, not only the first. `str(error)` shows them all.

    The first line reads as `Invalid prompt override: missing placeholder ['query']`; the lines
    after it give key, place, reason and mend of each fault.
    """

    diagnostics: tuple[Diagnostic, ...]
    headline: str

    def __init__(self, message: str = "", diagnostics: Iterable[Diagnostic] = ()) -> None:
        self.diagnostics = tuple(diagnostics)
        self.headline = message or (self.diagnostics[0].message if self.diagnostics else "")
        super().__init__(self.headline, self.diagnostics)

    def __str__(self) -> str:
        details = (
            "  " + line
            for found in self.diagnostics
            for line in found.text(self.headline).splitlines()
        )
        return "\n".join((self.headline, *details))


class PromptWarning(UserWarning):
    """Something that goes on working, and should be changed: a key by its old name."""


class UnknownPromptError(PromptError, KeyError):
    """A key that no prompt has. It is a `KeyError` too, so that mappings' users can catch it."""


def raise_faults(what: str, faults: Iterable[Diagnostic]) -> None:
    """Raise one `PromptError` for all errors among `faults`; do nothing where there are none.

    Args:
        what: What was refused, such as `Invalid prompt override`.
        faults: Findings of any severity; warnings alone raise nothing, and ride along.
    """
    found = tuple(faults)
    errors = [fault for fault in found if fault.severity == "error"]
    if not errors:
        return
    kind = UnknownPromptError if all(f.code == "key-unknown" for f in errors) else PromptError
    raise kind(f"{what}: {_summary(errors)}", found)


# What groups under one name in the headline: the words are the ones that programs written for
# the seed's registry look for in the message.
_GROUPED = {
    "slot": "missing placeholder {}",
    "token": "missing required protocol token {} (changing it would break parsing)",
}


def _summary(errors: list[Diagnostic]) -> str:
    keys = list(dict.fromkeys(error.key for error in errors))
    if len(keys) > 1:
        return f"{len(errors)} faults in {len(keys)} prompts"
    parts: list[str] = []
    for kind, words in _GROUPED.items():
        if subjects := [error.subject for error in errors if error.lacks == kind]:
            parts.append(words.format(subjects))
    parts += [error.message for error in errors if error.lacks is None]
    return "; ".join(parts)
