"""Privacy losses: one dominating pair a file, as a vectorised cumulant with an error bound."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
