"""What a guarantee is, who is a neighbour, how a budget is shared, and which guarantee implies
which.
"""

from .guarantees import (
    IMPLICATIONS,
    ApproxDP,
    GaussianDP,
    Guarantee,
    Implication,
    PureDP,
    RenyiDP,
    Share,
    ZeroConcentratedDP,
    as_kind,
    concentrated_epsilon,
    number,
)
from .personal import Each, PersonalizedDP, each, own_symbols
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
    "RenyiDP",
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
