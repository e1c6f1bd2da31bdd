"""SSP and adaSSP on columns in released scales: standardised, or clipped at released bounds."""

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
# What to release, and how to read it: functions of released values take noisy numbers and give
# finite ones, of public range, whatever the noise.

LEAST = constant("1/1000")  # of the bound: a smaller deviation is taken for it
TINY = constant("1e-100")  # no label is divided by less
CUTS = tuple(Fraction(1, 2**k) for k in range(10, -1, -1))  # of the bound


@attrs.frozen(eq=False)
class Scalers:
    """Released centres and scales, in the units of X and y; None where nothing is subtracted."""

    centre: Node | None
    scale: Node
    label_centre: Expression
    label_scale: Expression


def part(budget: Share, weight: Expression, statistics: Mapping[str, Statistic]) -> list[Release]:
    """One release each, jointly spending `weight` of the budget's squared mu in equal parts."""
    factor = 1 / sqrt(weight)
    noises = jointly(budget, [*statistics.values()])
    return released(statistics, [Gaussian(std=factor * noise.std) for noise in noises])


def features(X: RowsNode) -> tuple[RowsNode, bool]:
    """The rows without the intercept that was appended last, and whether there was one."""
    return (X.source, True) if isinstance(X, Intercept) else (X, False)


def deviations(X: RowsNode, y: ColumnNode, budget: Share, weight: Expression) -> Scalers:
    """Means and standard deviations where X has an intercept, which takes up what centring moves;
    root mean squares elsewhere. Proof page: proofs/divided.
    """
    rows, centred = features(X)
    private = not X.unit.relation.replaced
    statistics: dict[str, Statistic] = {"squares": column_squares(rows), "label_squares": y @ y}
    statistics |= {"sums": total(rows), "label_sum": total(y)} if centred else {}
    statistics |= {"count": count(rows)} if private else {}
    found = part(budget, weight, statistics)
    n: Node = found[-1] if private else count(rows)
    zero = constant(0)
    top, label_top = rows.radius, y.radius
    centre = post(means, found[2], n, top) if centred else None
    label_centre = post(mean, found[3], n, label_top) if centred else None
    shift = zero if centre is None else centre
    label_shift = zero if label_centre is None else label_centre
    spread = post(spreads, found[0], n, shift, top, LEAST)
    label_spread = post(spreads, found[1], n, label_shift, label_top, LEAST)
    centre_symbol = (
        zero if label_centre is None else known(label_centre, None, None, name="label_mean")
    )
    return Scalers(centre, spread, centre_symbol, known(label_spread, TINY, None, name="label_std"))


def quantiles(
    X: RowsNode, y: ColumnNode, budget: Share, weight: Expression, level: Expression
) -> Scalers:
    """The smallest public cut B 2^-k below which at least `level` of all |x_j| lie, by noisy counts
    between cuts; the same of |y|. An intercept has no scale. Proof page: proofs/divided.
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
    """sums/n, shape (d,), of size at most `top`; 0 where n < 1."""
    found: Array = np.clip(np.asarray(sums) / max(n, 1.0), -top, top)
    return found


def mean(total: float, n: float, top: float) -> float:
    """total/n, of size at most `top`."""
    return float(np.clip(total / max(n, 1.0), -top, top))


def spreads(squares: Any, n: float, centre: Any, top: float, least: float) -> Any:
    """sqrt(squares/n - centre^2), from `least` times `top` to `top`."""
    variance = np.asarray(squares) / max(n, 1.0) - np.square(centre)
    found = np.sqrt(np.clip(variance, (least * top) ** 2, top**2))
    return found if found.shape else float(found)


def cut_at(counts: Array, level: float, top: float, cuts: int) -> Array:
    """For each of d columns of noisy counts, shape (d (k + 1),), the first of the k cuts `top`
    2^(1-k), ..., `top` with at least `level` of the column's records at or below it.
    """
    table = np.maximum(np.reshape(counts, (-1, cuts + 1)), 0.0)
    below = np.cumsum(table, axis=1)[:, :-1]
    enough = below >= level * np.sum(table, axis=1, keepdims=True)
    enough[:, -1] = True
    found: Array = top * 2.0 ** (np.argmax(enough, axis=1) - (cuts - 1))
    return found


def first(vector: Array) -> float:
    """Its only entry."""
    return float(vector[0])


# -------------------------------------------------------------------- Means and standard deviations
class Standardised(Regression):
    """SSP on standardised columns: a share `scaling` of the squared mu releases sums, sums of
    squares and the count; rows are divided by released standard deviations and clipped to norm
    `radius` sqrt(d), labels to `label_radius`; coefficients are put back by the released numbers.
    [Thesis, Sec. 3.3]

    Columns are centred where X has an intercept, which takes up what centring moves.
    """

    paper: ClassVar[str] = "Thesis"
    title: ClassVar[str] = "standardised SSP"
    use: ClassVar[str] = (
        "Columns of different, unknown scales, within wide public bounds. If a codebook has tight"
        " bounds, use them instead."
    )
    scaling: Expression = constant("1/5")
    radius: Expression = constant("3/2")
    label_radius: Expression = constant(3)
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Up to five releases for the scales, two for the statistics of scaled records."""
        found = deviations(X, y, budget, self.scaling)
        rows = divided(X, found).clip(norm=self.radius * sqrt(features(X)[0].columns))
        labels = y.scaled(found.label_scale, found.label_centre)
        clipped = labels.clip(-self.label_radius, self.label_radius)
        gram, moment = part(budget, 1 - self.scaling, sums(rows, clipped))
        return unstandardised(X, post(ridge_solve, gram, moment, self.ridge), found)


