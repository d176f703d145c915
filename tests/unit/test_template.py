"""`PromptTemplate` (DESIGN, section 4): rendering, rewording, partial values; frozen."""

from __future__ import annotations

import copy
import pickle
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from agentprompts import PromptError, PromptRegistry, PromptTemplate
from agentprompts.scanner import Contract

T = PromptTemplate
GREETING = T("Greet {name} in {place}.", variables=["name", "place"])


class Color(Enum):
    RED = "red"


class Op(StrEnum):
    ADD = "ADD"


class OldOp(str, Enum):  # noqa: UP042  # the older spelling is what is tested
    ADD = "ADD"


class Shouting(str):
    """A `str` that converts to another one; it is taken as it is, so unconverted."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()

    def __format__(self, spec: str) -> str:
        return self.upper()


class Raising:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __str__(self) -> str:
        raise self.error


class Special(PromptTemplate):
    """A subclass, at module level so that it pickles."""

    __slots__ = ()


# Values


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        ("x", "x"),
        ("{b} {0} %s \\1", "{b} {0} %s \\1"),
        (0, "0"),
        (-1.5, "-1.5"),
        (True, "True"),
        (False, "False"),
        ([1, "a"], "[1, 'a']"),
        ({}, "{}"),
        (PurePosixPath("/a/b"), "/a/b"),
        (ValueError("bad"), "bad"),
        (Color.RED, "Color.RED"),
        (Op.ADD, "ADD"),
        (OldOp.ADD, "ADD"),
        (Shouting("quiet"), "quiet"),
    ],
)
@pytest.mark.parametrize("text", ["{a}", "<a>", "[{a}] {a}", "{a}" * 30])
def test_values_become_text(text: str, value: object, shown: str) -> None:
    """Rule 10: a `str` as it is, an enum member that is one, too; others by `str()`."""
    rendered = T(text, variables=["a"]).render(a=value)
    assert rendered == text.replace("{a}", shown).replace("<a>", shown)
    assert type(rendered) is str


@pytest.mark.parametrize("value", [Op.ADD, OldOp.ADD, Shouting("ADD".lower())])
def test_a_str_stays_as_it_is_beside_values_that_are_none(value: str) -> None:
    assert T("{a} {b}", variables=["a", "b"]).render(a=value, b=7) == f"{value[:]} 7"


@pytest.mark.parametrize("value", [None, b"x", bytearray(b"x"), memoryview(b"x")])
@pytest.mark.parametrize("text", ["{a} {b}", "{a} {b}" * 30])
def test_values_that_are_no_text_are_refused(text: str, value: object) -> None:
    """Rule 10: the error names the slot and the value's type."""
    with pytest.raises(PromptError, match=rf"'b' from {type(value).__name__}"):
        T(text, variables=["a", "b"]).render(a="x", b=value)


@pytest.mark.parametrize("value", [None, b"x"])
def test_extra_values_may_be_anything(value: object) -> None:
    assert GREETING.render(name="Ada", place=1, extra=value) == "Greet Ada in 1."


@pytest.mark.parametrize("error", [KeyError("mine"), TypeError("mine"), ValueError("mine")])
@pytest.mark.parametrize("text", ["{a} {b}", "{a} {b}" * 30])
def test_an_error_of_a_value_is_shown_as_it_is(text: str, error: Exception) -> None:
    """CASES: a value whose `__str__` raises KeyError is no missing slot."""
    with pytest.raises(type(error)) as caught:
        T(text, variables=["a", "b"]).render(a=1, b=Raising(error))
    assert caught.value is error


def test_a_value_whose_str_is_none_fails_as_python_does() -> None:
    class Broken:
        def __str__(self) -> str:
            return 7  # type: ignore[return-value]  # noqa: PLE0307

    with pytest.raises(TypeError, match="__str__"):
        T("{a}", variables=["a"]).render(a=Broken())


# How values come


class Lazy(Mapping[str, str]):
    """A mapping that is no dict."""

    def __getitem__(self, key: str) -> str:
        return {"name": "Ada", "place": "Rome"}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["name", "place"])

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize(
    "values",
    [
        {"name": "Ada", "place": "Rome"},
        {"name": "Ada", "place": "Rome", "other": 1, 7: 7},
        MappingProxyType({"name": "Ada", "place": "Rome"}),
        ChainMap({"name": "Ada"}, {"name": "Eve", "place": "Rome"}),
        defaultdict(str, name="Ada", place="Rome"),
        Lazy(),
    ],
)
def test_values_come_as_a_mapping(values: Mapping[str, Any]) -> None:
    assert GREETING.render(values) == "Greet Ada in Rome."
    assert GREETING.partial(values).render() == "Greet Ada in Rome."


