"""X'X."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import L1, L2, Norm
from dpframe.symbols import Expression, Number, minimum, power, sqrt

from ..maps.grid import gridded, step_of
from ..node import Node
from ..rows import Rows
from .base import BlockSum, OneRow, by_relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ONE = Number(Fraction(1))


@attrs.frozen(cache_hash=True)
class Gram(BlockSum):
    """X'X, shape (d, d), symmetric.

    One row x adds xx', of Frobenius and operator norm |x|^2 <= B^2. Replaced rows: |xx' - zz'|_F^2
    = |x|^4 + |z|^4 - 2 (x.z)^2 <= 2 B^4,
    and -zz' <= xx' - zz' <= xx' keeps the operator norm at B^2. The upper triangle of xx' has L1
    norm (|x|_1^2 + |x|^2)/2; replaced, by
    Cauchy-Schwarz over d diagonal and d(d-1)/2 off-diagonal entries, at most sqrt(d(d+3)/2) B^2.
    Proof page: proofs/gram.
    """

    kind: ClassVar[str] = "gram"
    rows: Rows = attrs.field(converter=gridded)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X."""
        return (self.rows,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.rows.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """(d, d)."""
        return (self.rows.columns, self.rows.columns)

    @property
    def symmetric(self) -> bool:
        """Yes."""
        return True

    @property
    def step(self) -> Expression | None:
        """That of the rows, squared."""
        return step_of(self.rows, self.rows)

    @property
    def label(self) -> str:
        """X'X."""
        return "X'X"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """B^2, and sqrt(2) B^2 in Frobenius norm under replace-one; see the class for L1."""
        if self.rows.norm is None:
            return None
        square, ball = power(self.rows.norm, 2), self.rows.ball
        if norm is L1:
            return self._one_row_l1(square, relation)
        swapped = sqrt(2) * square if norm is L2 and self.rows.columns != ONE else square
        return by_relation(
            relation,
            OneRow(square, "|xx'| = |x|^2 <= B^2", self.rows.extreme),
            OneRow(swapped, "|xx' - zz'|_F^2 <= 2 B^4, operator norm <= B^2", ball),
        )

    def _one_row_l1(self, square: Expression, relation: Relation) -> OneRow | None:
        d, norm1 = self.rows.columns, self.rows.norm1
        if norm1 is None:
            return None
        added = (power(norm1, 2) + square) * Fraction(1, 2)
        swapped = (
            minimum(2 * added, sqrt(d * (d + 3) * Fraction(1, 2)) * square) if d != ONE else square
        )
        return by_relation(
            relation,
            OneRow(added, "upper triangle of xx': (|x|_1^2 + |x|^2)/2", self.rows.ball),
            OneRow(swapped, "Cauchy-Schwarz over the upper triangle"),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """X'X of the block."""
        rows = values[self.rows]
        gram: Array = rows.T @ rows
        return gram