def divided(X: RowsNode, found: Scalers) -> RowsNode:
    """The columns, less the intercept where it takes up the centres, in released units."""
    rows = X if found.centre is None else features(X)[0]
    top = rows.radius
    return rows.divided(by=found.scale, minus=found.centre, lower=LEAST * top, upper=top)


def unstandardised(X: RowsNode, fit: Post, found: Scalers) -> Post:
    """The coefficients of a fit on scaled records, in the units of X and y."""
    centred = isinstance(X, Intercept) and found.centre is not None
    value = X.value if isinstance(X, Intercept) and centred else constant(0)
    centre: Node | Expression = constant(0) if found.centre is None else found.centre
    return post(
        in_own_units, fit, centre, found.scale, found.label_centre, found.label_scale, value
    )


def in_own_units(  # noqa: PLR0917 - dp.post passes by position
    fit: Fit, centre: Any, scale: Array, label_centre: float, label_scale: float, value: float
) -> Fit:
    """Coefficients of (x - centre)/scale for (y - label_centre)/label_scale, in the units of x and
    y; with that of a constant column `value` at the end, unless that is 0.
    """
    with np.errstate(over="ignore"):
        theta = fit.coefficients / scale * label_scale
        shift = label_centre - float(np.sum(theta * centre))
    whole = theta if value == 0 else np.append(theta, shift / value)
    return attrs.evolve(fit, coefficients=np.nan_to_num(whole))


# ------------------------------------------------------------------------------- Medians and bounds
FIFTH = constant("1/5")


class RobustSSP(Regression):
    """SSP of entries and labels clipped at `width` released standard deviations of their columns; a
    share `scaling` of the squared mu releases these. [Thesis, Sec. 3.4; HonkelaDNDK18]
    """

    paper: ClassVar[str] = "HonkelaDNDK18; Thesis"
    title: ClassVar[str] = "robust SSP"
    use: ClassVar[str] = (
        "Wide public bounds and a few outlying records. Values beyond the released bounds are "
        "clipped, which causes bias: with tight bounds use SSP."
    )
    scaling: Expression = FIFTH
    width: Expression = constant("3/2")
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Up to five releases for the bounds, two for the statistics of clipped records."""
        found = deviations(X, y, budget, self.scaling)
        rows, labels = clipped(X, y, found, self.width)
        gram, moment = part(budget, 1 - self.scaling, sums(rows, labels))
        return unstandardised(X, post(ridge_solve, gram, moment, self.ridge), found)


class RobustQuantileSSP(Regression):
    """SSP of entries and labels clipped at released quantiles of their sizes; a share `scaling` of
    the squared mu releases these. [HonkelaDNDK18]

    The bound is a public cut, that of X or y times a power of 2, with `level` of all sizes below.
    """

    paper: ClassVar[str] = "HonkelaDNDK18"
    title: ClassVar[str] = "robust SSP, quantiles"
    use: ClassVar[str] = (
        "Like RobustSSP, for outliers so extreme that they dominate standard deviations; it uses "
        "quantiles."
    )
    scaling: Expression = FIFTH
    level: Expression = constant("9/10")
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases for the bounds, two for the statistics of clipped records."""
        found = quantiles(X, y, budget, self.scaling, self.level)
        rows, labels = clipped(features(X)[0], y, found, constant(1))
        scale: Node = found.scale
        if isinstance(X, Intercept):
            rows, scale = rows.with_intercept(), post(with_constant, found.scale, X.value)
        gram, moment = part(budget, 1 - self.scaling, sums(rows, labels))
        fit, zero = post(ridge_solve, gram, moment, self.ridge), constant(0)
        return post(in_own_units, fit, zero, scale, zero, found.label_scale, zero)


class RobustAdaSSP(Regression):
    """adaSSP of entries and labels clipped at `width` released standard deviations; a share
    `scaling` of the squared mu releases these. [Wang18, Alg. 2; HonkelaDNDK18]
    """

    paper: ClassVar[str] = "HonkelaDNDK18; Wang18"
    title: ClassVar[str] = "robust adaSSP"
    use: ClassVar[str] = "Like RobustSSP, for fewer records: with the ridge of AdaSSP."
    scaling: Expression = FIFTH
    width: Expression = constant("3/2")
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Up to five releases for the bounds, three for the statistics of clipped records."""
        found = deviations(X, y, budget, self.scaling)
        rows, labels = clipped(X, y, found, self.width)
        noisy = part(budget, 1 - self.scaling, sums(rows, labels, floor=True))
        return unstandardised(X, adapted(noisy, QUANTILE, self.rho), found)


def with_constant(scale: Array, value: float) -> Array:
    """The scales of the columns, then that of an intercept of `value` as 1."""
    return np.append(scale, value)


def clipped(
    X: RowsNode, y: ColumnNode, found: Scalers, width: Expression
) -> tuple[RowsNode, ColumnNode]:
    """Rows and labels in released units, every entry clipped to [-width, width]."""
    labels = y.scaled(found.label_scale, found.label_centre)
    return divided(X, found).boxed(width), labels.clip(-width, width)
