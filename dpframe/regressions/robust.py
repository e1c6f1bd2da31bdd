"""Robust private regression: entries and labels clipped at released bounds, then summed."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpframe.graph import ColumnNode, Node, Regression, RowsNode, post
from dpframe.graph.maps.bounds import Intercept
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .scalers import Scalers, deviations, features, part, quantiles
from .solve import QUANTILE, RHO, adapted, ridge_solve, sums
from .standardised import divided, in_own_units, unstandardised

Array = NDArray[Any]

FIFTH = constant("1/5")


class RobustSSP(Regression):
    """SSP of entries and labels clipped at `width` released standard deviations of their columns; a
    share `scaling` of the squared mu releases these. [Thesis, Sec. 3.4; HonkelaDNDK18]
    """

    paper: ClassVar[str] = "HonkelaDNDK18; Thesis"
    title: ClassVar[str] = "robust SSP"
    use: ClassVar[str] = (
        "Where public bounds are wide and a few records lie far out. What lies beyond the "
        "released bounds is clipped, which biases it: with tight bounds take SSP."
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
        "As RobustSSP, where records lie so far out that deviations would follow them: quantiles "
        "do not."
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
    use: ClassVar[str] = "As RobustSSP, for fewer records: with the ridge of AdaSSP."
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
