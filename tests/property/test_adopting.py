"""An override of texts that were checked before: the short way against the long one."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from agentprompts import PromptError, PromptRegistry, PromptTemplate

QUESTION = PromptTemplate("Ask {q}, {r}.", variables=["q", "r"])
BOUND = QUESTION.partial(r="now")
PLAIN = PromptTemplate("Plain.")
LOOSER = PromptTemplate(QUESTION.template, variables=["q"])
BLANK = PromptTemplate("")
KEYS = {"a.question": QUESTION, "a.bound": BOUND, "a.plain": PLAIN, "a.twin": QUESTION}
KEYS["a.filled"] = BLANK.with_text("No longer blank.")
GOOD = QUESTION.with_text("{q} and {r}")
VALUES: dict[str, str | PromptTemplate | int] = {
    "checked": GOOD,
    "checked, bound": BOUND.with_text("{r} or {q}"),
    "checked, then bound": GOOD.partial(r="then"),
    "checked against another text": GOOD.with_text("{q}{r}"),
    "plain": PLAIN.with_text("Plainer."),
    "checked by a looser contract": LOOSER.with_text("Ask {q}."),
    "checked against a blank text": BLANK.with_text(""),
    "itself": QUESTION,
    "of nobody": PromptTemplate("{q} {r}", variables=["q", "r"]),
    "without a slot": PromptTemplate("{q}", variables=["q"]),
    "text": "{r}, {q}",
    "bad text": "{q}",
    "no text": 7,
}


def outcome(registry: PromptRegistry, updates: object) -> tuple[object, ...]:
    try:
        registry.override(updates)  # type: ignore[arg-type]
        said = ""
    except PromptError as error:
        said = str(error)
    rendered = [registry.render(key, q="Q", r="R") for key in KEYS]
    half = registry.render("a.bound", q="Q")
    return said, rendered, half, list(registry.items()), [registry.origin(key) for key in KEYS]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from([*KEYS, "a.nowhere"]), st.sampled_from(sorted(VALUES)), max_size=4
        ),
        max_size=3,
    )
)
@example([{"a.bound": "checked"}])
@example([{"a.question": "checked, then bound"}])
@example([{"a.question": "checked by a looser contract"}])
@example([{"a.filled": "checked against a blank text"}])
@example([{"a.question": "checked", "a.plain": "no text"}])
@example([{"a.question": "checked"}, {"a.question": "checked"}, {"a.question": "itself"}])
def test_a_dict_of_checked_texts_does_what_any_update_does(updates: list[dict[str, str]]) -> None:
    """Pairs go the long way: they are no dict."""
    short, long = PromptRegistry(KEYS), PromptRegistry(KEYS)
    for update in updates:
        given = {key: VALUES[name] for key, name in update.items()}
        assert outcome(short, given) == outcome(long, list(given.items()))
        short, long = short.copy(), long.copy()


def test_the_callers_dict_stays_its_own() -> None:
    registry = PromptRegistry(KEYS)
    updates = {"a.question": GOOD}
    registry.override(updates)
    updates["a.question"] = updates["a.nowhere"] = PLAIN
    assert registry.text("a.question") == GOOD.template
    registry.override({"a.plain": PLAIN.with_text("Plainer.")})
    assert list(updates) == ["a.question", "a.nowhere"]
