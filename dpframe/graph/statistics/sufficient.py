"""The sufficient statistics of linear regression, each once, in units of the declared bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import of_kind
from dpframe.privacy import Unit

from ..columns import Column
from ..maps.boxes import labels_on_a_grid, on_a_grid
from ..node import Node
from ..rows import Rows
from .base import BlockSum

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
    def label(self) -> str:
        """`(X'X, X'y) once each`."""
        return f"(X'X, X'y{', y' + chr(39) + 'y' if self.constant else ''}) once each"

    def record(self) -> dict[str, object]:
        """Whether y'y is among them."""
        return {"constant": self.constant}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Those of the block."""
        import numpy as np

        rows, labels = values[self.rows], values[self.column]
        gram = rows.T @ rows
        parts = [gram[np.triu_indices(len(gram))], rows.T @ labels]
        return np.concatenate([*parts, [labels @ labels]] if self.constant else parts)
