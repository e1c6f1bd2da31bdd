"""Cited implications between guarantees: each returns what its argument implies, and never less
privacy than was given.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import attrs

from dpframe.symbols import Expression, log, power, sqrt

from .base import Guarantee
from .kinds import GaussianDP, PureDP, ZeroConcentratedDP


@attrs.frozen
class Implication:
    """`source` implies `result`, by the theorem `citation`."""

    source: type[Guarantee]
    result: type[Guarantee]
    citation: str
    apply: Callable[[Guarantee], Guarantee]


def pure_is_concentrated(guarantee: Guarantee) -> ZeroConcentratedDP:
    """epsilon-DP implies (epsilon^2/2)-zCDP. [BunS16, Prop 1.4]"""
    return ZeroConcentratedDP(power(guarantee.amounts[0], 2) * Fraction(1, 2))


def gaussian_is_concentrated(guarantee: Guarantee) -> ZeroConcentratedDP:
    """mu-Gaussian DP implies (mu^2/2)-zCDP: both are sharp for the Gaussian mechanism. [BunS16,
    Prop 1.6] [DongRS22, Cor B.6]
    """
    return ZeroConcentratedDP(guarantee.amounts[0] * Fraction(1, 2))


def concentrated_epsilon(rho: Expression, delta: Expression) -> Expression:
    """rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP for every delta in (0, 1).
    [BunS16, Prop 1.3]
    """
    return rho + 2 * sqrt(rho * log(1 / delta))


IMPLICATIONS = (
    Implication(PureDP, ZeroConcentratedDP, "[BunS16, Prop 1.4]", pure_is_concentrated),
    Implication(
        GaussianDP,
        ZeroConcentratedDP,
        "[BunS16, Prop 1.6] [DongRS22, Cor B.6]",
        gaussian_is_concentrated,
    ),
)


def as_kind(guarantee: Guarantee, kind: type[Guarantee]) -> Guarantee | None:
    """`guarantee` as a `kind`, itself or by one implication; None where no theorem leads there."""
    if isinstance(guarantee, kind):
        return guarantee
    found = (
        rule for rule in IMPLICATIONS if isinstance(guarantee, rule.source) and rule.result is kind
    )
    rule = next(found, None)
    return None if rule is None else rule.apply(guarantee)
