"""Sections that plugins register: seed 000, promises N1 to N13."""

from __future__ import annotations

import logging
import threading
from functools import partial

import pytest

from agentprompts import PromptError
from agentprompts.sections import PluginSections
from agentprompts.xml import cdata

SEED = """\
<system_instructions>
You are a helpful assistant.
</system_instructions>

<prompt_section name="skill-catalog">
<available_skills>
  <skill name="code-review" scope="project">
    <description>Review code.</description>
  </skill>
</available_skills>
</prompt_section>

<prompt_section name="dynvars">
- Date: 2026-04-08
- OS: darwin
</prompt_section>
"""


def test_the_seeds_example() -> None:
    """N2, N3, N4, N7: the prompt that seed 000 shows, byte for byte."""
    sections = PluginSections()
    sections.register("dynvars", 50, lambda: "- Date: 2026-04-08\n- OS: darwin\n")
    skills = SEED[SEED.index("<available") : SEED.index("</available_skills>") + 19]
    sections.register("skill-catalog", 10, lambda: skills)
    assert sections.apply("You are a helpful assistant.") == SEED


def test_functions_run_at_every_apply() -> None:
    """N1."""
    numbers = iter(range(1, 3))
    sections = PluginSections()
    sections.register("count", 0, lambda: str(next(numbers)))
    assert "1" in sections.apply()
    assert "2" in sections.apply()


def names_in(text: str) -> list[str]:
    return [line.split('"')[1] for line in text.splitlines() if line.startswith("<prompt_section")]


def test_lower_priority_stands_first_and_equals_keep_their_order() -> None:
    """N3, N5: one registered again keeps its place among equals; taken out, it comes last."""
    sections = PluginSections()
    for name, priority in (("z", 5), ("a", 5), ("m", 5), ("late", 9), ("early", -1)):
        sections.register(name, priority, partial(str, name))
    assert names_in(sections.apply()) == ["early", "z", "a", "m", "late"]
    sections.register("z", 5, lambda: "new")
    text = sections.apply()
    assert names_in(text) == ["early", "z", "a", "m", "late"]
    assert "new" in text
    sections.unregister("z")
    sections.register("z", 5, lambda: "z")
    assert names_in(sections.apply()) == ["early", "a", "m", "z", "late"]
    assert len(sections) == 5
    assert "z" in sections


def test_unregistering_what_is_not_there_does_nothing() -> None:
    """N6."""
    sections = PluginSections()
    sections.unregister("nobody")
    assert len(sections) == 0


@pytest.mark.parametrize(
    ("base", "content", "text"),
    [
        ("", None, ""),
        ("", "", ""),
        ("b", None, "<system_instructions>\nb\n</system_instructions>\n"),
        ("b\n", "", "<system_instructions>\nb\n</system_instructions>\n"),
        ("", "c", '<prompt_section name="s">\nc\n</prompt_section>\n'),
    ],
)
def test_what_is_empty_leaves_no_trace(base: str, content: str | None, text: str) -> None:
    """N2, N4, N12."""
    sections = PluginSections()
    if content is not None:
        sections.register("s", 0, lambda: content)
    assert sections.apply(base) == text


@pytest.mark.parametrize("body", ["</prompt_section>", "</PROMPT_SECTION >", "<prompt_section>"])
def test_content_cannot_close_a_section(body: str) -> None:
    """N10: it stands in CDATA, which the helper gives too."""
    sections = PluginSections()
    sections.register("user", 0, lambda: body)
    assert f"<![CDATA[{body}]]>" in sections.apply()
    sections.register("user", 0, lambda: cdata(body))
    assert f"\n<![CDATA[{body}]]>\n" in sections.apply()


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\tb", "a\0b", "a\x1bb", "\ud800", "\uffff", 7])
def test_names_that_xml_cannot_carry_are_refused(name: str) -> None:
    """N11."""
    with pytest.raises(PromptError, match="no name of a section"):
        PluginSections().register(name, 0, str)


def test_a_name_of_any_other_kind_comes_back() -> None:
    """N11, CASES: a section named `a" y="z`."""
    sections = PluginSections()
    sections.register('a" y="z', 0, lambda: "x")
    assert '<prompt_section name="a&quot; y=&quot;z">' in sections.apply()


@pytest.mark.parametrize("priority", [float("nan"), True, "1", None])
def test_a_priority_is_a_number(priority: float) -> None:
    with pytest.raises(PromptError, match="priority"):
        PluginSections().register("s", priority, str)


def test_a_section_is_a_function() -> None:
    with pytest.raises(PromptError, match="pass a function"):
        PluginSections().register("s", 1, "text")  # type: ignore[arg-type]
    with pytest.raises(PromptError, match="on_error"):
        PluginSections("ignore")  # type: ignore[arg-type]


def test_a_function_may_register_and_unregister() -> None:
    """N13: without deadlock, and without effect on the call that runs."""
    sections = PluginSections()

    def change() -> str:
        done = threading.Thread(target=sections.register, args=("other", 0, lambda: "o"))
        done.start()
        done.join(10)
        assert not done.is_alive()
        sections.unregister("change")
        return "changed"

    sections.register("change", 0, change)
    assert names_in(sections.apply()) == ["change"]
    assert names_in(sections.apply()) == ["other"]


def broken() -> str:
    raise ValueError("no network")


@pytest.mark.parametrize("produce", [broken, lambda: None, lambda: b"x", lambda: "a\x0bb"])
def test_one_that_fails_is_named_and_fails_the_call_or_not(
    produce: object, caplog: pytest.LogCaptureFixture
) -> None:
    """N13: the host chooses."""
    strict = PluginSections()
    strict.register("weather", 0, produce)  # type: ignore[arg-type]
    with pytest.raises(PromptError, match="weather"):
        strict.apply("b")
    told: list[PromptError] = []
    lenient = PluginSections(on_error="skip", report=told.append)
    lenient.register("weather", 0, produce)  # type: ignore[arg-type]
    lenient.register("good", 1, lambda: "g")
    assert names_in(lenient.apply("b")) == ["good"]
    assert ["weather" in str(error) for error in told] == [True]
    quiet = PluginSections(on_error="skip")
    quiet.register("weather", 0, produce)  # type: ignore[arg-type]
    with caplog.at_level(logging.WARNING, "agentprompts"):
        assert quiet.apply() == ""
    assert "weather" in caplog.text
