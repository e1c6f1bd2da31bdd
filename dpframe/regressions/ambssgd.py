"""One-pass and full-batch noisy descent with a clip that is learned in every round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Node, Regression, RowsNode, partition, post
from dpframe.graph.maps.cells import CellColumn, CellRows
from dpframe.privacy import REPLACE_ONE, Share
from dpframe.symbols import Expression, constant

from .adaptive_rounds import MOST_ROUNDS, Pace, moved, number_of_rows, spread, tail
from .whole import whole


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
        "For very many records of many columns, where nobody knows a good clip and one pass is "
        "enough. AdaptiveGradientDescent reads all records in every round, with less noise."
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
        changed = X.unit.rows_per_person * (2 if X.unit.relation is REPLACE_ONE else 1)
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
        "As NoisyGradientDescent, where residuals are far smaller than the labels' bound, or "
        "nobody knows how large they are."
    )
    average: Expression = constant("0.3")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T times: counts, the clip, the sum of clipped gradients; n, where it is private."""
        rounds = whole(self.rounds, "rounds", 1, MOST_ROUNDS)
        return self.walked(self.paced(X, y, budget, 1, rounds), [(X, y)] * rounds)
