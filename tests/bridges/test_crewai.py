"""crewAI's own agents and crews, with crewai from PyPI, its telemetry off, and no network."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from agentprompts import PromptError, PromptRegistry, load_catalog
from agentprompts.cli.app import cli
from agentprompts.exchange import pseudo_text
from agentprompts.integrations.crewai import (
    TOKENS,
    read_prompts,
    translations_file,
    use_prompts,
    write_prompts,
)
from agentprompts.testing import pseudo_registry

LATEST = Path(__file__).parents[1] / "corpus" / "crewai" / "en-latest.json"

# What it warns of by itself. The import stands in a fixture, so that this holds for these tests.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Cannot set an attribute on 'crewai:ImportWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:crewai[.].*"),
]


@pytest.fixture
def crewai(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModuleType]:
    for name in ("CREWAI_DISABLE_TELEMETRY", "CREWAI_DISABLE_TRACKING", "OTEL_SDK_DISABLED"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("CREWAI_TRACING_ENABLED", "false")
    monkeypatch.setenv("CREWAI_STORAGE_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    warn = warnings.warn  # crewAI puts its own in its place
    try:
        import crewai

        yield crewai
    finally:
        warnings.warn = warn


def llm(crewai: ModuleType, answers: list[str]) -> Any:
    """Return a model of crewAI's own kind that plays a script and keeps what it was told."""

    class Scripted(crewai.BaseLLM):  # type: ignore[name-defined]
        def call(self, messages: Any, *rest: Any, **kw: Any) -> str:
            told = [messages] if isinstance(messages, str) else [m["content"] for m in messages]
            seen.append("\n".join(str(text) for text in told))
            return answers.pop(0)

        def supports_function_calling(self) -> bool:
            return False

    seen: list[str] = []
    made = Scripted(model="scripted")
    return made, seen


def kick_off(crewai: ModuleType, **options: Any) -> str:
    """Run a crew of one agent with one tool, and return all that its model was told."""
    from crewai.tools import tool

    @tool
    def look_up(name: str) -> str:
        """Look a name up."""
        return f"FOUND {name}"

    model, seen = llm(
        crewai,
        [
            'Thought: x\nAction: look_up\nAction Input: {"name": "N"}',
            "Thought: I now know the final answer\nFinal Answer: DONE",
        ],
    )
    agent = crewai.Agent(role="ROLE", goal="GOAL", backstory="STORY", llm=model, tools=[look_up])
    task = crewai.Task(description="DESCRIBED", expected_output="EXPECTED", agent=agent)
    crew = crewai.Crew(agents=[agent], tasks=[task], tracing=False, **options)
    assert str(crew.kickoff()) == "DONE"
    return "\n".join(seen)


def test_the_installed_texts_are_read_without_an_import() -> None:
    prompts = read_prompts()
    assert len(prompts) > 80
    assert prompts["slices.role_playing"].variables == ("role", "backstory", "goal")
    assert "Final Answer:" in prompts["slices.format"].protected
    assert translations_file().endswith("en.json")


def test_a_pseudo_translation_goes_out_and_back(tmp_path: Path) -> None:
    source = read_prompts(LATEST)
    write_prompts(pseudo_registry(source), tmp_path / "xa.json", source=source)
    back = read_prompts(tmp_path / "xa.json")
    assert back.as_dict() == {key: pseudo_text(t) for key, t in source.items()}
    names = [sorted(t.variables) for _, t in source.items()]
    assert [sorted(t.variables) for _, t in back.items()] == names
    assert json.loads((tmp_path / "xa.json").read_text(encoding="utf-8")).keys() == {
        key.split(".")[0] for key in source
    }


