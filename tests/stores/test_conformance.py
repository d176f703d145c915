"""What every store does, each rule written once for all of them, sync and async."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentprompts import PromptError
from agentprompts.overlays import (
    Agent,
    Overlay,
    Patch,
    Scope,
    ScopeError,
    Settings,
    layer,
    use_scope,
)
from agentprompts.sections import Section
from agentprompts.stores import (
    AlreadyExistsError,
    ConflictError,
    NotFoundError,
    OverlayStore,
    StoreError,
)
from agentprompts.stores.base import Row, Session

ACME = Scope.of(workspace="acme")
SITE = Scope.of(workspace="acme", project="site")
SHOP = Scope.of(workspace="acme", project="shop")
PAGE = Scope.of(workspace="acme", project="site", page="home")
OTHER = Scope.of(workspace="other")

FULL = Overlay(
    agent="ada",
    patches=(
        Patch("role", "You are Ada.\r\n\t\\ \" ' {x} <y> ünï 你好 🙂\u2028", "append"),
        Patch("tone", ""),
        Patch("role", "kept as it is", "Replace"),
    ),
    tools_added=("search", "shell"),
    tools_removed=("shell",),
    locks=("safety",),
    settings=Settings(model="m-1", temperature=0.5, max_tokens=1000),
)


def patched(body: str, agent: str = "ada") -> Overlay:
    return Overlay(agent=agent, patches=(Patch("role", body),))


def changed(overlay: Overlay, body: str) -> Overlay:
    return replace(overlay, patches=(Patch("role", body),))


def body(overlay: Overlay) -> str:
    return overlay.patches[0].body


def everything(store: OverlayStore) -> list[Overlay]:
    return [one for scope in (ACME, OTHER) for one in store.list(scope=scope)]


# Creation


def test_creation_stamps_id_scope_revision_and_time(store: OverlayStore, acme: Scope) -> None:
    """C17, whatever the overlay that is given says of itself."""
    before = datetime.now(UTC)
    long_ago = before - timedelta(days=9)
    made = store.create(replace(FULL, scope=OTHER, id="mine", revision=7, created_at=long_ago))
    assert made.scope == acme
    assert made.revision == 1
    assert made.id not in ("", "mine")
    assert made.created_at is not None
    assert before <= made.created_at <= datetime.now(UTC)
    assert made.content() == FULL.content()
    assert store.get(made.id) == made


def test_stamps_are_never_rewritten(store: OverlayStore, acme: Scope) -> None:
    """C17: an update changes the content and the revision, and nothing else."""
    made = store.create(patched("one"))
    later = store.update(replace(changed(made, "two"), created_at=datetime(2001, 1, 1, tzinfo=UTC)))
    assert later == replace(changed(made, "two"), revision=2)
    assert store.get(made.id) == later


@pytest.mark.parametrize("moved", [{"agent": "bob"}, {"scope": SITE}, {"scope": OTHER}])
def test_an_update_cannot_move_an_overlay(
    store: OverlayStore, acme: Scope, moved: dict[str, Any]
) -> None:
    """C17: agent and scope stay for good, and an update that says otherwise changes nothing."""
    made = store.create(patched("one"))
    with pytest.raises(StoreError, match="for good"):
        store.update(replace(changed(made, "two"), **moved))
    assert everything(store) == [made]


def test_a_second_overlay_of_an_agent_in_a_scope_already_exists(
    store: OverlayStore, acme: Scope
) -> None:
    """C16: and changes nothing; another agent or scope is another overlay."""
    made = store.create(patched("one"))
    with pytest.raises(AlreadyExistsError, match=r"'ada'.*workspace=acme"):
        store.create(patched("two"))
    assert store.list() == [made]
    store.create(patched("two", agent="bob"))
    store.create(patched("two"), scope=SITE)
    assert len(store.list()) == 3


def test_what_was_deleted_may_be_created_again(store: OverlayStore, acme: Scope) -> None:
    made = store.create(patched("one"))
    store.delete(made.id)
    again = store.create(patched("two"))
    assert again.id != made.id
    assert store.list() == [again]


# Whose overlays can be seen


def test_an_overlay_is_found_at_its_scope_and_from_above(store: OverlayStore) -> None:
    """C24."""
    made = store.create(patched("one"), scope=SITE)
    assert store.get(made.id, scope=SITE) == made
    assert store.get(made.id, scope=ACME) == made


@pytest.mark.parametrize(
    "foreign",
    [OTHER, SHOP, PAGE, Scope.of(project="site"), Scope.of(workspace="Acme", project="site")],
    ids=str,
)
def test_nothing_of_a_foreign_scope_is_found_by_id(store: OverlayStore, foreign: Scope) -> None:
    """C24: a sibling, a scope beneath, another tenant; and nothing is changed."""
    made = store.create(patched("one"), scope=SITE)
    before = store.changes()
    tries: list[Any] = [
        lambda: store.get(made.id, scope=foreign),
        lambda: store.update(changed(made, "two"), scope=foreign),
        lambda: store.update_all([changed(made, "two")], scope=foreign),
        lambda: store.delete(made.id, scope=foreign),
        lambda: store.delete(made.id, revision=1, scope=foreign),
    ]
    for attempt in tries:
        with pytest.raises(NotFoundError) as foreign_error:
            attempt()
        # The words for what is foreign are those for what there is not.
        with pytest.raises(NotFoundError) as missing_error:
            store.get("0" * 32, scope=foreign)
        assert str(foreign_error.value).replace(made.id, "") == str(missing_error.value).replace(
            "0" * 32, ""
        )
    assert store.get(made.id, scope=SITE) == made
    assert store.changes() == before


@pytest.mark.parametrize("id", ["", "0" * 32, "a\0b", "\ud800", "x" * 100_000, "%", "_" * 32, "é"])
def test_an_id_that_nothing_has_is_not_found(store: OverlayStore, acme: Scope, id: str) -> None:
    store.create(patched("one"))
    for attempt in (
        lambda: store.get(id),
        lambda: store.delete(id),
        lambda: store.update(replace(patched("two"), id=id, revision=1)),
    ):
        with pytest.raises(NotFoundError):
            attempt()


@pytest.mark.parametrize(
    "agent", ["", "bob", "a\0b", "\ud800", "ADA", "ad_", "a%", "adá", "a" * 999]
)
def test_an_agent_that_has_none_is_not_found(store: OverlayStore, acme: Scope, agent: str) -> None:
    store.create(patched("one"))
    with pytest.raises(NotFoundError):
        store.get_for_agent(agent)
    with pytest.raises(NotFoundError):
        store.get_for_agent_at(agent, acme)
    assert store.chain(agent) == []
    assert store.list(agent or "nobody") == []


def test_an_agents_overlay_is_that_of_exactly_this_scope(store: OverlayStore) -> None:
    """C25: neither one above nor one beneath stands in."""
    at_site = store.create(patched("site"), scope=SITE)
    for elsewhere in (ACME, PAGE, SHOP, OTHER):
        with pytest.raises(NotFoundError):
            store.get_for_agent("ada", scope=elsewhere)
    assert store.get_for_agent("ada", scope=SITE) == at_site


def test_an_agents_overlay_elsewhere_is_found_upward_only(store: OverlayStore) -> None:
    """C26."""
    made = {
        scope: store.create(patched(str(scope)), scope=scope)
        for scope in (ACME, SITE, SHOP, PAGE, OTHER)
    }
    for here in made:
        for there, overlay in made.items():
            if there in here.ancestors():
                assert store.get_for_agent_at("ada", there, scope=here) == overlay
            else:
                with pytest.raises(NotFoundError):
                    store.get_for_agent_at("ada", there, scope=here)


def test_a_chain_is_broadest_first_and_without_siblings(store: OverlayStore) -> None:
    """C27."""
    made = {  # created the narrowest first: it is not their age that orders them
        scope: store.create(patched(str(scope)), scope=scope)
        for scope in (PAGE, SHOP, OTHER, SITE, ACME)
    }
    store.create(patched("another agent", agent="bob"), scope=SITE)
    assert store.chain("ada", scope=PAGE) == [made[ACME], made[SITE], made[PAGE]]
    assert store.chain("ada", scope=SHOP) == [made[ACME], made[SHOP]]
    assert store.chain("ada", scope=ACME) == [made[ACME]]
    assert store.chain("ada", scope=OTHER) == [made[OTHER]]
    assert store.chain("ada", scope=Scope.of(project="site")) == []
    store.delete(made[SITE].id, scope=ACME)
    assert store.chain("ada", scope=PAGE) == [made[ACME], made[PAGE]]


def test_a_chain_is_as_deep_as_a_scope_can_be(store: OverlayStore) -> None:
    deep = Scope(tuple((f"level{number}", "x") for number in range(16)))
    for scope in deep.ancestors():
        store.create(patched(str(scope)), scope=scope)
    assert [body(one) for one in store.chain("ada", scope=deep)] == [
        str(scope) for scope in deep.ancestors()
    ]


# Listing


def test_a_list_matches_downward_unless_exact(store: OverlayStore) -> None:
    """C28."""
    at = [
        store.create(patched("x", agent=agent), scope=scope)
        for scope in (SITE, ACME, PAGE, OTHER, SHOP)
        for agent in ("ada", "bob")
    ]
    beneath = [one for one in at if one.scope != OTHER]
    assert store.list(scope=ACME) == beneath
    assert store.list(scope=OTHER) == [one for one in at if one.scope == OTHER]
    assert store.list(scope=SITE) == [one for one in at if one.scope in (SITE, PAGE)]
    assert store.list(scope=ACME, exact=True) == [one for one in at if one.scope == ACME]
    assert store.list("bob", scope=ACME) == [one for one in beneath if one.agent == "bob"]
    assert store.list("bob", exact=True, scope=SITE) == [
        one for one in at if one.scope == SITE and one.agent == "bob"
    ]
    assert store.list("eve", scope=ACME) == []


def test_a_list_is_oldest_first_and_cut_by_limit_and_offset(
    store: OverlayStore, acme: Scope
) -> None:
    """C28."""
    names = [f"agent {number}" for number in (5, 3, 9, 1, 7)]
    made = [store.create(patched("x", agent=name)) for name in names]
    store.update(changed(made[0], "later"))  # age is that of the creation
    assert [one.agent for one in store.list()] == names
    assert [one.agent for one in store.list(limit=2)] == names[:2]
    assert [one.agent for one in store.list(limit=2, offset=2)] == names[2:4]
    assert [one.agent for one in store.list(limit=9, offset=4)] == names[4:]
    assert store.list(offset=5) == store.list(offset=2**31) == store.list(offset=2**80) == []
    assert len(store.list(limit=2**80)) == 5


def test_overlays_of_one_moment_keep_one_order(store: OverlayStore, acme: Scope) -> None:
    """C28: the tie-break is the id, so that pages neither repeat nor miss any."""
    time = "2026-01-02T03:04:05.000006+00:00"
    ids = ["b", "10", "a", "2", "c", "B", "é"]

    def insert(session: Session) -> None:
        for id in ids:
            assert session.insert(Row(id, f"agent {id}", str(acme), 1, time, "{}"))

    store.run(insert, write=True)
    pages = [store.list(limit=2, offset=offset) for offset in range(0, len(ids), 2)]
    assert [one.id for page in pages for one in page] == sorted(ids)


def test_a_list_has_a_thousand_at_most(store: OverlayStore, acme: Scope) -> None:
    def insert(session: Session) -> None:
        for number in range(1001):
            row = Row(f"{number:04}", f"agent {number}", str(acme), 1, "2026-01-02T03:04:05", "{}")
            session.insert(row)

    store.run(insert, write=True)
    assert len(store.list()) == 100
    assert len(store.list(limit=5000)) == 1000
    assert len(store.list(limit=5000, offset=1000)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"limit": 0},
        {"limit": -1},
        {"offset": -1},
        {"limit": True},
        {"limit": 1.5},
        {"offset": "1"},
        {"limit": None},
        {"offset": None},
    ],
    ids=str,
)
def test_a_limit_or_offset_that_is_none_is_refused(
    store: OverlayStore, acme: Scope, wrong: dict[str, Any]
) -> None:
    with pytest.raises(StoreError, match=next(iter(wrong))):
        store.list(**wrong)


# Scopes


def test_no_scope_is_an_error_and_never_all(store: OverlayStore) -> None:
    """C29: for every method that reads or writes overlays."""
    made = store.create(patched("one"), scope=ACME)
    tries: list[Any] = [
        lambda: store.create(patched("one", agent="bob")),
        lambda: store.get(made.id),
        lambda: store.get_for_agent("ada"),
        lambda: store.get_for_agent_at("ada", ACME),
        lambda: store.chain("ada"),
        lambda: store.update(made),
        lambda: store.update_all([made]),
        lambda: store.delete(made.id),
        store.list,
        lambda: store.list("ada", exact=True),
    ]
    for attempt in tries:
        with pytest.raises(ScopeError, match="No scope is set"):
            attempt()
    assert everything(store) == [made]


def test_a_scope_that_is_passed_wins_over_the_one_that_is_set(store: OverlayStore) -> None:
    with use_scope(ACME):
        made = store.create(patched("one"), scope=OTHER)
        assert made.scope == OTHER
        assert store.list() == []
        assert store.list(scope=OTHER) == [made]


@pytest.mark.parametrize("wrong", ["workspace=acme", (("workspace", "acme"),), "", 0, 5], ids=repr)
def test_what_is_no_scope_is_refused(store: OverlayStore, wrong: Any) -> None:
    """C29: and an empty one is not "the one that is set"."""
    made = store.create(patched("one"), scope=ACME)
    with use_scope(ACME):
        for attempt in (
            lambda: store.create(patched("two", agent="bob"), scope=wrong),
            lambda: store.get(made.id, scope=wrong),
            lambda: store.get_for_agent("ada", scope=wrong),
            lambda: store.get_for_agent_at("ada", ACME, scope=wrong),
            lambda: store.get_for_agent_at("ada", wrong),
            lambda: store.chain("ada", scope=wrong),
            lambda: store.update(made, scope=wrong),
            lambda: store.delete(made.id, scope=wrong),
            lambda: store.list(scope=wrong),
        ):
            with pytest.raises(ScopeError):
                attempt()
    assert everything(store) == [made]


DISTINCT = [
    Scope.of(workspace="A", project="B"),
    Scope.of(workspace="A/project=B"),
    Scope.of(workspace="A%2Fproject%3DB"),
    Scope.of(workspace="A", project="B/"),
    Scope.of(workspace="A", project="b"),
    Scope.of(workspace="a", project="B"),
    Scope.of(workspace="A", project="%"),
    Scope.of(workspace="A", project="_"),
    Scope.of(workspace="%", project="B"),
    Scope.of(workspace="_", project="B"),
    Scope.of(workspace="A0"),
    Scope.of(workspace="A/"),
    Scope.of(workspace="A."),
    Scope.of(workspace="A B"),
    Scope.of(workspace="A\u00a0B"),
    Scope.of(workspace="A "),
    Scope.of(workspace="A\n"),
    Scope.of(workspace="\\"),
    Scope.of(workspace="'; DROP TABLE agentprompts_overlays; --"),
    Scope.of(workspace="caf\u00e9"),
    Scope.of(workspace="cafe\u0301"),
    Scope.of(workspace="ß"),
    Scope.of(workspace="ss"),
    Scope.of(workspace="İ"),
    Scope.of(workspace="i\u0307"),
    Scope.of(workspace="工作区"),
    Scope.of(workspace="工作"),
    Scope.of(workspace="🙂"),
    Scope.of(workspace="\U0010ffff"),
    Scope.of(Workspace="A"),
    Scope.of(project="B", workspace="A"),
]


def test_scopes_never_collide(store: OverlayStore) -> None:
    """C30: separators, case, wildcards, combining forms and other scripts in values."""
    made = [store.create(patched(f"{number}"), scope=one) for number, one in enumerate(DISTINCT)]
    for scope, overlay in zip(DISTINCT, made, strict=True):
        assert overlay.scope == scope
        assert store.get_for_agent("ada", scope=scope) == overlay
        assert store.list(scope=scope) == [overlay]
        assert store.chain("ada", scope=scope) == [overlay]
    for foreign, overlay in zip(DISTINCT[1:], made, strict=False):
        with pytest.raises(NotFoundError):
            store.get(overlay.id, scope=foreign)
    beneath = [one for one in made if one.scope is not None and one.scope.levels[0][1] == "A"]
    assert store.list(scope=Scope.of(workspace="A")) == [
        one for one in beneath if one.scope is not None and one.scope.levels[0][0] == "workspace"
    ]


# Changes


def test_an_update_names_the_revision_that_it_read(store: OverlayStore, acme: Scope) -> None:
    """C31: who comes second is told, and what the first wrote stands."""
    read = store.create(patched("one"))
    first = store.update(changed(read, "first"))
    with pytest.raises(ConflictError, match="revision 1"):
        store.update(changed(read, "second"))
    assert store.get(read.id) == first
    assert store.update(changed(first, "second")).revision == 3


@pytest.mark.parametrize("revision", [0, -1, 2, 2**31, 2**63, 2**80, 1.5, "1", None], ids=str)
def test_a_revision_that_there_is_not_is_a_conflict(
    store: OverlayStore, acme: Scope, revision: Any
) -> None:
    """C31."""
    made = store.create(patched("one"))
    with pytest.raises(ConflictError):
        store.update(replace(changed(made, "two"), revision=revision))
    if revision is not None:
        with pytest.raises(ConflictError):
            store.delete(made.id, revision=revision)
    assert store.list() == [made]


def test_a_deletion_may_name_a_revision(store: OverlayStore, acme: Scope) -> None:
    """C31."""
    made = store.create(patched("one"))
    now = store.update(changed(made, "two"))
    with pytest.raises(ConflictError):
        store.delete(made.id, revision=1)
    store.delete(made.id, revision=now.revision)
    with pytest.raises(NotFoundError):
        store.delete(made.id, revision=now.revision)
    assert store.list() == []


def test_an_update_of_what_was_deleted_is_not_found(store: OverlayStore, acme: Scope) -> None:
    made = store.create(patched("one"))
    store.delete(made.id)
    with pytest.raises(NotFoundError):
        store.update(changed(made, "two"))


def test_several_are_updated_all_or_none(store: OverlayStore) -> None:
    made = [store.create(patched("one"), scope=scope) for scope in (ACME, SITE, PAGE)]
    new = store.update_all([changed(one, "two") for one in made], scope=ACME)
    assert [one.revision for one in new] == [2, 2, 2]
    assert store.chain("ada", scope=PAGE) == new
    count = store.changes()
    foreign = store.create(patched("one"), scope=OTHER)
    last = new[-1]
    for broken, error in (
        (replace(last, revision=1), ConflictError),
        (replace(last, id="nothing"), NotFoundError),
        (replace(last, agent="bob"), StoreError),
        (foreign, NotFoundError),
        (new[0], ConflictError),  # the same one twice
    ):
        with pytest.raises(error):
            store.update_all([changed(one, "3") for one in (*new[:-1], broken)], scope=ACME)
        assert store.chain("ada", scope=PAGE) == new
    assert store.changes() == count + 1
    assert store.update_all([], scope=ACME) == []


def test_what_work_raises_undoes_what_it_did(store: OverlayStore, acme: Scope) -> None:
    kept, gone = (store.create(patched("one", agent=name)) for name in ("ada", "bob"))
    before, count = store.list(), store.changes()

    def work(session: Session) -> None:
        assert session.rewrite(kept.id, 1, "{}")
        assert session.remove(gone.id, 1)
        time = "2026-01-02T03:04:05"
        assert session.insert(Row("new", "eve", str(acme), 1, time, "{}"))
        assert session.insert(Row("again", "bob", str(acme), 1, time, "{}"))
        assert session.remove("new", 1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.run(work, write=True)
    assert store.list() == before
    assert store.changes() == count
    assert store.create(patched("one", agent="eve")).agent == "eve"


def test_deleting_restores_the_agent_exactly(store: OverlayStore) -> None:
    """C15."""
    agent: Agent[None] = Agent(
        sections=[Section("role", "You are Ada."), Section("tone", "Be kind.", locked=True)],
        tools=("search",),
        settings=Settings(model="m-0", max_tokens=0),
    )
    plain = layer(agent)
    overlay = store.create(FULL, scope=SITE)
    assert layer(agent, store.chain("ada", scope=SITE)) != plain
    store.delete(overlay.id, scope=ACME)
    assert layer(agent, store.chain("ada", scope=SITE)) == plain


def test_the_number_of_changes_grows_with_every_write(store: OverlayStore, acme: Scope) -> None:
    seen = [store.changes()]
    made = store.create(patched("one"))
    seen.append(store.changes())
    made = store.update(changed(made, "two"))
    seen.append(store.changes())
    store.delete(made.id)
    seen.append(store.changes())
    assert len(set(seen)) == 4
    assert seen == sorted(seen)
    store.list()
    store.chain("ada")
    for attempt in (lambda: store.delete("nothing"), lambda: store.get("nothing")):
        with pytest.raises(NotFoundError):
            attempt()
    assert store.changes() == seen[-1]


# Values


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(model=""),
        Settings(model="m"),
        Settings(temperature=0),
        Settings(temperature=0.0),
        Settings(temperature=1e-300),
        Settings(temperature=0.1 + 0.2),
        Settings(temperature=1.7e308),
        Settings(max_tokens=0),
        Settings(max_tokens=2**31 - 1),
        Settings(model="", temperature=0.0, max_tokens=0),
    ],
    ids=str,
)
def test_unset_zero_and_empty_stay_apart(
    store: OverlayStore, acme: Scope, settings: Settings
) -> None:
    """C21."""
    made = store.create(Overlay(agent="ada", settings=settings))
    assert made.settings == settings
    assert store.get(made.id).settings == settings
    assert store.update(replace(made, settings=Settings())).settings == Settings()
    assert store.get(made.id).settings == Settings()


@pytest.mark.parametrize("mode", ["Replace", "REPLACE", "set", " ", "append ", "\u00e9", "replace"])
def test_unknown_modes_are_kept_as_they_are(store: OverlayStore, acme: Scope, mode: str) -> None:
    """C9: a store judges no mode; what applies the patch declines it, and creates nothing."""
    made = store.create(Overlay(agent="ada", patches=(Patch("role", "new", mode),)))
    assert store.get(made.id).patches == (Patch("role", "new", mode),)
    agent: Agent[None] = Agent(sections=[Section("tone", "Be kind.")])
    found = layer(agent, store.chain("ada"))
    assert [one.result for one in found.outcomes] == [
        "created" if mode == "replace" else "declined"
    ]


def test_everything_comes_back_as_it_was(store: OverlayStore, acme: Scope) -> None:
    """Every field, and every character that a text may hold."""
    chars = "".join(map(chr, [*range(1, 0x180), 0x300, 0x200B, 0x202E, 0xFEFF, 0xFFFF, 0x10FFFF]))
    given = replace(FULL, patches=(*FULL.patches, Patch("all", chars), Patch("空", "\r\n\r")))
    made = store.create(given)
    assert made.content() == given.content()
    assert store.get(made.id) == store.chain("ada")[0] == store.list()[0] == made
    assert store.update(made).content() == given.content()


def test_the_longest_values_are_kept(store: OverlayStore) -> None:
    """What the package allows, the databases' indexes take."""
    name = "".join(chr(0x20000 + number * 7) for number in range(200))
    values = ["".join(chr(0x4E00 + level * 97 + n * 13) for n in range(120)) for level in range(4)]
    deep = Scope(tuple((f"level-{number}", value) for number, value in enumerate(values)))
    assert len(str(deep).encode()) > 1450
    given = Overlay(agent=name, patches=(Patch("role", "x" * 999_999 + "é"),) * 3)
    made = store.create(given, scope=deep)
    assert store.chain(name, scope=deep) == store.list(scope=deep) == [made]
    assert store.get_for_agent(name, scope=deep).patches == given.patches


