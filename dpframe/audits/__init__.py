"""Reports on a declaration, on published formulas, and on calibrations side by side."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
