"""Budgets of data sets in one SQLite file: charged before release, added exactly, kept for good.

A chain of hashes shows edits; a head that was stored elsewhere shows roll-back. It holds no data.
"""

from .accounts import Account, Charge, Cost
from .datasets import Ledger

__all__ = ["Account", "Charge", "Cost", "Ledger"]
