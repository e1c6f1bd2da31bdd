"""Accounting in numbers: mechanisms meet accountants."""

from .compose import Composition, compose

__all__ = ["Composition", "compose"]
