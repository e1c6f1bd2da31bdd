"""SSP and adaSSP on columns divided by released scales: standardised, or clipped at bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.graph import (
    ColumnNode,
    Node,
    Post,
    Regression,
    Release,
    RowsNode,
    jointly,
    known,
    post,
)
from dpframe.graph.functions import bin_counts, column_squares, count, total
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.statistics import Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, sqrt

from .solve import QUANTILE, RHO, Array, Fit, adapted, released, ridge_solve, sums

# ---------------------------------------------------------------------------------- Released scales
# Functions of released values return finite numbers in a public range, for noise of any size.

LEAST = constant("1/1000")  # of the bound: smaller deviations are raised to it
TINY = constant("1e-100")  # the least divisor of labels
CUTS = tuple(Fraction(1, 2**k) for k in range(10, -1, -1))  # of the bound


@attrs.frozen(eq=False)
class Scalers:
    """Released centres and scales in the units of X and y; None if nothing is subtracted."""

    centre: Node | None
    scale: Node
    label_centre: Expression
    label_scale: Expression


def part(budget: Share, weight: Expression, statistics: Mapping[str, Statistic]) -> list[Release]:
    """One release per statistic; together they spend `weight` of the squared mu, equally."""
    factor = 1 / sqrt(weight)
    noises = jointly(budget, [*statistics.values()])
    return released(statistics, [Gaussian(std=factor * noise.std) for noise in noises])


def features(X: RowsNode) -> tuple[RowsNode, bool]:
    """The rows without an intercept, and whether there is one."""
    return (X.source, True) if isinstance(X, Intercept) else (X, False)


def deviations(X: RowsNode, y: ColumnNode, budget: Share, weight: Expression) -> Scalers:
    """Means and standard deviations if X has an intercept, which absorbs the centring, else root
    mean squares. Proof: proofs/divided.
    """
    rows, centred = features(X)
    private = not X.unit.relation.replaced
    statistics: dict[str, Statistic] = {"squares": column_squares(rows), "label_squares": y @ y}
    statistics |= {"sums": total(rows), "label_sum": total(y)} if centred else {}
    statistics |= {"count": count(rows)} if private else {}
    noisy = part(budget, weight, statistics)
    n: Node = noisy[-1] if private else count(rows)
    zero, top, label_top = constant(0), rows.radius, y.radius
    centre = post(means, noisy[2], n, top) if centred else None
    label_centre = post(mean, noisy[3], n, label_top) if centred else None
    shifts = [zero if one is None else one for one in (centre, label_centre)]
    spread = post(spreads, noisy[0], n, shifts[0], top, LEAST)
    label_spread = post(spreads, noisy[1], n, shifts[1], label_top, LEAST)
    shift = zero if label_centre is None else known(label_centre, None, None, name="label_mean")
    return Scalers(centre, spread, shift, known(label_spread, TINY, None, name="label_std"))


def quantiles(
    X: RowsNode, y: ColumnNode, budget: Share, weight: Expression, level: Expression
) -> Scalers:
    """For each column the smallest public cut B 2^-k that at least the share `level` of all |x_j|
    do not exceed, by noisy counts between cuts; the same for |y|. Proof: proofs/divided.
    """
    rows, _ = features(X)
    scaled, labels = rows.scaled(rows.radius), y.scaled(y.radius)
    statistics: dict[str, Statistic] = {
        "counts": bin_counts(scaled, CUTS, absolute=True),
        "label_counts": bin_counts(labels, CUTS, absolute=True),
    }
    counts, label_counts = part(budget, weight, statistics)
    scale = post(cut_at, counts, level, rows.radius, len(CUTS))
    label_scale = post(first, post(cut_at, label_counts, level, y.radius, len(CUTS)))
    return Scalers(None, scale, constant(0), known(label_scale, TINY, None, name="label_bound"))


def means(sums: Array, n: float, top: float) -> Array:
    """sums/max(n, 1), shape (d,), clipped to [-top, top]."""
    return np.asarray(np.clip(np.asarray(sums) / max(n, 1.0), -top, top))


def mean(total: float, n: float, top: float) -> float:
    """total/max(n, 1), clipped to [-top, top]."""
    return float(np.clip(total / max(n, 1.0), -top, top))


def spreads(squares: Any, n: float, centre: Any, top: float, least: float) -> Any:
    """sqrt(squares/n - centre^2), clipped to [least top, top]."""
    variance = np.asarray(squares) / max(n, 1.0) - np.square(centre)
    deviation = np.sqrt(np.clip(variance, (least * top) ** 2, top**2))
    return deviation if deviation.shape else float(deviation)


def cut_at(counts: Array, level: float, top: float, cuts: int) -> Array:
    """For each column, from noisy counts of shape (d (k + 1),), the first of the k cuts `top`
    2^(1-k), ..., `top` with at least the share `level` of the records at or below it.
    """
    table = np.maximum(np.reshape(counts, (-1, cuts + 1)), 0.0)
    below = np.cumsum(table, axis=1)[:, :-1]
    enough = below >= level * np.sum(table, axis=1, keepdims=True)
    enough[:, -1] = True
    return np.asarray(top * 2.0 ** (np.argmax(enough, axis=1) - (cuts - 1)))


def first(vector: Array) -> float:
    """The only entry of a vector."""
    return float(vector[0])


# -------------------------------------------------------------------- Means and standard deviations
class Standardised(Regression):
    """Ridge regression by SSP on columns standardised by released means and standard deviations.
    [Thesis, Sec. 3.3]

    The part `scaling` of the squared mu, from 0 to 1, releases sums, sums of squares and the count.
    Rows are divided by the released standard deviations and clipped to norm `radius` sqrt(d);
    labels are standardised as well and clipped to `label_radius`. Columns are centred if X has an
    intercept, which absorbs the shift. `ridge` is added to X'X. The coefficients are converted back
    to the original units by the released numbers, at no cost.

    Use: Columns of different, unknown scales, within wide public bounds. If a codebook has tight
    bounds, use them instead.
    """

    title: ClassVar[str] = "standardised SSP"
    scaling: Expression = constant("1/5")
    radius: Expression = constant("3/2")
    label_radius: Expression = constant(3)
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release up to five statistics for the scales, then X'X and X'y of scaled records."""
        by = deviations(X, y, budget, self.scaling)
        rows = divided(X, by).clip(norm=self.radius * sqrt(features(X)[0].columns))
        labels = y.scaled(by.label_scale, by.label_centre)
        clipped = labels.clip(-self.label_radius, self.label_radius)
        gram, moment = part(budget, 1 - self.scaling, sums(rows, clipped))
        return unstandardised(X, post(ridge_solve, gram, moment, self.ridge), by)


