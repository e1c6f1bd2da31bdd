"""The number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.privacy import Relation, Unit
from dpframe.sensitivity import Norm
from dpframe.symbols import Expression, Number

from ..node import Node
from ..rows import Rows
from .base import BlockSum, OneRow, by_relation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


@attrs.frozen(cache_hash=True)
class Count(BlockSum):
    """n, a number: moves by 1 under add/remove, is constant over neighbours under replace-one.
    Proof page: proofs/count.
    """

    kind: ClassVar[str] = "count"
    rows: Rows

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
        """()."""
        return ()

    @property
    def step(self) -> Expression | None:
        """1: it is a whole number."""
        return Number(Fraction(1))

    @property
    def label(self) -> str:
        """n."""
        return "n"

    def record(self) -> dict[str, object]:
        """Nothing."""
        return {}

    def one_row(self, norm: Norm, relation: Relation) -> OneRow | None:
        """1, or 0 under replace-one."""
        del norm
        one, zero = Number(Fraction(1)), Number(Fraction(0))
        return by_relation(
            relation,
            OneRow(one, "one row counts once", attained=True),
            OneRow(zero, "n is public", attained=True),
        )

    def block(self, values: Mapping[Node, Array]) -> Array:
        """Rows of the block."""
        import numpy as np

        return np.asarray(float(len(values[self.rows])))
