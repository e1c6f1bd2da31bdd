"""Composition of privacy losses: the profile of a sum, as intervals whose ends are theorems."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
