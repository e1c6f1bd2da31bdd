"""From released coefficients to a quadratic form, repaired or not, and to its minimiser:
post-processing, ordinary numpy on noisy values and public numbers.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.graph.statistics.combined import columns_of, factors

from .penalised import FLAT, Quadratic, penalised
from .solve import Fit

Array = NDArray[Any]


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
