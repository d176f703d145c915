"""The tools for the files of a workspace, described in the words of the catalog."""

from __future__ import annotations

from agentprompts import PromptRegistry

from .workspace import Workspace
from .worktool import Kind, Parameter, WorkTool, work_tool

ORDERS = ("name", "changed")
MOST_LINES = 2000


def file_tools(prompts: PromptRegistry, space: Workspace) -> list[WorkTool]:
    """Return the tools that read, write, edit, list and search files."""
    ref = prompts.ref
    return [
        work_tool(
            "read_file",
            ref("tool.read_file.description"),
            space.read_file,
            Parameter(
                name="path", about=ref("tool.read_file.parameter.path"), example="src/app.py"
            ),
            Parameter(
                name="offset",
                about=ref("tool.read_file.parameter.offset"),
                kind=Kind.NUMBER,
                default=1,
                least=1,
                most=10_000_000,
            ),
            Parameter(
                name="limit",
                about=ref("tool.read_file.parameter.limit"),
                kind=Kind.NUMBER,
                default=400,
                least=1,
                most=MOST_LINES,
            ),
        ),
        work_tool(
            "write_file",
            ref("tool.write_file.description"),
            space.write_file,
            Parameter(name="path", about=ref("tool.write_file.parameter.path")),
            Parameter(name="content", about=ref("tool.write_file.parameter.content"), blank=True),
            changes=True,
        ),
        work_tool(
            "edit_file",
            ref("tool.edit_file.description"),
            space.edit_file,
            Parameter(name="path", about=ref("tool.edit_file.parameter.path")),
            Parameter(name="old", about=ref("tool.edit_file.parameter.old")),
            Parameter(name="new", about=ref("tool.edit_file.parameter.new"), blank=True),
            Parameter(
                name="all",
                about=ref("tool.edit_file.parameter.all"),
                kind=Kind.FLAG,
                default=False,
            ),
            changes=True,
        ),
        work_tool(
            "list_files",
            ref("tool.list_files.description"),
            space.list_files,
            Parameter(name="path", about=ref("tool.list_files.parameter.path"), default="."),
            Parameter(
                name="pattern",
                about=ref("tool.list_files.parameter.pattern"),
                default="*",
                example="*_test.py",
            ),
            Parameter(
                name="order",
                about=ref("tool.list_files.parameter.order"),
                default=ORDERS[0],
                choices=ORDERS,
            ),
        ),
        work_tool(
            "find_text",
            ref("tool.find_text.description"),
            space.find_text,
            Parameter(
                name="pattern",
                about=ref("tool.find_text.parameter.pattern"),
                example=r"def load_\w+",
            ),
            Parameter(name="path", about=ref("tool.find_text.parameter.path"), default="."),
        ),
    ]
