"""Noisy gradient descent: full-batch, on Poisson samples, and preconditioned by a noisy X'X."""

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

from .solve import QUANTILE, RHO, Array, adaptive_ridge, averaged, descend

# --------------------------------------------------------------------------------------- Full batch
FOR_N = constant("0.05")  # of the squared mu


class NoisyGradientDescent(Regression):
    """Least squares by full-batch noisy gradient descent, all rounds calibrated jointly to the
    whole budget by the exact Gaussian profile. [BassilyST14] [Brown24]

    There are `rounds` steps, starting at 0. The gradient of each record is clipped to norm `clip`
    B Y, which is its largest norm at 0 for clip=1. The step size is `pace` d/(n B^2); a pace below
    1 suits rows that fill their ball evenly, a smaller one rows that are long in some directions.
    Points are projected onto |theta| <= `radius` Y/B. The estimate is the mean of the last share
    `average` of the points, from 0 (the last point) to 1. Under add/remove n is released for 5% of
    the squared mu.

    Use: Thousands of columns: a round releases d numbers and no matrix. Rounds and step sizes must
    be chosen; for few columns use AdaSSP.
    """

    title: ClassVar[str] = "noisy gradient descent"
    rounds: Expression = constant(50)
    clip: Expression = constant(1)
    pace: Expression = constant("0.9")
    radius: Expression = constant(100)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the clipped gradient in each round, and n if it is private."""
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


# ---------------------------------------------------------------------------------- Poisson samples
ONE = constant(1)
SLACK = 1 + Fraction(1, 2**40)  # for the rounding of the certificate


class NoisySGD(Regression):
    """Least squares by noisy stochastic gradient descent: each round uses a fresh Poisson sample,
    with privacy amplified by subsampling. [BassilyST14] [ZhuDW22]

    `rate`, from 0 to 1, is the inclusion probability of a record in a round. The other parameters
    are those of NoisyGradientDescent. The certified numeric accountant calibrates the noise if
    epsilon, delta, `rounds` and `rate` are numbers, under add/remove with one row per person.
    Otherwise the noise is that of full-batch rounds, which suffices.

    Use: Many columns, with rounds that read a sample of the records. Sampling reduces the cost at
    numeric parameters, under add/remove, with one row per person.
    """

    paper: ClassVar[str] = "BassilyST14"
    title: ClassVar[str] = "noisy stochastic gradient descent"
    rate: Expression = constant("0.1")
    rounds: Expression = constant(100)
    clip: Expression = constant(1)
    pace: Expression = constant("0.5")
    radius: Expression = constant(100)
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the clipped gradient of a sample in each round, and n if it is private."""
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, clip=self.clip * X.radius * y.radius)
        pace = self.pace * X.columns / (self.rate * X.radius**2)
        n, least = number_of_rows(X, budget)
        noise = Gaussian(std=self._deviation(budget, X.unit) * sensitivity_of(gradients))
        step = release(gradients, noise, times=self.rounds, sampled=self.rate, name="gradients")
        radius = self.radius * y.radius / X.radius
        path = loop(point, step, descend, n, least, pace, radius)
        return post(averaged, path, self.average)

    def _deviation(self, budget: Share, unit: Unit) -> Expression:
        """The std at sensitivity 1, by the numeric accountant if it applies."""
        amounts = (*budget.amounts, self.rounds, self.rate)
        numbers = [one.value for one in amounts if isinstance(one, Number)]
        alone = unit.relation is ADD_REMOVE and unit.rows_per_person == ONE
        if alone and len(numbers) == len(amounts) and budget.currency == ("epsilon", "delta"):
            return Number(deviation(unit_std(budget), *numbers))
        spent = constant(1) if unit.relation.replaced else 1 - FOR_N
        return sqrt(self.rounds / spent) * unit_std(budget)


def number_of_rows(X: RowsNode, budget: Share) -> tuple[Release | Expression, Expression]:
    """n, public or released, and a lower limit for a released n."""
    if X.unit.relation.replaced:
        return X.rows, constant(1)
    std = unit_std(budget) * sensitivity_of(count(X)) / sqrt(FOR_N)
    n = release(count(X), Gaussian(std=std), name="n")
    return n, n.std


def sensitivity_of(statistic: Statistic) -> Expression:
    """The L2 sensitivity of a statistic. Raises InvalidArgument if it is unbounded."""
    bound = statistic.sensitivity(L2)
    if bound is None:
        raise InvalidArgument("rows and labels", "bounded", statistic.label, "Clip them.")
    return bound.value


@lru_cache(maxsize=64)
def deviation(
    unit: Expression, epsilon: Fraction, delta: Fraction, rounds: Fraction, rate: Fraction
) -> Fraction:
    """The std at sensitivity 1 of `rounds` releases on Poisson samples, composed with the release
    of n at 5% of the squared mu.
    """
    from dpframe.prover.mixture import upper  # deferred: the prover is slow to import

    mu = upper(sqrt(FOR_N) / unit) * SLACK

    def parts(std: Fraction) -> list[Part]:
        draws = Part(SubsampledGaussianLoss(SLACK / std, rate), int(rounds))
        return [Part(GaussianLoss(mu)), draws]

    near = max(0.5, float(rate) * float(rounds) ** 0.5 * to_float(upper(unit), up=True))
    return least_factor(NumericAccountant(), parts, epsilon, delta, near=near)


# ----------------------------------------------------------------------------------- Boosted adaSSP
class BoostedAdaSSP(Regression):
    """Least squares by boosted adaSSP: clipped noisy gradients preconditioned by one noisy X'X plus
    an adaptive ridge, calibrated jointly by the exact Gaussian profile. [Tang23]

    lambda_min(X'X), X'X and all `rounds` gradients together have equal parts of the squared mu. The
    gradient of each record is clipped to B Y. `rho`, from 0 to 1, is the failure probability of the
    bound on the noise that sets the ridge. The estimate is the mean of the last share `average` of
    the points, from 0 (the last point) to 1.

    Use: If the ridge of AdaSSP shrinks coefficients too much: further rounds reduce the bias at a
    cost each. Try AdaSSP first.
    """

    title: ClassVar[str] = "boosted adaSSP"
    rounds: Expression = constant(5)
    rho: Expression = RHO
    average: Expression = constant("0.5")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release lambda_min, X'X, then the clipped gradient in each round."""
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
    """Release lambda_min and X'X, then take `rounds` steps by the noisy gradient."""
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
    """theta - (X'X + ridge I)^-1 gradient, shape (d,), with the adaptive ridge of adaSSP."""
    del turn
    down = adaptive_ridge(floor, gram, -gradient, shift, gram_std, rho, 0.0)
    return theta + down.coefficients
