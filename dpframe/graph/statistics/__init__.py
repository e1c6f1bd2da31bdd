"""Statistics of the whole table, by topic: sums over records, counts, combinations, estimates."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
