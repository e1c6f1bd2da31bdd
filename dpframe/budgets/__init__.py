"""What was spent: adaptive filters and odometers, the ledger of data sets, budgets of records."""

from dpframe.lazily import attach

__getattr__, __dir__, __all__ = attach(__name__)
