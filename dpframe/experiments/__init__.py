"""Published experiments, run again. Their preprocessing reads the data: NOTHING HERE IS PRIVATE."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
