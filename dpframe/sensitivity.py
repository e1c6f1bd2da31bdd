"""How far a statistic can move between neighbours, in a norm, for a unit of privacy."""

from __future__ import annotations

import enum

import attrs

from dpframe.privacy import Unit
from dpframe.symbols import Expression


class Norm(enum.Enum):
    """Norms of a statistic. Of a symmetric matrix, L1 counts the upper triangle once and L2 is
    Frobenius's. RANGE, of a vector, is the largest entry of its move less the smallest.
    """

    L1 = "L1"
    L2 = "L2"
    OPERATOR = "operator"
    RANGE = "range"

    def __str__(self) -> str:
        """`L1`, `L2`, `operator`, `range`."""
        return self.value


L1, L2, OPERATOR, RANGE = Norm.L1, Norm.L2, Norm.OPERATOR, Norm.RANGE


@attrs.frozen(cache_hash=True)
class Sensitivity:
    """sup |f(D) - f(D')| <= `value` over all neighbours D, D' for `unit`; an upper bound, derived,
    with the rule that gave it.

    `attained` says that some pair of neighbours reaches the value (where every row of the declared
    ball is possible).
    """

    value: Expression
    norm: Norm
    unit: Unit
    rule: str
    attained: bool = False

    def __str__(self) -> str:
        """`bound^2 (L2, one row added or removed)`."""
        return f"{self.value} ({self.norm}, {self.unit})"
