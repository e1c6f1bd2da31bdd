"""Regressions for people with budgets of their own: weights, perturbed objectives, sums."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dpframe.errors import InvalidArgument
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
    """The largest |theta| of any ridge regression with weights of sum 1, |x| <= row and |y| <=
    label: label m/(m^2 + penalty), m = min(row, sqrt(penalty)). Proof page: proofs/personalized.
    """
    vanishes = isinstance(penalty, Symbol) and Fraction(0) in penalty.domain
    if vanishes or (isinstance(penalty, Number) and penalty.value <= 0):
        way_out = (
            "Without one a table of one row t and label Y has the minimiser Y/t, which grows "
            "without bound as t falls."
        )
        raise InvalidArgument("penalty", "positive", str(penalty), way_out)
    reach = minimum(row, sqrt(penalty))
    return label * reach / (power(reach, 2) + penalty)


class PersonalizedRidge(Regression):
    """Ridge regression that weighs records in proportion to their epsilons, its coefficients
    released with the least noise of the 2-norm that gives each record its own. [Acharya24, Alg.
    1, with the sensitivity of proofs/personalized]

    Minimises sum_i w_i (x_i'theta - y_i)^2 + penalty |theta|^2 over |theta| <= T, with w_i =
    epsilon_i/total, where T is the longest that a minimiser can be while the weights sum to at most
    1: then the bound changes nothing. `total` is the sum of all epsilons, or a public number.
    """

    paper: ClassVar[str] = "Acharya24"
    title: ClassVar[str] = "personalised ridge"
    use: ClassVar[str] = (
        "A budget for each person without delta. If a small delta is allowed and records are "
        "many, use PersonalizedSSP."
    )
    penalty: Expression = constant(1)
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release."""
        total = X.total(budget.epsilon) if self.total is None else self.total
        radius = longest(X.radius, y.radius, self.penalty)
        weight = budget.epsilon / total
        found = Argmin(X, y, Squared(), self.penalty, radius, 0, weight)
        theta = release(found, L2Laplace.pure, budget, name="coefficients")
        return post(perturbed, theta, self.penalty)


class SampledRidge(Regression):
    """Ridge regression on a secret sample, in which each record's chance follows from its epsilon;
    what is released of the sample costs the threshold, under add/remove. [JorgensenYC15, Def 8]

    `threshold` is "largest", "average" (of all epsilons) or a public number. Minimises, over the
    sample, sum_i (x_i'theta - y_i)^2/records + penalty |theta|^2, for a public number of records.
    """

    paper: ClassVar[str] = "JorgensenYC15"
    title: ClassVar[str] = "sampled ridge"
    use: ClassVar[str] = (
        "A budget for each person, if the mechanism is given and cannot weight records. "
        "PersonalizedRidge is more accurate."
    )
    penalty: Expression = constant(1)
    records: Expression = constant(1000)
    threshold: Any = "largest"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the sample."""
        named = {"largest": X.largest, "average": X.average}
        choose = named.get(self.threshold) if isinstance(self.threshold, str) else None
        threshold = self.threshold if choose is None else choose(budget.epsilon)
        rows, column, whole = thinned(X, y, budget, threshold)
        radius = longest(X.radius, y.radius, self.penalty)
        found = Argmin(rows, column, Squared(), self.penalty * self.records, radius, 0)
        theta = release(found, L2Laplace.pure, whole, name="coefficients")
        return post(perturbed, theta, self.penalty)


# --------------------------------------------------------------------------- Objective perturbation
class PersonalizedObjective(Regression):
    """Huber regression that weighs records in proportion to their epsilons, its objective tilted by
    noise: each record has exactly its own epsilon, without a delta. [ChaudhuriMS11, Thm 9, with the
    weights of Acharya24; dpframe]

    Minimises sum_i w_i phi(x_i'theta - y_i) + penalty/2 |theta|^2 + z'theta, w_i =
    epsilon_i/total, phi Huber's loss of knee `knee` times the bound on labels. The penalty is at
    least what the curvature of a record asks for of 1 - `noise_share` of its epsilon.
    """

    paper: ClassVar[str] = "dpframe; ChaudhuriMS11; Acharya24"
    title: ClassVar[str] = "personalised objective perturbation"
    use: ClassVar[str] = (
        "The first to try with a budget for each person: no delta, and a small penalty does not "
        "increase the noise. Its minimiser must be exact."
    )
    penalty: Expression = constant("1/10")
    knee: Expression = constant("1/2")
    noise_share: Expression = constant("7/8")
    total: Any = None

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One minimiser, for the whole epsilon."""
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
BALANCE, MARGIN, RHO = constant(2), constant("1/2"), constant("1/20")
SPREAD = 32  # twice the squared bound on labels over a residual's, say a quarter of it


def weighted_statistics(
    X: RowsNode, y: ColumnNode, budget: Share, balance: Expression
) -> list[Release]:
    """X'WX and X'Wy, released together with the Gaussian noise that the most cautious allow.

    The weight of a record is the mu that its budget affords (that of Gaussian privacy), up to the
    cap that is best for the public budgets, over the largest; so almost everybody pays all of it.
    Of the squared mu, `balance` parts are for X'Wy and one for X'WX. Proof page:
    proofs/personalized.
    """
    own = 1 / unit_std(budget)
    capped = minimum(own, X.cap(own, noise=SPREAD * X.columns))
    weight = capped / X.largest(capped)
    rows, labels = X.weighted(weight), y.weighted(weight)
    statistics = sums(rows, labels)
    return released(statistics, jointly(budget, [*statistics.values()], [1, balance]))


class PersonalizedSSP(Regression):
    """Ridge regression on weighted sufficient statistics, with a ridge that the noise alone sets.
    [Acharya24, Sec 5, as future work; dpframe]

    The ridge is `margin` sqrt(d log(2 d^2/rho)) stds of X'WX, added after the noisy matrix has lost
    its negative eigenvalues.
    """

    paper: ClassVar[str] = "dpframe; Acharya24"
    title: ClassVar[str] = "personalised SSP"
    use: ClassVar[str] = (
        "A budget for each person with a small delta. With few records, or budgets far below 1, "
        "it returns almost zero."
    )
    balance: Expression = BALANCE
    margin: Expression = MARGIN
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases."""
        gram, moment = weighted_statistics(X, y, budget, self.balance)
        return post(damped, gram, moment, gram.std, self.margin, self.rho)


class PersonalizedAdaSSP(Regression):
    """Ridge regression on weighted sufficient statistics, with a ridge that is lowered by the noisy
    matrix's own smallest eigenvalue. [Wang18, Alg. 2, without its first release; dpframe]
    """

    paper: ClassVar[str] = "dpframe; Acharya24; Wang18"
    title: ClassVar[str] = "personalised adaSSP"
    use: ClassVar[str] = (
        "Like PersonalizedSSP, better for many records, since its ridge vanishes as they grow."
    )
    balance: Expression = BALANCE
    margin: Expression = MARGIN
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Two releases."""
        gram, moment = weighted_statistics(X, y, budget, self.balance)
        return post(adapted, gram, moment, gram.std, self.margin, self.rho)


def nearest(gram: Array) -> tuple[Array, float]:
    """The nearest positive semidefinite matrix in the Frobenius norm, and the smallest eigenvalue
    that was there, at least 0.
    """
    values, vectors = np.linalg.eigh(gram)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T, max(0.0, float(values[0]))


def spread(d: int, std: float, rho: float) -> float:
    """What the noise of X'X stays below but with probability rho: sqrt(d log(2 d^2/rho)) std.
    [Wang18, Alg. 2]
    """
    return float(np.sqrt(d * np.log(2 * d * d / rho)) * std)


def damped(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The noise's ridge, whatever the data."""
    return ridge_solve(nearest(gram)[0], moment, margin * spread(len(moment), std, rho))


def adapted(gram: Array, moment: Array, std: float, margin: float, rho: float) -> Fit:
    """The noise's ridge, less the smallest eigenvalue."""
    whole, smallest = nearest(gram)
    return ridge_solve(whole, moment, max(0.0, margin * spread(len(moment), std, rho) - smallest))
