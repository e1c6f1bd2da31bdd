"""Noisy gradient descent, one-pass and full-batch, with a clipping norm from released counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.graph import (
    ColumnNode,
    Node,
    Regression,
    Release,
    RowsNode,
    known,
    partition,
    post,
    release,
)
from dpframe.graph.joint import unit_std
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.partition import CellColumn, CellRows
from dpframe.graph.statistics import NormCounts, RowSum, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, exact, sqrt

from .gradient_descent import FOR_N, number_of_rows, sensitivity_of
from .solve import Array, Fit, averaged, descend, whole

# ------------------------------------------------------------------------------------------- Rounds
MOST_ROUNDS = 50
CUTS = (
    *(Fraction(size) * Fraction(2) ** k for k in range(-10, 0) for size in (1, Fraction(3, 2))),
    Fraction(1),
)
"""Cuts of gradient norms in units of B Y, the largest norm at theta = 0. A clip beyond it would let
overshooting steps enlarge the noise from round to round.
"""
FOR_COUNTS = constant("0.1")  # of the squared mu


@attrs.frozen
class Schedule:
    """The settings of all rounds: n and its lower limit, the number of cells, the step size, the
    radius of the ball, the level of the clipping quantile, and the std at sensitivity 1.
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
    """Gaussian noise that spends `weight` of the squared mu of the budget."""
    return Gaussian(std=sensitivity_of(statistic) * std / sqrt(weight))


def moved(X: RowsNode, y: ColumnNode, theta: Node | None, plan: Schedule, turn: int) -> Node:
    """The point after one round on these records: count gradient norms between public cuts, clip
    gradients at a quantile of the norms, and step by their noisy sum.
    """
    each, unit = GradientAt(X, y, theta), X.radius * y.radius
    norms = NormCounts(each.scaled(unit), CUTS)
    counts = release(norms, sized(norms, plan.spread, FOR_COUNTS), name=f"counts{turn}")
    quantile = post(clip_at, counts, plan.n, plan.least, plan.parts, plan.level)
    clip = known(quantile, CUTS[0], CUTS[-1], name=f"clip{turn}")
    total = RowSum(each.clip(norm=clip * unit))
    left = 1 - FOR_COUNTS - (0 if X.unit.relation.replaced else FOR_N)
    step = release(total, sized(total, plan.spread, left), name=f"gradient{turn}")
    before = constant(0) if theta is None else theta
    return post(descend, before, step, constant(turn), plan.n, plan.least, plan.pace, plan.radius)


def clip_at(counts: Array, n: float, least: float, parts: float, level: float) -> float:
    """The first public cut, in units of B Y, that by noisy counts at most 1 - level of n/parts rows
    exceed; the last cut if there is none.
    """
    above = np.cumsum(np.asarray(counts)[::-1])[::-1]
    few = above <= (1 - level) * max(n, least, 1.0) / parts
    place = int(np.argmax(few)) if few.any() else len(CUTS) - 1
    return float(CUTS[place])


def tail(share: float, *points: Array) -> Fit:
    """The mean of the last `share` of the points, shape (d,) each, at least of the last one."""
    return averaged(np.array([points[0], *points]), share)


# ------------------------------------------------------------------------------------- Declarations
class AMBSSGD(Regression):
    """Least squares by one pass of noisy mini-batch gradient descent: each round uses a batch of
    its own and clips gradients at a released quantile of their norms. [Varshney22]

    Batches are the cells of a public hash, so that all `rounds` (1 to 50; at most 23 under
    replace-one) together cost as much as one. Under replace-one a record may change its batch, and
    two batches are charged. The clipping norm is the quantile `level`, from 0 to 1, of noisy counts
    of gradient norms between public cuts, for a tenth of the squared mu. All noise is calibrated by
    the exact Gaussian profile. `pace`, `radius` and `average` are those of NoisyGradientDescent.

    Use: Very many records of many columns without a public gradient clip, in one pass.
    AdaptiveGradientDescent reads all records in every round, with less noise.
    """

    title: ClassVar[str] = "DP-AMBSSGD"
    rounds: Expression = constant(10)
    pace: Expression = constant("0.7")
    radius: Expression = constant(100)
    level: Expression = constant("0.8")
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release counts and the clipped gradient sum of each batch, and n if it is private."""
        rounds = whole(self.rounds, "rounds", 1, MOST_ROUNDS)
        cells = partition(X, y, cells=rounds, salt="DP-AMBSSGD")
        changed = X.unit.rows_per_person * (2 if X.unit.relation.replaced else 1)
        plan = self._schedule(X, y, budget, rounds, changed)
        return self._path(plan, [(CellRows(cells, k), CellColumn(cells, k)) for k in range(rounds)])

    def _schedule(
        self, X: RowsNode, y: ColumnNode, budget: Share, parts: int, times: Expression | int
    ) -> Schedule:
        """Rounds that use one of `parts` parts of the records each, charged `times` times."""
        n, least = number_of_rows(X, budget)
        return Schedule(
            n=n,
            least=least,
            parts=constant(parts),
            pace=self.pace * parts * X.columns / X.radius**2,
            radius=self.radius * y.radius / X.radius,
            level=self.level,
            spread=spread(budget, times),
        )

    def _path(self, plan: Schedule, batches: Sequence[tuple[RowsNode, ColumnNode]]) -> Node:
        """Take a round on each batch and average the last points."""
        points: list[Node] = []
        for turn, batch in enumerate(batches):
            points.append(moved(*batch, points[-1] if points else None, plan, turn))
        return post(tail, self.average, *points)


class AdaptiveGradientDescent(AMBSSGD):
    """Least squares by full-batch noisy gradient descent that clips gradients in each round at a
    released quantile of their norms. [LiuJ23] [Varshney22]

    There are `rounds` rounds, from 1 to 50. The clipping norm is the quantile `level`, from 0 to 1,
    of noisy counts of gradient norms between public cuts, for a tenth of the squared mu of a round.
    `pace`, `radius` and `average` are those of NoisyGradientDescent.

    Use: Many columns, if residuals are much smaller than the bound of labels, or of unknown size.
    """

    title: ClassVar[str] = "noisy gradient descent, adaptive clip"
    average: Expression = constant("0.3")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release counts and the clipped gradient sum in each round, and n if it is private."""
        rounds = whole(self.rounds, "rounds", 1, MOST_ROUNDS)
        return self._path(self._schedule(X, y, budget, 1, rounds), [(X, y)] * rounds)
