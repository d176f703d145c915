"""What a contract accepts: the arguments of `Contract` and of `PromptTemplate` (rules 6 and 10)."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterable
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest

from agentprompts import PromptError, PromptTemplate
from agentprompts.scanner import Contract

TEXT = "{a} {b} {self} {class} {名前} {परीक्षण} {имя} {_x1} {café} ADD NOOP yes no #N 工具 a"


class Operation(Enum):
    ADD = "ADD"
    NOOP = "NOOP"
    SKIP = "NOOP"  # an alias


class Verdict(StrEnum):
    YES = "yes"
    NO = "no"


class Old(str, Enum):  # noqa: UP042  # the older spelling is what is tested
    A = "a"


class Level(IntEnum):
    LOW = 1


class Mixed(Enum):
    NAME = "a"
    NUMBER = 7


class Word(str):
    __slots__ = ()


def template(**arguments: Any) -> PromptTemplate:
    return PromptTemplate(TEXT, **arguments)


@pytest.fixture(params=[Contract, template])
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """A contract, and a template of one: both take the same arguments by the same names."""
    made: Callable[..., Any] = request.param
    return made


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([], ()),
        (["a"], ("a",)),
        (("b", "a"), ("b", "a")),
        ({"a": 1, "b": 2}, ("a", "b")),
        ({"a": 1, "b": 2}.keys(), ("a", "b")),
        (frozenset({"a"}), ("a",)),
        (["a", "b", "a"], ("a", "b")),
        (["self", "class"], ("self", "class")),
        (["名前", "परीक्षण", "имя", "café", "_x1"], ("名前", "परीक्षण", "имя", "café", "_x1")),
        ([Old.A], ("a",)),
        (Old, ("a",)),
        ([Word("a")], ("a",)),
    ],
)
def test_names_of_slots(
    make: Callable[..., Any], given: Iterable[str], kept: tuple[str, ...]
) -> None:
    """Rule 6: identifiers of any script, in their order, without repeats."""
    names = make(variables=given).variables
    assert names == kept
    assert {type(name) for name in names} <= {str}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([], ()),
        (["ADD"], ("ADD",)),
        (("NOOP", "ADD"), ("NOOP", "ADD")),
        (["#N", "工具", "ADD NOOP"], ("#N", "工具", "ADD NOOP")),
        (["ADD", "ADD"], ("ADD",)),
        ([Operation.ADD], ("ADD",)),
        ([Operation.ADD, "ADD", "NOOP"], ("ADD", "NOOP")),
        (Operation, ("ADD", "NOOP")),
        (Verdict, ("yes", "no")),
        (Old, ("a",)),
        ([Word("ADD")], ("ADD",)),
    ],
)
def test_protocol_tokens(
    make: Callable[..., Any], given: Iterable[str], kept: tuple[str, ...]
) -> None:
    """The parser's own `Enum` class is the list of tokens; its aliases count once."""
    tokens = make(protected=given).protected
    assert tokens == kept
    assert {type(token) for token in tokens} <= {str}


@pytest.mark.parametrize("field", ["variables", "protected"])
def test_an_iterator_is_read_once(make: Callable[..., Any], field: str) -> None:
    assert getattr(make(**{field: iter(["a", "b"][:1])}), field) == ("a",)


def test_the_enum_of_the_parser_guards_every_member() -> None:
    with pytest.raises(PromptError, match=r"missing required protocol token \['NOOP'\]"):
        PromptTemplate("Answer ADD.", protected=Operation)


