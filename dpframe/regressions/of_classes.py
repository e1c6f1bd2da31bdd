"""What noise does to log-odds, and the penalty that weighs it against shrinkage, from public
numbers: a rule of thumb, whose constants were fitted in drawn worlds (docs/decisions).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import attrs

from dpframe.graph import Regression, Setting
from dpframe.privacy import Guarantee
from dpframe.prover.certify import certify
from dpframe.prover.preview import TYPICAL
from dpframe.symbols import Expression

from .logistic_descent import LogisticDescent
from .perturbation import LogisticOutputPerturbation

Sizes = Mapping[str, int]
BENDS = 0.05  # of a loss along one column, over that column's mean square


@attrs.frozen
class LogOdds:
    """The std of the noise in log-odds of a typical row, and the share of true log-odds that the
    penalty keeps.
    """

    noise: float
    kept: float

    def __str__(self) -> str:
        """A sentence's end."""
        return (
            f"log-odds of a typical row keep about {self.kept:.0%} of their size, and noise "
            f"moves them by about {self.noise:.2g} (std)"
        )


def penalised(target: Guarantee, setting: Setting, sizes: Sizes) -> LogisticOutputPerturbation:
    """LogisticOutputPerturbation with the penalty that errs least for about n records. Raises
    InvalidArgument where bounds have no numbers.
    """
    found = _noise(_of(1), target, setting, sizes)
    penalty = best_penalty(TYPICAL * (found.std * found.norm) ** 2, found.curvature)
    return _of(two_digits(penalty))


def foreseen_of_descent(target: Guarantee, setting: Setting, sizes: Sizes) -> LogOdds:
    """What LogisticDescent does to log-odds. Raises InvalidArgument where bounds have no
    numbers.
    """
    declared = LogisticDescent()
    found = _noise(declared, target, setting, sizes)
    rounds, shrinkage = (float(one.value) for one in (declared.rounds, declared.shrinkage))  # type: ignore[attr-defined]
    std, curvature = found.std / math.sqrt(rounds), found.curvature
    whole = curvature + shrinkage * (std * found.norm) ** 2 * BENDS / curvature
    return LogOdds(math.sqrt(TYPICAL) * found.norm * std / whole, curvature / whole)


def best_penalty(noise: float, curvature: float) -> float:
    """Where noise/a^2 + (a/(curvature + a))^2 is least over a > 0: a^4 curvature = noise
    (curvature + a)^3.
    """
    low, high = -60.0, 60.0  # of log a, about that of the curvature
    offset = math.log(curvature)
    for _ in range(60):
        middle = (low + high) / 2
        a = math.exp(middle)  # over the curvature
        rises = 4 * middle + 2 * offset - math.log(noise) > 3 * math.log1p(a)
        low, high = (low, middle) if rises else (middle, high)
    return math.exp(offset + low)


def two_digits(value: float) -> str:
    """`0.37`, `5.2`, `430`: an exact public number."""
    places = 1 - math.floor(math.log10(value))
    return f"{round(value, places):.{max(0, places)}f}"


@attrs.frozen
class Noise:
    """The std of the last release, the bound on rows, and the curvature of the summed loss along
    one column where rows are of typical length.
    """

    std: float
    norm: float
    curvature: float


def _noise(declared: Regression, target: Guarantee, setting: Setting, sizes: Sizes) -> Noise:
    certificate, rows = certify(declared, target=target, setting=setting), setting.nodes()[0]

    def number(formula: Expression) -> float:
        return certificate.number(formula, up=True, sizes=sizes)

    std, norm = number(certificate.graph.releases[-1].std), number(rows.radius)
    curvature = sizes["n"] * TYPICAL * norm**2 * BENDS / number(rows.columns)
    return Noise(std, norm, curvature)


def _of(penalty: object) -> LogisticOutputPerturbation:
    return cast("Any", LogisticOutputPerturbation)(penalty=penalty)  # type: ignore[no-any-return]
