"""One file an accountant: it adds guarantees and knows no mechanism."""

from .base import Accountant, AdditiveAccountant
from .basic import BasicAccountant
from .concentrated import ConcentratedAccountant
from .gaussian import GaussianAccountant
from .parts import Part, parts_of

ACCOUNTANTS = (BasicAccountant(), GaussianAccountant(), ConcentratedAccountant())

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "AdditiveAccountant",
    "BasicAccountant",
    "ConcentratedAccountant",
    "GaussianAccountant",
    "Part",
    "parts_of",
]
