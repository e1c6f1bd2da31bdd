"""One file an accountant: it adds guarantees and knows no mechanism."""

from .base import Accountant
from .basic import BasicAccountant
from .concentrated import ConcentratedAccountant
from .gaussian import GaussianAccountant

ACCOUNTANTS = (BasicAccountant(), GaussianAccountant(), ConcentratedAccountant())

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "BasicAccountant",
    "ConcentratedAccountant",
    "GaussianAccountant",
]
