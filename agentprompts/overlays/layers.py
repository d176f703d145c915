"""Layers: an agent, the overlays of a scope from the broadest to the narrowest, and a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from ..errors import PromptError
from ..registry import PromptRegistry
from ..sections import AssembledPrompt, Band, PromptBuilder, Section
from ..sections.assembled import assemble_parts
from ..sections.section import in_order
from .overlay import Overlay, Settings
from .patches import Outcome, apply_patches

__all__ = ["Agent", "Layered", "Policy", "Run", "layer"]

C = TypeVar("C")


@dataclass(frozen=True, kw_only=True)
class Agent(Generic[C]):
    """An agent as its host defines it: the one definition that every scope shares.

    Args:
        sections: Its sections, or a builder's.
        tools: The names of its tools; `None` is all that there are, `()` is none.
        settings: Its run settings.
    """

    sections: Iterable[Section[C]] | PromptBuilder[C] = ()
    tools: Sequence[str] | None = None
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run asks for itself; it wins over everything.

    Args:
        system_prompt: Takes the place of the agent's sections, locked ones too, as one section
            `role`, which overlays still reach.
        settings: Run settings.
    """

    system_prompt: str | None = None
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the host lets narrower scopes do.

    Args:
        floors: What a broader overlay removes, no narrower one gives back, and what it locks, a
            narrower one may only append to. For hosts that let tenants write overlays.
        strict: A patch that is declined is an error.
    """

    floors: bool = False
    strict: bool = False


@dataclass(frozen=True, kw_only=True)
class Layered(Generic[C]):
    """What an agent is in a scope.

    Args:
        sections: In their order, patches applied.
        tools: Names, or `None` for all.
        settings: What is in force.
        outcomes: What became of every patch, and of every other wish that was not granted.
        origins: Which layer each setting comes from, and each tool that a layer moved.
    """

    sections: tuple[Section[C], ...]
    tools: tuple[str, ...] | None
    settings: Settings
    outcomes: tuple[Outcome, ...]
    origins: Mapping[str, str]

    def assemble(
        self, context: C | None = None, prompts: PromptRegistry | None = None
    ) -> AssembledPrompt:
        """Return the system prompt, with the layer, overlay and patch of every piece."""
        return assemble_parts(self.sections, context, prompts)


def layer(
    agent: Agent[C],
    overlays: Iterable[Overlay] = (),
    *,
    run: Run | None = None,
    prompts: PromptRegistry | None = None,
    defaults: Settings | None = None,
    tools: Sequence[str] | None = None,
    policy: Policy | None = None,
) -> Layered[C]:
    """Return what an agent is once overlays and a run have had their say, field by field.

    Args:
        agent: The host's definition; it is not changed.
        overlays: From the broadest scope to the narrowest, as a store's `chain` gives them.
        run: What this run asks for itself.
        prompts: Has the contracts of sections from the catalog.
        defaults: Settings where the agent has none.
        tools: All tools that there are: what an agent without a list has.
        policy: What narrower scopes may do.

    Raises:
        PromptError: A tool is to be removed from an agent that has all, and `tools` does not say
            which; or the policy is strict and a patch was declined.
    """
    run, policy = run or Run(), policy or Policy()
    overlays = tuple(overlays)
    sections: list[Section[Any]] = in_order(agent.sections)
    if run.system_prompt is not None:
        sections = [Section("role", run.system_prompt, Band.ROLE, source="run")]
    outcomes: list[Outcome] = []
    for overlay in overlays:
        name = _name(overlay)
        sections, new = apply_patches(
            sections, overlay.patches, prompts, origin=name, strict=policy.strict
        )
        outcomes += new
        sections, refused = _locked(sections, overlay, policy)
        outcomes += refused
    tool_names, moved, refused = _tools(agent.tools, overlays, tools, policy)
    named = [(_name(overlay), overlay.settings) for overlay in overlays]
    base = [("defaults", defaults or Settings()), ("agent", agent.settings)]
    settings, origins = _settings([*base, *named, ("run", run.settings)])
    return Layered(
        sections=tuple(in_order(sections)),
        tools=tool_names,
        settings=settings,
        outcomes=(*outcomes, *refused),
        origins={**origins, **moved},
    )


def _name(overlay: Overlay) -> str:
    return str(overlay.scope) if overlay.scope is not None else overlay.id or "overlay"


def _locked(
    sections: list[Section[Any]], overlay: Overlay, policy: Policy
) -> tuple[list[Section[Any]], list[Outcome]]:
    """Return sections with an overlay's locks, for the scopes beneath it."""
    refused = []
    ids = {section.id for section in sections}
    for id in overlay.locks:
        why = ""
        if not policy.floors:
            why = "the host's policy lets narrower scopes change every section"
        elif id not in ids:
            why = "there is no such section"
        if why:
            refused.append(Outcome(id, "declined", f"not locked: {why}", origin=_name(overlay)))
    if policy.floors:
        sections = [replace(one, locked=one.locked or one.id in overlay.locks) for one in sections]
    return sections, refused


def _tools(
    own: Sequence[str] | None,
    overlays: Sequence[Overlay],
    available: Sequence[str] | None,
    policy: Policy,
) -> tuple[tuple[str, ...] | None, dict[str, str], list[Outcome]]:
    names = None if own is None else dict.fromkeys(own)
    moved: dict[str, str] = {}
    refused: list[Outcome] = []
    floor: set[str] = set()
    for overlay in overlays:
        origin = _name(overlay)
        for tool in overlay.tools_added:
            if tool in floor:
                why = "a broader scope removed it, and the host's policy makes that a floor"
                refused.append(Outcome(tool, "declined", why, origin=origin))
            elif available is not None and tool not in available:
                refused.append(Outcome(tool, "declined", "there is no such tool", origin=origin))
            elif names is not None and tool not in names:
                names[tool] = None
                moved[f"tool {tool}"] = origin
        if not overlay.tools_removed:
            continue
        if names is None:
            if available is None:
                raise PromptError(
                    f"The overlay {origin} removes a tool from an agent that has all: "
                    "say with tools=[…] which there are"
                )
            names = dict.fromkeys(available)
        for tool in overlay.tools_removed:
            if names.pop(tool, "gone") is None:
                moved[f"tool {tool}"] = f"removed by {origin}"
            if policy.floors:
                floor.add(tool)
    return None if names is None else tuple(names), moved, refused


def _settings(
    layers: Iterable[tuple[str, Settings]],
) -> tuple[Settings, dict[str, str]]:
    """Return the settings in force and where each comes from: the last that is set wins."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, settings in layers:
        for name in ("model", "temperature", "max_tokens"):
            value = getattr(settings, name)
            # An empty model is none to switch to; zero is a temperature.
            if value is not None and value != "":
                values[name], origins[name] = value, origin
    return Settings(**values), origins
