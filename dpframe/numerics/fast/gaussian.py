"""The Gaussian privacy profile and its inverses, vectorised, each on the private side.

    delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)

mu is the sensitivity divided by the std. [BalleW18, Thm 8; DongRS22, Cor 2.13] Margins are above
1.5 times the worst errors at half a million points (`benchmarks/gaussian.py`). Certificates use the
proved intervals of `intervals.py`.
"""

from __future__ import annotations

from typing import overload

import numpy as np

from dpframe.errors import InvalidArgument, Plain
from dpframe.numbers import Exact

from .arguments import Numbers, above_zero_below_one, at_least_zero, blockwise
from .roots import Reals, is_close, point, root_epsilon, root_mu

_UNIT = 2.0**-53
_MARGIN = 9  # doubles, for sigma, mu and epsilon; worst error measured: 5.2
_MARGIN_DELTA = 16 * _UNIT  # relative; worst error measured: 6


@overload
def gaussian_delta(epsilon: Exact, mu: Exact) -> float: ...
@overload
def gaussian_delta(epsilon: Numbers, mu: Numbers) -> float | Reals: ...
def gaussian_delta(epsilon: Numbers, mu: Numbers) -> float | Reals:
    """delta(epsilon; mu), rounded up; epsilon >= 0, mu >= 0 or infinite.

    At most 26 doubles up; where 1 - delta is small, as many doubles of 1. Answers below the least
    positive double are that double.

    >>> round(gaussian_delta(epsilon=1, mu=0.5), 6)
    0.00683
    """
    mus = at_least_zero("mu", mu, up=True, infinite=True)
    return blockwise(_delta, {"epsilon": at_least_zero("epsilon", epsilon, up=False), "mu": mus})


@overload
def gaussian_epsilon(delta: Exact, mu: Exact) -> float: ...
@overload
def gaussian_epsilon(delta: Numbers, mu: Numbers) -> float | Reals: ...
def gaussian_epsilon(delta: Numbers, mu: Numbers) -> float | Reals:
    """The least epsilon >= 0 with delta(epsilon; mu) <= delta, rounded up; mu >= 0 or infinite.

    0 < delta < 1. At most 16 doubles up, and as far as epsilon moves when delta (1 - delta, where
    delta > 1/2) moves by 24 units of 2^-53: that is most near epsilon = 0, where delta decides
    little, and least for small delta. 0 where delta >= gaussian_delta(0, mu).

    >>> round(gaussian_epsilon(delta=1e-6, mu=0.5), 4)
    2.2541
    """
    mus = at_least_zero("mu", mu, up=True, infinite=True)
    return blockwise(_epsilon, {"delta": above_zero_below_one("delta", delta), "mu": mus})


@overload
def gaussian_mu(epsilon: Exact, delta: Exact) -> float: ...
@overload
def gaussian_mu(epsilon: Numbers, delta: Numbers) -> float | Reals: ...
def gaussian_mu(epsilon: Numbers, delta: Numbers) -> float | Reals:
    """The largest mu with delta(epsilon; mu) <= delta, rounded down, by at most 16 doubles.

    epsilon >= 0, 0 < delta < 1.

    >>> round(gaussian_mu(epsilon=1, delta=1e-6), 4)
    0.2367
    """
    return blockwise(_mu, _budget(epsilon, delta))


@overload
def gaussian_sigma(epsilon: Exact, delta: Exact, sensitivity: Exact = 1) -> float: ...
@overload
def gaussian_sigma(epsilon: Numbers, delta: Numbers, sensitivity: Numbers = 1) -> float | Reals: ...
def gaussian_sigma(epsilon: Numbers, delta: Numbers, sensitivity: Numbers = 1) -> float | Reals:
    """The least std with delta(epsilon; sensitivity/std) <= delta, rounded up.

    At most 16 doubles up. epsilon >= 0, 0 < delta < 1, sensitivity >= 0 (0: no noise is needed).

    >>> round(gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=2), 4)
    8.4494
    """
    budget, moves = _budget(epsilon, delta), at_least_zero("sensitivity", sensitivity, up=True)
    sigma = blockwise(_sigma, {**budget, "sensitivity": moves})
    if np.any(np.isinf(sigma)):
        wanted, way_out = "large enough for a finite std", "Raise delta or epsilon."
        raise InvalidArgument("delta", wanted, Plain("less"), way_out)
    return sigma


def _budget(epsilon: Numbers, delta: Numbers) -> dict[str, Reals]:
    at = at_least_zero("epsilon", epsilon, up=False)
    return {"epsilon": at, "delta": above_zero_below_one("delta", delta)}


def _delta(epsilon: Reals, mu: Reals) -> Reals:
    shift = np.clip(mu, 5e-324, np.finfo(float).max)
    x, half = epsilon / shift, shift / 2
    sign = np.where((x - half < -0.5) & ~is_close(x, shift), -1.0, 1.0)
    value = point(epsilon, shift, sign).value()
    raised = np.where(sign > 0, value * (1 + _MARGIN_DELTA), 1 - value * (1 - _MARGIN_DELTA))
    raised = np.minimum(np.nextafter(raised, np.inf), 1.0)
    return np.where(mu == 0, 0.0, np.where(np.isinf(mu), 1.0, raised))


def _epsilon(delta: Reals, mu: Reals) -> Reals:
    enough = delta >= _delta(np.zeros_like(mu), mu)
    shift = np.where(enough | np.isinf(mu), 1.0, mu)
    epsilon, moves = root_epsilon(np.where(enough, 0.1, delta), shift)
    raised = _moved(epsilon + _MARGIN_DELTA * moves, _MARGIN)
    return np.where(enough, 0.0, np.where(np.isinf(mu), np.inf, raised))


def _mu(epsilon: Reals, delta: Reals) -> Reals:
    return np.maximum(_moved(root_mu(epsilon, delta), -_MARGIN), 0.0)


def _sigma(epsilon: Reals, delta: Reals, sensitivity: Reals) -> Reals:
    mu = root_mu(epsilon, delta)
    # a mu below the normal doubles is not exact to 53 bits
    mu = np.where(mu < np.finfo(float).tiny, np.maximum(_moved(mu, -_MARGIN), 0), mu)
    return np.where(sensitivity == 0, 0.0, _moved(sensitivity / mu, _MARGIN))


def _moved(value: Reals, doubles: int) -> Reals:
    """`value`, so many doubles up or down."""
    moved: Reals = value + doubles * np.spacing(value)
    return np.where(np.isfinite(value), moved, value)
