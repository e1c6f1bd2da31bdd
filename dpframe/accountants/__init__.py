"""One file an accountant: it adds guarantees and knows no mechanism."""

from .base import Accountant, AdditiveAccountant
from .basic import BasicAccountant
from .concentrated import ConcentratedAccountant
from .gaussian import GaussianAccountant
from .numeric import NumericAccountant
from .parts import Part, count_of, parts_of

ACCOUNTANTS = (
    BasicAccountant(),
    GaussianAccountant(),
    ConcentratedAccountant(),
    NumericAccountant(),
)

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "AdditiveAccountant",
    "BasicAccountant",
    "ConcentratedAccountant",
    "GaussianAccountant",
    "NumericAccountant",
    "Part",
    "count_of",
    "parts_of",
]
