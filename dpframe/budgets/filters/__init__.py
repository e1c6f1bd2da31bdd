"""Fully adaptive use of a budget: filters that stop in time, odometers that only count.

A ledger is exact, costs the same at every query, survives as a small file without data, and refuses
files that are not what was saved.
"""

from .meters import Filter, Odometer

__all__ = ["Filter", "Odometer"]
