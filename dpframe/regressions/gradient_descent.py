"""Noisy gradient descent: on all records, on samples, and through a noisy ridge system."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from dpframe.accountants import NumericAccountant, Part, least_factor
from dpframe.errors import InvalidArgument
from dpframe.graph import (
    ColumnNode,
    Loop,
    Regression,
    Release,
    RowsNode,
    iterate,
    jointly,
    loop,
    points_of,
    post,
    release,
)
from dpframe.graph.functions import count, gradient
from dpframe.graph.joint import unit_std
from dpframe.graph.statistics import Gram, LambdaMin, RowSum, Statistic
from dpframe.mechanisms import Gaussian
from dpframe.numerics import to_float
from dpframe.pld.losses import GaussianLoss, SubsampledGaussianLoss
from dpframe.privacy import ADD_REMOVE, Share, Unit
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, Number, constant, sqrt

from .solve import (
    QUANTILE,
    RHO,
    Array,
    adaptive_ridge,
    averaged,
    descend,
)

# ----------------------------------------------------------------------------------- On all records
FOR_N = constant("0.05")  # of the squared mu


class NoisyGradientDescent(Regression):
    """Full-batch noisy gradient descent on the squared loss, all rounds calibrated together to the
    whole budget by the exact Gaussian profile. [BassilyST14] [Brown24]

    `rounds` T from 0; gradients clipped to `clip` B Y; steps of `pace` d/(n B^2), right where rows
    fill their ball evenly and `pace` is below 1 (smaller where some directions are long); points
    kept in |theta| <= `radius` Y/B; the mean of the last `average` of them. Under add/remove n is
    released for 5% of the squared mu.
    """

    paper: ClassVar[str] = "BassilyST14; Brown24"
    title: ClassVar[str] = "noisy gradient descent"
    use: ClassVar[str] = (
        "Thousands of columns: a round releases d numbers and no matrix. Rounds and step sizes "
        "must be chosen; for few columns use AdaSSP."
    )
    rounds: Expression = constant(50)
    clip: Expression = constant(1)
    pace: Expression = constant("0.9")
    radius: Expression = constant(100)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T draws of the clipped gradients; n, where it is private; everything else is free."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, clip=self.clip * X.radius * y.radius)
        pace, radius = self.pace * X.columns / X.radius**2, self.radius * y.radius / X.radius
        if X.unit.relation.replaced:
            (noise,) = jointly(budget, [gradients], times=[self.rounds])
            step = release(gradients, noise, times=self.rounds, name="gradients")
            path = loop(point, step, descend, X.rows, constant(1), pace, radius)
            return post(averaged, path, self.average)
        weights, times = [FOR_N, 1 - FOR_N], [constant(1), self.rounds]
        for_n, noise = jointly(budget, [count(X), gradients], weights, times)
        n = release(count(X), for_n, name="n")
        step = release(gradients, noise, times=self.rounds, name="gradients")
        path = loop(point, step, descend, n, n.std, pace, radius)
        return post(averaged, path, self.average)


# --------------------------------------------------------------------------------------- On samples
ONE = constant(1)
SLACK = 1 + Fraction(1, 2**40)  # for the certificate's own rounding


class NoisySGD(Regression):
    """Noisy stochastic gradient descent on the squared loss; each round reads a fresh Poisson
    sample at `rate`, which the certified numeric accountant counts. [BassilyST14] [ZhuDW22]

    As NoisyGradientDescent otherwise. Where epsilon, delta and `rounds` are numbers, a person has
    one row and may be added or removed, noise is as small as the samples allow; elsewhere it is
    that of rounds that read all records, which is enough.
    """

    paper: ClassVar[str] = "BassilyST14"
    title: ClassVar[str] = "noisy stochastic gradient descent"
    use: ClassVar[str] = (
        "Many columns, with rounds that read a sample of the records. Sampling reduces the cost "
        "at numeric parameters, under add/remove, with one row per person."
    )
    rate: Expression = constant("0.1")
    rounds: Expression = constant(100)
    clip: Expression = constant(1)
    pace: Expression = constant("0.5")
    radius: Expression = constant(100)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """T draws of the clipped gradients of a sample; n, where it is private."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, clip=self.clip * X.radius * y.radius)
        pace = self.pace * X.columns / (self.rate * X.radius**2)
        n, least = _rows(X, budget)
        noise = Gaussian(std=self._deviation(budget, X.unit) * _size(gradients))
        step = release(gradients, noise, times=self.rounds, sampled=self.rate, name="gradients")
        radius = self.radius * y.radius / X.radius
        path = loop(point, step, descend, n, least, pace, radius)
        return post(averaged, path, self.average)

    def _deviation(self, budget: Share, unit: Unit) -> Expression:
        """The std at sensitivity 1: by the numeric accountant where it counts samples."""
        amounts = (*budget.amounts, self.rounds, self.rate)
        known = [one.value for one in amounts if isinstance(one, Number)]
        alone = unit.relation is ADD_REMOVE and unit.rows_per_person == ONE
        if alone and len(known) == len(amounts) and budget.currency == ("epsilon", "delta"):
            return Number(deviation(unit_std(budget), *known))
        spent = constant(1) if unit.relation.replaced else 1 - FOR_N
        return sqrt(self.rounds / spent) * unit_std(budget)


def _rows(X: RowsNode, budget: Share) -> tuple[Release | Expression, Expression]:
    """n, released or public, and the least that it counts as."""
    if X.unit.relation.replaced:
        return X.rows, constant(1)
    std = unit_std(budget) * _size(count(X)) / sqrt(FOR_N)
    n = release(count(X), Gaussian(std=std), name="n")
    return n, n.std


def _size(statistic: Statistic) -> Expression:
    moved = statistic.sensitivity(L2)
    if moved is None:
        raise InvalidArgument("rows and labels", "bounded", statistic.label, "Clip them.")
    return moved.value


@lru_cache(maxsize=64)
def deviation(
    unit: Expression, epsilon: Fraction, delta: Fraction, rounds: Fraction, rate: Fraction
) -> Fraction:
    """The std at sensitivity 1 of `rounds` draws on samples, beside n at 5% of the squared mu."""
    from dpframe.prover.profile_rule import upper  # the prover is heavy, and lists need none

    mu = upper(sqrt(FOR_N) / unit) * SLACK

    def parts(std: Fraction) -> list[Part]:
        draws = Part(SubsampledGaussianLoss(SLACK / std, rate), int(rounds))
        return [Part(GaussianLoss(mu)), draws]

    near = max(0.5, float(rate) * float(rounds) ** 0.5 * to_float(upper(unit), up=True))
    return least_factor(NumericAccountant(), parts, epsilon, delta, near=near)


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
        "If the ridge of AdaSSP shrinks coefficients too much: further rounds reduce the bias at "
        "a cost each. Try AdaSSP first."
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
