"""What a registry says of a key that it cannot take."""

from __future__ import annotations

from ..diagnostics import Diagnostic

__all__ = ["key_taken", "key_unknown", "translated_already"]


def key_taken(key: str) -> Diagnostic:
    """Return the finding on a new key that is there already."""
    return Diagnostic(
        code="key-exists",
        message=f"Prompt key already exists: {key!r}",
        mend="change its text with override or with_overrides; register takes new keys only",
        key=key,
    )


def translated_already(key: str, locale: str) -> Diagnostic:
    """Return the finding on a language pack's text where there is another one."""
    return Diagnostic(
        code="key-exists",
        message=f"{key!r} has another text in this locale already, which stays",
        mend="override it, if the other text is better",
        severity="warning",
        key=key,
        locale=locale,
    )


def key_unknown(key: str, known: list[str]) -> Diagnostic:
    """Return the finding on a key that no prompt has, and which it may have been meant as."""
    import difflib

    close = difflib.get_close_matches(str(key), known, 1, 0.75) if len(known) <= 2000 else []
    return Diagnostic(
        code="key-unknown",
        message=f"Unknown prompt key: {key!r}",
        mend=f"did you mean {close[0]!r}?" if close else "keys() lists them all",
        key=str(key),
    )
