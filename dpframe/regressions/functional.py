"""The functional mechanism and DPME: minimisers of noisy quadratic forms."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.graph import ColumnNode, Regression, Release, RowsNode, post, release
from dpframe.graph.functions import histogram, sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.graph.statistics.combined import columns_of, factors
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, constant

from .penalised import FLAT, Quadratic, penalised
from .solve import Array, Fit, whole

# ------------------------------------ Post-processing: from released coefficients to a minimiser


def form_of(statistics: Array, unit: float, bound: float) -> Quadratic:
    """A = X'X and b = X'y from the upper triangle of the sufficient statistics of x/unit and
    y/bound.
    """
    d = columns_of(len(statistics))
    upper = np.zeros((d, d))
    upper[np.triu_indices(d)] = statistics[: d * (d + 1) // 2]
    moment = statistics[d * (d + 1) // 2 : d * (d + 3) // 2]
    symmetric = upper + np.triu(upper, 1).T
    return Quadratic(unit * unit * symmetric, unit * bound * moment)


def form_of_monomials(coefficients: Array, unit: float, bound: float) -> Quadratic:
    """A and b from the coefficients of the polynomial |y - X theta|^2: an entry of A off the
    diagonal is half the coefficient of its monomial, an entry of b minus half.
    """
    entries, d = len(coefficients), columns_of(len(coefficients))
    whole = factors(entries, constant=2 * entries > d * (d + 3))
    return form_of(coefficients / whole, unit, bound)


@np.errstate(over="ignore", invalid="ignore")
def projected(form: Quadratic) -> Quadratic:
    """The nearest positive semidefinite form: A and b are projected onto the eigenvectors of A with
    positive eigenvalues, which makes theta'A theta - 2 theta'b bounded below.
    """
    if not (np.isfinite(form.A).all() and np.isfinite(form.b).all()):
        return form  # an overflow, for which no minimiser exists
    values, vectors = np.linalg.eigh(form.A)
    positive = values > max(0.0, FLAT * np.max(values, initial=0.0))
    basis = vectors[:, positive]
    matrix = (basis * values[positive]) @ basis.T
    return Quadratic((matrix + matrix.T) / 2, basis @ (basis.T @ form.b))


def projected_fit(statistics: Array, unit: float, bound: float, lam: float, alpha: float) -> Fit:
    """The minimiser of the noisy objective, projected to a convex one, with the penalty lam (alpha
    |theta|_2^2 + (1 - alpha) |theta|_1).
    """
    return penalised(projected(form_of(statistics, unit, bound)), lam, alpha)


def trimmed_fit(statistics: Array, unit: float, bound: float, std: float) -> Fit:
    """The minimiser after four stds of the noise are added to the diagonal of A and eigenvalues
    that are still not positive are left out. [Zhang12, Sec. 6]
    """
    form, ridge = form_of(statistics, unit, bound), 4 * unit * unit * std
    raised = Quadratic(form.A + ridge * np.eye(len(form.b)), form.b)
    return attrs.evolve(penalised(projected(raised), 0.0, 1.0), ridge=ridge, ridge_was_zero=False)


def plain_fit(statistics: Array, unit: float, bound: float) -> Fit:
    """The minimiser of the noisy objective without repair; zeros if it is unbounded below."""
    return penalised(form_of(statistics, unit, bound), 0.0, 1.0)


# ------------------------------------------------------------------------- The functional mechanism
NOTHING, ONE, HALF = constant(0), constant(1), constant("1/2")


class Functional(Regression):
    """Abstract: the functional mechanism with the penalty lam (alpha |theta|_2^2 + (1 - alpha)
    |theta|_1).
    """

    paper: ClassVar[str] = "Dandekar18"

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha; lam is 0 by default."""
        return NOTHING, ONE

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the sufficient statistics once. Raises InvalidArgument for an invalid penalty."""
        check_penalty(*self.penalty)
        noisy = coefficients(X, y, budget)
        return post(projected_fit, noisy, unit_of_entries(X), y.radius, *self.penalty)


class FunctionalLinear(Functional):
    """Linear regression by the functional mechanism: the upper triangle of X'X, and X'y, are
    released with Laplace noise, and the noisy quadratic form is minimised. [Dandekar18, Alg. 1]

    The noise is calibrated to the exact L1 sensitivity of the d (d + 3)/2 statistics. The noisy
    form is projected to the nearest positive semidefinite one, which has a minimum.

    Use: Few columns without delta. The noise of each number grows as d^2; if a delta is allowed,
    use AdaSSP.
    """

    title: ClassVar[str] = "functional mechanism, linear"


class FunctionalLinearTrimmed(Regression):
    """Linear regression by the functional mechanism, with regularisation and spectral trimming of
    the noisy quadratic form. [Zhang12, Sec. 6]

    The noise is that of FunctionalLinear. Four stds of it are added to the diagonal, then
    eigenvalues that are not positive are left out.

    Use: For comparison of repairs of the noisy objective at the same noise. FunctionalLinear
    changes the objective least.
    """

    title: ClassVar[str] = "functional mechanism, linear, trimmed"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the sufficient statistics once."""
        noisy = coefficients(X, y, budget)
        return post(trimmed_fit, noisy, unit_of_entries(X), y.radius, noisy.std)


