"""The predicted effect of noise on log-odds, and the penalty that balances noise and shrinkage:
rules of thumb from public numbers, with constants fitted in simulations (docs/decisions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import attrs

from dpframe.execution.preview import TYPICAL
from dpframe.graph import Regression, Setting
from dpframe.numerics.edge import noise_edge
from dpframe.privacy import Guarantee
from dpframe.prover.certify import certify
from dpframe.symbols import Expression

from .logistic_descent import LogisticDescent, kept_share
from .perturbation import LogisticOutputPerturbation

Sizes = Mapping[str, int]
CURVATURE = 0.05  # a typical second derivative of the loss along a column, over its mean square
LEAST_KEPT = 0.1
STRONG = 5.0  # the std of strong log-odds
NARROW = 0.25  # of the declared range, filled by a narrow column
AT_ODDS_OF_1 = 0.2  # the mean second derivative of the loss if log-odds have std 1


@attrs.frozen
class LogOdds:
    """The std of the noise in log-odds of a typical row if their std is 1, and the shares of true
    log-odds that the penalty keeps if their std is 1, and if it is STRONG: `noise` and `kept` where
    columns fill their declared range evenly, `noise_if_narrow` and `kept_if_narrow` where they fill
    the share NARROW of it.
    """

    noise: float
    noise_if_narrow: float
    kept: tuple[float, float]
    kept_if_narrow: tuple[float, float]

    @property
    def hopeless(self) -> bool:
        """Whether strong log-odds keep too little."""
        return self.kept[1] < LEAST_KEPT

    def __str__(self) -> str:
        """A phrase for the lines of a recommendation."""
        narrow, full = (
            "{:.0%} and {:.0%}".format(*one) for one in (self.kept_if_narrow, self.kept)
        )
        return (
            f"log-odds of std 1 and {STRONG:g} keep about {narrow} of their size where columns "
            "fill\n"
            f"  a quarter of their declared range, {full} where they fill it; less if a class "
            "is\n  rarer than 3%. Single coefficients can change sign\n"
            f"  noise moves log-odds of std 1 by about {self.noise_if_narrow:.2g} and "
            f"{self.noise:.2g} (std) there, and larger\n  ones, and those of rare levels, by more"
        )


def penalised(target: Guarantee, setting: Setting, sizes: Sizes) -> LogisticOutputPerturbation:
    """LogisticOutputPerturbation with the best penalty for about n records. Raises InvalidArgument
    if bounds are not numbers.
    """
    at = _effect(_of(1), target, setting, sizes)
    return _of(two_digits(best_penalty(TYPICAL * (at.std * at.norm) ** 2, at.curvature)))


def foreseen_of_descent(target: Guarantee, setting: Setting, sizes: Sizes) -> LogOdds:
    """The effect of the noise and penalty of LogisticDescent on log-odds. Raises InvalidArgument if
    bounds are not numbers.
    """
    declared, n = LogisticDescent(), sizes["n"]
    at = _effect(declared, target, setting, sizes)
    noise, if_narrow = (noise_of_descent(declared, at, n, fill) for fill in (1.0, NARROW))
    sums = (n * at.square(filled) for filled in (1.0, NARROW))
    penalties = [penalty_of_descent(declared, at, one) / one for one in sums]
    full, narrow = ((kept(one, 1), kept(one, STRONG)) for one in penalties)
    return LogOdds(noise, if_narrow, full, narrow)


def noise_of_descent(declared: LogisticDescent, at: LogisticEffect, n: int, filled: float) -> float:
    """The std of the noise in log-odds of a row, for columns that fill the share `filled` of their
    range evenly and an intercept, by the steps near the optimum: the mean of the last points has
    the noise of their mean gradient over curvature and penalty.
    """
    rounds, average = (float(one.value) for one in (declared.rounds, declared.average))  # type: ignore[attr-defined]
    total = 0.0
    for columns, square in ((at.columns - 1, at.square(filled)), (1.0, at.largest)):
        slope = AT_ODDS_OF_1 * n * square + penalty_of_descent(declared, at, n * square)
        total += columns * square * at.std**2 / (average * rounds) / slope**2
    return math.sqrt(total)


def penalty_of_descent(declared: LogisticDescent, at: LogisticEffect, squares: float) -> float:
    """The penalty along a direction in which rows have this sum of squares. The noise on X'X adds
    to eigenvalues, which lowers the penalty.
    """
    rounds, shrinkage = (float(one.value) for one in (declared.rounds, declared.shrinkage))  # type: ignore[attr-defined]
    hidden = noise_edge(at.gram_std, at.columns) / 2
    return shrinkage * (at.std * at.norm) ** 2 / rounds / (squares + hidden)


def kept(penalty: float, spread: float) -> float:
    """The share that a penalty, over the sum of squares of a column, leaves of log-odds with this
    std and mean 0.
    """
    low, high = 0.0, 1.0
    for _ in range(30):
        k = (low + high) / 2
        larger = kept_share(0.0, k * spread, penalty * (k * spread) ** 2) > k
        low, high = (k, high) if larger else (low, k)
    return k


def best_penalty(noise: float, curvature: float) -> float:
    """The minimiser of noise/a^2 + (a/(curvature + a))^2 over a > 0, which solves a^4 curvature =
    noise (curvature + a)^3.
    """
    low, high = -60.0, 60.0  # of log(a/curvature)
    offset = math.log(curvature)
    for _ in range(60):
        middle = (low + high) / 2
        a = math.exp(middle)  # a/curvature
        rises = 4 * middle + 2 * offset - math.log(noise) > 3 * math.log1p(a)
        low, high = (low, middle) if rises else (middle, high)
    return math.exp(offset + low)


def two_digits(value: float) -> str:
    """`0.37`, `5.2`, `430`: an exact public number."""
    places = 1 - math.floor(math.log10(value))
    return f"{round(value, places):.{max(0, places)}f}"


@attrs.frozen
class LogisticEffect:
    """The stds of the last and the first release, the bound on rows, the number of their columns,
    and the curvature of the summed loss along one column for rows of typical length.
    """

    std: float
    gram_std: float
    norm: float
    columns: float
    curvature: float

    @property
    def largest(self) -> float:
        """The largest square of an entry."""
        return self.norm**2 / self.columns

    def square(self, filled: float) -> float:
        """The mean square of a column that fills the share `filled` of its range evenly."""
        return filled**2 / 3 * self.largest


def _effect(
    declared: Regression, target: Guarantee, setting: Setting, sizes: Sizes
) -> LogisticEffect:
    certificate, rows = certify(declared, target=target, setting=setting), setting.nodes()[0]

    def number(formula: Expression) -> float:
        return certificate.number(formula, up=True, sizes=sizes)

    first, last = certificate.graph.releases[0].std, certificate.graph.releases[-1].std
    norm, columns = number(rows.radius), number(rows.columns)
    curvature = sizes["n"] * TYPICAL * norm**2 * CURVATURE / columns
    return LogisticEffect(number(last), number(first), norm, columns, curvature)


def _of(penalty: object) -> LogisticOutputPerturbation:
    return cast("Any", LogisticOutputPerturbation)(penalty=penalty)  # type: ignore[no-any-return]