# The arguments, then what the message must name.
REFUSED: dict[str, tuple[dict[str, object], list[str]]] = {
    "one bare string of names": ({"variables": "query"}, ["variables", "'query'", "('query',)"]),
    "one bare string of tokens": ({"protected": "ADD"}, ["protected", "'ADD'", "('ADD',)"]),
    "an empty bare string": ({"variables": ""}, ["variables"]),
    "a bare member of a str enum": ({"protected": Verdict.YES}, ["protected", "YES"]),
    "bytes": ({"variables": b"query"}, ["variables", "b'query'"]),
    "None": ({"variables": None}, ["variables", "None"]),
    "a number": ({"protected": 7}, ["protected", "7"]),
    "a bare member of an enum": ({"protected": Operation.ADD}, ["protected", "ADD"]),
    "a name that is no str": ({"variables": ["a", 1]}, ["variables", "1 is no str"]),
    "a name that is None": ({"variables": [None]}, ["variables", "None is no str"]),
    "a token that is bytes": ({"protected": [b"ADD"]}, ["protected", "b'ADD' is no str"]),
    "an enum of numbers": ({"protected": Level}, ["protected", "1 is no str"]),
    "an enum of both": ({"protected": Mixed}, ["protected", "7 is no str"]),
    "a name with a blank": ({"variables": ["a b"]}, ["'a b'", "identifier"]),
    "an empty name": ({"variables": [""]}, ["''", "identifier"]),
    "a name with a hyphen": ({"variables": ["a-b"]}, ["'a-b'", "identifier"]),
    "a name with a dot": ({"variables": ["a.b"]}, ["'a.b'", "identifier"]),
    "a name that begins with a digit": ({"variables": ["0"]}, ["'0'", "identifier"]),
    "a name in its brackets": ({"variables": ["{a}"]}, ["'{a}'", "identifier"]),
    "a name with a zero-width blank": ({"variables": ["a\u200b"]}, ["u200b", "identifier"]),
    "a name that is a lone surrogate": ({"variables": ["\ud800"]}, ["ud800", "identifier"]),
    "a name with a ligature": ({"variables": ["ﬁ"]}, ["'ﬁ'", "NFKC", "'fi'"]),
    "a full-width name": ({"variables": ["ｑ"]}, ["'ｑ'", "NFKC", "'q'"]),
    "a name taken apart": ({"variables": ["cafe\u0301"]}, ["NFKC", "'café'"]),
    "a Kelvin sign": ({"variables": ["\u212a"]}, ["NFKC", "'K'"]),
    "an empty token": ({"protected": [""]}, ["''", "blank"]),
    "a blank token": ({"protected": [" \n\u00a0"]}, ["blank"]),
    "a token with a NUL": ({"protected": ["a\0"]}, ["U+0000"]),
    "a token with a lone surrogate": ({"protected": ["a\udc80"]}, ["U+DC80"]),
    "a description that is None": ({"description": None}, ["description", "None is no str"]),
    "a description that is bytes": ({"description": b"x"}, ["description", "b'x' is no str"]),
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_what_no_text_could_hold_is_refused(
    make: Callable[..., Any], arguments: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(PromptError) as caught:
        make(**arguments)
    message = str(caught.value)
    assert message.startswith("Invalid prompt contract: ")
    assert [word for word in words if word not in message] == []
    assert [found.code for found in caught.value.diagnostics] == ["contract-invalid"]


def test_all_faults_of_a_contract_are_reported_at_once(make: Callable[..., Any]) -> None:
    with pytest.raises(PromptError) as caught:
        make(variables=["a b", "c", 1], protected="ADD", description=None)
    found = caught.value.diagnostics
    assert [finding.subject for finding in found] == [
        "variables",
        "variables",
        "protected",
        "description",
    ]


def test_the_description_is_kept_as_it_is(make: Callable[..., Any]) -> None:
    assert make(description=" Für\nÜbersetzer ").description == " Für\nÜbersetzer "
    assert make().description == ""


def test_a_contract_equals_one_of_the_same_arguments() -> None:
    one = Contract(["a", "b"], ["ADD"], "note")
    assert one == Contract(("a", "b"), iter(["ADD"]), "note")
    assert hash(one) == hash(Contract(("a", "b"), ["ADD"], "note"))
    others = [
        Contract(["b", "a"], ["ADD"], "note"),
        Contract(["a"], ["ADD"], "note"),
        Contract(["a", "b"], [], "note"),
        Contract(["a", "b"], ["ADD"], ""),
        (("a", "b"), ("ADD",), "note"),
    ]
    assert [other for other in others if one == other] == []


@pytest.mark.parametrize(
    "through", [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))]
)
def test_a_contract_survives_copies(through: Callable[[Contract], Contract]) -> None:
    one = Contract(["ADD", "b"], ["ADD"], "note")
    other = through(one)
    assert other == one
    assert (other.names, other.heads) == (one.names, one.heads)
    assert [token.in_names for token in other.tokens] == [True]


def test_the_repr_of_a_contract_makes_it_again() -> None:
    one = Contract(["a"], ["ADD"], "note")
    assert eval(repr(one)) == one
