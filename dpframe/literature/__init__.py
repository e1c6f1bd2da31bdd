"""Published algorithms as printed and as coded, what refutes them, and the dossier about them."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
