"""Logistic regression by full-batch noisy gradients, preconditioned by a noisy X'X."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import (
    ColumnNode,
    Node,
    Regression,
    RowsNode,
    iterate,
    jointly,
    loop,
    post,
    release,
)
from dpframe.graph.functions import gradient, total
from dpframe.graph.graph import NEWER
from dpframe.graph.maps.bounds import Intercept
from dpframe.graph.maps.grid import gridded
from dpframe.graph.maps.residuals import GradientAt
from dpframe.graph.procedure import Logistic
from dpframe.inference.evidence import Evidence, Meat, NoisySum
from dpframe.mechanisms import Gaussian
from dpframe.numerics.edge import noise_edge
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, constant, sqrt

from .solve import Array, Budget, Fit, averaged, check_bounds, coefficients_of

CURVATURE = 0.25  # the largest second derivative of log(1 + exp(-t))
CYCLE = np.cos(np.pi * np.array([7, 1, 5, 3]) / 8)  # Chebyshev nodes: a long step, a short one, ...
LEAST = CURVATURE * (1 + CYCLE[0]) / 2  # of the longest step that a cycle makes stable
MOVED = 0.5  # the largest std of log-odds by the noise of a step
STEP = (constant(5), constant(7), constant(1))  # of the last step: gradient, Hessian, meat
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(21)


class LogisticDescent(Regression):
    """Logistic regression by full-batch noisy gradients of a penalised loss, preconditioned by a
    noisy X'X and calibrated jointly to the whole budget by the exact Gaussian profile.
    [BassilyST14] [BohningL88]

    X'X is released once, for the part `gram` of the squared mu, from 0 to 1. There are `rounds` T
    noisy gradients. That of each record is clipped to norm `clip` B Y: clip=1 bounds the slope of
    the loss itself, so nothing is cut and the coefficients are not biased; a smaller clip adds less
    noise, but shrinks the rarer class. Every step is a Newton step whose Hessian has,
    along each of its directions, a Chebyshev node between Y^2/4 X'X, an upper bound, and the
    Hessian predicted at the point for normal rows with this X'X, so that rare outcomes converge.
    The prediction needs rows with an intercept, and is limited from below by the noise.

    The penalty along a principal direction of X'X is `shrinkage` (s B)^2 over the eigenvalue, where
    s^2 T is the variance of the noise in a gradient: near the optimum if log-odds of typical rows
    vary by about 1. The penalty is post-processing, on which no noise depends, and hardly affects
    the intercept, whose eigenvalue is large. The estimate is the mean of the last share `average`
    of the points, from 0 to 1.

    With `newton`, a part of the squared mu, three sums at that estimate are released besides: the
    gradient, the Hessian and the sum of squared gradients, those of one Newton step. Intervals
    follow from them, for noise, sampling and the remainder of the step, also where log-odds are
    not linear. The estimate is then the mean of both, with a penalty on the step as on others.

    Use: The default for two classes: nothing to tune, the penalty follows from released values.
    LogisticDescent.for_intervals() has intervals of log-odds.
    """

    title: ClassVar[str] = "logistic descent"
    rounds: Expression = constant(48)
    clip: Expression = constant(1)
    gram: Expression = constant("0.1")
    shrinkage: Expression = constant(3)
    average: Expression = constant("0.5")
    newton: Expression = attrs.field(default=constant(0), metadata={NEWER: True})

    @classmethod
    def for_intervals(cls) -> Self:
        """A variant with intervals of log-odds: the last step gets 65% of the squared mu."""
        make: Any = cls
        variant: Self = make(gram="0.15", newton="0.65")
        return variant

    @property
    def intervals_of_odds(self) -> bool:
        """Whether they follow from the evidence in its output."""
        return self.newton != constant(0)

    @property
    def full_name(self) -> str:
        """LogisticDescent, or LogisticDescent.for_intervals."""
        variant = "" if self != type(self).for_intervals() else ".for_intervals"
        return f"{super().full_name}{variant}"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release X'X, then T gradients, then a Newton step. Raises InvalidArgument."""
        check_bounds(X, y)
        if isinstance(self.newton, Number) and not 0 <= self.newton.value < 1:
            way_out = "It is a part of the squared mu, 0.65 for example; the descent has the rest."
            raise InvalidArgument("newton", "at least 0 and below 1", self.newton, way_out)
        point = iterate(X.columns)
        gradients = gradient(X, y, at=point, loss=Logistic(), clip=self.clip * X.radius * y.radius)
        weights, times = [self.gram, 1 - self.gram], [constant(1), self.rounds]
        for_gram, noise = jointly(budget, [X.T @ X, gradients], weights, times)
        if self.intervals_of_odds:
            wider = 1 / sqrt(1 - self.newton)
            for_gram, noise = (Gaussian(std=wider * one.std) for one in (for_gram, noise))
        gram = release(X.T @ X, for_gram, name="gram")
        step = release(gradients, noise, times=self.rounds, name="gradients")
        pull = self.shrinkage * (step.std * X.radius) ** 2 / self.rounds
        intercept = X.value if isinstance(X, Intercept) else constant(0)
        along = post(principal, gram, gram.std, y.radius, pull, step.std, intercept)
        path = loop(point, step, descend, along)
        fit: Node = post(estimated, path, self.average, along, step.std)
        if self.intervals_of_odds:
            fit = self._with_step((X, y, budget), fit, along, step.std**2 / self.rounds)
        return fit

    def _with_step(
        self,
        declared: tuple[RowsNode, ColumnNode, Share],
        fit: Node,
        along: Node,
        variance: Expression,
    ) -> Node:
        """The fit with a released Newton step; `variance` is the noise in a gradient over T."""
        (X, y, budget), most = declared, declared[0].radius * declared[1].radius
        at = gridded(X), y, post(coefficients_of, fit), Logistic()
        gradients = GradientAt(*at).clip(norm=most)
        curved = GradientAt(*at, curved=True).clip(norm=most / 2)
        sums = [total(gradients), curved.T @ curved, gradients.T @ gradients]
        noise = Budget(budget).noises(self.newton, sums, STEP)
        score = release(sums[0], noise[0], name="score")
        hessian = release(sums[1], noise[1], name="hessian")
        meat = release(sums[2], noise[2], name="meat")
        noisy = (score, score.std, hessian, hessian.std, meat, meat.std)
        return post(stepped, fit, along, score.std**2 / variance, most, y.radius, *noisy)


