"""The two ways to draw "theta plus a Cholesky factor against white noise", in two features.

H = X'X + (1 + ridge) I = R'R with R upper triangular. R^-1 z has the covariance H^-1, that of the
posterior; (R')^-1 z has (R R')^-1, which is another matrix, turned against H.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from .tables import Real, Sums


class Law(NamedTuple):
    """A Gaussian law in the plane: its mean (left, right) and its covariance."""

    left: Real
    right: Real
    first: Real
    mixed: Real
    second: Real

    def along(self, a: Real, b: Real) -> tuple[Real, Real]:
        """The mean and the variance of a times the first coordinate plus b times the second."""
        mean = a * self.left + b * self.right
        return mean, a * a * self.first + 2 * a * b * self.mixed + b * b * self.second


Sampler: TypeAlias = Callable[[Sums, Real, Real], Law]
"""The law of the output from a table, its ridge and root(gamma)."""


def posterior(table: Sums, ridge: Real, root_gamma: Real) -> Law:
    """theta + R^-1 z / root_gamma: N(theta, (gamma H)^-1), what was meant."""
    first, second = table.first + 1 + ridge, table.second + 1 + ridge
    return _law(table, (first, table.mixed, second), (first, table.mixed, second), root_gamma)


def transposed(table: Sums, ridge: Real, root_gamma: Real) -> Law:
    """theta + (R')^-1 z / root_gamma: N(theta, (gamma R R')^-1), what the public code draws."""
    first, mixed, second = table.first + 1 + ridge, table.mixed, table.second + 1 + ridge
    low = second - mixed * mixed / first
    other = (first + mixed * mixed / first, mixed * (low / first) ** 0.5, low)
    return _law(table, (first, mixed, second), other, root_gamma)


def _law(
    table: Sums,
    matrix: tuple[Real, Real, Real],
    precision: tuple[Real, Real, Real],
    root_gamma: Real,
) -> Law:
    """Mean `matrix`^-1 X'y and covariance (gamma `precision`)^-1; both have one determinant."""
    determinant = matrix[0] * matrix[2] - matrix[1] * matrix[1]
    left = (matrix[2] * table.left - matrix[1] * table.right) / determinant
    right = (matrix[0] * table.right - matrix[1] * table.left) / determinant
    scale = 1 / (determinant * root_gamma * root_gamma)
    first, mixed, second = precision
    return Law(left, right, second * scale, -mixed * scale, first * scale)
