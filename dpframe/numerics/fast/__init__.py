"""The Gaussian privacy profile and its inverses: vectorised in doubles, and as proved intervals."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