def test_the_catalog_imports_and_a_pack_of_it_goes_back(tmp_path: Path) -> None:
    """The command line's catalog of crewAI's file is the same as the registry of it."""
    options = [word for token in TOKENS for word in ("--protect", token)]
    done = CliRunner().invoke(
        cli, ["import", str(LATEST), "--new", str(tmp_path / "cat"), *options]
    )
    assert done.exit_code == 0, done.output
    (tmp_path / "cat" / "fr.toml").write_text(
        "[slices]\nrole_playing = 'Tu es <role>. <backstory> Ton but : <goal>'\n", encoding="utf-8"
    )
    catalog = load_catalog(tmp_path / "cat")
    source = read_prompts(LATEST)
    assert {k: t.contract for k, t in catalog.items()} == {k: t.contract for k, t in source.items()}
    write_prompts(catalog.localized("fr"), tmp_path / "fr.json", source=source)
    texts = json.loads((tmp_path / "fr.json").read_text(encoding="utf-8"))
    # crewAI reads braces only.
    assert texts["slices"]["role_playing"] == "Tu es {role}. {backstory} Ton but : {goal}"
    assert texts["slices"]["task"] == source.text("slices.task")


def test_a_broken_translation_is_refused(tmp_path: Path) -> None:
    source = read_prompts(LATEST)
    broken = PromptRegistry({key: t for key, t in source.items() if key != "slices.memory"})
    texts = source.as_dict() | {"slices.tools": "Outils : {tools}", "tools.recall_memory": "Un {"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps({k: texts[k] for k in broken}), encoding="utf-8")
    with pytest.raises(PromptError, match="Cannot write crewAI's texts") as caught:
        write_prompts(read_prompts(path), tmp_path / "out.json", source=source)
    assert {(found.key, found.code) for found in caught.value.diagnostics} == {
        ("slices.memory", "key-missing"),
        ("slices.tools", "slot-missing"),
        ("slices.tools", "token-missing"),
        ("tools.recall_memory", "foreign-brace"),
    }
    assert not (tmp_path / "out.json").exists()


def test_a_translation_reaches_the_agent(crewai: ModuleType, tmp_path: Path) -> None:
    source = read_prompts()
    write_prompts(pseudo_registry(source), tmp_path / "xa.json")
    pseudo = pseudo_registry(source)
    with use_prompts(tmp_path / "xa.json"):
        told = kick_off(crewai)
    assert pseudo.render("slices.role_playing", role="ROLE", goal="GOAL", backstory="STORY") in told
    assert "⟦" in told
    assert source.render("slices.role_playing", role="ROLE", goal="GOAL", backstory="STORY") in (
        kick_off(crewai)
    )


def test_prompt_file_alone_does_not_reach_the_agent(crewai: ModuleType, tmp_path: Path) -> None:
    """Known of crewAI 1.15: it reads `prompt_file` for a hierarchical crew's manager only."""
    write_prompts(pseudo_registry(read_prompts()), tmp_path / "xa.json")
    assert "⟦" not in kick_off(crewai, prompt_file=str(tmp_path / "xa.json"))
    model, _ = llm(crewai, [])
    agent = crewai.Agent(role="R", goal="G", backstory="B", llm=model)
    crew = crewai.Crew(
        agents=[agent],
        tasks=[crewai.Task(description="D", expected_output="E")],
        process=crewai.Process.hierarchical,
        manager_llm=model,
        prompt_file=str(tmp_path / "xa.json"),
        tracing=False,
    )
    crew._create_manager_agent()
    assert "⟦" in crew.manager_agent.role


def test_a_file_that_crewai_cannot_read_leaves_its_texts(
    crewai: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "x.json").write_text("{", encoding="utf-8")
    for name in ("x.json", "nowhere.json"):
        with (
            pytest.raises(PromptError, match=f"crewAI cannot read .*{name}"),
            use_prompts(tmp_path / name),
        ):
            pass
    assert "⟦" not in kick_off(crewai)


def test_the_example_runs(crewai: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    from examples.crewai_crew import main

    main()
    assert "Tu es caissier. Poli.\nTon but personnel : répondre" in capsys.readouterr().out
