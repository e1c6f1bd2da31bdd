"""SSP and adaSSP: ridge on noisy X'X and X'y, alone and in gradient steps."""

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
from dpframe.symbols import Expression, constant, parameter

from .solve import (
    QUANTILE,
    RHO,
    Array,
    adapted,
    adaptive_ridge,
    averaged,
    constant_ridge,
    released,
    ridge_solve,
    sums,
)


# ---------------------------------------------------------------------------------------------- SSP
class SSP(Regression):
    """Ridge on noisy X'X and X'y, both calibrated together to the whole budget by the exact
    Gaussian profile. [Wang18, Sec. 3.2; Piazza21, Alg. 1]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "SSP"
    use: ClassVar[str] = (
        "For many records of few columns, where noise on X'X is small beside it. With fewer "
        "records its ridge does not outweigh the noise: take AdaSSP."
    )
    ridge: Expression = constant(1)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(ridge_solve, gram, moment, self.ridge)


class ConstSSPFull(Regression):
    """SSP with the ridge sqrt(d log(2 d^2/rho)) std, both releases calibrated together by the exact
    Gaussian profile. [Piazza21, Alg. 4]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "constSSPfull"
    use: ClassVar[str] = (
        "Where X'X is ill-conditioned, so that its smallest eigenvalue is not worth a release. On"
        " well-conditioned data its ridge is larger than it need be: take AdaSSP."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases, equal squared mu."""
        statistics = sums(X, y)
        gram, moment = released(statistics, jointly(budget, [*statistics.values()]))
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(0))


# ------------------------------------------------------------------------------------------- adaSSP
class AdaSSP(Regression):
    """adaSSP with its three releases calibrated together to the whole budget by the exact Gaussian
    profile. [Wang18, Alg. 2]
    """

    paper: ClassVar[str] = "Wang18; Piazza21"
    title: ClassVar[str] = "adaSSP"
    use: ClassVar[str] = (
        "The first to try for least squares with a delta: its ridge grows where the data say "
        "little. With so few records that X'X is mostly noise it returns almost zero."
    )
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Three releases, equal squared mu; the eigenvalue is lowered by the 5% quantile of its
        noise.
        """
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()])
        return adapted(released(statistics, noises), QUANTILE, self.rho)


class AdaSSPBudgetTight(Regression):
    """adaSSPbudget with gamma a share of the squared mu, calibrated together by the exact Gaussian
    profile. [Piazza21, Alg. 3]
    """

    paper: ClassVar[str] = "Piazza21"
    title: ClassVar[str] = "adaSSPbudget"
    use: ClassVar[str] = (
        "Where the part of the budget for the ridge is to be chosen, publicly. Without a reason "
        "for a gamma of your own take AdaSSP, which has equal parts."
    )
    gamma: Expression = parameter("gamma", 0, 1)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """gamma of the squared mu to the eigenvalue, the rest to X'X and X'y in halves."""
        rest = (1 - self.gamma) / 2
        statistics = sums(X, y, floor=True)
        noises = jointly(budget, [*statistics.values()], [self.gamma, rest, rest])
        return adapted(released(statistics, noises), QUANTILE, self.rho)


# ----------------------------------------------------------------------------------- Boosted adaSSP
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
