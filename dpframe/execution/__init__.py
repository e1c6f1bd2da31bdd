"""The only place where data meets randomness: a certificate and a table give a result."""

from .execution import execute
from .receipts import Receipt, Result, note

__all__ = ["Receipt", "Result", "execute", "note"]
