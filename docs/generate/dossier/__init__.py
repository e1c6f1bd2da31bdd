"""The dossier: what became of every published claim, printed or coded, and what it really costs."""

from .account import Account
from .case import Case, case
from .every import DELTA, EPSILONS, dossier, subjects
from .limit import Limit, limit

__all__ = [
    "DELTA",
    "EPSILONS",
    "Account",
    "Case",
    "Limit",
    "case",
    "dossier",
    "limit",
    "subjects",
]
