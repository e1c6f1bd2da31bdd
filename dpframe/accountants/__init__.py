"""One file an accountant: it adds guarantees and knows no mechanism."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