class FunctionalLinearUnrepaired(Functional):
    """Linear regression by the functional mechanism without repair: zeros if the noisy objective
    has no minimum. [Dandekar18, Alg. 1]

    The noise is that of FunctionalLinear.

    Use: For comparison: it returns zeros if the noisy objective has no minimum. Use
    FunctionalLinear instead.
    """

    title: ClassVar[str] = "functional mechanism, linear, unrepaired"

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the sufficient statistics once."""
        return post(plain_fit, coefficients(X, y, budget), unit_of_entries(X), y.radius)


class FunctionalRidge(Functional):
    """Ridge regression by the functional mechanism, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]

    `lam`, 0 or more, is the factor of the penalty lam |theta|_2^2 beside |y - X theta|^2.

    Use: Few columns without delta, with a public penalty, which also stabilises the solution
    against noise.
    """

    title: ClassVar[str] = "functional mechanism, ridge"
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, ONE


class FunctionalLasso(Functional):
    """LASSO by the functional mechanism, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]

    `lam`, 0 or more, is the factor of the penalty lam |theta|_1 beside |y - X theta|^2.

    Use: Sparse coefficients without delta, for few columns. The zeros depend on the noise too and
    are not a test.
    """

    title: ClassVar[str] = "functional mechanism, LASSO"
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, NOTHING


class FunctionalElasticNet(Functional):
    """Elastic net by the functional mechanism, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Eq. 9]

    The penalty beside |y - X theta|^2 is lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1), with
    `lam` of 0 or more and `alpha` from 0 to 1.

    Use: Sparse coefficients of correlated columns without delta, for few columns.
    """

    title: ClassVar[str] = "functional mechanism, elastic net"
    lam: Expression = ONE
    alpha: Expression = HALF

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, self.alpha


def coefficients(X: RowsNode, y: ColumnNode, budget: Share) -> Release:
    """The sufficient statistics with Laplace noise."""
    return release(sufficient_statistics(X, y), Laplace.pure, budget, name="coefficients")


def check_penalty(lam: Expression, alpha: Expression) -> None:
    """Check the ranges of numbers; symbols have ranges of their own. Raises InvalidArgument."""
    way_out = "The penalty is lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1)."
    if isinstance(lam, Number) and lam.value < 0:
        raise InvalidArgument("lam", "0 or more", Plain(lam), way_out)
    if isinstance(alpha, Number) and not 0 <= alpha.value <= 1:
        raise InvalidArgument("alpha", "from 0 to 1", Plain(alpha), way_out)


# --------------------------------------------------------------------------------------------- DPME
class DPME(Regression):
    """Least squares on the cell centres of a noisy histogram of (x, y), weighted by the counts.
    [Lei11]

    `cells`, 2 or more, is the number of cells per axis, cells^(d + 1) in total. Negative counts are
    set to 0.

    Use: One to three columns without delta. Each of cells^(d + 1) cells gets separate noise.
    """

    title: ClassVar[str] = "DPME"
    cells: Expression = constant(5)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """Release the histogram once."""
        cells = whole(self.cells, "cells")
        counts = release(histogram(X, y, cells), Laplace.pure, budget, name="histogram")
        return post(centres_fit, counts, unit_of_entries(X), y.radius, cells)


def centres_fit(counts: Array, unit: float, bound: float, cells: int) -> Fit:
    """Least squares on cell centres, weighted by the counts, shape (cells^(d + 1),), with negative
    counts set to 0; the minimum norm solution if there are several.
    """
    axes = round(np.log(len(counts)) / np.log(cells))
    filled = np.flatnonzero(counts > 0)
    weights = counts[filled]
    places = np.array(np.unravel_index(filled, (cells,) * axes)).T
    centres = (2 * places + 1) / cells - 1
    rows, labels = unit * centres[:, :-1], bound * centres[:, -1]
    form = Quadratic(rows.T @ (weights[:, None] * rows), rows.T @ (weights * labels))
    return penalised(projected(form), 0.0, 1.0)
