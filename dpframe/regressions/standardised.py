"""SSP on columns that are scaled by released means and standard deviations."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Node, Post, Regression, RowsNode, post
from dpframe.graph.maps.bounds import Intercept
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant, sqrt

from .scalers import LEAST, Scalers, deviations, features, part
from .solve import Fit, ridge_solve, sums

Array = NDArray[Any]


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
        "Where columns have unlike scales that nobody knows, within wide public bounds. Where a "
        "codebook gives tight bounds, scale by them and save the share."
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
