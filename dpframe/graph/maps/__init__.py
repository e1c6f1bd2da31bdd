"""Maps of rows and labels, one topic per file, loaded when first used: statistics and maps depend
on each other.
"""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
