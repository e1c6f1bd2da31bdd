"""One file a procedure: what it reads, and how it draws. Their theorems are in `dpframe.theory`."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
