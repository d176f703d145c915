"""Each store against a dict, by whatever steps there are."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from agentprompts.overlays import Overlay, Patch, Scope, Settings
from agentprompts.stores import (
    AlreadyExistsError,
    ConflictError,
    NotFoundError,
    OverlayStore,
    StoreError,
)
from tests.stores.conftest import empty

# Few agents and near scopes, so that steps meet. Text, and whose ancestor is whose, by hand here.
AGENTS = ["ada", "Ada", "a%", "ädä"]
SCOPES = {
    "workspace=a": Scope.of(workspace="a"),
    "workspace=A": Scope.of(workspace="A"),
    "workspace=a/project=b": Scope.of(workspace="a", project="b"),
    "workspace=a%2Fproject%3Db": Scope.of(workspace="a/project=b"),
    "workspace=a/project=_": Scope.of(workspace="a", project="_"),
    "workspace=a/project=b/page=c": Scope.of(workspace="a", project="b", page="c"),
}
ABOVE = {
    "workspace=a": [],
    "workspace=A": [],
    "workspace=a/project=b": ["workspace=a"],
    "workspace=a%2Fproject%3Db": [],
    "workspace=a/project=_": ["workspace=a"],
    "workspace=a/project=b/page=c": ["workspace=a", "workspace=a/project=b"],
}
agents = st.sampled_from(AGENTS)
scopes = st.sampled_from(list(SCOPES))
bodies = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
temperatures = st.none() | st.just(0.0) | st.floats(0, 2)


@dataclass
class Kept:
    """What the model knows of an overlay."""

    agent: str
    scope: str
    body: str
    temperature: float | None
    revision: int = 1


class Model(RuleBasedStateMachine):
    """Overlays in a dict, in the order of their creation."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.store = self.new_store()
        self.model: dict[str, Kept] = {}
        self.writes = self.store.changes()

    def new_store(self) -> OverlayStore:
        raise NotImplementedError

    def overlay(self, kept: Kept, **stamps: Any) -> Overlay:
        return Overlay(
            agent=kept.agent,
            patches=(Patch("role", kept.body, "append"),),
            settings=Settings(temperature=kept.temperature),
            **stamps,
        )

    def sees(self, here: str, kept: Kept | None) -> bool:
        return kept is not None and (here == kept.scope or here in ABOVE[kept.scope])

    def find(self, agent: str, scope: str) -> str | None:
        for id, kept in self.model.items():
            if (kept.agent, kept.scope) == (agent, scope):
                return id
        return None

    def same(self, found: Overlay, id: str) -> None:
        kept = self.model[id]
        expected = self.overlay(
            kept,
            id=id,
            scope=SCOPES[kept.scope],
            revision=kept.revision,
            created_at=found.created_at,
        )
        assert found == expected

    def expected(self, error: type[StoreError] | None) -> AbstractContextManager[object]:
        if error is None:
            self.writes += 1
            return nullcontext()
        return pytest.raises(error)

    @rule(target=ids, agent=agents, scope=scopes, body=bodies, temperature=temperatures)
    def create(self, agent: str, scope: str, body: str, temperature: float | None) -> Any:
        kept = Kept(agent, scope, body, temperature)
        taken = self.find(agent, scope)
        with self.expected(AlreadyExistsError if taken else None):
            made = self.store.create(self.overlay(kept), scope=SCOPES[scope])
            self.model[made.id] = kept
            self.same(made, made.id)
            return made.id
        return multiple()

    @rule(id=ids, here=scopes, body=bodies, behind=st.sampled_from([0, 0, 0, 1, -1]))
    def update(self, id: str, here: str, body: str, behind: int) -> None:
        kept = self.model.get(id)
        error: type[StoreError] | None = None
        if kept is None or not self.sees(here, kept):
            error = NotFoundError
        elif behind:
            error = ConflictError
        shown = kept or Kept("ada", here, "", None)
        revision = shown.revision - behind
        with self.expected(error):
            given = self.overlay(replace(shown, body=body), id=id, revision=revision)
            made = self.store.update(given, scope=SCOPES[here])
            assert kept is not None
            kept.body, kept.revision = body, kept.revision + 1
            self.same(made, id)

    @rule(some=st.lists(ids, min_size=2, max_size=4), here=scopes, body=bodies)
    def update_all(self, some: list[str], here: str, body: str) -> None:
        kept = [self.model.get(id) for id in some]
        error: type[StoreError] | None = None
        for number, one in enumerate(kept):
            if not self.sees(here, one):
                error = error or NotFoundError
            elif some[number] in some[:number]:
                error = error or ConflictError
        given = [
            self.overlay(replace(one, body=body), id=id, revision=one.revision)
            if one is not None
            else Overlay(agent="ada", id=id)
            for id, one in zip(some, kept, strict=True)
        ]
        with self.expected(error):
            made = self.store.update_all(given, scope=SCOPES[here])
            for found, id in zip(made, some, strict=True):
                self.model[id].body = body
                self.model[id].revision += 1
                self.same(found, id)

    @rule(id=ids, here=scopes, behind=st.sampled_from([None, 0, 1]))
    def delete(self, id: str, here: str, behind: int | None) -> None:
        kept = self.model.get(id)
        error: type[StoreError] | None = None
        if not self.sees(here, kept):
            error = NotFoundError
        elif behind:
            error = ConflictError
        revision = None if behind is None else (kept.revision if kept else 1) - behind
        with self.expected(error):
            self.store.delete(id, revision=revision, scope=SCOPES[here])
            del self.model[id]

    @rule(id=ids, here=scopes)
    def get(self, id: str, here: str) -> None:
        if self.sees(here, self.model.get(id)):
            self.same(self.store.get(id, scope=SCOPES[here]), id)
        else:
            with pytest.raises(NotFoundError):
                self.store.get(id, scope=SCOPES[here])

    @rule(agent=agents, at=scopes, here=scopes)
    def get_for_agent_at(self, agent: str, at: str, here: str) -> None:
        id = self.find(agent, at)
        if id is not None and at in [here, *ABOVE[here]]:
            found = self.store.get_for_agent_at(agent, SCOPES[at], scope=SCOPES[here])
            self.same(found, id)
        else:
            with pytest.raises(NotFoundError):
                self.store.get_for_agent_at(agent, SCOPES[at], scope=SCOPES[here])

    @rule(agent=agents, here=scopes)
    def chain(self, agent: str, here: str) -> None:
        ids = [self.find(agent, scope) for scope in [*ABOVE[here], here]]
        found = self.store.chain(agent, scope=SCOPES[here])
        assert [one.id for one in found] == [id for id in ids if id is not None]
        for one in found:
            self.same(one, one.id)

    @rule(
        agent=st.none() | agents,
        here=scopes,
        exact=st.booleans(),
        limit=st.integers(1, 5),
        offset=st.integers(0, 4),
    )
    def listing(self, agent: str | None, here: str, exact: bool, limit: int, offset: int) -> None:
        ids = [
            id
            for id, kept in self.model.items()
            if (kept.scope == here if exact else self.sees(here, kept))
            and agent in (None, kept.agent)
        ]
        found = self.store.list(agent, exact=exact, limit=limit, offset=offset, scope=SCOPES[here])
        assert [one.id for one in found] == ids[offset : offset + limit]

    @invariant()
    def every_write_is_counted_and_no_other(self) -> None:
        assert self.store.changes() == self.writes


def test_a_store_is_a_dict_of_overlays(store: OverlayStore) -> None:
    """C15–C17, C24–C31 at once: whatever is asked in whatever order, the answer is the model's."""

    class Machine(Model):
        def new_store(self) -> OverlayStore:
            empty(store)
            return store

    run_state_machine_as_test(
        Machine,
        settings=settings(max_examples=25, stateful_step_count=25, deadline=None, database=None),
    )
