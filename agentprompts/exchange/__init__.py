"""Texts in other forms, and back.

- `pseudo` the pseudo-locale
"""

from .pseudo import PSEUDO_LOCALE, pseudo_text

__all__ = ["PSEUDO_LOCALE", "pseudo_text"]
