"""The example of one agent and many tenants."""

from __future__ import annotations

import pytest

from agentprompts import DEFAULT_PROMPTS
from agentprompts.stores import MemoryStore
from examples import tenants


def test_each_tenant_gets_its_own_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    """C8, C15, C23, C27: as its printed output says."""
    tenants.main()
    acme, site, other = capsys.readouterr().out.split("\n\n== ")
    assert "maker of anvils" in acme
    assert "sale of the week" not in acme
    assert "maker of anvils.\nMention the sale" in site
    assert "Promise everything" not in site
    assert site.count("declined:") == 2
    assert DEFAULT_PROMPTS.text("chat.persona") in other
    for text in (acme, site, other):
        assert "Never promise a refund." in text


def test_in_memory_it_is_the_same() -> None:
    store = MemoryStore()
    tenants.fill(store)
    assert "('search',)" in tenants.show(store, tenants.SITE)
