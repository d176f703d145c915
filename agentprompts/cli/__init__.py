"""The command line: one file for each group of commands, and here what they share.

Exit codes: 0 fine, 1 findings, 2 usage.
"""

from .app import main

__all__ = ["main"]
