"""Accounting in numbers: mechanisms meet accountants."""

from ..lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
