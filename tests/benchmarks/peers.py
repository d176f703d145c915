"""The peers: whichever of them are installed; `pip install 'agentprompts[peers]'` brings all."""

from __future__ import annotations

import importlib
import warnings
from typing import Any


def peer(module: str) -> Any:
    """Return a module, or None where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(module)
    except ImportError:
        return None
