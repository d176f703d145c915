"""Assertions for other people's tests: they raise `AssertionError` with every fault in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from ..errors import PromptError
from ..registry import PromptRegistry
from ..scanner import Contract
from .leaks import leaks, message_texts

__all__ = ["assert_contracts", "assert_no_leaks", "assert_override_arrives"]

_MOST = 20


def assert_contracts(
    prompts: PromptRegistry,
    tokens: Mapping[str, Iterable[str] | type[Enum]] | None = None,
    *,
    complete: bool = False,
) -> None:
    """Assert that no text of any locale was left out because it breaks its contract.

    Args:
        prompts: A registry, with all its packs.
        tokens: What the parsers look for, by key; an `Enum` class is its values. It must be
            protected by the contract.
        complete: Whether every pack must have a text for every key, too.

    >>> from agentprompts import DEFAULT_PROMPTS
    >>> assert_contracts(DEFAULT_PROMPTS, {"memory.reconcile": ["ADD", "UPSERT"]})
    Traceback (most recent call last):
    AssertionError: the prompts break their contracts:
      memory.reconcile does not protect 'UPSERT', which a parser looks for
    """
    faults = []
    for key, wanted in (tokens or {}).items():
        lost = set(Contract((), wanted).protected).difference(prompts[key].protected)
        faults += [
            f"{key} does not protect {one!r}, which a parser looks for" for one in sorted(lost)
        ]
    for locale in prompts.locales:
        view = prompts.localized(locale)
        view.preload()
        faults += [str(found) for found in view.findings if found.severity == "error"]
        if complete:
            absent = view.fallen_back()
            faults += [f"{key} [{locale}] falls back to {other}" for key, other in absent.items()]
    _raise("the prompts break their contracts", faults)


def assert_no_leaks(
    messages: Iterable[Any],
    prompts: PromptRegistry,
    *,
    allow: Iterable[str] = (),
    values: bool = False,
) -> None:
    """Assert that the model was told nothing that came from no prompt; see `leaks`."""
    found = leaks(messages, prompts, allow=allow, values=values)
    _raise("text reached the model that is in no prompt", [repr(one) for one in found])


def assert_override_arrives(
    prompts: PromptRegistry,
    run: Callable[[], Iterable[Any]],
    keys: Iterable[str] | None = None,
) -> None:
    """Assert that an override of each prompt reaches the model.

    Args:
        prompts: The registry that your agent holds already: make the agent first, so that the
            override comes after. It is changed: take a copy for the test.
        run: Takes the agent through its work and returns what reached the model, as for `leaks`.
        keys: The prompts that must arrive; all without it.

    Raises:
        AssertionError: With the keys whose new text never arrived.

    >>> from agentprompts import PromptTemplate
    >>> prompts = PromptRegistry({"a": PromptTemplate("A"), "b": PromptTemplate("B")})
    >>> kept = prompts.text("b")
    >>> assert_override_arrives(prompts, lambda: [prompts.text("a"), kept])
    Traceback (most recent call last):
    AssertionError: overrides did not reach the model:
      b
    """
    wanted = list(prompts.keys() if keys is None else keys)
    if not wanted:
        raise PromptError("There is no prompt whose override could arrive")
    marks = {key: f"§{number}§" for number, key in enumerate(wanted)}
    texts = prompts.as_dict()  # no read, where the registry is a recorder
    prompts.override({key: f"{mark} {texts.get(key, '')}" for key, mark in marks.items()})
    seen = "\n".join(message_texts(run()))
    lost = [key for key, mark in marks.items() if mark not in seen]
    _raise("overrides did not reach the model", lost)


def _raise(what: str, faults: list[str]) -> None:
    if faults:
        lines = [f"  {fault}" for fault in faults[:_MOST]]
        if len(faults) > _MOST:
            lines.append(f"  and {len(faults) - _MOST} more")
        raise AssertionError("\n".join([f"{what}:", *lines]))
