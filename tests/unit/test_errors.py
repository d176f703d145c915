"""What the errors say, carry and survive."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable

import pytest

from agentprompts import (
    Diagnostic,
    Place,
    PromptError,
    PromptRegistry,
    PromptTemplate,
    UnknownPromptError,
)
from agentprompts.diagnostics import place_at
from agentprompts.errors import raise_faults

T = PromptTemplate
QUESTION = T("[Q]\n{query}", variables=["query"])
RECONCILE = T("{a} {b}: ADD, NOOP", variables=["a", "b"], protected=["ADD", "NOOP"])


def registry() -> PromptRegistry:
    return PromptRegistry({"ctx.question": QUESTION, "memory.reconcile": RECONCILE})


# Messages: (what is done, the first line, what stands in the lines after it)
MESSAGES: dict[str, tuple[Callable[[], object], str, list[str]]] = {
    "the seed's": (
        lambda: registry().override({"ctx.question": "The question is above."}),
        "Invalid prompt override: missing placeholder ['query']",
        ["ctx.question", "mend:", "'{query}'"],
    ),
    "with_text": (
        lambda: QUESTION.with_text("none"),
        "Invalid prompt override: missing placeholder ['query']",
        ["mend:", "'{query}'"],
    ),
    "template": (
        lambda: T("none", variables=["query"]),
        "Invalid prompt template: missing placeholder ['query']",
        ["mend:"],
    ),
    "two slots": (
        lambda: registry().override({"memory.reconcile": "ADD, NOOP"}),
        "Invalid prompt override: missing placeholder ['a', 'b']",
        ["memory.reconcile", "'{a}'", "'{b}'"],
    ),
    "token": (
        lambda: registry().override({"memory.reconcile": "{a} {b}: ADD"}),
        "Invalid prompt override: missing required protocol token ['NOOP'] "
        "(changing it would break parsing)",
        ["memory.reconcile", "why:", "mend:", "'NOOP'"],
    ),
    "slot and token": (
        lambda: registry().override({"memory.reconcile": "{a}: ADD"}),
        "Invalid prompt override: missing placeholder ['b']; missing required protocol token "
        "['NOOP'] (changing it would break parsing)",
        ["memory.reconcile", "'{b}'", "'NOOP'"],
    ),
    "one prompt in one locale": (
        lambda: registry().override({"ctx.question": "nichts"}, locale="de"),
        "Invalid prompt override: missing placeholder ['query']",
        ["ctx.question", "[de]"],
    ),
    "several prompts": (
        lambda: registry().override({"ctx.question": "none", "memory.reconcile": "{a} {b}"}),
        "Invalid prompt override: 3 faults in 2 prompts",
        ["ctx.question", "'{query}'", "memory.reconcile", "'ADD'", "'NOOP'"],
    ),
    "unknown": (
        lambda: registry().text("ctx.qestion"),
        "Unknown prompt key: 'ctx.qestion'",
        ["did you mean 'ctx.question'?"],
    ),
    "unknown in an override": (
        lambda: registry().override({"ctx.qestion": "x"}),
        "Invalid prompt override: Unknown prompt key: 'ctx.qestion'",
        ["did you mean 'ctx.question'?"],
    ),
    "taken": (
        lambda: registry().register("ctx.question", "x"),
        "Cannot register: Prompt key already exists: 'ctx.question'",
        ["override"],
    ),
    "no key": (
        lambda: registry().register("a..b", "x"),
        "Cannot register: the key 'a..b' has a blank segment",
        ["'myapp.greeting'"],
    ),
    "near miss": (
        lambda: registry().override({"ctx.question": "Two\nlines: { query }"}),
        "Invalid prompt override: missing placeholder ['query']",
        ["ctx.question", "line 2, column 8", "'{ query }'", "mend:"],
    ),
}


@pytest.mark.parametrize(("provoke", "first", "rest"), MESSAGES.values(), ids=MESSAGES)
def test_a_message_says_what_where_why_and_how_to_mend(
    provoke: Callable[[], object], first: str, rest: list[str]
) -> None:
    """M3: the first line reads as the seed shows; key, place and mend come after it."""
    with pytest.raises(PromptError) as caught:
        provoke()
    error = caught.value
    head, *details = str(error).splitlines()
    assert head == error.headline == first
    assert all(line.startswith("  ") for line in details)
    tail = "\n".join(details)
    assert [part for part in rest if part not in tail] == []
    assert error.diagnostics


@pytest.mark.parametrize(("provoke", "first", "rest"), MESSAGES.values(), ids=MESSAGES)
@pytest.mark.parametrize(
    "take",
    [copy.copy, copy.deepcopy]
    + [lambda e, p=p: pickle.loads(pickle.dumps(e, p)) for p in range(pickle.HIGHEST_PROTOCOL + 1)],
)
def test_an_error_survives_the_way_from_another_process(
    provoke: Callable[[], object],
    first: str,
    rest: list[str],
    take: Callable[[PromptError], PromptError],
) -> None:
    with pytest.raises(PromptError) as caught:
        provoke()
    error = caught.value
    error.add_note("while the agent started")
    made = take(error)
    assert type(made) is type(error)
    assert str(made) == str(error)
    assert made.headline == first
    assert made.diagnostics == error.diagnostics
    assert made.__notes__ == ["while the agent started"]


def test_every_error_is_a_prompt_error_and_an_unknown_key_a_key_error_too() -> None:
    """M12: one root; what reads mappings may catch what mappings raise."""
    assert issubclass(PromptError, Exception)
    assert not issubclass(PromptError, KeyError)
    assert issubclass(UnknownPromptError, PromptError)
    assert issubclass(UnknownPromptError, KeyError)

    class HostError(Exception):
        pass

    class HostPromptError(HostError, PromptError):
        pass

    with pytest.raises(PromptError):
        raise HostPromptError("a host's own")


def test_an_unknown_key_is_readable_where_a_key_error_would_be_quoted() -> None:
    error = UnknownPromptError("No such prompt:\n'x'")
    assert str(error) == "No such prompt:\n'x'"


# An error made by hand

NEAR = Diagnostic(
    code="slot-missing",
    message="the slot '{q}' does not stand in the text",
    why="a reason",
    mend="write '{q}'",
    key="a.b",
    place=Place(3, 7, "packs/fr.toml"),
    related=Place(1, 1, "packs/en.toml"),
    subject="q",
    lacks="slot",
)


def test_the_first_diagnostic_is_the_headline_where_none_is_given() -> None:
    error = PromptError(diagnostics=iter([NEAR, NEAR.at(key="c.d")]))
    assert error.headline == NEAR.message
    assert error.diagnostics == (NEAR, NEAR.at(key="c.d"))
    assert "c.d" in str(error)
    assert (PromptError().headline, str(PromptError())) == ("", "")
    assert (str(PromptError("only this")), PromptError("x").diagnostics) == ("only this", ())


def test_all_diagnostics_stand_in_the_text_of_an_error() -> None:
    second = Diagnostic(code="key-invalid", message="second", key="c.d")
    text = str(PromptError("Headline", [NEAR, second]))
    assert text.splitlines()[0] == "Headline"
    for part in (NEAR.message, "a reason", "write '{q}'", "packs/fr.toml:3:7", "packs/en.toml:1:1"):
        assert text.count(part) == 1
    assert text.index(NEAR.message) < text.index("second")
    assert "c.d" in text


def test_warnings_alone_raise_nothing_and_ride_along_with_errors() -> None:
    warning = dataclasses.replace(NEAR, severity="warning", message="only look again")
    raise_faults("Nothing", [])
    raise_faults("Nothing", iter([warning, warning]))
    with pytest.raises(PromptError) as caught:
        raise_faults("Invalid text", iter([warning, NEAR]))
    assert caught.value.diagnostics == (warning, NEAR)
    assert caught.value.headline == "Invalid text: missing placeholder ['q']"


@pytest.mark.parametrize(
    ("codes", "kind"),
    [
        (["key-unknown"], UnknownPromptError),
        (["key-unknown", "key-unknown"], UnknownPromptError),
        (["key-unknown", "slot-missing"], PromptError),
        (["slot-missing"], PromptError),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else "",
)
def test_an_error_is_of_an_unknown_key_if_every_fault_is(
    codes: list[str], kind: type[PromptError]
) -> None:
    warning = Diagnostic(code="anything", message="w", severity="warning")
    faults = [Diagnostic(code=code, message="m", key=f"k{i}") for i, code in enumerate(codes)]
    with pytest.raises(PromptError) as caught:
        raise_faults("What", [warning, *faults])
    assert type(caught.value) is kind


HEADLINES: dict[str, tuple[list[tuple[str, str | None, str]], str]] = {
    "one": ([("text-empty", "a", "the text is empty")], "What: the text is empty"),
    "two of one prompt": (
        [("text-empty", "a", "first"), ("key-invalid", "a", "second")],
        "What: first; second",
    ),
    "grouped before others": (
        [("text-empty", "a", "first"), ("slot-missing", "a", "x"), ("slot-missing", "a", "y")],
        "What: missing placeholder ['x', 'y']; first",
    ),
    "no key": ([("slot-missing", None, "x")], "What: missing placeholder ['x']"),
    "several prompts": (
        [("slot-missing", "a", "x"), ("slot-missing", "b", "y"), ("slot-missing", "b", "z")],
        "What: 3 faults in 2 prompts",
    ),
}


@pytest.mark.parametrize(("faults", "headline"), HEADLINES.values(), ids=HEADLINES)
def test_a_headline_sums_up_all_faults(
    faults: list[tuple[str, str | None, str]], headline: str
) -> None:
    made = [
        Diagnostic(
            code=code,
            key=key,
            message=words,
            subject=words,
            lacks="slot" if code.startswith("slot") else None,
        )
        for code, key, words in faults
    ]
    with pytest.raises(PromptError) as caught:
        raise_faults("What", made)
    assert caught.value.headline == headline
    assert len(caught.value.diagnostics) == len(faults)


# Diagnostics


def test_a_diagnostic_carries_what_a_program_needs() -> None:
    with pytest.raises(PromptError) as caught:
        registry().override({"ctx.question": "Two\nlines: { query }"}, locale="de")
    (found,) = caught.value.diagnostics
    assert (found.code, found.severity, found.subject) == ("slot-mangled", "error", "query")
    assert (found.lacks, found.fix) == ("slot", (11, 20, "{query}"))
    assert (found.key, found.locale) == ("ctx.question", "de")
    assert (found.place, found.offset) == (Place(2, 8), 11)
    assert found.mend == "write '{query}'"


def test_a_diagnostic_is_a_value() -> None:
    assert Diagnostic(code="c", message="m") == Diagnostic(code="c", message="m", severity="error")
    assert len({NEAR, copy.deepcopy(NEAR), pickle.loads(pickle.dumps(NEAR))}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        NEAR.key = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        Diagnostic("code", "message")  # type: ignore[call-arg]


def test_a_reporter_adds_what_it_knows_and_keeps_the_rest() -> None:
    bare = Diagnostic(code="c", message="m", subject="s")
    placed = bare.at(key="k", locale="de", place=Place(1, 2))
    assert (placed.key, placed.locale, placed.place) == ("k", "de", Place(1, 2))
    assert (placed.code, placed.message, placed.subject) == ("c", "m", "s")
    assert placed.at() == placed
    assert placed.at(key="other").place == Place(1, 2)
    assert (bare.key, bare.locale, bare.place) == (None, None, None)


SHOWN: dict[str, tuple[dict[str, object], list[str], list[str]]] = {
    "bare": ({}, ["m"], [":", "None"]),
    "key": ({"key": "a.b"}, ["a.b", "m"], ["None"]),
    "place": ({"place": Place(3, 7)}, ["line 3, column 7", "m"], ["None"]),
    "file": ({"place": Place(3, 7, "x.toml"), "key": "a.b"}, ["x.toml:3:7", "a.b"], []),
    "locale": ({"key": "a.b", "locale": "de"}, ["a.b", "[de]"], []),
    "locale in a text": ({"locale": "de", "place": Place(3, 7)}, ["line 3", "[de]"], []),
    "the file is the locale": ({"locale": "de", "place": Place(3, 7, "x")}, ["x:3:7"], ["[de]"]),
    "why and mend": ({"why": "y!", "mend": "z!"}, ["why: y!", "mend: z!"], []),
    "related": ({"related": Place(9, 9, "x")}, ["see also: x:9:9"], []),
}


@pytest.mark.parametrize(("fields", "parts", "absent"), SHOWN.values(), ids=SHOWN)
def test_a_diagnostic_shows_what_it_knows(
    fields: dict[str, object], parts: list[str], absent: list[str]
) -> None:
    made = Diagnostic(code="c", message="m")
    text = str(dataclasses.replace(made, **fields))  # type: ignore[arg-type]
    assert [part for part in parts if part not in text] == []
    assert [part for part in absent if part in text] == []
    assert "m" in text.splitlines()[0].split()


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("", 0, 1, 1),
        ("abc", 0, 1, 1),
        ("abc", 2, 1, 3),
        ("ab\ncd", 2, 1, 3),
        ("ab\ncd", 3, 2, 1),
        ("ab\n\ncd", 3, 2, 1),
        ("ab\n\ncd", 5, 3, 2),
        ("é😀x", 2, 1, 3),
        ("a\r\nb", 3, 2, 1),
    ],
)
def test_a_place_counts_lines_and_code_points_from_one(
    text: str, offset: int, line: int, column: int
) -> None:
    assert place_at(text, offset, "f") == Place(line, column, "f")
