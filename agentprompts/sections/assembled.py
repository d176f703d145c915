"""A system prompt that was put together: its text, its origins, and the forms that hosts send."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import PromptError
from ..registry import PromptRegistry
from ..xml import element
from .section import Piece, Section, Tier, in_order, pieces_of

__all__ = ["AssembledPrompt", "Part", "Span", "assemble", "assemble_parts"]

SEPARATOR = "\n\n"
_MOST_BREAKPOINTS = 4
"""Most `cache_control` marks that Anthropic's Messages API takes in one request."""
_TIERS: tuple[Tier, ...] = ("static", "session", "turn")


class Part(NamedTuple):
    """One section as it came out: its id, how often it changes, and its pieces."""

    id: str
    tier: Tier
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The section's title and body."""
        return "".join(piece.text for piece in self.pieces)


class Span(NamedTuple):
    """Where in a prompt a piece stands, in code points, and which section it belongs to."""

    start: int
    end: int
    section: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class AssembledPrompt:
    """The sections of a prompt in their order, each as it came out for one context.

    `str()` of it is the prompt; the methods give the forms in which model APIs take it.
    """

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The prompt: sections joined by a blank line."""
        return SEPARATOR.join(part.text for part in self.parts)

    def __str__(self) -> str:
        return self.text

    def explain(self) -> Iterator[Span]:
        """Yield where each character comes from; the spans cover the text without a gap."""
        at = 0
        for number, part in enumerate(self.parts):
            lead = (Piece(SEPARATOR, "separator"),) if number else ()
            for piece in (*lead, *part.pieces):
                yield Span(at, at + len(piece.text), part.id, piece)
                at += len(piece.text)

    def stable_first(self) -> AssembledPrompt:
        """Return the prompt with what never changes first, then what changes seldom.

        A model's cache keeps the longest common beginning of two requests. Where the order of
        sections means nothing to the host, this one keeps more of it.
        """
        return AssembledPrompt(tuple(sorted(self.parts, key=lambda part: _TIERS.index(part.tier))))

    def to_xml(self) -> str:
        """Return each section in `<prompt_section name="…">`; a body that is no XML is CDATA.

        Raises:
            PromptError: XML cannot hold one of the characters.
        """
        blocks = (tagged(SECTION_TAG, part.text, part.id) for part in self.parts)
        return "\n\n".join(blocks) + ("\n" if self.parts else "")

    def to_messages(self, role: str = "system") -> list[dict[str, Any]]:
        """Return one message, as most APIs take it; nothing where there is no text.

        Args:
            role: `system`; `developer` for OpenAI's newer models.
        """
        return [{"role": role, "content": self.text}] if self.parts else []

    def to_openai(self, role: str = "developer") -> list[dict[str, Any]]:
        """Return one message for OpenAI's APIs with a text part for each stretch of one tier."""
        content = [{"type": "text", "text": text} for _, text in self._blocks()]
        return [{"role": role, "content": content}] if content else []

    def to_anthropic(self, cache_after: Collection[str] | None = None) -> list[dict[str, Any]]:
        """Return the blocks of Anthropic's `system` parameter, with marks for its prompt cache.

        Args:
            cache_after: Sections after which a cached beginning ends. Without it, one ends after
                the static sections, and one after those that change seldom.

        Raises:
            PromptError: There are more than four marks, or a section is not there.
        """
        if cache_after is not None:
            ids = {part.id for part in self.parts}
            if unknown := [name for name in cache_after if name not in ids]:
                raise PromptError(f"There is no section {unknown[0]!r} to cache after: {ids}")
            if len(set(cache_after)) > _MOST_BREAKPOINTS:
                raise PromptError(
                    f"{len(set(cache_after))} cache marks: the API takes {_MOST_BREAKPOINTS} at "
                    "most, so keep those after the longest parts that do not change"
                )
        marks = self._own_marks() if cache_after is None else cache_after
        blocks = []
        for last, text in self._blocks(marks):
            block: dict[str, Any] = {"type": "text", "text": text}
            if last in marks:
                block["cache_control"] = {"type": "ephemeral"}
            blocks.append(block)
        return blocks

    def _own_marks(self) -> set[str]:
        """Return the last section of each tier, as far as the tiers only ever rise."""
        marks: dict[Tier, str] = {}
        for part in self.parts:
            if part.tier == "turn" or (part.tier == "static" and "session" in marks):
                break
            marks[part.tier] = part.id
        return set(marks.values())

    def _blocks(self, ends: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield (last section, text) of blocks whose texts make the prompt when joined."""
        text = ""
        for number, part in enumerate(self.parts):
            text += (SEPARATOR if number else "") + part.text
            after = self.parts[number + 1 : number + 2]
            if ends is None:
                done = not after or after[0].tier != part.tier
            else:
                done = not after or part.id in ends
            if done:
                yield part.id, text
                text = ""


BASE_TAG = "system_instructions"
SECTION_TAG = "prompt_section"


def tagged(tag: str, content: str, name: str | None = None) -> str:
    """Return content in one of the two tags, neither of which it can open or close itself."""
    attributes = {} if name is None else {"name": name}
    return element(tag, content, attributes, (BASE_TAG, SECTION_TAG))


def assemble_parts(
    sections: Iterable[Section[Any]], context: Any, prompts: PromptRegistry | None
) -> AssembledPrompt:
    """Return the prompt that sections make in a context, with the origin of every piece."""
    parts = (
        Part(section.id, section.tier, pieces)
        for section in in_order(sections)
        if (pieces := pieces_of(section, context, prompts))
    )
    return AssembledPrompt(tuple(parts))


def assemble(
    sections: Iterable[Section[Any]],
    context: Any = None,
    prompts: PromptRegistry | None = None,
) -> str:
    """Return the prompt that sections make: by order, then id, joined by a blank line.

    Args:
        sections: In any order; they are not changed.
        context: What their functions are called with.
        prompts: Where those from the catalog take their texts, in the language of the registry.

    Raises:
        PromptError: Two sections have one id, or one of them cannot be built.

    >>> assemble([Section("b", "Be brief.", 2000), Section("a", "You are Ada.", 1000)])
    'You are Ada.\\n\\nBe brief.'
    """
    return assemble_parts(sections, context, prompts).text
