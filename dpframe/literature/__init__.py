"""Published algorithms as printed and as coded, and the catalogue of all declarations."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
