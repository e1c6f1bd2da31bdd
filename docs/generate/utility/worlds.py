"""Tables and draws on which utility theorems are checked. NOT PRIVATE: bounds are read from the
tables, as in the papers.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binom

import dpframe as dp
from dpframe.prover.certify import NOT_PRIVATE, Unproved, unproved

Array = NDArray[Any]


@attrs.frozen(eq=False)
class World:
    """X'X (d, d), X'y (d,), the largest row and label, and where labels come from."""

    gram: Array
    moment: Array
    norm: float
    bound: float
    rows: int
    truth: Array
    sigma: float
    table: tuple[Array, Array] | None = None

    @classmethod
    def of(cls, X: Array, truth: Array, sigma: float, rng: Generator) -> World:
        """Labels X theta_0 + N(0, sigma^2)."""
        y = X @ truth + sigma * rng.normal(size=len(X))
        norm, bound = float(np.linalg.norm(X, axis=1).max()), float(np.abs(y).max())
        return cls(X.T @ X, X.T @ y, norm, bound, len(X), truth, sigma, (X, y))

    @property
    def optimum(self) -> Array:
        """The least squares solution."""
        return np.linalg.solve(self.gram, self.moment)

    @property
    def numbers(self) -> dict[str, float]:
        """The symbols of the papers' bounds."""
        d, inverse = len(self.gram), np.linalg.inv(self.gram)
        lowest = float(np.linalg.eigvalsh(self.gram)[0])
        return {
            "d": d,
            "n": self.rows,
            "B": self.norm,
            "Y": self.bound,
            "theta": float(np.linalg.norm(self.optimum)),
            "truth": float(np.linalg.norm(self.truth)),
            "sigma": self.sigma,
            "alpha": d * lowest / (self.rows * self.norm**2),
            "trace": float(np.trace(inverse)),
            "trace2": float(np.trace(inverse @ inverse)),
        }

    def excess(self, thetas: Array) -> Array:
        """F(theta) - F(theta*) of each, F half the sum of squared residuals."""
        away = thetas - self.optimum
        found: Array = np.einsum("ki,ij,kj->k", away, self.gram, away) / 2
        return found


def linear_gaussian(n: int, rng: Generator) -> World:
    """Normal rows of 10 columns, theta_0 uniform on [0, 1]^10, labels of variance 1.
    [Wang18, Fig. 3]
    """
    return World.of(rng.normal(size=(n, 10)), rng.uniform(size=10), 1.0, rng)


def on_the_sphere(n: int, rng: Generator) -> World:
    """Rows and theta_0 on the unit sphere, 10 columns, labels of std 0.1. [Piazza21, Sec. 5.2]"""
    X, truth = rng.normal(size=(n, 10)), rng.normal(size=10)
    X /= np.linalg.norm(X, axis=1)[:, None]
    return World.of(X, truth / np.linalg.norm(truth), 0.1, rng)


def spectrum(eigenvalues: Array, truth: Array, norm: float) -> World:
    """X'X of these eigenvalues, labels without noise that are at most norm |theta*|."""
    bound = norm * float(np.linalg.norm(truth))
    rows = int(np.ceil(eigenvalues.sum() / norm**2))
    return World(np.diag(eigenvalues), eigenvalues * truth, norm, bound, rows, truth, 0.0)


@attrs.frozen(eq=False)
class Drawn:
    """Coefficients (k, d) and the ridge that was added (k,)."""

    thetas: Array
    ridges: Array


def adassp(
    world: World, *, tail: float, epsilon: float, rng: Generator, draws: int, rho: float = 0.05
) -> Drawn:
    """adaSSP with stds `tail`/(epsilon/3): tail^2 is log(6/delta) in [Wang18, Alg. 2] and 2
    log(6/delta) in [Piazza21, Alg. 2], there without its I. Labels are drawn anew for every draw
    where they are noisy.
    """
    d, std = len(world.gram), tail / (epsilon / 3)
    unit = std * world.norm**2
    lowest = np.linalg.eigvalsh(world.gram)[0]
    floor = np.maximum(lowest + unit * rng.normal(size=draws) - tail * unit, 0)
    ridges = np.maximum(0, np.sqrt(d * np.log(2 * d**2 / rho)) * unit - floor)
    noise = np.triu(rng.normal(size=(draws, d, d)))
    noise = noise + np.triu(noise, 1).swapaxes(1, 2)
    moments = world.moment + std * world.norm * world.bound * rng.normal(size=(draws, d))
    systems = world.gram + unit * noise + ridges[:, None, None] * np.eye(d)
    return Drawn(np.linalg.solve(systems, moments[..., None])[..., 0], ridges)


