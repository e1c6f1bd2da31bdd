"""One file a mechanism: its law, its guarantee, its calibrations."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
