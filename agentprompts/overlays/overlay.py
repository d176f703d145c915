"""An overlay: what one scope changes about one agent, checked when it is made."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..scanner import Contract, check
from .patches import Patch
from .scope import Scope

__all__ = ["Overlay", "Settings"]

_MOST_PATCHES = 1000
_MOST_NAMES = 1000
_MOST_NAME = 200
_PLAIN = Contract()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a run is started with. `None` is unset everywhere, and neither zero nor empty.

    Args:
        model: The model's name; an empty one changes nothing.
        temperature: A number from 0 up; zero is a setting.
        max_tokens: A whole number from 0 up; zero is a setting.

    Raises:
        PromptError: A value is not a number, or none that can be sent.
    """

    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        raise_faults("Invalid run settings", _setting_faults(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlay:
    """The changes that one scope makes to one agent: patches, tools and run settings.

    The agent itself stays as it is: without the overlay it is what it was.

    Args:
        agent: Whom it changes.
        patches: Changes to sections; they apply in their order.
        tools_added: Names of tools that the agent gets.
        tools_removed: Names of tools that it loses; they win over `tools_added`.
        locks: Sections that narrower scopes may only append to, where the host's policy lets
            broader scopes set floors.
        settings: Run settings; what is unset stays as it was.
        scope, id, revision, created_at: Stamped by the store when it is created, in this scope.

    Raises:
        PromptError: With everything that is wrong in it.
    """

    agent: str
    patches: Sequence[Patch] = ()
    tools_added: Sequence[str] = ()
    tools_removed: Sequence[str] = ()
    locks: Sequence[str] = ()
    settings: Settings = field(default_factory=Settings)
    scope: Scope | None = None
    id: str = ""
    revision: int = 0
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("tools_added", "tools_removed", "locks"):
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
        if isinstance(self.patches, list | tuple):
            object.__setattr__(self, "patches", tuple(map(_patch, self.patches)))
        raise_faults("Invalid overlay", _faults(self))

    def content(self) -> dict[str, Any]:
        """Return what a person may write in it, as a file or a database keeps it.

        >>> Overlay(agent="ada", settings=Settings(temperature=0.0)).content()
        {'temperature': 0.0}
        """
        found: dict[str, Any] = {
            one.name: value
            for one in fields(Settings)
            if (value := getattr(self.settings, one.name)) is not None
        }
        for name in ("tools_added", "tools_removed", "locks"):
            if value := getattr(self, name):
                found[name] = list(value)
        if self.patches:
            found["patches"] = [
                {key: value for key, value in patch._asdict().items() if value or key != "mode"}
                for patch in self.patches
            ]
        return found

    @classmethod
    def from_content(cls, agent: str, content: Mapping[str, Any]) -> Overlay:
        """Return the overlay that `content` describes.

        Raises:
            PromptError: It has a field of no known name, or a wrong value; all are told.
        """
        if not isinstance(content, Mapping):
            mend = "write fields with their values"
            raise_faults("Invalid overlay", [_fault("content", f"{content!r} is no table", mend)])
        settings = {one.name for one in fields(Settings)}
        known = {"patches", "tools_added", "tools_removed", "locks", *settings}
        mend = f"there are {', '.join(sorted(known))}"
        faults = [_fault(name, "is no field", mend) for name in content if name not in known]
        given = {name: value for name, value in content.items() if name in known}
        rest = {name: value for name, value in given.items() if name not in settings}
        ours = Settings()
        try:
            ours = Settings(**{name: given[name] for name in settings if name in given})
        except PromptError as error:
            faults += error.diagnostics
        try:
            made = cls(agent=agent, settings=ours, **rest)
        except PromptError as error:
            faults += error.diagnostics
        raise_faults("Invalid overlay", faults)
        return made

    def changed(self, other: Overlay, revision: int | None = None) -> Overlay:
        """Return another overlay's content under this one's identity: what an update stores.

        Args:
            other: Has the new content.
            revision: The revision that the change was made for, where it is not this one's.
        """
        return replace(
            self,
            revision=self.revision if revision is None else revision,
            **{
                name: getattr(other, name)
                for name in ("patches", "tools_added", "tools_removed", "locks", "settings")
            },
        )


def _patch(value: object) -> Any:
    if isinstance(value, Patch) or not isinstance(value, Mapping):
        return value
    unknown = [name for name in value if name not in Patch._fields]
    if unknown or not {"id", "body"} <= value.keys():
        return value
    return Patch(**value)


def _faults(overlay: Overlay) -> list[Diagnostic]:
    found = []
    if wrong := _name_fault(overlay.agent):
        found.append(_fault("agent", wrong, "name the agent"))
    for name in ("tools_added", "tools_removed", "locks"):
        found += _names_faults(name, getattr(overlay, name))
    if not isinstance(overlay.patches, tuple):
        found.append(
            _fault("patches", f"{overlay.patches!r} is no list", "write a list of patches")
        )
        return found
    if len(overlay.patches) > _MOST_PATCHES:
        mend = f"keep at most {_MOST_PATCHES}"
        found.append(_fault("patches", f"there are {len(overlay.patches)}", mend))
    for number, patch in enumerate(overlay.patches):
        where = f"patches.{number}"
        if not isinstance(patch, Patch):
            mend = "write id, body and, if need be, mode"
            found.append(_fault(where, f"{patch!r} is none", mend))
            continue
        if wrong := _name_fault(patch.id):
            found.append(_fault(where, f"id: {wrong}", "name a section"))
        for value in (patch.body, patch.mode):
            found += [replace(fault, subject=where) for fault in check(value, _PLAIN)]
    return found


def _names_faults(name: str, value: object) -> Iterable[Diagnostic]:
    if not isinstance(value, tuple):
        yield _fault(name, f"{value!r} is no list", 'write a list, such as ["shell"]')
        return
    if len(value) > _MOST_NAMES:
        yield _fault(name, f"there are {len(value)}", f"keep at most {_MOST_NAMES}")
    for one in value:
        if wrong := _name_fault(one):
            yield _fault(name, wrong, "write a name")


def _name_fault(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        return f"{value!r} is no name"
    if len(value) > _MOST_NAME:
        return f"{value[:40]!r}… is longer than {_MOST_NAME} characters"
    if not value.isprintable():
        return f"{value!r} holds a character that cannot be seen"
    return ""


def _setting_faults(settings: Settings) -> Iterable[Diagnostic]:
    model, heat, most = settings.model, settings.temperature, settings.max_tokens
    if model is not None and (
        not isinstance(model, str) or len(model) > _MOST_NAME or (model and not model.isprintable())
    ):
        yield _fault("model", f"{model!r} is no name", "write a name")
    if heat is not None and (
        isinstance(heat, bool)
        or not isinstance(heat, int | float)
        or not 0 <= heat <= sys.float_info.max  # not-a-number compares as false
    ):
        yield _fault("temperature", f"{heat!r} is none", "write a number from 0 up")
    if most is not None and (
        isinstance(most, bool) or not isinstance(most, int) or not 0 <= most < 2**31
    ):
        yield _fault("max_tokens", f"{most!r} is none", "write a whole number from 0 up")


def _fault(field: str, what: str, mend: str) -> Diagnostic:
    return Diagnostic(code="overlay-invalid", message=f"{field}: {what}", mend=mend, subject=field)
