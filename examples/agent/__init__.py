"""An agent that runs on the default catalog: everything that its model reads is a prompt of it.

The loop and what it is made of:
- `agent` the loop that ties the parts together; `native` for models that call tools by themselves
- `model` the model's interface, and one that plays a script
- `tokens`, `worktokens` what the parsers look for, as enums; the contracts are equal to them
- `parsers`, `forms` the model's answers, read
- `asking` one prompt, one answer, with the material in it sealed

Its parts:
- `chat`, `summaries` plain conversation, and what stands in its place when it is long
- `memory`, `memory_care` facts found and reconciled; tidied, weighed, recalled, forgotten
- `queries`, `passages`, `retrieval` what to look for, what was found, and the answer with citations
- `structured`, `extracting` answers as JSON that fits a schema, and data out of texts
- `planning`, `replanning`, `reflection` plans, what to do when a step fails, drafts revised
- `teams` routing, handing over, several agents on one task
- `guards`, `judging` around what comes in and goes out; judges of answers
- `tools`, `emulation` tools and what is told when one fails; tool calls written out as text
- `workbench` with `worktool`, `filetools`, `workspace`, `shell`, `outside`, `notes`, `permissions`
  the tools of an agent that works on files
- `coding`, `changes` a coding agent's system prompt from its sections; reviews, commit messages
"""

from .agent import Agent
from .model import Message, Model, ScriptedModel
from .tools import Document, Tool

__all__ = ["Agent", "Document", "Message", "Model", "ScriptedModel", "Tool"]