def test_an_overlay_that_is_too_long_is_refused(store: OverlayStore, acme: Scope) -> None:
    made = store.create(patched("one"))
    long = tuple(Patch(f"section {number}", "x" * 999_999) for number in range(5))
    with pytest.raises(StoreError, match="more than 4,000,000"):
        store.create(Overlay(agent="bob", patches=long))
    with pytest.raises(StoreError, match="more than 4,000,000"):
        store.update(replace(made, patches=long))
    assert store.list() == [made]


REFUSED: list[Any] = [
    lambda: Overlay(agent=""),
    lambda: Overlay(agent="a\0b"),
    lambda: Overlay(agent="\ud800"),
    lambda: Overlay(agent="a" * 201),
    lambda: patched("a\0b"),
    lambda: patched("\udfff"),
    lambda: Overlay(agent="ada", patches=(Patch("a\0", "x"),)),
    lambda: Overlay(agent="ada", patches=(Patch("\ud800", "x"),)),
    lambda: Overlay(agent="ada", patches=(Patch("role", "x", "\0"),)),
    lambda: Overlay(agent="ada", patches=(Patch("role", "x", "\ud800"),)),
    lambda: Overlay(agent="ada", patches=(Patch("role", "x"),) * 1001),
    lambda: Overlay(agent="ada", tools_added=("\0",)),
    lambda: Overlay(agent="ada", tools_removed=("\ud800",)),
    lambda: Overlay(agent="ada", locks=("x" * 201,)),
    lambda: Settings(model="\0"),
    lambda: Settings(model="\ud800"),
    lambda: Settings(model="m" * 201),
    lambda: Settings(temperature=float("nan")),
    lambda: Settings(temperature=float("inf")),
    lambda: Settings(temperature=-1),
    lambda: Settings(temperature=10**400),
    lambda: Settings(temperature="hot"),  # type: ignore[arg-type]
    lambda: Settings(max_tokens=-1),
    lambda: Settings(max_tokens=2**31),
    lambda: Settings(max_tokens=1.5),  # type: ignore[arg-type]
    lambda: Settings(max_tokens=True),
    lambda: Scope.of(workspace="\0"),
    lambda: Scope.of(workspace="\ud800"),
    lambda: Scope.of(workspace=""),
    lambda: Scope.of(workspace="x" * 257),
    lambda: Scope(tuple((f"level{number}", "工" * 200) for number in range(3))),
    lambda: Scope(tuple((f"level{number}", "x") for number in range(17))),
    lambda: Overlay.from_content("ada", {"temperature": float("nan")}),
    lambda: Overlay.from_content("ada", {"unknown": 1}),
    lambda: Overlay.from_content("ada", []),  # type: ignore[arg-type]
    lambda: Overlay.from_content("ada", {"patches": [{"id": "role", "body": 5}]}),
    lambda: Overlay.from_content("ada", {"patches": [["role", "x"]]}),
    lambda: Overlay.from_content("ada", {"patches": 5}),
    lambda: Overlay.from_content("ada", {"tools_added": "shell"}),
    lambda: Overlay.from_content("ada", {"tools_added": [{}]}),
    lambda: Overlay.from_content("ada", {"max_tokens": {}}),
]


