"""Declarations that use what no regression of dpframe does, so that it is edited too."""

from __future__ import annotations

from typing import Any

from dpframe.graph import ColumnNode, Regression, RowsNode, partition, release
from dpframe.mechanisms import Gaussian, Laplace
from dpframe.privacy import ADD_REMOVE, Share

CELLS = 3


class CellCounts(Regression):
    """How many records each cell of a public partition has. [McSherry09]"""

    title = "counts by cell"
    paper = "McSherry09"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Each cell with the whole budget; half of it where a record may change its cell."""
        cells = partition(X, y, cells=CELLS)
        share = budget if X.unit.relation is ADD_REMOVE else budget.split_evenly(2)[0]
        counts = [cells.count(j) for j in range(CELLS)]
        return tuple(
            release(one, Laplace.pure, share, name=f"cell{j}") for j, one in enumerate(counts)
        )


class CellMoments(Regression):
    """X'X of each cell of a public partition. [McSherry09]"""

    title = "moments by cell"
    paper = "McSherry09"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Each cell with the whole budget; half of it where a record may change its cell."""
        cells = partition(X, y, cells=CELLS)
        share = budget if X.unit.relation is ADD_REMOVE else budget.split_evenly(2)[0]
        rows = [cells.cell(j)[0] for j in range(CELLS)]
        return tuple(
            release(one.T @ one, Gaussian.analytic, share, name=f"gram{j}")
            for j, one in enumerate(rows)
        )


EXAMPLES = (CellCounts(), CellMoments())
