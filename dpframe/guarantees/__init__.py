"""What a guarantee is, who is a neighbour, how a budget is shared, and which guarantee implies
which.
"""

from .base import Guarantee, number
from .budget import Share
from .implications import IMPLICATIONS, Implication, as_kind, concentrated_epsilon
from .kinds import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from .relation import ADD_REMOVE, REPLACE_ONE, Relation, Unit

__all__ = [
    "ADD_REMOVE",
    "IMPLICATIONS",
    "REPLACE_ONE",
    "ApproxDP",
    "GaussianDP",
    "Guarantee",
    "Implication",
    "PureDP",
    "Relation",
    "Share",
    "Unit",
    "ZeroConcentratedDP",
    "as_kind",
    "concentrated_epsilon",
    "number",
]
