"""The only place where data and randomness meet: a complete certificate and a table give a result."""

from .execution import execute
from .result import Receipt, Result
from .spending import note

__all__ = ["Receipt", "Result", "execute", "note"]
