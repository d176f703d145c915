"""Sections that plugins add to a system prompt while a program runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal, TypeAlias

from ..errors import PromptError
from ..xml import is_xml_text
from .assembled import BASE_TAG, SECTION_TAG, tagged

__all__ = ["PluginSections"]

Produce: TypeAlias = Callable[[], str]


class PluginSections:
    """Named sections by priority, each a function that runs at every `apply`.

    Args:
        on_error: What a function that raises does to `apply`: fail it, or be left out and told to
            `report`.
        report: Takes the `PromptError` of a section that was left out; it names the section.
            Without it, the error is logged.

    >>> sections = PluginSections()
    >>> sections.register("place", 50, lambda: "CWD: /home/ada")
    >>> print(sections.apply("You are brief."), end="")
    <system_instructions>
    You are brief.
    </system_instructions>
    <BLANKLINE>
    <prompt_section name="place">
    CWD: /home/ada
    </prompt_section>
    """

    def __init__(
        self,
        on_error: Literal["raise", "skip"] = "raise",
        report: Callable[[PromptError], None] | None = None,
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise PromptError(f"on_error is {on_error!r}: write 'raise' or 'skip'")
        self._skips = on_error == "skip"
        self._report = report or _log
        self._sections: dict[str, tuple[float, Produce]] = {}
        self._lock = threading.Lock()

    def register(self, name: str, priority: float, produce: Produce) -> None:
        """Add a section, or replace the one of that name, which keeps its place among equals.

        Args:
            name: What its tag bears; any text of one line.
            priority: Lower stands first; equals stand in the order of their registration.
            produce: Returns the content, or nothing for no section.

        Raises:
            PromptError: The name is blank, or XML cannot carry it back unchanged.
        """
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise PromptError(f"{name!r} is no name of a section: write one line of text")
        if not is_xml_text(name):
            raise PromptError(f"{name!r} is no name of a section: XML cannot hold it")
        if isinstance(priority, bool) or not isinstance(priority, int | float):
            raise PromptError(f"The priority of {name!r} is {priority!r}: write a number")
        if priority != priority:
            raise PromptError(f"The priority of {name!r} is not a number")
        if not callable(produce):
            raise PromptError(f"The section {name!r} is {produce!r}: pass a function")
        with self._lock:
            self._sections = {**self._sections, name: (priority, produce)}

    def unregister(self, name: str) -> None:
        """Take a section out; one that is not there is no error."""
        with self._lock:
            self._sections = {n: one for n, one in self._sections.items() if n != name}

    def __len__(self) -> int:
        return len(self._sections)

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def apply(self, base: str = "") -> str:
        """Return the system prompt: the base in its tags, then each section that has content.

        Functions run without any lock held: they may register and unregister sections, which the
        next call sees.

        Raises:
            PromptError: A section's function raises or returns no text; it is named.
        """
        blocks = [tagged(BASE_TAG, base)]
        for name, (_, produce) in sorted(self._sections.items(), key=lambda one: one[1][0]):
            try:
                blocks.append(tagged(SECTION_TAG, _called(name, produce), name))
            except PromptError as error:
                named = PromptError(f"Cannot build the section {name!r}: {error}")
                if not self._skips:
                    raise named from error
                self._report(named)
        text = "\n\n".join(block for block in blocks if block)
        return text + "\n" if text else ""


def _called(name: str, produce: Produce) -> str:
    try:
        content = produce()
    except Exception as error:
        raise PromptError(repr(error)) from error
    if not isinstance(content, str):
        kind = type(content).__name__
        raise PromptError(f"its function returned {kind}: it must return text, '' for none")
    return content


def _log(error: PromptError) -> None:
    import logging

    logging.getLogger("agentprompts").warning("%s", error)
