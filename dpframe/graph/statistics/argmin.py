"""The minimiser of a sum of losses and a penalty, and the mean of such estimates from the cells of
a public partition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import ClassVar

import attrs
from attrs.converters import optional

from dpframe.errors import InvalidArgument, NotExecutable, Plain, of_kind
from dpframe.privacy import REPLACE_ONE
from dpframe.symbols import ONE, RELEASED, ZERO, Expression, Number, exact, plain

from ..facts import facts_of
from ..known import reads_budgets
from ..maps.grid import gridded, unit_of_entries
from ..maps.weighted import WeightedLosses
from ..node import Array, Numbers, Reading, Values, np, positive, reads, titled
from ..partition import Partition
from ..procedure import Bounds, Objective, Squared
from ..reached import Metrics, Reached
from ..rows import ColumnNode, RowsNode
from .base import Searched, Statistic, Summed
from .combined import columns_of
from .counts import CellSums

Work = Callable[[Array, Array], Array]
READINGS = 400  # of the table at most: a dozen are usual
EDGE = 1 - 2.0**-40  # of the radius: from here on, a point is on the sphere


@attrs.frozen(eq=False)
class LossSum:
    """A block's part of the weighted sum of losses at theta, shape (d,) (None: 0), with gradient
    and Hessian, as one vector of 1 + d + d^2 numbers.
    """

    objective: Objective
    numbers: Mapping[Expression, float]
    theta: Array | None = None

    def __call__(self, rows: Array, labels: Array, weights: Array | float = 1.0) -> Array:
        """For rows (m, d), labels (m,) and weights (m,)."""
        theta = np.zeros(rows.shape[1]) if self.theta is None else self.theta
        number = self.numbers.__getitem__
        parts = self.objective.at(rows @ theta, labels, number)
        losses, slopes, curvatures = (weights * one for one in parts)
        hessian = (rows * curvatures[:, None]).T @ rows
        return np.concatenate([[losses.sum()], slopes @ rows, hessian.ravel()])


@attrs.frozen(eq=False)
class NewtonPoint:
    """A point of the ball, with the value, gradient and Hessian of the objective."""

    theta: Array
    value: float
    gradient: Array
    hessian: Array

    def residual(self, radius: float) -> float:
        """|g|; on the sphere, the least |g + mu theta| with mu >= 0. Divided by the penalty, it
        bounds the distance from the minimiser.
        """
        size = float(np.linalg.norm(self.theta))
        push = 0.0
        if 0 < size >= EDGE * radius:
            push = max(0.0, -float(self.gradient @ self.theta) / size**2)
        return float(np.linalg.norm(self.gradient + push * self.theta))

    def target(self, radius: float) -> Array:
        """The minimiser of the quadratic model in the ball, shape (d,)."""
        if not np.isfinite(self.hessian).all():
            raise not_found()
        values, vectors = np.linalg.eigh(self.hessian)
        pull = vectors.T @ (self.hessian @ self.theta - self.gradient)
        push = multiplier(values, pull, radius)
        minimiser: Array = vectors @ (pull / (values + push))
        size = float(np.linalg.norm(minimiser))
        return minimiser * (radius / size) if push > 0 or size > radius else minimiser


def multiplier(values: Array, pull: Array, radius: float) -> float:
    """The least mu >= 0 with |pull/(values + mu)| <= radius, for positive values, shape (d,)."""
    if np.linalg.norm(pull / values) <= radius:
        return 0.0
    low, high = 0.0, float(np.linalg.norm(pull)) / radius
    while low < (middle := (low + high) / 2) < high:
        outside = np.linalg.norm(pull / (values + middle)) > radius
        low, high = (middle, high) if outside else (low, middle)
    return high


@attrs.define(eq=False)
class Readings:
    """Evaluates the objective, one pass over the table per point, and counts passes. Raises
    NotExecutable beyond READINGS.
    """

    work: LossSum
    summed: Callable[[Work], Array]
    penalty: float
    tilt: Array | float = 0.0
    count: int = 0

    def at(self, theta: Array | None) -> NewtonPoint:
        """The point theta with its derivatives; 0 for None."""
        self.count += 1
        if self.count > READINGS:
            raise not_found()
        total = np.asarray(self.summed(attrs.evolve(self.work, theta=theta)), dtype=float)
        d = (math.isqrt(4 * total.size - 3) - 1) // 2
        theta = np.zeros(d) if theta is None else theta
        hessian = total[1 + d :].reshape(d, d)
        tilt = np.broadcast_to(self.tilt, (d,))
        return NewtonPoint(
            theta,
            float(total[0]) + self.penalty * float(theta @ theta) / 2 + float(tilt @ theta),
            total[1 : 1 + d] + self.penalty * theta + tilt,
            (hessian + hessian.T) / 2 + self.penalty * np.eye(d),
        )


@np.errstate(all="ignore")  # a warning would tell of the data
def minimised(  # noqa: PLR0917 - an objective and how well it is to be minimised
    work: LossSum,
    summed: Callable[[Work], Array],
    penalty: float,
    radius: float,
    least: float,
    tilt: Array | float = 0.0,
) -> Array:
    """A point in the ball with a residual of at most `least`, shape (d,). `radius` may be infinite,
    `penalty` is positive, `tilt` is a linear term. A step is halved until it lowers the objective
    by a quarter of the predicted decrease, or the smallest residual so far by half. Raises
    NotExecutable.
    """
    readings = Readings(work, summed, penalty, tilt)
    here = readings.at(None)
    best = here.residual(radius)
    while not best <= least:
        step = here.target(radius) - here.theta
        promise = float(here.gradient @ step) / 4
        share = 1.0
        while True:
            there = readings.at(here.theta + share * step)
            residual = there.residual(radius)
            if residual <= best / 2 or there.value <= here.value + share * promise:
                break
            share /= 2
        here, best = there, min(best, residual)
    return here.theta


@np.errstate(all="ignore")  # a warning would tell of the data
def solved(work: LossSum, summed: Callable[[Work], Array], penalty: float, radius: float) -> Array:
    """The minimiser of a quadratic sum in the ball, shape (d,), from one pass. Raises
    NotExecutable.
    """
    minimiser = Readings(work, summed, penalty).at(None).target(radius)
    if not np.isfinite(minimiser).all():
        raise not_found()
    return minimiser


def not_found() -> NotExecutable:
    """The refusal where the condition of the problem is too large for doubles."""
    return NotExecutable(
        "the minimum of the penalised loss was not found to the tolerance that was certified; "
        "nothing has been released. A larger penalty, or tolerance, makes it easier to find."
    )


TOLERANCE = exact("1e-6")
LEAST = Fraction(1, 10**10)  # what doubles still show


def _tolerance(value: object) -> Expression:
    if value in (0, ZERO):
        return ZERO
    tolerance = positive(value, "tolerance")
    if not isinstance(tolerance, Number) or not LEAST <= tolerance.value <= 1:
        way_out = "It is a share of the sensitivity, and is paid for twice; doubles show no less."
        raise InvalidArgument("tolerance", f"a number from {LEAST} to 1", Plain(tolerance), way_out)
    return tolerance


def _penalty(value: object) -> Expression:
    return positive(value, "penalty")


def _radius(value: object) -> Expression:
    return positive(value, "radius")


def _weight(value: object) -> Expression:
    return positive(value, "weight")


@attrs.frozen(cache_hash=True)
class Argmin(WeightedLosses, Searched):
    """argmin of sum_i w_i phi(x_i'theta, y_i) + penalty/2 |theta|^2 over |theta|_2 <= radius (all
    theta if the radius is None), shape (d,); w_i is the `weight`, 1 if that is None.

    One added row moves it by at most w slope B/penalty, a replacement by twice that [ChaudhuriM09,
    Lem 1]; less for the squared loss. The computed value is within `tolerance` times the former of
    the minimiser, which is added twice to the sensitivity. With tolerance 0, for the squared loss
    only, the normal equations are solved and their rounding errors are listed as an assumption.
    Proof page: proofs/argmin.
    """

    kind: ClassVar[str] = "argmin"
    label = titled("argmin of the {0.objective.label}")
    rows: RowsNode = attrs.field(converter=gridded)
    column: ColumnNode = attrs.field(converter=gridded)
    objective: Objective = attrs.field(
        validator=of_kind(Objective, "a convex loss, such as Squared()")
    )
    penalty: Expression = attrs.field(converter=_penalty)
    radius: Expression | None = attrs.field(default=None, converter=optional(_radius))
    tolerance: Expression = attrs.field(default=TOLERANCE, converter=_tolerance)
    weight: Expression | None = attrs.field(default=None, converter=optional(_weight))

    def __attrs_post_init__(self) -> None:
        """Check that a zero tolerance is used with the squared loss only."""
        if self.tolerance == ZERO and not isinstance(self.objective, Squared):
            way_out = "Only the squared loss is minimised in closed form."
            raise InvalidArgument("tolerance", "positive", self.objective.label, way_out)

    @property
    def readings(self) -> dict[str, Reading]:
        """The penalty, the radius, the tolerance."""
        formulas = {"penalty": self.penalty}
        if self.tolerance != ZERO:
            formulas["tolerance"] = self.tolerance
        if self.least is not None and reads_budgets(self.least):
            formulas["least"] = self.least
        if self.radius is not None:
            formulas["radius"] = self.radius
        return {
            name: Reading(formula, RELEASED, positive=True) for name, formula in formulas.items()
        }

    @property
    def least(self) -> Expression | None:
        """The distance from the minimiser that the sensitivity of every record covers: the smallest
        over records. None if nothing is bounded.
        """
        bounds = self.bounds
        once = None if bounds is None else self.objective.added(bounds, self.penalty)
        return None if once is None else self.rows.smallest(self.tolerance * once)

    @property
    def bounds(self) -> Bounds | None:
        """Public bounds on every record and on the value; None if rows or labels are unbounded."""
        if self.rows.norm is None or self.column.bound is None:
            return None
        weight = ONE if self.weight is None else self.weight
        return Bounds(self.rows.norm, self.column.bound, self.radius, weight)

    def search(self, summed: Summed, number: Numbers) -> Array:
        """The value, by damped Newton steps. Raises NotExecutable if rounding errors keep the
        gradient from becoming small enough.
        """
        penalty = math.nextafter(number(self.penalty), math.inf)  # no less than was proved
        radius = math.inf if self.radius is None else number(self.radius)
        numbers = {formula: number(formula) for formula in self.objective.formulas.values()}
        work = LossSum(self.objective, numbers)
        if self.tolerance == ZERO:
            return solved(work, summed, penalty, radius)
        return minimised(work, summed, penalty, radius, self._least(number) * penalty)

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known."""
        size = self.tolerance
        said = plain(size.value) if isinstance(size, Number) else size
        return f"strongly convex sum, argmin to {said} of its move", False

    def _least(self, number: Numbers) -> float:
        """The distance from the minimiser that the sensitivity covers."""
        if self.least is None:
            way_out = "Bound rows and labels; losses without a bounded slope need a radius."
            raise InvalidArgument("rows, labels and radius", "bounded", self.label, way_out)
        return number(self.least)


LESS = 1 - 2.0**-40  # more than what a few roundings can add


def _sums(value: object) -> CellSums:
    if isinstance(value, CellSums):
        return value
    if not isinstance(value, Partition):
        way_out = "dp.partition(X, y, cells=10) makes one."
        raise InvalidArgument("partition", "a public partition", value, way_out)
    return CellSums(value)


def _ridge_penalty(value: object) -> Expression:
    penalty = exact(value, "penalty")
    if isinstance(penalty, Number) and penalty.value < 0:
        raise InvalidArgument("penalty", "0 or more", Plain(penalty), "0 is least squares.")
    return penalty


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
    penalty: Expression = attrs.field(converter=_ridge_penalty, metadata=reads())
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

    def attains(self, at: Metrics) -> Reached:
        """Nothing is known of a cell."""
        two = at.replaced and facts_of(self.sums, REPLACE_ONE).cells > 1
        many = "two cells change" if two else "one cell changes"
        return f"{many}, each estimate inside a ball: 2R/k", False


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
    return np.asarray(theta / largest / length * (radius * LESS))
