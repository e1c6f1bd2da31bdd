"""Budgets of single records: the spent amount of each record, added exactly for all at once.

A `RecordLedger` adds public costs to public budgets. An `IndividualFilter` adds the realised cost
of a release for each record, which is as private as the records.
"""

from .individual import IndividualFilter, gaussian_cost, row_norms
from .record_ledger import GroupReport, RecordAccount, RecordLedger

__all__ = [
    "GroupReport",
    "IndividualFilter",
    "RecordAccount",
    "RecordLedger",
    "gaussian_cost",
    "row_norms",
]
