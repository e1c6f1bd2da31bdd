"""Guarantees, neighbouring relations, shares of a budget, and implications between guarantees."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
