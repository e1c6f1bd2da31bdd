"""Released scales of columns and labels: what to release, and how to read it.

Functions of released values take noisy numbers and give finite ones, of public range, whatever the
noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Release, RowsNode, jointly, known, post
from dpframe.graph.functions import bin_counts, column_squares, count, total
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.node import Node
from dpframe.graph.statistics import Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import REPLACE_ONE, Share
from dpframe.symbols import Expression, constant, sqrt

from .solve import released

Array = NDArray[Any]

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
    private = X.unit.relation is not REPLACE_ONE
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
