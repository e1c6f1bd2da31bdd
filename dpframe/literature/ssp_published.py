"""SSP, constSSPfull and Bayesian regression as printed in papers and as coded, for audits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from dpframe.graph import ColumnNode, Release, RowsNode, post, release
from dpframe.graph.functions import aggregate, sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.mechanisms import FullGaussian, Gaussian, Laplace, MirroredGaussian
from dpframe.mechanisms.base import StdNoise
from dpframe.privacy import Share
from dpframe.regressions.bayesian import BayesianSSP, laplace_posterior
from dpframe.regressions.solve import RHO, Array, Fit, constant_ridge, released, ridge_solve, sums
from dpframe.symbols import Expression, constant, exact, log, sqrt

from .published import Coded, Printed


class StatedSSP(Printed):
    """Abstract: SSP as papers state it. Two releases of std `unit` times (B^2, B Y), noise of the
    form `on_gram` on X'X; each claims half of the budget, or nothing where it is not `split`.
    """

    title: ClassVar[str] = "SSP"
    on_gram: ClassVar[type[StdNoise]] = MirroredGaussian
    split: ClassVar[bool] = True
    ridge: ClassVar[int] = 0

    @abstractmethod
    def unit(self, budget: Share) -> Expression:
        """The std for a sensitivity of 1, from the whole budget."""

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """X'X and X'y."""
        shares = budget.split_evenly(2) if self.split else (None, None)
        unit = self.unit(budget)
        noises = (self.on_gram(unit * X.radius**2), Gaussian(unit * X.radius * y.radius))
        return self.solved(*released(sums(X, y), noises, shares))

    def solved(self, gram: Release, moment: Release) -> Any:
        """The coefficients."""
        return post(ridge_solve, gram, moment, constant(self.ridge))


class SSPPiazza(StatedSSP):
    """SSP as Piazza prints it: std sqrt(2 log(4/delta)) sensitivity/(epsilon/2) for both, mirrored
    on X'X; ridge 1. [Piazza21, Alg. 1]
    """

    ridge: ClassVar[int] = 1

    def unit(self, budget: Share) -> Expression:
        """Kamath and Ullman's, for halves of the budget."""
        return sqrt(2 * log(4 / budget.delta)) / (budget.epsilon / 2)


class SSPWang(StatedSSP):
    """SSP as Wang prints it: variance 4 B^4 log(4/delta)/epsilon^2, which lacks a factor 2 for its
    proof, mirrored on X'X; ridge 0. [Wang18, Sec. 3.2, with the variance that Thesis, Sec. 3.1
    quotes]
    """

    def unit(self, budget: Share) -> Expression:
        """Halves claimed; jointly they hold."""
        return sqrt(4 * log(4 / budget.delta)) / budget.epsilon


class SSPWangCoded(SSPWang):
    """SSP as Wang's code does it: std sqrt(log(4/delta))/epsilon for each, epsilon not split, a
    draw for every entry of X'X, which is not symmetric then; ridge 1. Not private as claimed.
    [Wang18, suffstats_perturb.m]
    """

    variant: ClassVar[str] = "coded"
    on_gram: ClassVar[type[StdNoise]] = FullGaussian
    split: ClassVar[bool] = False
    ridge: ClassVar[int] = 1

    def unit(self, budget: Share) -> Expression:
        """Both releases at the whole epsilon."""
        return sqrt(log(4 / budget.delta)) / budget.epsilon


class SSPThesis(StatedSSP):
    """SSP with the fixed noise of the thesis, Sec. 3.1 read word for word: std sqrt(2 log(1.25/
    delta))/epsilon for X'X, mirrored, and for X'y, epsilon not split. SSPThesisSplit is what
    Chapter 4 says. [Thesis, Sec. 3.1]
    """

    title: ClassVar[str] = "SSP, fixed noise"
    split: ClassVar[bool] = False

    def unit(self, budget: Share) -> Expression:
        """Both releases at the whole budget."""
        return classical(budget)


