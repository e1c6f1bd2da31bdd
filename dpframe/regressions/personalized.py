"""Regressions under personalised privacy, in which each record has a budget of its own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import ColumnNode, Regression, Release, RowsNode, jointly, post, release
from dpframe.graph.joint import unit_std
from dpframe.graph.maps.weighted import thinned
from dpframe.graph.procedure import Huber, Squared
from dpframe.graph.procedures import tilted_minimum
from dpframe.graph.statistics import Argmin
from dpframe.mechanisms import L2Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, Symbol, constant, maximum, minimum, power, sqrt

from .perturbation import perturbed
from .solve import Array, Fit, released, ridge_solve, sums


# ------------------------------------------------------------------------------ Output perturbation
def longest(row: Expression, label: Expression, penalty: Expression) -> Expression:
    """The largest |theta| of ridge regressions with weights that sum to at most 1, |x| <= row and
    |y| <= label: label m/(m^2 + penalty), m = min(row, sqrt(penalty)). Proof: proofs/personalized.
    """
    vanishes = isinstance(penalty, Symbol) and Fraction(0) in penalty.domain
    if vanishes or (isinstance(penalty, Number) and penalty.value <= 0):
        way_out = (
            "Without a penalty the minimiser of a table with one row t and label Y is Y/t, which "
            "is unbounded as t falls."
        )
        raise InvalidArgument("penalty", "positive", Plain(penalty), way_out)
    reach = minimum(row, sqrt(penalty))
    return label * reach / (power(reach, 2) + penalty)


SHRINKS = (
    "The penalty multiplies the coefficient along a direction u, in which the weighted mean of "
    "(x'u)^2 is lambda, by lambda/(lambda + penalty), besides the noise. For rows of norm at most "
    "1 in d columns lambda averages at most 1/d."
)


class PersonalizedRidge(Regression):
    """Ridge regression with records weighted in proportion to their epsilons, released by output
    perturbation with pure personalised privacy. [Acharya24, Alg. 1, with the sensitivity of
    proofs/personalized]

    The coefficients minimise sum_i w_i (x_i'theta - y_i)^2 + penalty |theta|^2 over |theta| <= T,
    with w_i = epsilon_i/total. T is the largest norm of a minimiser if the weights sum to at most
    1, so that the constraint is not active. `penalty` is above 0. `total` is the sum of all
    epsilons by default, or a public number. The noise has density exp(-|z|/scale) in the 2-norm.
    The default penalty shrinks all coefficients strongly; a smaller one raises the noise.

    Use: A budget for each person without delta. If a small delta is allowed and records are many,
    use PersonalizedSSP.
    """

    title: ClassVar[str] = "personalised ridge"
    remark: ClassVar[str] = SHRINKS
    penalty: Expression = constant(1)
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the minimiser for the whole budget."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        radius = longest(X.radius, y.radius, self.penalty)
        weight = budget.epsilon / total
        minimiser = Argmin(X, y, Squared(), self.penalty, radius, 0, weight)
        theta = release(minimiser, L2Laplace.pure, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class SampledRidge(Regression):
    """Ridge regression on a secret sample, with inclusion probabilities that follow from the
    records' epsilons (the sample mechanism). [JorgensenYC15, Def 8]

    The release from the sample spends the threshold, under add/remove: `threshold` is "largest" or
    "average" (of all epsilons) or a public number. The coefficients minimise sum_i (x_i'theta -
    y_i)^2/records + penalty |theta|^2 over the sample, for a public number `records` and a
    `penalty` above 0.

    Use: A budget for each person, if the mechanism is given and cannot weight records.
    PersonalizedRidge is more accurate.
    """

    title: ClassVar[str] = "sampled ridge"
    remark: ClassVar[str] = SHRINKS
    penalty: Expression = constant(1)
    records: Expression = constant(1000)
    threshold: Any = "largest"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the minimiser of the sample."""
        named = {"largest": X.largest, "average": X.average}
        choose = named.get(self.threshold) if isinstance(self.threshold, str) else None
        threshold = self.threshold if choose is None else choose(budget.epsilon)
        rows, column, whole = thinned(X, y, budget, threshold)
        radius = longest(X.radius, y.radius, self.penalty)
        minimiser = Argmin(rows, column, Squared(), self.penalty * self.records, radius, 0)
        theta = release(minimiser, L2Laplace.pure, whole, name="coefficients")
        return post(perturbed, theta, self.penalty)


# --------------------------------------------------------------------------- Objective perturbation
class PersonalizedObjective(Regression):
    """Huber regression by objective perturbation, with records weighted in proportion to their
    epsilons: pure personalised privacy, each record at its own epsilon. [ChaudhuriMS11, Thm 9, with
    the weights of Acharya24; dpframe]

    The coefficients minimise sum_i w_i phi(x_i'theta - y_i) + penalty/2 |theta|^2 + z'theta, with
    w_i = epsilon_i/total, noise z and Huber's loss phi, which is linear for residuals beyond `knee`
    Y. `noise_share`, from 0 to 1, is the share of each epsilon for the noise; the rest covers the
    curvature of the loss, which raises the penalty to at least B^2/((1 - noise_share) total).
    `total` is the sum of all epsilons by default, or a public number.

    Use: The first to try with a budget for each person: no delta, and a small penalty does not
    increase the noise. Its minimiser must be exact.
    """

    paper: ClassVar[str] = "dpframe; ChaudhuriMS11; Acharya24"
    title: ClassVar[str] = "personalised objective perturbation"
    remark: ClassVar[str] = SHRINKS
    penalty: Expression = constant("1/10")
    knee: Expression = constant("1/2")
    noise_share: Expression = constant("7/8")
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release one minimiser for the whole epsilon."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        least = power(X.radius, 2) / ((1 - self.noise_share) * total)
        penalty = maximum(self.penalty, least)
        theta = tilted_minimum(
            X,
            y,
            Huber(self.knee * y.radius),
            penalty=penalty,
            share=budget,
            noise_share=self.noise_share,
            weight=budget.epsilon / total,
            name="coefficients",
        )
        return post(perturbed, theta, penalty)


# ---------------------------------------------------------------------------- Sufficient statistics
SPREAD = 32  # 2 (Y/r)^2 for residuals of std r = Y/4


def weighted_statistics(
    X: RowsNode, y: ColumnNode, budget: Share, balance: Expression
) -> list[Release]:
    """X'WX and X'Wy with Gaussian noise, calibrated jointly for each record's own budget.

    The weight of a record is the mu of Gaussian privacy that its budget allows, up to the cap that
    is optimal for the public budgets, over the largest weight; nearly all records spend their whole
    budget. Of the squared mu, `balance` parts are for X'Wy and one for X'WX. Proof:
    proofs/personalized.
    """
    own = 1 / unit_std(budget)
    capped = minimum(own, X.cap(own, noise=SPREAD * X.columns))
    weight = capped / X.largest(capped)
    rows, labels = X.weighted(weight), y.weighted(weight)
    statistics = sums(rows, labels)
    return released(statistics, jointly(budget, [*statistics.values()], [1, balance]))


def nearest(gram: Array) -> tuple[Array, float]:
    """The nearest positive semidefinite matrix in the Frobenius norm, and the smallest eigenvalue
    of the given one, at least 0.
    """
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T, max(0.0, float(values[0]))


def spread(d: int, std: float, rho: float) -> float:
    """A bound on the spectral norm of the noise in X'X with probability 1 - rho: sqrt(d log(2
    d^2/rho)) std. [Wang18, Alg. 2]
    """
    return float(np.sqrt(d * np.log(2 * d * d / rho)) * std)


def damped(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The solution with the bound on the noise as ridge."""
    return ridge_solve(nearest(gram)[0], moment, margin * spread(len(moment), std, rho))


def adapted(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The solution with the bound on the noise, less the smallest eigenvalue, as ridge."""
    whole, smallest = nearest(gram)
    return ridge_solve(whole, moment, max(0.0, margin * spread(len(moment), std, rho) - smallest))


class PersonalizedSSP(Regression):
    """Ridge regression from noisy weighted sufficient statistics, with a ridge that depends on the
    noise only. [Acharya24, Sec 5, as future work; dpframe]

    Records are weighted by the mu of Gaussian privacy that their budgets allow. Of the squared mu,
    `balance` parts are for X'Wy and one for X'WX. Negative eigenvalues of the noisy matrix are set
    to 0, and the ridge `margin` sqrt(d log(2 d^2/rho)) stds of its noise is added; `rho`, from 0 to
    1, is the failure probability of the bound on the noise.

    Use: A budget for each person with a small delta. With few records, or budgets far below 1, it
    returns almost zero.
    """

    paper: ClassVar[str] = "dpframe; Acharya24"
    title: ClassVar[str] = "personalised SSP"
    solve: ClassVar[Callable[..., Fit]] = damped
    balance: Expression = constant(2)
    margin: Expression = constant("1/2")
    rho: Expression = constant("1/20")

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release X'WX and X'Wy."""
        gram, moment = weighted_statistics(X, y, budget, self.balance)
        return post(type(self).solve, gram, moment, gram.std, self.margin, self.rho)


class PersonalizedAdaSSP(PersonalizedSSP):
    """Ridge regression from noisy weighted sufficient statistics, with a ridge that is lowered by
    the smallest eigenvalue of the noisy matrix. [Wang18, Alg. 2, without its first release;
    dpframe]

    The releases and parameters are those of PersonalizedSSP.

    Use: Like PersonalizedSSP, better for many records, since its ridge vanishes as they grow.
    """

    paper: ClassVar[str] = "dpframe; Acharya24; Wang18"
    title: ClassVar[str] = "personalised adaSSP"
    solve: ClassVar[Callable[..., Fit]] = adapted
