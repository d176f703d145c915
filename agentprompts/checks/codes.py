"""What every code of a finding means: the checks say it themselves, the others are told here.

A page has the code and its severity, one line, and then a paragraph under each of the `HEADINGS`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import NamedTuple

from . import ALL_CHECKS
from .base import HEADINGS

__all__ = ["Page", "pages"]


class Page(NamedTuple):
    """What is to be said about a code.

    Args:
        code: The code, as findings carry it.
        severity: `error`, `warning`, or both where it depends.
        title: What is wrong, in one sentence.
        body: The rest, in Markdown, under the four headings.
    """

    code: str
    severity: str
    title: str
    body: str

    def markdown(self, level: int = 1) -> str:
        """Return the page as Markdown; its own heading is of a level."""
        body = re.sub("^##(?= )", "#" * (level + 1), self.body, flags=re.MULTILINE)
        return f"{'#' * level} {self.code}\n\n{self.title} ({self.severity})\n\n{body}\n"


def pages() -> dict[str, Page]:
    """Return every page by its code: the contract's first, then the files', then the checks'."""
    return {page.code: page for page in (*_told(), *_documented())}


def _told() -> Iterator[Page]:
    for block in _PAGES.strip().split("\n\n"):
        head, *said = re.split(r"\n(?!  )", block)  # an indented line goes on
        code, severity, title = head.split(" | ")
        sections = (
            f"## {name}\n{inspect.cleandoc(text)}"
            for name, text in zip(HEADINGS, said, strict=True)
        )
        yield Page(code, severity, title, "\n\n".join(sections))


def _documented() -> Iterator[Page]:
    for check in ALL_CHECKS:
        title, _, body = inspect.cleandoc(type(check).__doc__ or "").partition("\n\n")
        yield Page(check.id, check.severity, title, body)


