"""crewAI: its own texts as a registry, and a checked translation given back to it.

    prompts = read_prompts()                              # the installed version's English texts
    write_prompts(prompts.localized("fr"), "fr.json")     # checked, as crewAI reads it
    with use_prompts("fr.json"):
        Crew(agents=…, tasks=…, prompt_file="fr.json").kickoff()

As of crewAI 1.15, `prompt_file` alone reaches the manager of a hierarchical crew and nothing else:
agents, tasks and tools read one object of the whole process. `use_prompts` sets the file there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..catalog import write_text
from ..diagnostics import Diagnostic
from ..errors import PromptError, raise_faults
from ..exchange import contracts_for, read_json, write_json
from ..registry import PromptRegistry
from ..scanner import Slots, find_slots
from ..template import PromptTemplate
from .foreign import extra, written

__all__ = ["TOKENS", "read_prompts", "translations_file", "use_prompts", "write_prompts"]

TOKENS = ("Action:", "Action Input:", "Observation:", "Final Answer:", "Thought:")
"""What crewAI's parser looks for in the answers of a model that calls no tools by itself."""


def translations_file() -> str:
    """Return where the installed crewAI keeps its English texts; crewAI is not imported for it.

    Raises:
        PromptError: It is not installed, or keeps them elsewhere.
    """
    from importlib.util import find_spec

    spec = find_spec("crewai")
    with extra("crewai"):
        if spec is None or not spec.submodule_search_locations:
            raise ImportError(name="crewai")
        path = os.path.join(spec.submodule_search_locations[0], "translations", "en.json")
    if not os.path.isfile(path):
        raise PromptError(f"This version of crewAI has no {path}: name the file of its texts")
    return path


def read_prompts(
    path: str | os.PathLike[str] | None = None, *, protect: Iterable[str] = TOKENS
) -> PromptRegistry:
    """Return crewAI's texts with contracts: the slots that it fills, the tokens that it parses.

    Args:
        path: A file of its texts; those of the installed version without it.
        protect: The tokens; each is protected in the texts that hold it.

    Raises:
        PromptError: The file cannot be read, or crewAI is not installed.

    `agentprompts import FILE --new DIR --protect TOKEN` makes a catalog of the same file.
    """
    path = translations_file() if path is None else path
    try:
        texts = read_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"Cannot read {os.fspath(path)}: {error}") from None
    contracts = contracts_for(texts, protect)
    return PromptRegistry(
        (key, PromptTemplate.from_contract(text, contracts[key])) for key, text in texts.items()
    )


def write_prompts(
    prompts: PromptRegistry,
    path: str | os.PathLike[str],
    *,
    source: PromptRegistry | None = None,
) -> None:
    """Write the file that crewAI reads, if it can do with each text what it does with its own.

    It fills slots by `str.format`, so that a brace which is no slot would stop a run.

    Args:
        prompts: The texts by crewAI's keys: a registry, or its view in a locale.
        path: Where the JSON goes.
        source: The texts that crewAI has by itself; those of the installed version without it.

    Raises:
        PromptError: A key is missing, or a text breaks its contract. All such are named.
    """
    source = read_prompts() if source is None else source
    faults: list[Diagnostic] = []
    texts: dict[str, str] = {}
    for key, old in source.items():
        template = prompts.get(key, None)
        if template is None:
            faults.append(_missing(key))
            continue
        found = old.check(template.template)
        slots = find_slots(template.template, old.contract)
        if not found and _braces(slots) > _braces(find_slots(old.template, old.contract)):
            found = [_brace()]
        faults += [fault.at(key=key) for fault in found]
        texts[key] = written(slots)
    raise_faults("Cannot write crewAI's texts", faults)
    write_text(path, write_json(texts, nested=True))


@contextmanager
def use_prompts(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have crewAI read its texts from a file of `write_prompts`, in this process, for a while.

    Agents and crews are made and run inside. It holds for every thread: two languages at once need
    two processes. Give a hierarchical crew the same file as `prompt_file`, for its manager.

    Raises:
        PromptError: crewAI is not installed, or keeps its texts in another way.
    """
    with extra("crewai"):
        from crewai.utilities import i18n
    texts = i18n.I18N_DEFAULT
    before = texts.prompt_file
    try:
        _load(texts, os.fspath(path))
        yield
    finally:
        _load(texts, before)


def _load(texts: object, path: str | None) -> None:
    try:
        texts.prompt_file = path  # type: ignore[attr-defined]
        texts.load_prompts()  # type: ignore[attr-defined]
    except Exception as error:  # crewAI raises bare ones
        raise PromptError(f"crewAI cannot read {path}: {error}") from error


def _braces(slots: Slots) -> int:
    return sum(part.count(brace) for part in slots.parts for brace in "{}")


def _brace() -> Diagnostic:
    return Diagnostic(
        code="foreign-brace",
        message="the text has a brace that belongs to no slot, and crewAI's own text has not",
        why="crewAI fills its slots by `str.format`, which fails on it when the agent runs",
        mend="write it without the brace",
    )


def _missing(key: str) -> Diagnostic:
    return Diagnostic(
        code="key-missing",
        message=f"crewAI reads {key!r}, and the prompts have no such key",
        why="crewAI has no fallback: it fails when it comes to the text",
        mend="take the catalog of the same version of crewAI",
        key=key,
    )
