"""The three texts of the tables, in every notation that a peer reads.

"Small" is 60 characters and one slot, "medium" 1.5 kB and four slots beside a JSON example,
"large" 20 kB and twelve slots. Slots stand evenly through a text, as they do in real ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_FILL = "The assistant keeps to the facts, and says so where it knows nothing of the matter. "
_EXAMPLE = 'Answer as {"op": "ADD", "index": 1, "content": {"a": [1, 2]}}\n'


@dataclass(frozen=True)
class Sample:
    """A text in our own notation, what it declares, and values for its slots."""

    name: str
    text: str
    slots: tuple[str, ...]
    tokens: tuple[str, ...]

    @property
    def values(self) -> dict[str, str]:
        return {slot: f"the value of {slot}" for slot in self.slots}

    @property
    def keywords(self) -> str:
        """The values as a call's keywords: names that are local to the loop."""
        return ", ".join(f"{slot}={slot}" for slot in self.slots)

    def written(self, slot: Callable[[str], str], literal: Callable[[str], str] = str) -> str:
        """Return the text with its slots and its other parts written otherwise."""
        out, rest = "", self.text
        for name in self.slots:
            before, rest = rest.split("{" + name + "}")
            out += literal(before) + slot(name)
        return out + literal(rest)

    @property
    def braces(self) -> str:
        """As `str.format` and f-strings read it."""
        return self.written("{{{}}}".format, lambda s: s.replace("{", "{{").replace("}", "}}"))

    @property
    def percent(self) -> str:
        """As `%` with a dict reads it."""
        return self.written("%({})s".format, lambda s: s.replace("%", "%%"))

    @property
    def jinja(self) -> str:
        return self.written("{{{{ {} }}}}".format)

    @property
    def fluent(self) -> str:
        quoted = {"{": '{"{"}', "}": '{"}"}', "\n": "\n    "}
        body = self.written(
            "{{ ${} }}".format, lambda s: "".join(quoted.get(char, char) for char in s)
        )
        return "text =\n    " + body


def _long(size: int, count: int) -> str:
    part = (size - len(_EXAMPLE)) // count - 20
    body = "".join(f"Part {i}: {{slot{i}}}\n{(_FILL * 300)[:part]}\n" for i in range(count))
    return body + _EXAMPLE


def _sample(name: str, text: str, count: int, tokens: tuple[str, ...] = ()) -> Sample:
    return Sample(name, text, tuple(f"slot{i}" for i in range(count)), tokens)


SAMPLES = (
    _sample("small", "Answer the user's question in one short line: {slot0} (max.)", 1),
    _sample("medium", _long(1500, 4), 4, ("ADD",)),
    _sample("large", _long(20_000, 12), 12, ("ADD",)),
)
SIZES = tuple(sample.name for sample in SAMPLES)
