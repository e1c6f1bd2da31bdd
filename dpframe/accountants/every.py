"""Every accountant, in the order of trial; importing this module loads all of them."""

from .basic import BasicAccountant, OptimalAccountant
from .concentrated import ConcentratedAccountant
from .gaussian import GaussianAccountant
from .numeric import NumericAccountant
from .renyi import RenyiAccountant

ACCOUNTANTS = (
    BasicAccountant(),
    GaussianAccountant(),
    ConcentratedAccountant(),
    NumericAccountant(),
    OptimalAccountant(),
    RenyiAccountant(),
)
