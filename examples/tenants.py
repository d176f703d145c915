"""One agent, many tenants: each adjusts its prompt by overlays, and none touches what is locked.

Run it with `python -m examples.tenants`; it needs the extra `stores`.
"""

from __future__ import annotations

import os
import tempfile

from agentprompts import DEFAULT_PROMPTS
from agentprompts.overlays import Agent, Overlay, Patch, Policy, Scope, Settings, layer, use_scope
from agentprompts.sections import Band, FromCatalog, PromptBuilder, Section
from agentprompts.stores import OverlayStore, open_store

ACME = Scope.of(workspace="acme")
SITE = Scope.of(workspace="acme", project="site")
OTHER = Scope.of(workspace="other")

SUPPORT: Agent[None] = Agent(
    sections=PromptBuilder(
        [
            Section("persona", FromCatalog("chat.persona"), Band.PERSONA),
            Section("house", "Never promise a refund.", Band.TRAIT, locked=True),
        ]
    ),
    tools=("search", "refund"),
    settings=Settings(model="large", temperature=0.7),
)


def fill(store: OverlayStore) -> None:
    """Let a workspace and one of its projects say what they want otherwise."""
    with use_scope(ACME):
        store.create(
            Overlay(
                agent="support",
                patches=[Patch("persona", "You answer for Acme, a maker of anvils.")],
                tools_removed=["refund"],
            )
        )
    with use_scope(SITE):
        store.create(
            Overlay(
                agent="support",
                patches=[
                    Patch("persona", "Mention the sale of the week.", "append"),
                    Patch("house", "Promise everything."),
                ],
                tools_added=["refund"],
                settings=Settings(temperature=0.0),
            )
        )


def show(store: OverlayStore, scope: Scope) -> str:
    """Return what the agent is in a scope, and what its overlays could not have."""
    with use_scope(scope):
        found = layer(
            SUPPORT, store.chain("support"), prompts=DEFAULT_PROMPTS, policy=Policy(floors=True)
        )
    lines = [f"== {scope}", str(found.assemble(None, DEFAULT_PROMPTS)), f"tools: {found.tools}"]
    lines.append(f"temperature: {found.settings.temperature} ({found.origins['temperature']})")
    declined = [one for one in found.outcomes if one.result == "declined"]
    lines += [f"declined: {one.subject}: {one.reason}" for one in declined]
    return "\n".join(lines)


def main() -> None:
    """Print what the agent is in three scopes."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{os.path.join(folder, 'overlays.db')}")
        fill(store)
        print("\n\n".join(show(store, scope) for scope in (ACME, SITE, OTHER)))
        store.close()


if __name__ == "__main__":
    main()
