"""Recommended regressions and baselines, one topic per file, with citations."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
