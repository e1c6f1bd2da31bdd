"""Privacy losses and the certified profile of their composition."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