@functools.cache
def _adaops(norm: Fraction) -> Unproved:
    setting = dp.Setting(X=dp.Rows(norm=norm), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    target = dp.ApproxDP(dp.EPSILON, dp.DELTA)
    printed = dp.literature.AdaOPSPrinted()
    return unproved(printed, target=target, setting=setting, label=NOT_PRIVATE)


def adaops(
    world: World, *, epsilon: float, delta: float, rng: Generator, draws: int, norm: int = 1
) -> Array:
    """AdaOPS as printed [Wang18, Alg. 1], (k, d), on the table divided by its bounds and rows
    multiplied by `norm`, in the units of the world.
    """
    assert world.table is not None  # noqa: S101 - of worlds of records
    X, y = world.table
    run = _adaops(Fraction(norm)).at(epsilon=epsilon, delta=delta)
    scaled, labels = X * (norm / world.norm * (1 - 1e-12)), y / world.bound
    found = [
        dp.experiments.simulate(run, scaled, labels, rng=rng).output.coefficients
        for _ in range(draws)
    ]
    return np.array(found) * (world.bound * norm / world.norm)


# --------------------------------------------------------------------------- lower bounds, exactly
def bayes_excess(n: int, d: int) -> float:
    """n times the least expected excess risk over all measurable estimators, averaged over signs s
    in {-1, 1}^d, in units of Y^2: a row is B e_j with chance 1/d, its label is Y with chance (1 +
    s_j D)/2, else -Y, D = sqrt(d/n). It bounds the worst case over s from below.
    """
    shift = np.sqrt(d / n)
    total, m = 0.0, np.arange(n + 1)
    chances = binom.pmf(m, n, 1 / d)
    for count in m[chances > 1e-12]:
        k = np.arange(count + 1)
        up, down = (binom.pmf(k, count, (1 + sign * shift) / 2) for sign in (1, -1))
        spread = np.sum((up + down) / 2 * (1 - ((up - down) / np.maximum(up + down, 1e-300)) ** 2))
        total += chances[count] * spread
    return float(n * shift**2 * total / 2)


def apart(epsilon: float, delta: float, records: int) -> float:
    """The least chance with which an (epsilon, delta)-private rule that names one of two tables is
    wrong for at least one of them, where they differ by so many records.
    """
    factor = np.exp(records * epsilon)
    paid = delta * (factor - 1) / (np.exp(epsilon) - 1)
    return float(max(0.0, (1 - paid) / (1 + factor)))


# ------------------------------------------------------------------------- personalised privacy
def budgets(n: int, rng: Generator) -> Array:
    """Budgets of 34% conservatives, 43% mediums and liberals. [Acharya24, Sec. 4]"""
    cautious, medium = round(0.34 * n), round(0.43 * n)
    liberal = np.ones(n - cautious - medium)
    drawn = rng.uniform(0.01, 0.2, cautious), rng.uniform(0.2, 1, medium), liberal
    return np.concatenate(drawn)


def weighted_ridge(X: Array, y: Array, weights: Array, penalty: float) -> Array:
    """The minimiser of sum w (x'theta - y)^2 + penalty |theta|^2."""
    system = (X.T * weights) @ X + penalty * np.eye(X.shape[1])
    return np.linalg.solve(system, (X.T * weights) @ y)


def spherical(d: int, scale: float, draws: int, rng: Generator) -> Array:
    """Noise (k, d) of density proportional to exp(-|z|/scale)."""
    direction = rng.normal(size=(draws, d))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return direction * rng.gamma(d, scale, size=draws)[:, None]


def largest_move(penalty: float, known: float, grid: Sequence[float]) -> float:
    """By how much another record in the place of one moves the ridge regression of one column on
    all tables of three records of a grid in [-1, 1]^2, equal weights, whose least squares solution
    is at most `known` in size, at most.
    """
    cells = np.array([(x, y) for x in grid for y in grid])
    square, product = cells[:, 0] ** 2, cells[:, 0] * cells[:, 1]
    two_s, two_p = square[:, None] + square, product[:, None] + product
    s = (two_s.ravel()[:, None] + square) / 3  # (pairs, third record)
    p = (two_p.ravel()[:, None] + product) / 3
    allowed = np.abs(p) <= known * s + 1e-12
    theta = np.where(allowed, p / (s + penalty), np.nan)
    seen = theta[allowed.any(axis=1)]
    return float(np.max(np.nanmax(seen, axis=1) - np.nanmin(seen, axis=1)))
