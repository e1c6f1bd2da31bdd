"""The obligations of a graph, how each is decided, and the certificate."""

from .certificate import Certificate
from .certify import certify, examine
from .document import load
from .identical import Comparison, identical
from .obligation import Constraint, Obligation, Verdict, Witness
from .report import Report, verify

__all__ = [
    "Certificate",
    "Comparison",
    "Constraint",
    "Obligation",
    "Report",
    "Verdict",
    "Witness",
    "certify",
    "examine",
    "identical",
    "load",
    "verify",
]
