"""Pytest's fixtures, there as soon as the package is installed.

Give your own registry in `conftest.py`; the others build on it:

    @pytest.fixture
    def base_prompts():
        return load_catalog("prompts")

and a test reads as:

    def test_nothing_is_hard_coded(pseudo_prompts):
        model = FakeModel()
        Agent(model, prompts=pseudo_prompts).run("QUESTION")
        assert_no_leaks(model.messages, pseudo_prompts, allow=["QUESTION"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ..registry import PromptRegistry
    from .recorder import Recorder

__all__ = ["base_prompts", "pseudo_prompts", "recorded_prompts"]


@pytest.fixture
def base_prompts() -> PromptRegistry:
    """The prompts under test: a copy of the default catalog, where `conftest.py` gives no other."""
    from ..catalog import DEFAULT_PROMPTS

    return DEFAULT_PROMPTS.copy()


@pytest.fixture
def recorded_prompts(base_prompts: PromptRegistry) -> Recorder:
    """The prompts, with every read of them taken down: `reads`, `keys_read`, `unread`."""
    from .recorder import Recorder

    return Recorder(base_prompts)


@pytest.fixture
def pseudo_prompts(base_prompts: PromptRegistry) -> Recorder:
    """The prompts in the pseudo-locale, recorded: for `assert_no_leaks`."""
    from .leaks import pseudo_registry
    from .recorder import Recorder

    return Recorder(pseudo_registry(base_prompts))
