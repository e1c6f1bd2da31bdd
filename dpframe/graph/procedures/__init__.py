"""One file per procedure: its inputs, and how it is sampled. Their theorems are in
`dpframe.theory`.
"""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
