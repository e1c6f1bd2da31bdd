"""Every accountant, in the order in which they are tried; importing this file loads all."""

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