@pytest.mark.parametrize("make", REFUSED)
def test_what_no_database_keeps_is_refused_before_it_reaches_one(make: Any) -> None:
    """C21 for not-a-number: the package's own error, whatever is wrong."""
    with pytest.raises(PromptError) as error:
        make()
    assert "\0" not in str(error.value)
    str(error.value).encode()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "null",
        "[]",
        "5",
        "{",
        '{"temperature": NaN}',
        '{"patches": 5}',
        '{"x": 1}',
        '"x"',
        '{"patches": [{"id": "role"}]}',
        "[" * 100000,
    ],
    ids=lambda text: text[:20],
)
def test_a_row_that_somebody_spoilt_is_told_and_can_be_deleted(
    store: OverlayStore, acme: Scope, content: str
) -> None:
    """The others can still be read."""
    good = store.create(patched("one"))
    row = Row("spoilt", "bob", str(acme), 1, "2026-01-02T03:04:05", content)
    store.run(lambda session: session.insert(row), write=True)
    for attempt in (lambda: store.get("spoilt"), lambda: store.chain("bob"), store.list):
        with pytest.raises(StoreError, match="'spoilt' cannot be read"):
            attempt()
    assert store.chain("ada") == [good]
    store.delete("spoilt")
    assert store.list() == [good]


def test_content_is_readable_json(store: OverlayStore, acme: Scope) -> None:
    """An operator who looks into the table sees the texts themselves."""
    made = store.create(patched("你好"))
    row = store.run(lambda session: session.by_id(made.id))
    assert row is not None
    assert json.loads(row.content) == {"patches": [{"id": "role", "body": "你好"}]}
    assert "你好" in row.content
