"""The dossier: what became of every published claim, printed or coded, and what it really costs."""

from .account import Account
from .case import Case, case
from .every import DELTA, EPSILONS, dossier, subjects
from .limit import Limit, limit
from .text import by_relation, dossier_text

__all__ = [
    "DELTA",
    "EPSILONS",
    "Account",
    "Case",
    "Limit",
    "by_relation",
    "case",
    "dossier",
    "dossier_text",
    "limit",
    "subjects",
]
