"""The mean of estimates from the cells of a public partition."""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Number, exact

from ..arrays import Array, Numbers, Values, np
from ..maps.grid import unit_of_entries
from ..node import positive, reads, titled
from ..partition import Partition
from .base import Statistic
from .combined import columns_of
from .counts import CellSums

LESS = 1 - 2.0**-40  # more than what a few roundings can add


def _sums(value: object) -> CellSums:
    if isinstance(value, CellSums):
        return value
    if not isinstance(value, Partition):
        way_out = "dp.partition(X, y, cells=10) makes one."
        raise InvalidArgument("partition", "a public partition", value, way_out)
    return CellSums(value)


def _penalty(value: object) -> Expression:
    found = exact(value, "penalty")
    if isinstance(found, Number) and found.value < 0:
        raise InvalidArgument("penalty", "0 or more", str(found), "0 is least squares.")
    return found


def _radius(value: object) -> Expression:
    return positive(value, "radius")


@attrs.frozen(cache_hash=True)
class BlockEstimates(Statistic):
    """(1/k) sum over the k cells of a partition of the cell's ridge regression, argmin of sum
    (x'theta - y)^2 + penalty |theta|^2, projected onto the ball of radius R: shape (d,). A cell
    without records or without a unique solution counts as zeros. One record changes one estimate
    inside the ball: sensitivity 2R/k; replaced, two of them, 4R/k; never more than 2R. Proof page:
    proofs/partition.
    """

    kind: ClassVar[str] = "block_estimates"
    label = titled("mean of {0.sums.partition.cells} estimates")
    sums: CellSums = attrs.field(converter=_sums)
    penalty: Expression = attrs.field(converter=_penalty, metadata=reads())
    radius: Expression = attrs.field(converter=_radius, metadata=reads(positive=True))

    def compute(self, values: Values, number: Numbers) -> Array:
        """The mean, from the sums of the cells in units of the bounds."""
        unit = number(unit_of_entries(self.sums.rows))
        ratio, radius = number(self.sums.column.radius) / unit, number(self.radius)
        penalty = number(self.penalty) / unit / unit
        cells, total = self.sums.partition.cells, np.zeros(1)
        sums = np.asarray(values[self.sums], dtype=float).reshape(cells, -1)
        for model in ridge(sums, penalty):
            total = total + inside(ratio * model, radius)
        return np.asarray(total / cells)


def ridge(sums: Array, penalty: float) -> Array:
    """theta with (X'X + penalty) theta = X'y of each cell, shape (k, d), from the upper triangle of
    X'X and X'y, shape (k, d (d + 3)/2); nan if the system is singular in doubles. The result
    depends on the cell's sums only, to the last bit.
    """
    from dpframe.numerics.blocks.elementwise import solutions

    d = columns_of(sums.shape[1])
    system = np.zeros((len(sums), d, d))
    rows, columns = np.triu_indices(d)
    system[:, rows, columns] = sums[:, :-d]
    system[:, columns, rows] = sums[:, :-d]
    system[:, np.arange(d), np.arange(d)] += penalty
    return solutions(system, sums[:, -d:])


def inside(theta: Array, radius: float) -> Array:
    """theta projected onto the ball, inside it in spite of rounding; zeros if it is not finite."""
    if not np.all(np.isfinite(theta)):
        return np.zeros(len(theta))
    largest = np.max(np.abs(theta), initial=0.0)
    if largest == 0:
        return theta
    length = np.linalg.norm(theta / largest)
    if largest * length <= radius * LESS:
        return theta
    clipped: Array = theta / largest / length * (radius * LESS)
    return clipped
