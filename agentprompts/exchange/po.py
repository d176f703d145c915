"""PO files, by Babel: the key is the context, the source text the id; staleness is `fuzzy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from ..errors import PromptError
from ..packedit import notes
from ..template import PromptTemplate

__all__ = ["PoText", "read_po", "write_po"]


@dataclass(frozen=True, slots=True)
class PoText:
    """A message of a PO file.

    Args:
        source: The source text that it stands under.
        text: The translation; empty where there is none.
        fuzzy: Whether a translator still has to look at it.
    """

    source: str
    text: str
    fuzzy: bool = False


def write_po(
    locale: str,
    templates: Mapping[str, PromptTemplate],
    texts: Mapping[str, str],
    stale: Mapping[str, str],
    glossary: Sequence[str] = (),
) -> str:
    """Return a locale's texts as a PO file.

    Args:
        locale: The language of the texts.
        templates: The source's templates by key; description and contract become comments.
        texts: The translations by key.
        stale: The source text that a stale text was translated from.
        glossary: The catalog's terms, named in the comments too.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import write_po as write

    catalog = Catalog(
        locale=locale.replace("-", "_"),
        header_comment=f"# Prompts in {locale}: the context is the key, which stays as it is.",
        project="prompts",
        version="1",
        fuzzy=False,
    )
    for key, template in templates.items():
        if not template.template:
            continue  # PO has no message with an empty id
        message = catalog.add(
            template.template,
            texts.get(key, ""),
            auto_comments=notes(template, glossary),
            context=key,
            flags={"fuzzy"} if key in stale else (),
            previous_id=stale.get(key, ()),
        )
        message.flags -= {"python-format", "python-brace-format"}
    out = BytesIO()
    write(out, catalog, width=0, include_previous=True, omit_header=False)
    return out.getvalue().decode()


def read_po(text: str) -> dict[str, PoText]:
    """Read the texts of a PO file by key.

    Raises:
        PromptError: It is no PO file, or a message has no key as its context.
    """
    from babel.messages.pofile import PoFileError
    from babel.messages.pofile import read_po as read

    try:
        catalog = read(BytesIO(text.encode()), abort_invalid=True, charset="utf-8")
    except (PoFileError, ValueError, UnicodeError) as error:
        raise PromptError(f"Cannot read the PO file: {error}") from None
    found = {}
    for message in catalog:
        if not message.id:
            continue
        if not message.context or isinstance(message.id, tuple | list):
            raise PromptError(
                f"Cannot read the PO file: line {message.lineno} has no key as its msgctxt"
            )
        found[message.context] = PoText(
            str(message.id), str(message.string or ""), bool(message.fuzzy and message.string)
        )
    return found
