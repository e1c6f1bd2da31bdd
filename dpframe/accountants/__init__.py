"""Accountants, one a file: they add guarantees, independently of mechanisms."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
