"""`python -m agentprompts` is the command line."""

from .cli import main

main()