def test_values_come_as_keywords_or_both() -> None:
    """Keywords win over the mapping."""
    assert GREETING.render(name="Ada", place="Rome") == "Greet Ada in Rome."
    assert GREETING.render({"name": "Ada"}, place="Rome") == "Greet Ada in Rome."
    assert GREETING.render({"name": "Ada", "place": "x"}, place="Rome") == "Greet Ada in Rome."
    assert GREETING.render(None, name="Ada", place="Rome") == "Greet Ada in Rome."
    assert GREETING.render({}, name="Ada", place="Rome") == "Greet Ada in Rome."
    assert GREETING.partial({"name": "x"}, name="Ada").render(place="Rome") == "Greet Ada in Rome."


@pytest.mark.parametrize("values", ["name", [("name", 1)], 7, SimpleNamespace(name=1), object()])
@pytest.mark.parametrize("method", ["render", "partial"])
def test_values_of_another_shape_are_refused(method: str, values: object) -> None:
    with pytest.raises(PromptError, match=type(values).__name__):
        getattr(GREETING, method)(values)


def test_the_callers_mapping_is_not_changed() -> None:
    values = {"name": "Ada"}
    GREETING.render(values, place="Rome")
    GREETING.partial(values, place="Rome")
    assert values == {"name": "Ada"}


@pytest.mark.parametrize("name", ["self", "key", "values", "class", "kw", "None", "template"])
def test_slots_are_named_as_they_like(name: str) -> None:
    """Rule 6: `render` and `partial` take their own arguments by position only."""
    template = T(f"[{{{name}}}]", variables=[name])
    assert template.render(**{name: "x"}) == "[x]"
    assert template.render({name: "x"}) == "[x]"
    assert template.partial(**{name: "x"}).render() == "[x]"
    assert template.partial({name: "x"}).render() == "[x]"


def test_names_of_any_script_are_keywords() -> None:
    template = T("{名前} {café}", variables=["名前", "café"])
    assert template.render(名前=1, café=2) == "1 2"
    assert template.render({"名前": 1, "café": 2}) == "1 2"


# Missing values


@pytest.mark.parametrize(
    ("given", "missing"),
    [({}, ["name", "place"]), ({"name": 1}, ["place"]), ({"place": "x"}, ["name"])],
)
@pytest.mark.parametrize("times", [1, 30])
def test_missing_values_are_named(given: dict[str, object], missing: list[str], times: int) -> None:
    """M2: a missing value is a `PromptError`."""
    template = T("{name} {place}" * times, variables=["name", "place"])
    for render in (
        lambda: template.render(given),
        lambda: template.render(**given),
        lambda: template.partial(given).render(),
    ):
        with pytest.raises(PromptError) as caught:
            render()  # type: ignore[no-untyped-call]
        assert str(caught.value) == (
            f"Missing placeholder {missing} when rendering prompt (required: ['name', 'place'])"
        )


def test_extra_values_are_named_when_one_is_missing() -> None:
    """Rule 10: the extra value is often the missing one, misspelt."""
    with pytest.raises(PromptError, match=r"Missing placeholder \['place'\].*\['nmae', 'x'\]"):
        GREETING.render(name="Ada", nmae="Ada", x=1)


def test_bound_values_are_no_extras_and_not_missing() -> None:
    with pytest.raises(PromptError) as caught:
        GREETING.partial(name="Ada").render()
    assert str(caught.value) == (
        "Missing placeholder ['place'] when rendering prompt (required: ['name', 'place'])"
    )


# partial


def test_partial_in_two_steps_fills_like_one() -> None:
    """CASES: slots filled in two steps count as present."""
    text = "{a} {b} {c}"
    step = T(text, variables=["a", "b", "c"]).partial(a="{b}").partial({"b": "{c}"})
    assert step.render(c="x") == "{b} {c} x"
    assert step.partial(c=3).render() == "{b} {c} 3"
    assert (step.template, step.variables) == (text, ("a", "b", "c"))