def divided(X: RowsNode, by: Scalers) -> RowsNode:
    """The columns in released units, without the intercept if they are centred."""
    rows = X if by.centre is None else features(X)[0]
    top = rows.radius
    return rows.divided(by=by.scale, minus=by.centre, lower=LEAST * top, upper=top)


def unstandardised(X: RowsNode, fit: Post, by: Scalers) -> Post:
    """The coefficients of a fit on scaled records, in the units of X and y."""
    zero, centre = constant(0), by.centre
    value = X.value if isinstance(X, Intercept) and centre is not None else zero
    shift = zero if centre is None else centre
    return post(in_own_units, fit, shift, by.scale, by.label_centre, by.label_scale, value)


def in_own_units(  # noqa: PLR0917 - dp.post passes by position
    fit: Fit, centre: Any, scale: Array, label_centre: float, label_scale: float, value: float
) -> Fit:
    """Coefficients of (x - centre)/scale for (y - label_centre)/label_scale, converted to the units
    of x and y; that of a constant column `value` is appended unless `value` is 0.
    """
    with np.errstate(over="ignore"):
        theta = fit.coefficients / scale * label_scale
        shift = label_centre - float(np.sum(theta * centre))
    whole = theta if value == 0 else np.append(theta, shift / value)
    return attrs.evolve(fit, coefficients=np.nan_to_num(whole))


