"""No sequence of patches by any modes moves, replaces or outranks a locked section."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentprompts.overlays import Patch, apply_patches
from agentprompts.sections import Section
from agentprompts.sections.section import in_order

IDS = st.sampled_from(["a", "b", "c", "A", "new", "zz", ""])
MODES = st.sampled_from(["", "replace", "append", "Replace", "APPEND", "set", "delete", " "])
BODIES = st.sampled_from(["", "x", "y\nz", "\n", "{a}"]) | st.text(max_size=5)
PATCHES = st.lists(st.builds(Patch, IDS, BODIES, MODES), max_size=8)
ORDERS = st.none() | st.integers(-5, 5) | st.sampled_from([1e12, -1e12, 0.5])
SECTIONS = st.lists(
    st.builds(
        Section[Any],
        st.sampled_from(["a", "b", "c", "zz"]),
        st.sampled_from(["", "own"]),
        ORDERS,
        locked=st.booleans(),
    ),
    unique_by=lambda section: section.id,
    max_size=4,
)


@given(SECTIONS, st.lists(PATCHES, max_size=3))
def test_a_locked_section_holds(sections: list[Section[Any]], rounds: list[list[Patch]]) -> None:
    """C8, C9, C11, C12: round after round, as overlays of several scopes apply."""
    before = in_order(sections)
    patched = list(sections)
    for patches in rounds:
        patched, outcomes = apply_patches(patched, patches)
        assert len(outcomes) == len(patches)
    after = in_order(patched)
    # Every section of the host's is where it was, before every new one.
    assert [one.id for one in after[: len(before)]] == [one.id for one in before]
    for old, new in zip(before, after, strict=False):
        assert (new.order, new.title, new.locked) == (old.order, old.title, old.locked)
        if old.locked:
            own, text = old.text(), new.text()
            assert text == own or text.startswith(own + "\n" if own else "")
    assert not any(one.locked for one in after[len(before) :])
