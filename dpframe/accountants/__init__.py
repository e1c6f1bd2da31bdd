"""One file an accountant: it adds guarantees and knows no mechanism."""

from .base import Accountant, AdditiveAccountant
from .basic import BasicAccountant
from .concentrated import ConcentratedAccountant
from .gaussian import GaussianAccountant
from .numeric import NumericAccountant
from .optimal import OptimalAccountant
from .parts import Part, count_of, parts_of
from .renyi import RenyiAccountant

ACCOUNTANTS = (
    BasicAccountant(),
    GaussianAccountant(),
    ConcentratedAccountant(),
    NumericAccountant(),
    OptimalAccountant(),
    RenyiAccountant(),
)

__all__ = [
    "ACCOUNTANTS",
    "Accountant",
    "AdditiveAccountant",
    "BasicAccountant",
    "ConcentratedAccountant",
    "GaussianAccountant",
    "NumericAccountant",
    "OptimalAccountant",
    "Part",
    "RenyiAccountant",
    "count_of",
    "parts_of",
]
