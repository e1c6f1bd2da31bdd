"""How many rows have 2-norms between public cut points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import Unit
from dpframe.symbols import Number, rational

from ..clipping import squared_norms
from ..node import Node
from ..rows import Rows
from .base import BlockSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

ONE = Number(Fraction(1))
MOST = 10_000


def _cuts(value: Any) -> tuple[Fraction, ...]:
    way_out = "Cut points are public: say them before looking."
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise InvalidArgument("cuts", "a list of increasing positive numbers", value, way_out)
    cuts = tuple(rational(one, "cut") for one in value)
    rising = all(one < other for one, other in pairwise(cuts))
    if not 1 <= len(cuts) <= MOST or cuts[0] <= 0 or not rising:
        wanted = f"1 to {MOST:,} increasing positive numbers"
        raise InvalidArgument("cuts", wanted, value, way_out)
    return cuts


def _rows(value: object) -> Rows:
    if not isinstance(value, Rows):
        raise InvalidArgument("rows", "declared rows", value, "")
    return value


@attrs.frozen(cache_hash=True)
class NormCounts(BlockSum):
    """The number of rows with a norm above the first cut and at most the second, ..., above the
    last of k: shape (k,). Rows at or below the first are not counted, so zeros are not.

    One row is in one bin: sensitivity 1 in L1 and L2; replaced, 2 and sqrt(2). Proof page:
    proofs/adaptive_clipping.
    """

    kind: ClassVar[str] = "norm_counts"
    rows: Rows = attrs.field(converter=_rows)
    cuts: tuple[Fraction, ...] = attrs.field(converter=_cuts)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Rows."""
        return (self.rows,)

    @property
    def unit(self) -> Unit:
        """The table's."""
        return self.rows.unit

    @property
    def label(self) -> str:
        """`norms above 8 cuts`."""
        return f"norms above {len(self.cuts)} cuts"

    def record(self) -> dict[str, object]:
        """The cuts."""
        return {"cuts": [str(cut) for cut in self.cuts]}

    def block(self, values: Mapping[Node, Array]) -> Array:
        """The counts of the block."""
        import numpy as np

        rows, k = values[self.rows], len(self.cuts)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(squared_norms(rows))
        largest = np.max(np.abs(rows), axis=1, initial=0.0)
        sizes = np.nan_to_num(np.fmax(lengths, largest), nan=0.0, posinf=np.inf)
        place = np.searchsorted(np.array(self.cuts, dtype=float), sizes)
        return np.bincount(place, minlength=k + 1)[1:].astype(float)
