"""The sufficient statistics of linear regression, each once, in units of the declared bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import of_kind
from dpframe.privacy import REPLACE_ONE, Relation, Unit
from dpframe.sensitivity import L1, Norm
from dpframe.symbols import Expression, Number, power, sqrt

from ..columns import Column
from ..maps.boxes import labels_on_a_grid, on_a_grid
from ..maps.grid import OnGrid
from ..node import Node
from ..rows import Rows
from .base import BlockSum, OneRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

HALF = Fraction(1, 2)


@attrs.frozen(cache_hash=True)
class SufficientStatistics(BlockSum):
    """The upper triangle of X'X, row by row, then X'y, then y'y where `constant`, of x/B and y/Y: a
    vector of d (d + 3)/2 numbers, or one more. B is the bound on the entries of a row, or on its
    2-norm where no box bounds it.

    Its L1 norm counts every product once: noise of one scale on all, one draw each, and a matrix
    that is symmetric by construction. Of rows in a box, sharp under both relations: (d + 1)(d +
    2)/2 with y'y; without it d (d + 3)/2, and d (d + 2)^2/(2 (d + 1)) under replace-one. Proof
    page: proofs/sufficient_statistics.
    """

    kind: ClassVar[str] = "sufficient_statistics"
    rows: Rows = attrs.field(converter=on_a_grid)
    column: Column = attrs.field(converter=labels_on_a_grid)
    constant: bool = attrs.field(default=False, validator=of_kind(bool))

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X and y."""
        return (self.rows, self.column)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.rows.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """(d (d + 3)/2,), or one more."""
        d = self.rows.columns
        return (d * (d + 3) * HALF + int(self.constant),)

    @property
    def step(self) -> Expression | None:
        """4^-bits: products of whole numbers of steps, over the squared number of steps to the
        bound.
        """
        rows, column = self.rows, self.column
        if isinstance(rows, OnGrid) and isinstance(column, OnGrid) and rows.bits == column.bits:
            return Number(Fraction(1, 4**rows.bits))
        return None

    @property
    def label(self) -> str:
        """`(X'X, X'y) once each`."""
        return f"(X'X, X'y{', y' + chr(39) + 'y' if self.constant else ''}) once each"

    def record(self) -> dict[str, object]:
        """Whether y'y is among them."""
        return {"constant": self.constant}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """See the class; of rows in a ball, twice as much under replace-one."""
        if self.step is None:
            return None
        n1, squared = sizes(self.rows)
        if norm is not L1:
            moved = squared + 1
            return OneRow(moved * sqrt(2) if relation is REPLACE_ONE else moved, "|uu'| = |u|^2")
        added = (power(n1, 2) + squared + 2 * n1) * HALF + int(self.constant)
        if relation is not REPLACE_ONE:
            rule = "each product of u = (x, y) once: (|u|_1^2 + |u|^2)/2"
            return OneRow(added, rule, attained(self, relation))
        if self.rows.entry is None:
            return OneRow(2 * added, "remove and add")
        other = added if self.constant else n1 * power(n1 + 2, 2) / (2 * (n1 + 1))
        rule = "uu' - vv' = 2 (pq' + qp'), |p_j| + |q_j| <= 1"
        return OneRow(other, rule, attained(self, relation))

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Those of the block."""
        import numpy as np

        rows, labels = values[self.rows], values[self.column]
        gram = rows.T @ rows
        parts = [gram[np.triu_indices(len(gram))], rows.T @ labels]
        return np.concatenate([*parts, [labels @ labels]] if self.constant else parts)


def sizes(rows: Rows) -> tuple[Expression, Expression]:
    """Bounds on |x/B|_1 and |x/B|^2: d and d in a box, B_1/B and 1 elsewhere."""
    if rows.entry is not None:
        return rows.columns, rows.columns
    norm1 = rows.norm1
    return (sqrt(rows.columns) if norm1 is None else norm1 / rows.radius), Number(Fraction(1))


def attained(statistics: SufficientStatistics, relation: Relation) -> bool:
    """Whether a record of all entries and |y| at their bounds may occur (a row of a box whose
    2-norm is largest is a corner); and, where one is replaced, any inside the box beside it.
    """
    rows, column = statistics.rows, statistics.column
    added = rows.ball if rows.entry is None else rows.extreme
    return column.ball and (rows.box if relation is REPLACE_ONE else added)
