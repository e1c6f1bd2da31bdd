"""Budgets of data sets in one SQLite file: charged before release, added exactly, never forgotten.

A chain of hashes shows edits; a head that was kept elsewhere shows roll-back. No data is in it.
"""

from .accounts import Account, Charge, Cost
from .datasets import Ledger

__all__ = ["Account", "Charge", "Cost", "Ledger"]
