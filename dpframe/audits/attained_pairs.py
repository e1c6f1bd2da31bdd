"""The neighbouring tables that attain the L1 sensitivity of released coefficients."""

from __future__ import annotations

from fractions import Fraction

import attrs

from dpframe.graph.statistics import Monomials, Statistic, SufficientStatistics
from dpframe.privacy import REPLACE_ONE, Relation
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, Number, exact

ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


@attrs.frozen
class Pair:
    """Two tables that differ by one record: the one with all entries of its row and its label at
    their bounds, in place of one with entries `entry` and label `label`, as shares of these bounds
    (None: of none, it is added).
    """

    entry: Expression | None = None
    label: Expression | None = None

    def __str__(self) -> str:
        came = "the record with every entry of x, and y, at its bound"
        if self.entry is None or self.label is None:
            return f"{came}, added"
        if (self.entry, self.label) == (ZERO, ZERO):
            return f"{came}, in place of one of zeros"
        return f"{came}, in place of one with {self.entry} of every entry and {self.label} of y"

    def __repr__(self) -> str:
        return f"Pair({self})"


def attained_by(statistic: Statistic, norm: Norm, relation: Relation) -> Pair | None:
    """The pair that attains the L1 sensitivity of coefficients of rows in a box; None for other
    statistics and norms, and where it cannot occur. (docs/proofs/sufficient_statistics.md,
    docs/proofs/monomials.md)
    """
    own = statistic.statistics if isinstance(statistic, Monomials) else statistic
    if norm is not L1 or not isinstance(own, SufficientStatistics) or own.rows.entry is None:
        return None
    bound = statistic.one_row(norm, relation)
    if bound is None or not bound.attained:
        return None
    if relation is not REPLACE_ONE:
        return Pair()
    if own.constant:
        return Pair(ZERO, ZERO)
    d = own.rows.columns
    return Pair(exact(-1) / (d if isinstance(statistic, Monomials) else d + 1), ONE)
