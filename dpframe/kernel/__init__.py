"""Checks a certificate from its file alone: obligations follow from its nodes, steps close them.

It never searches, and imports the standard library, `exact` and `theory` only.
"""

from .checker import Verdict, check

__all__ = ["Verdict", "check"]
