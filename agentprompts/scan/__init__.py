"""The keys that Python code uses, held against a catalog: text in, findings out.

- `uses` what a file's syntax tree says: registries, keys, values
- `findings` what is wrong with it: unknown keys, missing and unknown slots, keys never used

What counts as a use is decided by the receiver, so that `widget.render("html")` is none:

- A registry for certain is one that the code makes (`PromptRegistry(…)`, `load_catalog(…)`,
  `DEFAULT_PROMPTS`), takes by annotation, derives (`copy`, `localized`, `namespace`, …), or has by
  the mixin. An unknown key is reported if it begins as one of the catalog's does, or nearly is one.
- A registry by its name (`prompts`, `registry`, `catalog`), or by being asked for a key of the
  catalog in the same file: a key of dotted segments is reported if it begins as one of the catalog.
- Anything else: only `render`, `text`, `ref` and `origin`, and only for what is nearly a key.

The body of a section, `FromCatalog("a.b", {…})`, is a use, too. Keys of a namespace that the
catalog does not have are another catalog's, and no finding. A comment `# agentprompts: ignore`
silences its line.
"""

from .findings import scan, unreadable

__all__ = ["scan", "unreadable"]
