"""How many entries of every column, or how many labels, lie between public cut points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, of_kind
from dpframe.privacy import Unit
from dpframe.symbols import Number, rational

from ..columns import Column
from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ONE = Number(Fraction(1))
MOST = 10_000
FEW = 16  # cuts, for which comparing is faster than sorting


def _cuts(value: object) -> tuple[Fraction, ...]:
    way_out = "Cut points are public: say them before looking."
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise InvalidArgument("cuts", "a list of increasing numbers", value, way_out)
    cuts = tuple(rational(one, "cut") for one in value)
    if not 1 <= len(cuts) <= MOST or any(one >= other for one, other in pairwise(cuts)):
        raise InvalidArgument("cuts", f"1 to {MOST:,} increasing numbers", value, way_out)
    return cuts


def _data(instance: object, attribute: object, value: Rows | Column) -> None:
    del instance, attribute
    if not isinstance(value, (Rows, Column)):
        raise InvalidArgument("data", "declared rows or labels", value, "")


@attrs.frozen(cache_hash=True)
class BinCounts(BlockSum):
    """For every column in turn (or for the labels) the number of values at most the first of k
    cuts, of those above it and at most the second, ..., of those above the last: shape (d (k + 1),)
    or (k + 1,). Of |value| where `absolute`.

    One record is in one bin of each column: L1 sensitivity d, L2 sqrt(d); replaced, 2 d and sqrt(2
    d). Proof page: proofs/bin_counts.
    """

    kind: ClassVar[str] = "bin_counts"
    data: Rows | Column = attrs.field(validator=_data)
    cuts: tuple[Fraction, ...] = attrs.field(converter=_cuts)
    absolute: bool = attrs.field(default=False, validator=of_kind(bool))

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Rows, or labels."""
        return (self.data,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.data.unit

    @property
    def label(self) -> str:
        """`counts between 8 cuts`."""
        return f"counts between {len(self.cuts)} cuts"

    def record(self) -> dict[str, object]:
        """The cuts, and whether signs count."""
        return {"cuts": [str(cut) for cut in self.cuts], "absolute": self.absolute}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The counts of the block."""
        import numpy as np

        block = values[self.data]
        sized, cuts = np.abs(block) if self.absolute else block, cut_points(self)
        columns = sized.T if block.ndim > 1 else [sized]
        ends = [[0, *at_most(column, cuts), len(block)] for column in columns]
        return np.array([b - a for one in ends for a, b in pairwise(one)], dtype=float)


@lru_cache(maxsize=64)
def cut_points(counts: BinCounts) -> Array:
    """Its cuts as the machine compares with them, whatever numbers it compares, shape (k,)."""
    import numpy as np

    return np.array(counts.cuts, dtype=float)


def at_most(entries: Array, cuts: Array) -> list[int]:
    """How many entries (m,) are at most each of k increasing cuts."""
    import numpy as np

    if len(cuts) > FEW:
        return list(np.searchsorted(np.sort(entries), cuts, side="right"))
    below = np.ascontiguousarray(entries) <= cuts[:, None]
    return [int(np.count_nonzero(one)) for one in below]
