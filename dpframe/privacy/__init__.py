"""What a guarantee is, who is a neighbour, how a budget is shared, and which guarantee implies
which.
"""

from .base import Guarantee, number
from .budget import Share
from .each import Each, each, own_symbols
from .implications import IMPLICATIONS, Implication, as_kind, concentrated_epsilon
from .kinds import ApproxDP, GaussianDP, PureDP, ZeroConcentratedDP
from .personal import PersonalizedDP
from .relation import ADD_REMOVE, REPLACE_ONE, Relation, Unit

__all__ = [
    "ADD_REMOVE",
    "IMPLICATIONS",
    "REPLACE_ONE",
    "ApproxDP",
    "Each",
    "GaussianDP",
    "Guarantee",
    "Implication",
    "PersonalizedDP",
    "PureDP",
    "Relation",
    "Share",
    "Unit",
    "ZeroConcentratedDP",
    "as_kind",
    "concentrated_epsilon",
    "each",
    "number",
    "own_symbols",
]
