"""Noisy descent, one-pass and full-batch, with a clip that is learned from released counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
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
from dpframe.graph.functions import count
from dpframe.graph.joint import unit_std
from dpframe.graph.maps.cells import CellColumn, CellRows
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.statistics import NormCounts, RowSum, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, constant, exact, sqrt

from .solve import Array, Fit, averaged, descend, whole

# ------------------------------------------------------------------------------------------- Rounds
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
    if X.unit.relation.replaced:
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
    left = 1 - FOR_COUNTS - (0 if X.unit.relation.replaced else FOR_N)
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


# ------------------------------------------------------------------------------------- Declarations
class AMBSSGD(Regression):
    """One pass of noisy mini-batch gradient descent on the squared loss: each round reads a batch
    of its own, and clips gradients at a quantile of their norms, released first. [Varshney22]

    Batches are the cells of a public hash, so a round costs what all of them do. Ours, where the
    paper's text was not at hand: the quantile, `level`, is read off noisy counts between public
    cuts, of the same batch, for a tenth of the squared mu; all is calibrated together by the exact
    Gaussian profile. Under replace-one a record may change its batch: two are charged, and there
    are at most 23 rounds.
    """

    paper: ClassVar[str] = "Varshney22"
    title: ClassVar[str] = "DP-AMBSSGD"
    use: ClassVar[str] = (
        "Very many records of many columns without a public gradient clip, in one pass. "
        "AdaptiveGradientDescent reads all records in every round, with less noise."
    )
    rounds: Expression = constant(10)
    pace: Expression = constant("0.7")
    radius: Expression = constant(100)
    level: Expression = constant("0.8")
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """For each cell: counts, the clip, the sum of clipped gradients; n, where it is private."""
        rounds = whole(self.rounds, "rounds", 1, MOST_ROUNDS)
        cells = partition(X, y, cells=rounds, salt="DP-AMBSSGD")
        changed = X.unit.rows_per_person * (2 if X.unit.relation.replaced else 1)
        pace = self.paced(X, y, budget, rounds, changed)
        return self.walked(
            pace, [(CellRows(cells, k), CellColumn(cells, k)) for k in range(rounds)]
        )

    def paced(
        self, X: RowsNode, y: ColumnNode, budget: Share, parts: int, times: Expression | int
    ) -> Pace:
        """How a round moves that reads one of so many parts of the records; `times` are charged."""
        n, least = number_of_rows(X, budget)
        return Pace(
            n=n,
            least=least,
            parts=constant(parts),
            pace=self.pace * parts * X.columns / X.radius**2,
            radius=self.radius * y.radius / X.radius,
            level=self.level,
            spread=spread(budget, times),
        )

    def walked(self, pace: Pace, batches: Sequence[tuple[RowsNode, ColumnNode]]) -> Node:
        """A round on each batch; the mean of the last points."""
        points: list[Node] = []
        for turn, batch in enumerate(batches):
            points.append(moved(*batch, points[-1] if points else None, pace, turn))
        return post(tail, self.average, *points)


class AdaptiveGradientDescent(AMBSSGD):
    """Full-batch noisy gradient descent on the squared loss that clips gradients in each round at a
    quantile of their norms, released first. [LiuJ23] [Varshney22]

    As NoisyGradientDescent, where no clip need be stated. Ours: the quantile is read off noisy
    counts between public cuts, for a tenth of the squared mu of a round.
    """

    paper: ClassVar[str] = "LiuJ23; Varshney22"
    title: ClassVar[str] = "noisy gradient descent, adaptive clip"
    use: ClassVar[str] = (
        "Many columns, if residuals are much smaller than the bound of labels, or of unknown size."
    )
    average: Expression = constant("0.3")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T times: counts, the clip, the sum of clipped gradients; n, where it is private."""
        rounds = whole(self.rounds, "rounds", 1, MOST_ROUNDS)
        return self.walked(self.paced(X, y, budget, 1, rounds), [(X, y)] * rounds)