_PAGES = """
slot-missing | error | A slot does not stand in the text.
Looks for each slot that the contract declares, `{name}` or `<name>`.
The program fills it; without it, the model never sees the value.
`Answer the question: {query}` translated as `Réponds à la question.`
`Réponds à la question : {query}`

slot-mangled | error | A slot is written with blanks, other brackets or look-alike letters.
Looks for the slot's name in brackets that almost fit; also beside a good copy of the slot, where
  the text that it replaces has no such string.
The model reads the brackets, and not the value.
`{ query }`, `｛query｝`, `{query>`
`{query}`

slot-misspelt | error | A slot's name is in another case, or misspelt.
Compares names in brackets with those that are missing.
A name is filled letter by letter, or not at all.
`{Query}`, `{qurey}`
`{query}`

slot-translated | error | A slot's name seems to be translated.
Takes a name in brackets that no prompt knows for the one that is missing.
Names of slots belong to the program, and are the same in every language.
`{question}` translated as `{pregunta}`
`{question}`

slot-doubled | error | A slot stands in double brackets only.
Looks for the missing slot in double brackets.
Doubled, it is plain text: the model reads `{query}`, and no value.
`Answer {{query}}`
`Answer {query}`; or, where braces belong around the value, all slots in angle style: `{<query>}`

slot-style | error | A slot is written in the style that the text's other slots are not in.
Looks for the missing slot in the other style. A text with a slot in braces is in brace style.
In brace style, angle brackets are plain text; so the slot is not filled.
`{tone}: <query>`
`{tone}: {query}`

slot-ambiguous | error | A slot in angle brackets has a closing tag.
Looks for `</name>` where `<name>` is a slot.
It may be meant as a pair of tags; one of the two readings would lose a part of the text.
`<query>Who?</query>` where `query` is a slot
`{query}`; around it, where they help, tags of another name: `<question>{query}</question>`

foreign-brace | error | A brace that is plain text here would be read as a slot by another library.
Renders the text in the library's own format, and compares the slots that it would fill with ours.
That library knows no way to write the brace and mean it: it fails, or fills it in.
`Answer as {"a": 1}` among texts that are filled by `str.format` without doubled braces
`Answer as a JSON object with the key "a"`

token-missing | error | A protocol token does not stand in the text.
Looks for each token that the contract protects.
A program looks for it in the model's answer, letter by letter; the model writes what it reads.
`Answer ADD or NOOP` translated as `Antworte HINZUFÜGEN oder NOOP`
`Antworte ADD oder NOOP`

token-embedded | error | A protocol token stands only inside a longer word, or in a slot's name.
Looks for the token where a letter, a digit or an underscore joins it to more.
The model reads the longer word, and answers with it.
`ADDIEREN`, `ADD_ALL` for `ADD`
`ADD`, as a word of its own

token-recased | error | A protocol token is in another case.
Compares without regard to case.
The program that reads the answer knows one spelling.
`action:` for `Action:`
`Action:`

token-split | error | A protocol token is there with signs or blanks in it.
Compares without regard to what is no letter or digit.
The program that reads the answer looks for it in one piece.
`Final-Answer:` for `Final Answer:`
`Final Answer:`

token-lookalike | error | A protocol token has a character that only looks like the right one.
Compares letters by their shapes: Cyrillic, full-width, invisible, dotted.
It is another word to a program, and nobody can see it.
`АDD` with a Cyrillic А (U+0410) for `ADD`
`ADD`, typed again or copied from the source

text-empty | error | The text is empty, and its source is not.
Looks whether an override or a template's new text has more than white space.
The model would be told nothing. In a pack, an empty text is no error: it counts as missing.
`update_prompts({"chat.persona": ""})`
A text; or no entry, to go back to the default.

text-type | error | Something that is no text stands where one belongs.
Looks at the type of each value.
Only text can be sent to a model; a number or a list was meant as something else.
`persona = 1`
`persona = '''You are …'''`

text-invalid | error | The text holds NUL or half of a surrogate pair.
Looks for what no Unicode text can hold.
It cannot be encoded, so it could not be written or sent.
`"\\ud83d"` alone
The whole character, or none.

text-missing | error | A contract has no text in the source language.
Compares `catalog.toml` with the source's file.
There is nothing to fall back to.
`["chat.ask"]` in `catalog.toml`, and no `chat.ask` in `en.toml`
The text in `en.toml`, or no contract.

contract-missing | error | A text of the source language has no contract.
Compares the source's file with `catalog.toml`.
Nobody has said which slots and tokens it must keep.
`chat.ask` in `en.toml`, and no `["chat.ask"]` in `catalog.toml`
A table `["chat.ask"]` in `catalog.toml`; it may be empty.

contract-invalid | error | A contract says what no text can hold, or has a field that there is not.
Looks at each field of a contract, in `catalog.toml` and in code.
A contract that is read wrongly protects nothing.
`protected = "ADD"`, `variables = ["my query"]`
`protected = ["ADD"]`, `variables = ["my_query"]`

catalog-invalid | error | The header of `catalog.toml` is not as it must be.
Reads the table `[catalog]`: `source`, a locale, and `glossary`, a list of terms.
Without it, nobody knows which file has the source texts.
A `catalog.toml` that begins with a contract
`[catalog]` and `source = "en"` in its first lines

locale-invalid | error | The catalog's source is no language.
Reads `source` as a BCP 47 tag.
The tag is the name of a file, and where every chain of fallbacks ends.
`source = "English"`
`source = "en"`

foreign-statement | error | Statements of a Jinja text are changed, or stand in another order.
Compares the statements and expressions of a LlamaIndex prompt with those of its own text.
They are a program: a translation brings no code of its own.
`{% endchat %}` in front of its `{% chat %}`
All of them as they were, and in their order; what stands between them is translated.

key-unknown | error | No prompt has this key.
Looks for the key among those of the catalog, or of the registry.
The text would never be used; mostly the key is misspelt, or from another version.
`memory.reconcil` in a pack
`memory.reconcile`

key-renamed | warning, error | A key is the old name of another one.
Looks for the key in `renamed_from`. In a pack it is a warning; in `catalog.toml`, two claims to one
  old name, or an old name that is a key too, are errors.
The text is used for now; the old name will be gone some day.
`context.question` where the contract says `renamed_from = "context.question"`
The key of today; `agentprompts update` renames it.

key-missing | warning | Texts are missing from a pack.
Counts the prompts that have no text in it.
They fall back to another language.
A pack with 100 texts of 120
`agentprompts update` puts the places into the file; what stays empty stays counted.

key-duplicate | error | A key is there twice.
Compares keys as they are joined by dots, whatever their spelling.
Only one of the texts could be used, and nobody knows which.
`memory.none = 'a'` and `"memory.none" = 'b'`
One of the two.

key-prefix | error | A key is the beginning of another one.
Compares the keys of a file by their segments.
Tools that write nested TOML lose one of the two.
`rag.ask` and `rag.ask.user`
`rag.ask.system` and `rag.ask.user`

key-invalid | error | No key can be written like this.
Looks for blank segments, white space, and characters that cannot be seen; counts segments.
Such a key cannot be typed or told from another one.
`memory..extract`, `my key`
`memory.extract`, `my_key`

key-exists | error | A key is registered already.
Looks whether `register` or `include` brings a key that the registry has.
The one prompt would silently take the place of the other, perhaps of another library.
`registry.register("chat.persona", …)`
`override` to change a text; a key in a namespace of your own for a new prompt.

template-type | error | A registry is given something else than templates.
Looks at the type of each value.
A bare text has no contract, so nothing would protect its slots.
`PromptRegistry({"app.ask": "Ask {query}"})`
`PromptRegistry({"app.ask": PromptTemplate("Ask {query}", variables=["query"])})`

mixed-by-fallback | warning | A part of the catalog is translated in part.
Looks at each first segment of the keys: has it texts that are there, and texts that are missing?
Half of a subsystem in another language confuses a model more than all of it.
`memory.extract` in French, `memory.reconcile` missing
Both translated, or neither.

stale | warning | The source text has changed since this one was translated.
Compares the source with the one that `agentprompts update` wrote down at the translation.
The text says what the prompt said before.
`Answer in one sentence.`, translated when it read `Answer briefly.`
A new translation; or `agentprompts update LOCALE --confirm KEY` if it is right as it is.

ignore-invalid | warning | A comment that sets a check aside does nothing.
Reads comments such as `# ignore number: why` above a text.
Without a reason, nobody can tell later whether it still holds; errors cannot be set aside.
`# ignore number`
`# ignore number: "30" is spelled out in French`

toml-invalid | error | A file is no TOML that can be read.
Reads the file strictly: UTF-8, TOML 1.0, no key twice, not too large or too deep.
Nothing of a file is used that cannot be read without doubt.
`persona = "C:\\path"`, where `\\p` is no escape
`persona = 'C:\\path'`, or the text between `'''` and `'''`

file-unreadable | error | A file cannot be read.
Opens the files of a catalog: regular files in its own folder.
Without it there are no texts.
A link out of the folder, a file without permission, none at all
A file of texts at that place.

markdown-invalid | error | The front matter of a Markdown prompt is not what it should be.
Reads what stands between two lines `+++` (TOML) or `---` (YAML) at the begin of the file.
What is misspelt there would silently not hold.
`varaibles: [name]`
`variables: [name]`

contract-differs | error | A file declares more than the prompt that it stands for.
Compares the variables and tokens of a Markdown file with those of the built-in prompt.
The program would never fill the slot, nor look for the token.
`variables = ["name", "age"]` for a prompt that is filled with `name`
`variables = ["name"]`, or another prompt

reload-failed | error | Changed files could not be read, so the last good texts stay in force.
Reads the whole set again when a file has changed, and takes all of it or nothing.
A program that runs must not lose its prompts to a typing error.
A loader that raises an error of its own
Files that can be read.

saved-invalid | error | An entry in a file of saved overrides is none.
Reads the file that `save_overrides` wrote.
What cannot be read is not in force.
`["everywhere"] "chat.ask" = "text"`
A table with a `text`, as `save_overrides` writes it.

override-stale | warning | The default that a saved override replaced has changed since.
Compares the text that was replaced, which stands in the file, with the default of today.
The override may lack what the new default has, such as a rule against an attack.
An override of last year's `chat.persona`
The override, looked at beside the new default, and saved with `reviewed=["chat.persona"]`.

section-invalid | error | A section is not what it should be.
Looks at the id, the order, the title and the body of a `Section`.
It could not be found by a patch, or put in its place.
`Section("", "Be brief.", order=float("nan"))`
`Section("tone", "Be brief.", Band.TRAIT)`

overlay-invalid | error | An overlay holds something that none can.
Looks at every field when an overlay is made, from a file or a database too.
A field that is misspelt, or a temperature that is no number, would change nothing, or too much.
`temperature = nan`
`temperature = 0.0`, or no line for it

patch-declined | error | A patch could not be applied.
Tells, where the host is strict, each patch that changed nothing, with its reason.
A tenant believes that the prompt says what it does not say.
A replacement for a section that is locked
An append, or a section of another id.

xml-character | error | A text holds a character that XML cannot.
Looks at what is put between tags, into CDATA or into an attribute.
No parser could read the prompt.
A text with the control character U+000B
The text without it.

cache-order | warning | A section that changes stands before ones that do not.
Compares how often the sections of a prompt change, as far as they declare.
A model's cache ends where the prompt first differs: all that follows is computed anew.
The working directory in the second of eleven sections
A higher order for it, or the prompt's `stable_first()`.

cache-seconds | warning | The time of day, with seconds, stands in a system prompt.
Looks for times such as 12:30:45.
No two requests begin alike, and nothing is ever found in the model's cache.
`It is 2026-04-08 12:30:45.`
`Today is 2026-04-08.` in the last section, or a tool that tells the time

cache-date | warning | A date stands before other text.
Looks for dates in sections that change, and for today's in those that do not.
All that follows is computed anew when the day changes.
`Today is 2026-04-08.` in the first section
The same in the last one.

cache-unordered | warning | The same content comes in another order each time.
Builds a section twice, and compares the words.
Sets and listings of folders have no order of their own, so the prompt differs each time.
`", ".join({"read", "shell"})`
`", ".join(sorted({"read", "shell"}))`

cache-unstable | warning | A section changes although what it declares to depend on does not.
Builds a section twice for one context.
Its text is remembered as long as what `depends` returns stays the same, so the change is not seen.
`Section("count", lambda context: next(numbers), depends=lambda context: 0)`
A `depends` that names all that the text is made from, or none.

key-unused | warning | Nothing in the code uses a prompt.
Reads Python code for keys, with `scan --unused`, and looks for those that no string can be.
Translators work on it for nobody.
`["chat.farewell"]` in `catalog.toml`, and no code that asks for it
No such table; or code that uses it, scanned as well

value-invalid | error | A slot is filled with something that is no text.
Looks, in Python code, for `None` and bytes as the values of slots.
Rendering refuses them, so the call would fail.
`prompts.render("chat.ask", query=None)`
`prompts.render("chat.ask", query="")`

offer-broken | error | A distribution offers a catalog or a pack that cannot be used.
Loads the entry points of installed distributions when `discover` is called.
Its prompts are missing; all others are there.
An entry point that names a module which is not there
Another version of that distribution, or none.
"""
