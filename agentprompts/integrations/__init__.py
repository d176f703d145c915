"""Bridges to the prompts of other frameworks; each one's library is an extra, imported on use.

- `langchain` templates of langchain-core, to and from
- `llama_index` the prompts of any LlamaIndex module, listed and written back
- `crewai` crewAI's own catalog of texts
- `foreign` what they share: texts with slots in other people's formats
"""
