"""Where randomness comes from, and the laws that are drawn from it, exactly."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
