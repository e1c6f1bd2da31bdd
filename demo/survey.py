"""The survey of 1974, women made up from its codebook, and what privacy does to a fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

import dpframe as dp
from dpframe.sources.safe_errors import library

from .declaration import CODEBOOK, SETTING

Array = NDArray[Any]

NAMES = [column.name for column in CODEBOOK]
WIDTHS = np.array([float(column.upper - column.lower) for column in CODEBOOK])
LABEL = "rate_marriage"
ROUGHLY = 6000  # public: about how many women the survey had
AGES = [17.5, 22, 27, 32, 37, 42]  # the codes of the codebook
SCHOOL = [9, 12, 14, 16, 17, 20]


@attrs.frozen(eq=False)
class Table:
    """Features (n, 7), a data frame or an array, and ratings (n,)."""

    X: Any
    y: Any


def survey() -> Table:
    """6,366 women, as statsmodels ships them. Raises MissingExtra."""
    frame = library("statsmodels.datasets.fair", "demo").load_pandas().data
    return Table(frame[NAMES], frame[LABEL])


def made_up(n: int = ROUGHLY, seed: int = 0) -> Table:
    """n women that nobody asked: answers and effects are drawn, within the codebook.

    One thing is taken from life: who has been married for long is not young and has more children.
    """
    rng = np.random.default_rng(seed)
    age = rng.choice(AGES, n)
    years = np.clip(age - rng.uniform(16, 30, n), 0.5, 23)
    children = np.clip(rng.poisson(years / 6), 0, 5.5)
    others = [rng.integers(1, 5, n), rng.choice(SCHOOL, n), *rng.integers(1, 7, (2, n))]
    X = np.column_stack([age, years, children, *others])
    rating = 4 + (X - X.mean(axis=0)) / WIDTHS @ rng.normal(0, 0.4, 7) + rng.normal(0, 1, n)
    return Table(X, np.clip(np.round(rating), 1, 5))


@attrs.frozen(eq=False)
class LeastSquares:
    """Ordinary least squares without privacy: slopes (7,), intercept, sampling stds (7,)."""

    coefficients: Array
    intercept: float
    std: Array

    @classmethod
    def of(cls, table: Table) -> LeastSquares:
        """The fit to a table."""
        X = np.column_stack([np.asarray(table.X, dtype=float), np.ones(len(table.y))])
        y = np.asarray(table.y, dtype=float)
        theta = np.linalg.lstsq(X, y, rcond=None)[0]
        variance = ((y - X @ theta) ** 2).sum() / (len(y) - X.shape[1])
        std = np.sqrt(variance * np.diag(np.linalg.inv(X.T @ X)))
        return cls(theta[:-1], float(theta[-1]), std[:-1])

    def predict(self, X: Any) -> Array:
        """Ratings, shape (n,)."""
        ratings: Array = np.asarray(X, dtype=float) @ self.coefficients + self.intercept
        return ratings


def explained(table: Table, predicted: Array) -> float:
    """The share of the variance of the ratings that predictions explain."""
    y = np.asarray(table.y, dtype=float)
    return 1 - float(((y - predicted) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def estimator(
    regression: dp.Regression, rng: object = None, setting: dp.Setting = SETTING
) -> dp.PrivateRegressor:
    """A regression at the numbers of the demo."""
    return dp.PrivateRegressor(regression, epsilon=1, delta="1e-6", setting=setting, rng=rng)


def simulated(
    regression: dp.Regression, table: Table, seeds: Iterable[int], setting: dp.Setting = SETTING
) -> Iterator[dp.PrivateRegressor]:
    """Fits with simulated noise, one a seed."""
    for seed in seeds:
        yield estimator(regression, seed, setting).fit(table.X, table.y)


def typical_error(regression: dp.Regression, table: Table, norm: str, repeats: int = 50) -> float:
    """The median over simulated fits of the root mean square by which predictions err.

    Against least squares without privacy, in points of rating; rows are bounded by `norm`.
    """
    rows = attrs.evolve(SETTING.X, norm=norm)
    fits = simulated(regression, table, range(repeats), attrs.evolve(SETTING, X=rows))
    best = LeastSquares.of(table).predict(table.X)
    errors = [np.sqrt(np.mean((fit.predict(table.X) - best) ** 2)) for fit in fits]
    return float(np.median(errors))


def noise_std(model: dp.PrivateRegressor) -> Array:
    """The std that privacy adds to each slope of SSP, shape (7,), to first order.

    With theta = (G + E)^-1 (m + e), the error is G^-1 (e - E theta), and a symmetric E of std s
    has Cov(E theta) = s^2/2 (|theta|^2 I + theta theta'). It is evaluated at what was released, so
    this is post-processing.
    """
    released, certificate = model.result_.released, model.certificate_
    theta = model.result_.output.coefficients
    stds = {one.label: certificate.number(one.std, up=True) for one in certificate.graph.releases}
    identity = np.eye(len(theta))
    from_gram = (theta @ theta) * identity + np.outer(theta, theta)
    errors = stds["moment"] ** 2 * identity + stds["gram"] ** 2 / 2 * from_gram
    inverse = np.linalg.inv(released["gram"] + model.ridge_ * identity)
    scaled = np.sqrt(np.diag(inverse @ errors @ inverse))[:-1]
    to_units: Array = float(SETTING.y.upper - SETTING.y.lower) / WIDTHS
    return scaled * to_units