@attrs.frozen(eq=False)
class LogOddsFit(Fit):
    """A fit with a predicted root of the covariance of its privacy noise, (d, d), and the predicted
    share of log-odds that the penalty leaves; or with the `evidence` of a released Newton step.
    """

    noise_root: Array | None = attrs.field(default=None, kw_only=True)
    kept: float = attrs.field(default=math.nan, kw_only=True)
    evidence: Evidence | None = attrs.field(default=None, kw_only=True)


@attrs.frozen(eq=False)
class Along:
    """Principal directions of X'X, the columns of (d, d), and along each its eigenvalue and the
    penalty, (d,); the bound on labels; the mean row, (d,), and number of records (None without an
    intercept); the curvature below which noise dominates a step; and the size of the noise on X'X.
    """

    directions: Array
    values: Array
    penalties: Array
    bound: float
    mean: Array | None
    n: float
    least: float
    edge: float

    def step_hessian(self, theta: Array, turn: int) -> Array:
        """The Hessian of a step at theta, (d, d). Along each principal direction of the predicted
        Hessian, curvatures of a cycle are the Chebyshev nodes on an interval that ends at the upper
        bound; the first node is the predicted curvature. A cycle is stable for every true one.
        """
        root = np.sqrt(self.values)
        white = self.directions / root
        own, turned = np.linalg.eigh(white.T @ self.hessian(theta) @ white / self.bound**2)
        own = np.clip(own, max(LEAST, self.least), CURVATURE)
        low = CURVATURE - (CURVATURE - own) / ((1 - CYCLE[0]) / 2)
        nodes = (CURVATURE + low + (CURVATURE - low) * CYCLE[turn % len(CYCLE)]) / 2
        axes = self.directions * root @ turned
        whole: Array = axes * (self.bound**2 * nodes) @ axes.T + self.penalty
        return whole

    @property
    def penalty(self) -> Array:
        """The matrix of the penalty, (d, d)."""
        whole: Array = self.directions * self.penalties @ self.directions.T
        return whole

    def normal_moments(self, theta: Array) -> tuple[Array, Array]:
        """Means of c, c z and c z^2, (3,), for the curvature c of the loss at theta over y^2 and
        standardised normal log-odds z; and the covariance of rows with z, (d,). Without an
        intercept c is its upper bound.
        """
        if self.mean is None:
            return np.array([CURVATURE, 0, CURVATURE]), np.zeros_like(theta)
        from scipy.special import expit  # lists of regressions need none

        with np.errstate(all="ignore"):
            centre, spread, moved = self.odds_law(theta, self.mean)
            p = expit(self.bound * (centre + spread * NODES))
            along = np.nan_to_num((moved - centre * self.mean) / spread)
        powers = np.array([NODES**k for k in range(3)])
        found = powers @ (WEIGHTS * p * (1 - p)) / WEIGHTS.sum()
        return (found if np.isfinite(found).all() else np.array([CURVATURE, 0, CURVATURE])), along

    def odds_law(self, theta: Array, mean: Array) -> tuple[float, float, Array]:
        """The mean and std of log-odds over the bound on labels, and the mean of rows times them,
        (d,), by the released X'X.
        """
        moved: Array = self.directions @ (self.values * (self.directions.T @ theta)) / self.n
        centre = float(mean @ theta)
        return centre, float(np.sqrt(np.maximum(0, moved @ theta - centre**2))), moved

    def kept(self, theta: Array) -> float:
        """About the share of log-odds that the penalty leaves at theta, for normal log-odds; nan
        without an intercept.
        """
        if self.mean is None:
            return math.nan
        centre, spread, _ = self.odds_law(theta, self.mean)
        return kept_share(centre, spread, float(theta @ self.penalty @ theta) / self.n, self.bound)

    def hessian(self, theta: Array, *, hidden: float = 0.0) -> Array:
        """The Hessian of the loss at theta for normal rows, (d, d); with eigenvalues of X'X less
        what noise may hide.
        """
        (level, slope, bend), along = self.normal_moments(theta)
        mean = np.zeros_like(theta) if self.mean is None else self.mean
        mixed = slope * np.outer(mean, along)
        skewed = mixed + mixed.T + (bend - level) * np.outer(along, along)
        values = np.maximum(self.values - hidden, 0.0)
        own = self.directions * (level * values) @ self.directions.T
        whole: Array = self.bound**2 * (own + self.n * skewed)
        return whole

    def noise_root(self, theta: Array, turns: int, last: float) -> Array:
        """A root of the covariance (d, d) of the noise in the mean of the `last` points of so many
        turns, for noise of std 1 in each gradient, steps as at theta and a loss that is quadratic
        there: of the least curvature that the noise on X'X leaves possible.
        """
        values, turned = np.linalg.eigh(self.hessian(theta, hidden=self.edge))
        slope = turned * np.maximum(values, 0.0) @ turned.T + self.penalty
        steps = [np.linalg.inv(self.step_hessian(theta, turn)) for turn in range(len(CYCLE))]
        reached, covariance = np.zeros_like(slope), np.zeros_like(slope)
        for turn in reversed(range(turns)):
            reached += np.eye(len(theta)) * (turn >= turns - last) / max(last, 1.0)
            step = steps[turn % len(CYCLE)]
            moved = reached @ step
            covariance += moved @ moved.T
            reached = reached - moved @ slope
        values, turned = np.linalg.eigh(covariance)
        root: Array = turned * np.sqrt(np.maximum(values, 0.0))
        return root


