"""Boosted adaSSP: gradient steps through the ridge system of one noisy X'X."""

from __future__ import annotations

from typing import Any, ClassVar

from dpframe.graph import (
    ColumnNode,
    Loop,
    Regression,
    RowsNode,
    iterate,
    jointly,
    loop,
    points_of,
    post,
    release,
)
from dpframe.graph.functions import gradient
from dpframe.graph.statistics import Gram, LambdaMin, RowSum
from dpframe.mechanisms import Gaussian
from dpframe.privacy import Share
from dpframe.symbols import Expression, constant

from .descent import averaged
from .solve import QUANTILE, RHO, Array, adaptive_ridge


class BoostedAdaSSP(Regression):
    """Boosted adaSSP: `rounds` T times the clipped gradient, through the inverse of one noisy X'X
    plus an adaptive ridge; all releases calibrated together by the exact Gaussian profile.
    [Tang23]

    The smallest eigenvalue, X'X and all rounds together have equal weights in the squared mu.
    Gradients are clipped to B Y. The result is the mean of the last `average` of the points.
    """

    paper: ClassVar[str] = "Tang23"
    title: ClassVar[str] = "boosted adaSSP"
    use: ClassVar[str] = (
        "Where the ridge of AdaSSP pulls coefficients far towards zero: more rounds undo it, and "
        "each is paid for. Start with AdaSSP."
    )
    rounds: Expression = constant(5)
    rho: Expression = RHO
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, the last one T times over."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, clip=X.radius * y.radius)
        statistics = (LambdaMin(X.T @ X), X.T @ X, gradients)
        noises = jointly(budget, statistics, times=[1, 1, self.rounds])
        path = boosted(statistics, noises, self.rounds, self.rho)
        return post(averaged, path, self.average)


def boosted(
    statistics: tuple[LambdaMin, Gram, RowSum],
    noises: tuple[Gaussian, ...],
    rounds: Expression,
    rho: Expression,
) -> Loop:
    """Release the smallest eigenvalue and X'X, then step `rounds` times by the gradient, a sum that
    reads the point of a loop.
    """
    floor = release(statistics[0], noises[0], name="floor")
    gram = release(statistics[1], noises[1], name="gram")
    step = release(statistics[2], noises[2], times=rounds, name="gradients")
    shift = QUANTILE * floor.std
    (point,) = points_of(step)
    return loop(point, step, boost, floor, gram, shift, gram.std, rho)


def boost(  # noqa: PLR0917 - dp.loop passes by position
    theta: Array,
    gradient: Array,
    turn: int,
    floor: float,
    gram: Array,
    shift: float,
    gram_std: float,
    rho: float,
) -> Array:
    """theta - (X'X + ridge I)^-1 gradient, shape (d,), with the ridge of adaSSP."""
    del turn
    down = adaptive_ridge(floor, gram, -gradient, shift, gram_std, rho, 0.0)
    return theta + down.coefficients