def test_later_values_win() -> None:
    step = GREETING.partial(name="Ada", place="Rome")
    assert step.render() == "Greet Ada in Rome."
    assert step.render(name="Eve") == "Greet Eve in Rome."
    assert step.render({"name": "Eve"}, place="Oslo") == "Greet Eve in Oslo."
    assert step.partial(name="Eve").render() == "Greet Eve in Rome."
    assert step.render() == "Greet Ada in Rome."


def test_bound_values_hold_in_a_registry() -> None:
    """It fills what is compiled already without asking `render`."""
    registry = PromptRegistry({"greeting": GREETING.partial(name="Ada")})
    for _ in range(2):
        assert registry.render("greeting", place="Rome") == "Greet Ada in Rome."
        assert registry.render("greeting", {"name": "Eve"}, place=1) == "Greet Eve in 1."


def test_partial_leaves_the_template_as_it_is() -> None:
    GREETING.partial(name="Ada", place="Rome")
    with pytest.raises(PromptError, match="name"):
        GREETING.render(place="Rome")


def test_partial_takes_a_copy_of_the_mapping() -> None:
    values = {"name": "Ada"}
    step = GREETING.partial(values)
    values["name"] = "Eve"
    assert step.render(place="Rome") == "Greet Ada in Rome."


def test_another_text_keeps_the_values_that_are_bound() -> None:
    step = GREETING.partial(name="Ada").with_text("{place}: {name}!")
    assert step.render(place="Rome") == "Rome: Ada!"
    with pytest.raises(PromptError, match=r"missing placeholder \['name'\]"):
        GREETING.partial(name="Ada").with_text("{place}!")


@pytest.mark.parametrize("value", [None, b"x"])
def test_a_bound_value_that_is_no_text_is_refused(value: object) -> None:
    with pytest.raises(PromptError, match="'name' from"):
        GREETING.partial(name=value).render(place="Rome")


# with_text


def test_another_text_keeps_the_contract() -> None:
    """M4: a copy; the template itself stays as it is."""
    old = T("Ask {q}: ADD", variables=["q"], protected=["ADD"], description="note")
    new = old.with_text("ADD <q>")
    assert (new.template, old.template) == ("ADD <q>", "Ask {q}: ADD")
    assert (new.variables, new.protected, new.description) == (("q",), ("ADD",), "note")
    assert new.contract is old.contract
    assert (new.render(q=1), old.render(q=1)) == ("ADD 1", "Ask 1: ADD")


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("The question: ADD", "Invalid prompt override: missing placeholder ['q']"),
        (
            "{q} HINZU",
            "Invalid prompt override: missing required protocol token ['ADD'] "
            "(changing it would break parsing)",
        ),
        (
            "",
            "Invalid prompt override: the text is empty",
        ),
        ("ADD {q} \0", "Invalid prompt override: the text has a NUL (U+0000) at offset 8"),
        (None, "Invalid prompt override: the text is None, which is no str"),
        (b"ADD {q}", "Invalid prompt override: the text is b'ADD {q}', which is no str"),
    ],
)
def test_a_text_that_breaks_the_contract_is_refused(text: Any, headline: str) -> None:
    """M3: up front, in the seed's words."""
    old = T("Ask {q}: ADD", variables=["q"], protected=["ADD"])
    with pytest.raises(PromptError) as caught:
        old.with_text(text)
    assert str(caught.value).splitlines()[0] == headline
    assert old.check(text) == list(caught.value.diagnostics)


def test_a_chain_of_texts_compares_each_with_the_one_before() -> None:
    """Rule 9: what the first text has as plain text, the third may not bring back."""
    first = T("<q> {q}", variables=["q"])
    assert first.with_text("{q} <q>").check("{q} <q> <q>") == []
    assert [found.severity for found in first.with_text("{q}").check("{q} <q>")] == ["error"]


def test_check_finds_nothing_in_a_text_that_with_text_takes() -> None:
    assert GREETING.check("{place} {name}") == []
    assert GREETING.check(GREETING.template) == []


# The constructor, and its siblings


def test_a_template_checks_its_own_text() -> None:
    """Rule 10: every declared slot and token stands in it."""
    with pytest.raises(PromptError) as caught:
        T("Ask.", variables=["a", "b"], protected=["ADD"])
    assert str(caught.value).splitlines()[0] == (
        "Invalid prompt template: missing placeholder ['a', 'b']; "
        "missing required protocol token ['ADD'] (changing it would break parsing)"
    )
    assert [found.subject for found in caught.value.diagnostics] == ["a", "b", "ADD"]


