"""Budgets that people have themselves: what each record has spent, added exactly for all at once.

A `RecordLedger` adds public costs to public budgets. An `IndividualFilter` adds what a release
really costs each record, which is as private as the records.
"""

from .gaussian import gaussian_cost, row_norms
from .individual import IndividualFilter
from .ledger import RecordLedger
from .report import Account, GroupReport

__all__ = [
    "Account",
    "GroupReport",
    "IndividualFilter",
    "RecordLedger",
    "gaussian_cost",
    "row_norms",
]
