"""Numbers with a side: exact input, outward rounding, enclosures and searches that end safely.

Names resolve lazily, so that importing this package loads nothing heavy.
"""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
