"""adaSSP and adaSSPbudget as printed in papers and as coded in public, for audits."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from dpframe.graph import ColumnNode, Release, RowsNode
from dpframe.graph.functions import aggregate
from dpframe.graph.statistics import Statistic
from dpframe.mechanisms import Gaussian, MirroredGaussian
from dpframe.mechanisms.base import StdNoise
from dpframe.privacy import Share
from dpframe.regressions.solve import RHO, adapted, released, sums
from dpframe.sensitivity import L2
from dpframe.symbols import Expression, analytic_sigma, constant, exact, log, parameter, sqrt

from .published import Coded, Printed


class StatedAdaSSP(Printed):
    """Abstract: adaSSP as papers state it, with `tail` standard deviations of margin.

    Three releases of std tail/(epsilon/3) times (B^2, B^2, B Y), each claiming a third of the
    budget; the eigenvalue is lowered by `tail` of its stds; `identity` I is added to X'X. Noise on
    X'X has the form `on_gram`.
    """

    title: ClassVar[str] = "adaSSP"
    on_gram: ClassVar[type[StdNoise]] = MirroredGaussian
    identity: ClassVar[int] = 0
    rho: Expression = RHO

    @abstractmethod
    def tail(self, delta: Expression) -> Expression:
        """The margin, from the whole delta."""

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        tail = self.tail(budget.delta)
        unit = tail / (budget.epsilon / 3)
        noisy = thirds(X, y, budget, unit * X.radius**2, unit * X.radius * y.radius, self.on_gram)
        return adapted(noisy, tail, self.rho, constant(self.identity))


class AdaSSPWang(StatedAdaSSP):
    """adaSSP as Wang prints it: stds that lack sqrt 2 for their shares and hold jointly, noise on
    X'X mirrored. [Wang18, Alg. 2]
    """

    def tail(self, delta: Expression) -> Expression:
        """sqrt(log(6/delta))."""
        return sqrt(log(6 / delta))


class AdaSSPWangCoded(AdaSSPWang):
    """adaSSP as Wang's code does it: the printed stds, noise on X'X isotropic, on X'X + I.
    [Wang18, adassp.m]
    """

    variant: ClassVar[str] = "coded"
    on_gram: ClassVar[type[StdNoise]] = Gaussian
    identity: ClassVar[int] = 1


class AdaSSPPiazza(StatedAdaSSP):
    """adaSSP as Piazza prints it, noise on X'X mirrored, on X'X + I. [Piazza21, Alg. 2]"""

    identity: ClassVar[int] = 1

    def tail(self, delta: Expression) -> Expression:
        """sqrt(2 log(6/delta))."""
        return sqrt(2 * log(6 / delta))


class AdaSSPThesis(StatedAdaSSP):
    """adaSSP with the noise that the thesis fixes, mirrored on X'X. [Thesis, Alg. 3]"""

    title: ClassVar[str] = "adaSSP, fixed noise"

    def tail(self, delta: Expression) -> Expression:
        """sqrt(2 log(3.75/delta)): constant 1.25 at a third of delta."""
        return sqrt(2 * log(constant("3.75") / delta))


TOLERANCE = constant("1e-12")  # of delta, in the search for an analytic std


class AdaSSPGoogle(Coded):
    """adaSSP as the baseline of google-research: Wang's noise, scaled by the largest norm and the
    largest label of the data itself. Not private; a comment in the code says so.
    [Amin23, dp_regression/baselines.py] [Wang18, Alg. 2]

    The docstring of the code says (epsilon, delta)-DP. What is refuted is the bounds: at public
    ones its noise is that of AdaSSPWang.
    """

    title: ClassVar[str] = "adaSSP, google-research"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds; every std reads raw bounds."""
        row, label = exact(aggregate("max_norm", X)), exact(aggregate("max_abs", y))
        tail = sqrt(log(6 / budget.delta))
        unit = tail / (budget.epsilon / 3)
        noisy = thirds(X, y, budget, unit * row**2, unit * row * label)
        return adapted(noisy, tail, self.rho)


class AdaSSPHessianMix(Coded):
    """adaSSP as the baseline of iterative Hessian mixing: the std of the analytic mechanism for a
    third of the budget each, on sensitivities of add/remove, of rows over the largest norm and
    labels over the largest label of the data itself. [Lev26, PrivateHessianSketch_main.py]

    As for google-research's baseline, what is refuted is these bounds: on rows and labels of public
    bounds the noise costs 0.564 of 1 at delta = 1e-6 under add/remove. The shift of the eigenvalue
    is the squared std. The code's search for a std ends within 1e-12 of its delta, on either side:
    here it is the least std that this allows. The code takes delta = 1/n^2 and standardises the
    columns of some tables; neither is declared here.
    """

    paper: ClassVar[str] = "Lev26; BalleW18"
    title: ClassVar[str] = "adaSSP, HessianMix"
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Thirds of the budget."""
        return self.bounded(over_longest(X), over_largest(y), budget)

    def bounded(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """The same of rows and labels that have public bounds."""
        third = budget.split_evenly(3)[0]
        unit = analytic_sigma(third.epsilon, third.delta + TOLERANCE)
        noisy = thirds(X, y, budget, unit * X.radius**2, unit * X.radius * y.radius)
        return adapted(noisy, unit, self.rho)


class AdaSSPBudget(Printed):
    """adaSSP with a share gamma for its ridge parameter, calibrated by Kamath and Ullman's theorem
    as printed, noise on X'X mirrored. [Piazza21, Alg. 3]
    """

    title: ClassVar[str] = "adaSSPbudget"
    gamma: Expression = parameter("gamma", 0, 1)
    rho: Expression = RHO

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """gamma to the eigenvalue, (1 - gamma)/2 to each of X'X and X'y."""
        rest = (1 - self.gamma) / 2
        shares = budget.split(self.gamma, rest, rest)
        rule = Gaussian.kamath_ullman
        noises = (rule, mirrored(X.T @ X, shares[1]), rule)
        noisy = released(sums(X, y, floor=True), noises, shares)
        stds = sqrt(2 * log(2 / shares[0].delta))
        return adapted(noisy, stds, self.rho, constant(1))


def thirds(  # noqa: PLR0917 - the terms of a formula
    X: RowsNode,
    y: ColumnNode,
    budget: Share,
    square: Expression,
    product: Expression,
    on_gram: type[StdNoise] = MirroredGaussian,
) -> list[Release]:
    """The eigenvalue and X'X with noise of std `square`, X'y with `product`; a third of the budget
    each.
    """
    noises = (Gaussian(square), on_gram(square), Gaussian(product))
    return released(sums(X, y, floor=True), noises, budget.split_evenly(3))


def mirrored(statistic: Statistic, share: Share) -> MirroredGaussian:
    """Mirrored noise of the size that Kamath and Ullman's theorem prescribes."""
    moved = statistic.sensitivity(L2)
    size = constant(1) if moved is None else moved.value
    return MirroredGaussian(Gaussian.kamath_ullman.calibrate(share, size).formula)


def over_longest(X: RowsNode) -> RowsNode:
    """Rows over the largest norm of the data itself: of norm at most 1. Not private."""
    return X.scaled(aggregate("max_norm", X)).clip(norm=1)


def over_largest(y: ColumnNode) -> ColumnNode:
    """y/max|y|, in [-1, 1]. Not private."""
    return y.scaled(aggregate("max_abs", y)).clip(-1, 1)
