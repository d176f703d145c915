"""The rules of a key: segments joined by dots, as in `memory.extract`."""

from __future__ import annotations

from ..diagnostics import Diagnostic

__all__ = ["key_faults"]


def key_faults(key: object) -> list[Diagnostic]:
    """Return what is wrong with a prompt's key, or with a namespace.

    >>> key_faults("memory.extract"), key_faults("memory..extract")[0].message
    ([], "the key 'memory..extract' has a blank segment")
    """
    why = None
    if not isinstance(key, str):
        why = f"the key {key!r} is no str"
    elif ".." in f".{key}.":
        why = f"the key {key!r} has a blank segment"
    elif " " in key or not key.isprintable():
        why = f"the key {key!r} holds white space, or a character that cannot be seen"
    if why is None:
        return []
    mend = "write segments joined by dots, such as 'myapp.greeting'"
    return [Diagnostic(code="key-invalid", message=why, mend=mend, key=str(key))]