@pytest.mark.parametrize("text", [None, b"x", 7, ["x"]])
def test_a_text_that_is_no_str_is_refused(text: Any) -> None:
    with pytest.raises(PromptError, match="no str"):
        T(text)
    with pytest.raises(PromptError, match="no str"):
        T.from_contract(text, Contract())


def test_the_contract_comes_by_keyword_only() -> None:
    with pytest.raises(TypeError):
        T("{a}", ["a"])  # type: ignore[call-arg]


def test_a_template_has_the_attributes_of_the_seed() -> None:
    """The seed's API: `.template`, `.variables`, `.protected`; all defaults are empty."""
    plain = T("x")
    assert (plain.template, plain.variables, plain.protected, plain.description) == (
        "x",
        (),
        (),
        "",
    )
    assert T(template="x") == plain
    full = T("{b} {a} ADD", variables=["a", "b"], protected=["ADD"], description="note")
    assert (full.template, full.variables, full.protected) == ("{b} {a} ADD", ("a", "b"), ("ADD",))
    assert full.contract == Contract(["a", "b"], ["ADD"], "note")


def test_a_template_of_a_contract_that_is_made_already() -> None:
    contract = Contract(["a"], ["ADD"], "note")
    made = T.from_contract("{a} ADD", contract)
    assert made == T("{a} ADD", variables=["a"], protected=["ADD"], description="note")
    assert made.contract is contract
    with pytest.raises(PromptError, match=r"Invalid prompt template: missing placeholder"):
        T.from_contract("ADD", contract)


def test_a_text_may_be_an_enum_member_that_is_a_str() -> None:
    assert T(Op.ADD, protected=["ADD"]).render() == "ADD"
    assert type(T(Op.ADD).render()) is str
    assert T("{a}", variables=["a"]).with_text(Shouting("<{a}>")).render(a="x") == "<x>"


# Frozen


@pytest.mark.parametrize(
    "name", ["template", "variables", "protected", "description", "contract", "new"]
)
def test_a_template_is_frozen(name: str) -> None:
    template = T("{a}", variables=["a"])
    with pytest.raises(AttributeError):
        setattr(template, name, "x")
    with pytest.raises(AttributeError):
        delattr(template, name)


def test_templates_are_equal_by_text_contract_and_bound_values() -> None:
    def made(
        text: str = "{a} {b} ADD X",
        variables: tuple[str, ...] = ("a", "b"),
        protected: tuple[str, ...] = ("ADD",),
        description: str = "note",
    ) -> PromptTemplate:
        return T(text, variables=variables, protected=protected, description=description)

    one = made()
    same = [made(), made(text="<a> <b> ADD").with_text("{a} {b} ADD X"), copy.copy(one)]
    assert [other for other in same if other != one or hash(other) != hash(one)] == []
    assert len({one, *same}) == 1
    others: list[object] = [
        made(text="{a} {b} ADD Y"),
        made(variables=("b", "a")),
        made(variables=("a",)),
        made(protected=()),
        made(protected=("ADD", "X")),
        made(description=""),
        one.partial(a=1),
        one.template,
        None,
    ]
    assert [other for other in others if other == one] == []
    assert one.partial(a=1) == one.partial(a=1) != one.partial(a=2)
    assert hash(one.partial(a=[])) == hash(one)  # a bound value need not be hashable


def pickled(protocol: int) -> Callable[[PromptTemplate], PromptTemplate]:
    def through(template: PromptTemplate) -> PromptTemplate:
        made: PromptTemplate = pickle.loads(pickle.dumps(template, protocol))
        return made

    return through


@pytest.mark.parametrize(
    "through",
    [copy.copy, copy.deepcopy, *map(pickled, range(pickle.HIGHEST_PROTOCOL + 1))],
)
@pytest.mark.parametrize("kind", [PromptTemplate, Special])
@pytest.mark.parametrize("warm", [False, True])
def test_a_template_survives_copies(
    through: Callable[[PromptTemplate], PromptTemplate], kind: type[PromptTemplate], warm: bool
) -> None:
    """Whether it has been rendered before or not."""
    template = kind("{a} {b} ADD", variables=["a", "b"], protected=["ADD"]).partial(a=["x"])
    if warm:
        template.render(b=1)
    other = through(template)
    assert other == template
    assert type(other) is kind
    assert other.render(b=2) == "['x'] 2 ADD"
    with pytest.raises(PromptError, match=r"\['ADD'\]"):
        other.with_text("{a} {b}")


