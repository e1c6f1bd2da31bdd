"""One declaration a file, each citing its paper; variants as printed, as coded, as dpframe
recommends it.
"""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
