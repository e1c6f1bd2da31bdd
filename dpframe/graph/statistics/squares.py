"""y'y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import Norm
from dpframe.symbols import Expression, power

from ..columns import Column
from ..maps.grid import gridded_labels, step_of
from ..node import Node
from .base import BlockSum, OneRow, by_relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Squares(BlockSum):
    """y'y, a number. One label adds y^2, in [0, Y^2]; so does a replacement move it by at most Y^2.
    Proof page: proofs/squares.
    """

    kind: ClassVar[str] = "squares"
    column: Column = attrs.field(converter=gridded_labels)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels."""
        return (self.column,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.column.unit

    @property
    def shape(self) -> tuple[Expression, ...]:
        """()."""
        return ()

    @property
    def step(self) -> Expression | None:
        """That of the labels, squared."""
        return step_of(self.column, self.column)

    @property
    def label(self) -> str:
        """y'y."""
        return "y'y"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """Y^2 in every norm, under both relations."""
        del norm
        if self.column.bound is None:
            return None
        bound = OneRow(power(self.column.bound, 2), "0 <= y^2 <= Y^2", self.column.ball)
        return by_relation(relation, bound, bound)

    def block(self, values: Mapping[Node, Array]) -> Array:
        """y'y of the block."""
        import numpy as np

        return np.asarray(values[self.column] @ values[self.column])
