"""Budgets that people have themselves: what each record has spent, added exactly for all at once.

A `RecordLedger` adds public costs to public budgets. An `IndividualFilter` adds what a release
really costs each record, which is as private as the records.
"""

from .individual import IndividualFilter, gaussian_cost, row_norms
from .record_ledger import Account, GroupReport, RecordLedger

__all__ = [
    "Account",
    "GroupReport",
    "IndividualFilter",
    "RecordLedger",
    "gaussian_cost",
    "row_norms",
]
