"""The only place where data meets randomness: a certificate and a table give a result."""

from .execution import execute
from .result import Receipt, Result
from .spending import note

__all__ = ["Receipt", "Result", "execute", "note"]
