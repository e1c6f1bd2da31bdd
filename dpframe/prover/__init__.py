"""The obligations of a graph, how each is decided, and the certificate."""

from .certificate import Certificate
from .certify import certify, examine
from .composed import together
from .document import load
from .identical import Comparison, identical
from .jointly import Jointly
from .obligation import Constraint, Obligation, Verdict, Witness
from .report import Report, verify

__all__ = [
    "Certificate",
    "Comparison",
    "Constraint",
    "Jointly",
    "Obligation",
    "Report",
    "Verdict",
    "Witness",
    "certify",
    "examine",
    "identical",
    "load",
    "together",
    "verify",
]
