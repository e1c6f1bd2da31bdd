"""Rounds of descent whose clip is learned from released counts."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Node, Release, RowsNode, known, post, release
from dpframe.graph.functions import count
from dpframe.graph.joint import unit_std
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.statistics import NormCounts, RowSum, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import REPLACE_ONE, Share
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, constant, exact, sqrt

from .descent import averaged, descend
from .solve import Array, Fit

MOST_ROUNDS = 50
CUTS = (
    *(Fraction(size) * Fraction(2) ** k for k in range(-10, 0) for size in (1, Fraction(3, 2))),
    Fraction(1),
)
"""Of the norm of a gradient, in units of B Y, its largest at 0: a clip beyond it would let steps
that overshoot make noise larger and larger.
"""
FOR_N, FOR_COUNTS = constant("0.05"), constant("0.1")  # of the squared mu


@attrs.frozen
class Pace:
    """What all rounds share: n, the least that it counts as, how many cells the records are in,
    length of steps and ball, the level of the clip, and by how much of mu^2 noise is divided.
    """

    n: Release | Expression
    least: Expression
    parts: Expression
    pace: Expression
    radius: Expression
    level: Expression
    spread: Expression


def spread(budget: Share, copies: Expression | int) -> Expression:
    """The std at sensitivity 1 of a release that is charged `copies` times."""
    return unit_std(budget) * sqrt(exact(copies))


def sized(statistic: Statistic, std: Expression, weight: Expression) -> Gaussian:
    """Noise for `weight` of the squared mu of the budget."""
    moved = statistic.sensitivity(L2)
    if moved is None:
        raise InvalidArgument("rows and labels", "bounded", statistic.label, "Clip them.")
    return Gaussian(std=moved.value * std / sqrt(weight))


def number_of_rows(X: RowsNode, budget: Share) -> tuple[Release | Expression, Expression]:
    """n, released or public, and the least that it counts as."""
    if X.unit.relation is REPLACE_ONE:
        return X.rows, constant(1)
    n = release(count(X), sized(count(X), unit_std(budget), FOR_N), name="n")
    return n, n.std


def moved(X: RowsNode, y: ColumnNode, theta: Node | None, pace: Pace, turn: int) -> Node:
    """The point after one round over these records: the norms of gradients are counted between
    public cuts, their quantile is the clip, the clipped sum is the step.
    """
    each, unit = GradientAt(X, y, theta), X.radius * y.radius
    norms = NormCounts(each.scaled(unit), CUTS)
    counts = release(norms, sized(norms, pace.spread, FOR_COUNTS), name=f"counts{turn}")
    quantile = post(clip_at, counts, pace.n, pace.least, pace.parts, pace.level)
    clip = known(quantile, CUTS[0], CUTS[-1], name=f"clip{turn}")
    total = RowSum(each.clip(norm=clip * unit))
    left = 1 - FOR_COUNTS - (0 if X.unit.relation is REPLACE_ONE else FOR_N)
    step = release(total, sized(total, pace.spread, left), name=f"gradient{turn}")
    before = constant(0) if theta is None else theta
    return post(descend, before, step, constant(turn), pace.n, pace.least, pace.pace, pace.radius)


def clip_at(counts: Array, n: float, least: float, parts: float, level: float) -> float:
    """The first public cut, in units of B Y, above which at most 1 - level of n/parts rows are, by
    noisy counts above each cut; the last where there is none.
    """
    above = np.cumsum(np.asarray(counts)[::-1])[::-1]
    few = above <= (1 - level) * max(n, least, 1.0) / parts
    place = int(np.argmax(few)) if few.any() else len(CUTS) - 1
    return float(CUTS[place])


def tail(share: float, *points: Array) -> Fit:
    """The mean of the last `share` of the points, shape (d,) each, the last one at least."""
    return averaged(np.array([points[0], *points]), share)
