"""Exact expressions, parameters with domains, and a safe parser for formulas in text."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
