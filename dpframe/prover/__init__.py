"""The obligations of a graph, how each is decided, and the certificate."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