class SSPThesisSplit(StatedSSP):
    """SSP with the fixed noise of the thesis, as Chapter 4 has it: half of the budget each, std
    sqrt(2 log(2.5/delta))/(epsilon/2), for epsilon below 2. [Thesis, Sec. 4.1]
    """

    title: ClassVar[str] = "SSP, fixed noise, split"

    def unit(self, budget: Share) -> Expression:
        """The classical std for halves of the budget."""
        return classical(budget.split_evenly(2)[0])


class SSPStatsmodels(Coded):
    """SSP as dp-statsmodels has it: the classical std for 40%, 40% and 20% of epsilon, also beyond
    epsilon = 1 where its theorem ends; n is used in the clear.
    [Ghenis25, dp_statsmodels/models/ols.py]

    Its sensitivities are those of add/remove, for rows of norm sqrt(k) times the bound of an entry,
    to which every entry is clipped after rows are weighed. Under add/remove it is n alone that is
    wrong: it is reported, and standard errors divide by n - k. Standard errors are left out.
    """

    paper: ClassVar[str] = "Ghenis25; DworkR14"
    title: ClassVar[str] = "SSP, dp-statsmodels"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """X'X, X'y, y'y; a third of delta each."""
        shares = budget.split(epsilon=("2/5", "2/5", "1/5"), delta=("1/3", "1/3", "1/3"))
        units = [classical(share) for share in shares]
        noises = (
            MirroredGaussian(units[0] * X.radius**2),
            Gaussian(units[1] * X.radius * y.radius),
            Gaussian(units[2] * y.radius**2),
        )
        noisy = released(sums(X, y) | {"squares": y @ y}, noises, shares)
        return post(with_variance, *noisy, X.rows)


def classical(share: Share) -> Expression:
    """sqrt(2 log(1.25/delta))/epsilon. [DworkR14, Thm A.1]"""
    return sqrt(2 * log(constant("1.25") / share.delta)) / share.epsilon


def with_variance(gram: Array, moment: Array, squares: float, n: float) -> Fit:
    """The solution, after a ridge that makes all eigenvalues of X'X positive where one is not; the
    code also reports standard errors from y'y and n.
    """
    del squares, n
    least = float(np.linalg.eigvalsh(gram)[0]) if np.isfinite(gram).all() else 1.0
    return ridge_solve(gram, moment, 0.0 if least > 0 else abs(least) + 1e-6)


class ConstSSPFullPiazza(SSPPiazza):
    """constSSPfull as printed: halves of the budget, std sqrt(2 log(4/delta))/(epsilon/2), mirrored
    on X'X, on X'X + I. [Piazza21, Alg. 4]
    """

    title: ClassVar[str] = "constSSPfull"
    rho: Expression = RHO

    def solved(self, gram: Release, moment: Release) -> Any:
        """With the constant ridge."""
        return post(constant_ridge, gram, moment, gram.std, self.rho, constant(self.ridge))


class BayesianSSPCoded(Coded):
    """Bayesian regression from noisy statistics as its authors' code has it: one Laplace scale for
    all, from the ranges of the columns and labels of the data itself; n is read in the clear. Not
    private, as a comment in the code says. [Bernstein19, generate_data.py]

    Here one largest entry stands for all ranges. The variant with noisy fourth moments
    (run_methods.py) draws their noise for half of epsilon and then hands the moments without it to
    the sampler; that is not declared here.
    """

    claimed_for: ClassVar[str] = "replace-one"
    title: ClassVar[str] = "Bayesian SSP"
    understated: ClassVar[str] = "one variant of the code reads fourth moments without noise"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        d, row, label = X.columns, exact(aggregate("max_abs", X)), exact(aggregate("max_abs", y))
        wide, long = 2 * row * d, 2 * label
        moved = d * (d + 1) / 2 * wide**2 + d * wide + d * wide * long + long**2
        statistics = sufficient_statistics(X, y, constant=True)
        noisy = release(statistics, Laplace(moved / budget.epsilon), budget, name="statistics")
        units = (noisy.std, unit_of_entries(X), y.radius)
        ours = BayesianSSP()
        return post(laplace_posterior, noisy, X.rows, *units, *ours.prior, ours.sweeps)
