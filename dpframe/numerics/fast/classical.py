"""The classical constants C of sigma = C Delta / epsilon, and up to which epsilon each suffices.

C does not depend on epsilon, so that for each delta one number decides: every epsilon up to it is
proved, and from the next double on the constant is not enough (or was not decided).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from flint import arb

from dpframe.numbers import Exact, given, open_unit

from ..calibrate import epsilon_limit
from ..profile import ball
from ..rounding import LEAST_BITS, arb_float, working

SQUARES = {
    "DworkRoth": (2, Fraction(5, 4)),  # [DworkR14, Thm A.1]
    "KamathUllman": (2, Fraction(2)),  # [KamathU20, Lem 2.4]
    "Wang": (1, Fraction(2)),  # [Wang18, Alg. 2], each third of (3 epsilon, 3 delta)
}
"""C^2 = multiple * log(factor/delta), as (multiple, factor)."""


class Classical(NamedTuple):
    """One constant at one delta."""

    constant: float
    """C, rounded up"""
    epsilon_limit: float
    """sigma = C Delta / epsilon is (epsilon, delta)-private for epsilon <= this; rounded down"""


def classical_constants(delta: Exact) -> dict[str, Classical]:
    """Every classical constant at this delta, with its exact interval of epsilon."""
    target = open_unit("delta", given("delta", delta))
    return {
        name: _classical(multiple, factor / target, target)
        for name, (multiple, factor) in SQUARES.items()
    }


def _classical(multiple: int, argument: Fraction, delta: Fraction) -> Classical:
    def squared() -> arb:
        return multiple * ball(argument).log()

    with working(LEAST_BITS):
        constant = arb_float(squared().sqrt(), up=True)
    return Classical(constant, epsilon_limit(squared, delta))
