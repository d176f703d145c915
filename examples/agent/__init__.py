"""An agent that runs on the default catalog: everything that its model reads is a prompt of it.

- `tokens` what the parsers look for, as enums; the contracts of the prompts are equal to them
- `parsers` the model's answers, read
- `model` the model's interface, and one that plays a script
- `tools` tools and what the model is told when one fails
- `memory` facts found in a conversation and reconciled with what is stored
- `retrieval` answers from numbered sources, with citations
- `structured` answers as JSON that fits a schema
- `planning` a plan, its steps, and the answer from their results
- `agent` the loop that ties them together
"""

from .agent import Agent
from .model import Message, Model, ScriptedModel
from .tools import Document, Tool

__all__ = ["Agent", "Document", "Message", "Model", "ScriptedModel", "Tool"]
