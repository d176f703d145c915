"""Overlays: what a scope changes about an agent, on top of the host's definition of it.

- `scope` whose overlays apply, from the broadest level to the narrowest
- `patches` changes to single sections, each with its outcome
- `overlay` patches, tools and run settings of one agent in one scope
- `layers` agent, overlays and run on top of each other, field by field
"""

from .layers import Agent, Layered, Policy, Run, layer
from .overlay import Overlay, Settings
from .patches import Outcome, Patch, apply_patches
from .scope import Scope, ScopeError, current_scope, use_scope

__all__ = [
    "Agent",
    "Layered",
    "Outcome",
    "Overlay",
    "Patch",
    "Policy",
    "Run",
    "Scope",
    "ScopeError",
    "Settings",
    "apply_patches",
    "current_scope",
    "layer",
    "use_scope",
]