def test_a_deep_copy_shares_no_bound_value() -> None:
    value = ["x"]
    other = copy.deepcopy(T("{a}", variables=["a"]).partial(a=value))
    value.append("y")
    assert other.render() == "['x']"


def test_a_subclass_stays_one() -> None:
    made = Special("{a}", variables=["a"])
    assert type(made.with_text("<a>")) is Special
    assert type(made.partial(a=1)) is Special
    assert type(Special.from_contract("x", Contract())) is Special


def test_a_template_adopts_its_own_rewordings_unchecked() -> None:
    """M6: what `with_text` of an equal text and the same contract made needs no second check."""
    one = T("{a}", variables=["a"])
    new = one.with_text("<a>")
    assert one.adopted(new) is new
    for stranger in (
        T("{a}!", variables=["a"]),
        T("x"),
        T("x").with_text("y"),
        T("{a}").with_text("looser"),
        T("{a}", protected=["a"]).with_text("a"),
        one.with_text("<a>").with_text("{a}!"),
    ):
        assert one.adopted(stranger) is None
    assert new.adopted(one.with_text("{a} <b>")) is None


def test_what_is_adopted_brings_its_text_and_no_values() -> None:
    """M6"""
    one = T("{a}", variables=["a"])
    new = one.with_text("<a>!")
    bound = one.partial(a=1).adopted(new)
    assert bound is not None
    assert bound.render() == "1!"
    unbound = one.adopted(new.partial(a=2))
    assert unbound is not None
    with pytest.raises(PromptError, match="Missing"):
        unbound.render()


def test_the_repr_shows_the_beginning_of_the_text() -> None:
    assert repr(GREETING) == (
        "<PromptTemplate 'Greet {name} in {place}.' variables=['name', 'place']>"
    )
    assert repr(T("x" * 60)) == f"<PromptTemplate {'x' * 60!r} variables=[]>"
    assert repr(T("x" * 61)) == f"<PromptTemplate {'x' * 59 + '…'!r} variables=[]>"


# Many slots


@pytest.mark.parametrize("count", [1, 2, 23, 24, 25, 26, 60, 1000])
@pytest.mark.parametrize("style", ["{}", "<>"])
def test_any_number_of_slots(count: int, style: str) -> None:
    """M2, on both sides of the limit above which no function is generated."""
    names = [f"n{at}" for at in range(count)]
    text = "".join(f" {at}:{style[0]}{name}{style[1]};\n" for at, name in enumerate(names))
    template = T(text, variables=names)
    values = {name: f"{{n{at // 2}}}" for at, name in enumerate(names)}
    wanted = "".join(f" {at}:{{n{at // 2}}};\n" for at in range(count))
    assert template.render(values) == wanted
    assert template.render(**values) == wanted
    assert template.render({**values, names[-1]: 7}).endswith(f" {count - 1}:7;\n")
    with pytest.raises(PromptError, match=rf"\['{names[-1]}'\]"):
        template.render(dict.fromkeys(names[:-1], "x"))


@pytest.mark.parametrize("times", [2, 24, 25, 200])
def test_a_slot_that_stands_often_is_filled_everywhere(times: int) -> None:
    template = T("{a}-{b}," * times, variables=["b", "a"])
    assert template.render(a="{b}", b=2) == "{b}-2," * times


def test_two_templates_of_as_many_slots_are_kept_apart() -> None:
    one, two = T("1{a}2", variables=["a"]), T("3{b}4", variables=["b"])
    assert (one.render(a="a"), two.render(b="b"), one.render(a="c")) == ("1a2", "3b4", "1c2")


@pytest.mark.parametrize(
    "text",
    [
        "'{a}'",
        '"{a}"',
        "\\{a}\\",
        "\n{a}\r\n",
        "'''{a}\"\"\"",
        "v[n0] {a} p0",
        "\u2028{a}\x85",
        "{a}\\N{DASH}",
        "#{a}",
        "${a}",
        "%{a}s",
    ],
)
def test_the_text_is_data_to_the_generated_function(text: str) -> None:
    assert T(text, variables=["a"]).render(a="v") == text.replace("{a}", "v")
