"""One-posterior-sampling as the public code of [Wang18] calibrates it, in four ways.

Each answers with the ridge and with root(gamma) at |x| <= 1, |y| <= 1 and d = 2: the formulas of
the files, slips included.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from .tables import Real


class Given(NamedTuple):
    """What a calibration reads, as numbers of one kind."""

    rows: Real
    epsilon: Real
    log: Real
    """log(2/delta)"""
    log_20: Real
    """log(1/rho) at the files' rho = 0.05"""
    third: Real

    @classmethod
    def of(
        cls,
        rows: int,
        epsilon: Fraction,
        delta: Fraction,
        to: Callable[[Fraction], Real],
        log: Callable[[Real], Real],
    ) -> Given:
        """Exact numbers in the arithmetic of `to` and `log`."""
        exact = to(Fraction(rows)), to(epsilon), log(to(2 / delta)), log(to(Fraction(20)))
        return cls(*exact, to(Fraction(1, 3)))


Calibration: TypeAlias = Callable[[Given], tuple[Real, Real]]


def balanced(given: Given) -> tuple[Real, Real]:
    """OPS_epsdelta_balanced.m: the ridge grows as the cube root of the number of rows."""
    ridge = (_spread(given) * given.rows / 2) ** given.third
    return _sampled(max(ridge, _least(given)), given)


def conservative(given: Given) -> tuple[Real, Real]:
    """OPS_epsdelta_conservative.m: a ridge that the number of rows does not enter."""
    return _sampled(max(_spread(given) ** 0.5, _least(given)), given)


def diffused(given: Given) -> tuple[Real, Real]:
    """OPS_epsdelta_diffused.m: the least ridge."""
    return _sampled(_least(given), given)


def concentrated(given: Given) -> tuple[Real, Real]:
    """OPS_epsdelta_concentrated.m: gamma is 1, and the ridge carries the whole calibration.

    Where that ridge is above half the number of rows, the file means gamma L^2/2 and writes
    `gamma*L&2/2`, so that its constant is the number 1; its root is real up to epsilon = 14.51.
    """
    rows, epsilon, log = given.rows, given.epsilon, given.log
    ridge = _root(epsilon, -((2 * rows * log) ** 0.5) - (1 + log) / 2, -2 * rows)
    if ridge > rows / 2:
        ridge = _root(epsilon, -2 * log**0.5, 1) ** 2
    return ridge, epsilon / epsilon


CALIBRATIONS: dict[str, Calibration] = {
    "balanced": balanced,
    "concentrated": concentrated,
    "diffused": diffused,
    "conservative": conservative,
}
"""By the last word of the file's name."""


def _sampled(ridge: Real, given: Given) -> tuple[Real, Real]:
    """The ridge, and the root(gamma) of the quadratic equation that three of the files share."""
    size = min((given.rows / (2 * ridge)) ** 0.5, given.rows / ridge)
    lipschitz = 1 + size
    linear = lipschitz * (given.log / ridge) ** 0.5
    constant = (1 + given.log) / 2 / ridge - given.epsilon
    return ridge, _root(lipschitz * lipschitz / (ridge + 1), linear, constant)


def _root(a: Real, b: Real, c: Real) -> Real:
    return (-b + (b * b - 4 * a * c) ** 0.5) / (2 * a)


def _least(given: Given) -> Real:
    return (1 + given.log) / given.epsilon


def _spread(given: Given) -> Real:
    """The files' C1: d/2 + sqrt(d log(1/rho)) + log(1/rho), times log(2/delta) over a square."""
    half = given.epsilon / 2
    rest = 1 + (2 * given.log_20) ** 0.5 + given.log_20
    return rest * given.log / min(half, half**0.5) ** 2
