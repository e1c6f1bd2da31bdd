"""DPME: least squares on the centres of the cells of a noisy histogram."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Regression, RowsNode, post, release
from dpframe.graph.functions import histogram
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .penalised import Quadratic, penalised
from .quadratic import projected
from .solve import Fit
from .whole import whole

Array = NDArray[Any]


class DPME(Regression):
    """Least squares weighted by a noisy histogram of (x, y), `cells` a side: negative counts are
    taken for 0, records for the centres of their cells. For few columns. [Lei11]
    """

    paper: ClassVar[str] = "Lei11"
    title: ClassVar[str] = "DPME"
    use: ClassVar[str] = (
        "Where delta must be 0, for one to three columns: each of the cells^(d + 1) cells gets "
        "noise of its own."
    )
    cells: Expression = constant(5)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        cells = whole(self.cells, "cells")
        counts = release(histogram(X, y, cells), Laplace.pure, budget, name="histogram")
        return post(centres_fit, counts, unit_of_entries(X), y.radius, cells)


def centres_fit(counts: Array, unit: float, bound: float, cells: int) -> Fit:
    """Least squares on cell centres, weighted by the counts, shape (cells^(d + 1),), negative ones
    taken for 0; the shortest solution where there are several.
    """
    axes = round(np.log(len(counts)) / np.log(cells))
    filled = np.flatnonzero(counts > 0)
    weights = counts[filled]
    places = np.array(np.unravel_index(filled, (cells,) * axes)).T
    centres = (2 * places + 1) / cells - 1
    rows, labels = unit * centres[:, :-1], bound * centres[:, -1]
    form = Quadratic(rows.T @ (weights[:, None] * rows), rows.T @ (weights * labels))
    return penalised(projected(form), 0.0, 1.0)
