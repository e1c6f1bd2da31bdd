"""What dpframe recommends and what it is compared with: one topic a file, each citing papers."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