def kept_share(centre: float, spread: float, pull: float, bound: float = 1.0) -> float:
    """The share k of log-odds that a penalty leaves: at k times the log-odds without it, the slope
    of the loss along them is `pull`, the product of the penalty and the squared coefficients over
    n. `centre` and `spread` are the mean and std of the penalised log-odds, over the bound on
    labels. It is 0 where no log-odds without a penalty are that small.
    """
    from scipy.special import expit  # lists of regressions need none

    odds, low, high = bound * (centre + spread * NODES), 0.0, 1.0
    for _ in range(30):
        k = (low + high) / 2
        slope = WEIGHTS @ ((expit(odds / k) - expit(odds)) * odds) / WEIGHTS.sum()
        low, high = (k, high) if slope > pull else (low, k)
    return low


def principal(  # noqa: PLR0917 - dp.post passes by position
    gram: Array, std: float, bound: float, pull: float, noise: float, intercept: float
) -> Along:
    """The principal directions of a noisy X'X, and the limit on steps for gradients with this std.
    Eigenvalues are raised to at least std sqrt(d).
    """
    values, directions = np.linalg.eigh((gram + gram.T) / 2)
    values = np.maximum(values, std * math.sqrt(len(gram)))
    mean, n, least = None, 1.0, CURVATURE
    if intercept:
        sums = directions @ (values * directions[-1]) / intercept
        n = float(sums[-1]) / intercept
        mean = sums / n
        least = noise / (MOVED * bound) * math.sqrt(float(np.sum(1 / values)) / n)
    edge = noise_edge(std, len(gram))
    return Along(directions, values, pull / values, bound, mean, n, least, edge)


