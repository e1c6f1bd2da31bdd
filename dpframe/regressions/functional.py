"""The functional mechanism and DPME: quadratic forms from noisy coefficients, and their minima."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.graph import ColumnNode, Regression, Release, RowsNode, post, release
from dpframe.graph.functions import histogram, sufficient_statistics
from dpframe.graph.maps.grid import unit_of_entries
from dpframe.graph.statistics.combined import columns_of, factors
from dpframe.mechanisms import Laplace
from dpframe.privacy import Share
from dpframe.symbols import Expression, Number, constant

from .penalised import FLAT, Quadratic, penalised
from .solve import Array, Fit, whole

# -------------------------------------------------------- From released coefficients to a minimiser
# Repaired or not: post-processing, ordinary numpy on noisy values and public numbers.


def form_of(statistics: Array, unit: float, bound: float) -> Quadratic:
    """A = X'X and b = X'y from the sufficient statistics of x/unit and y/bound, each once."""
    d = columns_of(len(statistics))
    upper = np.zeros((d, d))
    upper[np.triu_indices(d)] = statistics[: d * (d + 1) // 2]
    moment = statistics[d * (d + 1) // 2 : d * (d + 3) // 2]
    symmetric = upper + np.triu(upper, 1).T
    return Quadratic(unit * unit * symmetric, unit * bound * moment)


def form_of_monomials(coefficients: Array, unit: float, bound: float) -> Quadratic:
    """The same from the coefficients of |y - X theta|^2: an entry of A off the diagonal is half of
    its monomial's, an entry of b minus half.
    """
    entries, d = len(coefficients), columns_of(len(coefficients))
    whole = factors(entries, constant=2 * entries > d * (d + 3))
    return form_of(coefficients / whole, unit, bound)


@np.errstate(over="ignore", invalid="ignore")
def projected(form: Quadratic) -> Quadratic:
    """The nearest positive semidefinite form: eigenvectors with eigenvalues that are not positive
    are left out of A, and, so that theta'A theta - 2 theta'b stays bounded, of b.
    """
    if not (np.isfinite(form.A).all() and np.isfinite(form.b).all()):
        return form  # beyond the doubles: its minimum is not found
    values, vectors = np.linalg.eigh(form.A)
    kept = values > max(0.0, FLAT * np.max(values, initial=0.0))
    basis = vectors[:, kept]
    matrix = (basis * values[kept]) @ basis.T
    return Quadratic((matrix + matrix.T) / 2, basis @ (basis.T @ form.b))


def projected_fit(statistics: Array, unit: float, bound: float, lam: float, alpha: float) -> Fit:
    """The minimiser of the noisy objective, made convex by projection; the penalty is lam (alpha
    |theta|_2^2 + (1 - alpha) |theta|_1).
    """
    return penalised(projected(form_of(statistics, unit, bound)), lam, alpha)


def trimmed_fit(statistics: Array, unit: float, bound: float, std: float) -> Fit:
    """Four stds of the noise added to the diagonal, then eigenvalues that are not positive left
    out. [Zhang12, Sec. 6]
    """
    form, ridge = form_of(statistics, unit, bound), 4 * unit * unit * std
    raised = Quadratic(form.A + ridge * np.eye(len(form.b)), form.b)
    return attrs.evolve(penalised(projected(raised), 0.0, 1.0), ridge=ridge, ridge_was_zero=False)


def plain_fit(statistics: Array, unit: float, bound: float) -> Fit:
    """The minimiser of the noisy objective as it is; zeros where it is unbounded."""
    return penalised(form_of(statistics, unit, bound), 0.0, 1.0)


# ------------------------------------------------------------------------- The functional mechanism
NOTHING, ONE, HALF = constant(0), constant(1), constant("1/2")


class Functional(Regression):
    """Abstract: sufficient statistics, each once, with Laplace noise of their exact L1 sensitivity;
    the noisy form is projected onto those with a minimum, and the penalty lam (alpha |theta|_2^2 +
    (1 - alpha) |theta|_1) added.
    """

    paper: ClassVar[str] = "Dandekar18"

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha: none."""
        return NOTHING, ONE

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget. Raises InvalidArgument for a penalty that is none."""
        check_penalty(*self.penalty)
        noisy = coefficients(X, y, budget)
        return post(projected_fit, noisy, unit_of_entries(X), y.radius, *self.penalty)


class FunctionalLinear(Functional):
    """Linear regression from the sufficient statistics, each once, with Laplace noise of their
    exact L1 sensitivity, d (d + 3)/2; the noisy form is projected onto those with a minimum.
    [Dandekar18, Alg. 1]
    """

    title: ClassVar[str] = "functional mechanism, linear"
    use: ClassVar[str] = (
        "Few columns without delta. The noise of each number grows as d^2; if a delta is allowed,"
        " use AdaSSP."
    )


class FunctionalLinearTrimmed(Regression):
    """The same noise; 4 stds of it are added to the diagonal, then eigenvalues that are not
    positive are left out. [Zhang12, Sec. 6]
    """

    paper: ClassVar[str] = "Zhang12"
    title: ClassVar[str] = "functional mechanism, linear, trimmed"
    use: ClassVar[str] = (
        "For comparison of repairs of the noisy objective at the same noise. FunctionalLinear "
        "changes the objective least."
    )

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        noisy = coefficients(X, y, budget)
        return post(trimmed_fit, noisy, unit_of_entries(X), y.radius, noisy.std)


class FunctionalLinearUnrepaired(Functional):
    """The same noise, and no repair: zeros where the noisy objective has no minimum.
    [Dandekar18, Alg. 1]
    """

    title: ClassVar[str] = "functional mechanism, linear, unrepaired"
    use: ClassVar[str] = (
        "For comparison: it returns zeros if the noisy objective has no minimum. Use "
        "FunctionalLinear instead."
    )

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        return post(plain_fit, coefficients(X, y, budget), unit_of_entries(X), y.radius)


class FunctionalRidge(Functional):
    """Ridge regression, penalty lam |theta|_2^2, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]
    """

    title: ClassVar[str] = "functional mechanism, ridge"
    use: ClassVar[str] = (
        "Few columns without delta, with a public penalty, which also stabilises the solution "
        "against noise."
    )
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, ONE


class FunctionalLasso(Functional):
    """LASSO, penalty lam |theta|_1, from the noisy statistics of FunctionalLinear.
    [Dandekar18, Sec. 4.3]
    """

    title: ClassVar[str] = "functional mechanism, LASSO"
    use: ClassVar[str] = (
        "Sparse coefficients without delta, for few columns. The zeros depend on the noise too "
        "and are not a test."
    )
    lam: Expression = ONE

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, NOTHING


class FunctionalElasticNet(Functional):
    """Elastic net, penalty lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1), from the noisy
    statistics of FunctionalLinear. [Dandekar18, Eq. 9]
    """

    title: ClassVar[str] = "functional mechanism, elastic net"
    use: ClassVar[str] = "Sparse coefficients of correlated columns without delta, for few columns."
    lam: Expression = ONE
    alpha: Expression = HALF

    @property
    def penalty(self) -> tuple[Expression, Expression]:
        """lam and alpha."""
        return self.lam, self.alpha


def coefficients(X: RowsNode, y: ColumnNode, budget: Share) -> Release:
    """The noisy statistics, one Laplace draw each."""
    return release(sufficient_statistics(X, y), Laplace.pure, budget, name="coefficients")


def check_penalty(lam: Expression, alpha: Expression) -> None:
    """Numbers only: symbols have ranges. Raises InvalidArgument."""
    way_out = "The penalty is lam (alpha |theta|_2^2 + (1 - alpha) |theta|_1)."
    if isinstance(lam, Number) and lam.value < 0:
        raise InvalidArgument("lam", "0 or more", str(lam), way_out)
    if isinstance(alpha, Number) and not 0 <= alpha.value <= 1:
        raise InvalidArgument("alpha", "from 0 to 1", str(alpha), way_out)


# --------------------------------------------------------------------------------------------- DPME
class DPME(Regression):
    """Least squares weighted by a noisy histogram of (x, y), `cells` a side: negative counts are
    taken for 0, records for the centres of their cells. For few columns. [Lei11]
    """

    paper: ClassVar[str] = "Lei11"
    title: ClassVar[str] = "DPME"
    use: ClassVar[str] = (
        "One to three columns without delta. Each of cells^(d + 1) cells gets separate noise."
    )
    cells: Expression = constant(5)

    def declare(self, X: RowsNode, y: ColumnNode, budget: Share) -> Any:
        """One release of the whole budget."""
        cells = whole(self.cells, "cells")
        counts = release(histogram(X, y, cells), Laplace.pure, budget, name="histogram")
        return post(centres_fit, counts, unit_of_entries(X), y.radius, cells)


def centres_fit(counts: Array, unit: float, bound: float, cells: int) -> Fit:
    """Least squares on cell centres, weighted by the counts, shape (cells^(d + 1),), negative ones
    taken for 0; the shortest solution where there are several.
    """
    axes = round(np.log(len(counts)) / np.log(cells))
    filled = np.flatnonzero(counts > 0)
    weights = counts[filled]
    places = np.array(np.unravel_index(filled, (cells,) * axes)).T
    centres = (2 * places + 1) / cells - 1
    rows, labels = unit * centres[:, :-1], bound * centres[:, -1]
    form = Quadratic(rows.T @ (weights[:, None] * rows), rows.T @ (weights * labels))
    return penalised(projected(form), 0.0, 1.0)