# ---------------------------------------------------------------------------------- Released bounds
class RobustSSP(Regression):
    """Ridge regression by SSP, with entries and labels clipped at a multiple of released standard
    deviations. [Thesis, Sec. 3.4; HonkelaDNDK18]

    The part `scaling` of the squared mu, from 0 to 1, releases the standard deviations of columns
    and labels; `width`, above 0, is the multiple at which entries are clipped. `ridge` is added to
    X'X of the clipped rows.

    Use: Wide public bounds and a few outlying records. Values beyond the released bounds are
    clipped, which causes bias: with tight bounds use SSP.
    """

    paper: ClassVar[str] = "HonkelaDNDK18; Thesis"
    title: ClassVar[str] = "robust SSP"
    scaling: Expression = constant("1/5")
    width: Expression = constant("3/2")
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release up to five statistics for the bounds, then X'X and X'y of clipped records."""
        by = deviations(X, y, budget, self.scaling)
        gram, moment = part(budget, 1 - self.scaling, sums(*clipped(X, y, by, self.width)))
        return unstandardised(X, post(ridge_solve, gram, moment, self.ridge), by)


class RobustQuantileSSP(Regression):
    """Ridge regression by SSP, with entries and labels clipped at released quantiles of their
    absolute values. [HonkelaDNDK18]

    The part `scaling` of the squared mu, from 0 to 1, releases counts between public cuts, the
    bounds of X and y times powers of 2. The clipping bound is the smallest cut that the share
    `level` of absolute values, from 0 to 1, do not exceed. `ridge` is added to X'X of the clipped
    rows.

    Use: Like RobustSSP, for outliers so extreme that they dominate standard deviations; it uses
    quantiles.
    """

    title: ClassVar[str] = "robust SSP, quantiles"
    scaling: Expression = constant("1/5")
    level: Expression = constant("9/10")
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release counts for the bounds, then X'X and X'y of clipped records."""
        by = quantiles(X, y, budget, self.scaling, self.level)
        rows, labels = clipped(features(X)[0], y, by, constant(1))
        scale: Node = by.scale
        if isinstance(X, Intercept):
            rows, scale = rows.with_intercept(), post(with_constant, by.scale, X.value)
        gram, moment = part(budget, 1 - self.scaling, sums(rows, labels))
        fit, zero = post(ridge_solve, gram, moment, self.ridge), constant(0)
        return post(in_own_units, fit, zero, scale, zero, by.label_scale, zero)


class RobustAdaSSP(Regression):
    """adaSSP with entries and labels clipped at a multiple of released standard deviations.
    [Wang18, Alg. 2; HonkelaDNDK18]

    `scaling` and `width` are those of RobustSSP, `rho` is that of AdaSSP.

    Use: Like RobustSSP, for fewer records: with the ridge of AdaSSP.
    """

    paper: ClassVar[str] = "HonkelaDNDK18; Wang18"
    title: ClassVar[str] = "robust adaSSP"
    scaling: Expression = constant("1/5")
    width: Expression = constant("3/2")
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release up to five statistics for the bounds, then those of AdaSSP."""
        by = deviations(X, y, budget, self.scaling)
        statistics = sums(*clipped(X, y, by, self.width), floor=True)
        noisy = part(budget, 1 - self.scaling, statistics)
        return unstandardised(X, adapted(noisy, QUANTILE, self.rho), by)


def with_constant(scale: Array, value: float) -> Array:
    """The scales of the columns, followed by the value of the intercept."""
    return np.append(scale, value)


def clipped(
    X: RowsNode, y: ColumnNode, by: Scalers, width: Expression
) -> tuple[RowsNode, ColumnNode]:
    """Rows and labels in released units, each entry clipped to [-width, width]."""
    labels = y.scaled(by.label_scale, by.label_centre)
    return divided(X, by).boxed(width), labels.clip(-width, width)
