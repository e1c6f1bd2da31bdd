"""X'X."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Unit
from dpframe.symbols import Number

from ..maps.grid import gridded
from ..node import Node
from ..rows import Rows
from .base import BlockSum

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
    def label(self) -> str:
        """X'X."""
        return "X'X"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """X'X of the block."""
        rows = values[self.rows]
        gram: Array = rows.T @ rows
        return gram