def descend(theta: Array, gradient: Array, turn: int, along: Along) -> Array:
    """The next point, shape (d,): a Newton step."""
    slope = gradient + along.penalty @ theta
    moved: Array = theta - np.linalg.solve(along.step_hessian(theta, turn), slope)
    return moved if np.isfinite(moved).all() else np.zeros_like(theta)


def estimated(path: Array, share: float, along: Along, std: float) -> LogOddsFit:
    """The mean of the last `share` of the points of a path, shape (T + 1, d), and its noise where
    each gradient has noise of this std.
    """
    theta, turns = averaged(path, share).coefficients, len(path) - 1
    root = along.noise_root(theta, turns, share * turns) * std
    return LogOddsFit(theta, noise_root=root, kept=along.kept(theta))


def stepped(  # noqa: PLR0917 - dp.post passes by position
    fit: LogOddsFit,
    along: Along,
    heavier: float,
    largest: float,
    bend: float,
    score: Array,
    score_std: float,
    hessian: Array,
    hessian_std: float,
    meat: Array,
    meat_std: float,
) -> LogOddsFit:
    """The mean of a fit and of its penalised Newton step, with the evidence of the step. Its
    penalty is `heavier` times that of the descent; eigenvalues are raised to the edge of the noise.
    """
    theta = fit.coefficients
    evidence = Evidence(
        gram=hessian,
        gram_std=hessian_std,
        moments=(NoisySum(-score, score_std, theta, math.inf),),
        squares=0.0,
        squares_std=math.inf,
        count=0.0,
        count_std=math.inf,
        meat=Meat(meat, meat_std, largest),
        bend=bend,
    )
    values, turned = np.linalg.eigh(hessian)
    raised = turned * np.maximum(values, noise_edge(hessian_std, len(theta))) @ turned.T
    penalty = heavier * along.penalty
    moved = np.linalg.solve(raised + penalty, score + penalty @ theta)
    middle = theta - moved / 2
    return LogOddsFit(middle if np.isfinite(middle).all() else theta, evidence=evidence)
