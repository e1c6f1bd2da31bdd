"""The one factor by which all noise is multiplied to meet (epsilon, delta)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest

_POWERS = (1, 2, 4, 8, 16, 32, 64, 128)
_FAR = 700.0  # stands for log infinity


def least_factor(epsilon_at: Callable[[Fraction], float], epsilon: Fraction) -> Fraction:
    """A factor s with epsilon_at(s) <= epsilon, hardly above the least one.

    `epsilon_at` is an upper bound that falls, or stays, as the factor grows. The answer is a short
    decimal at which it was evaluated: what is promised does not rest on the search. Raises
    InvalidArgument where no factor is enough.
    """
    from scipy.optimize import brentq

    target = math.log(epsilon.numerator) - math.log(epsilon.denominator)

    def excess(log_factor: float) -> float:
        found = epsilon_at(shortest(math.exp(log_factor)))
        log = math.log(found) - target if found > 0 else -_FAR
        return min(max(log, -_FAR), _FAR)

    low, high = _bracket(excess)
    root = math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-14))
    step = 2e-14
    while epsilon_at(shortest(root)) > epsilon:
        root, step = root * (1 + step), 2 * step
    return shortest(root)


def _bracket(excess: Callable[[float], float]) -> tuple[float, float]:
    """Logs between which the excess changes its sign: 2^-j and 2^-2j, or 2^j and 2^2j."""
    near, dear = 0.0, excess(0.0) > 0
    for power in _POWERS:
        far = power * math.log(2) * (1 if dear else -1)
        if (excess(far) > 0) is not dear:
            return min(near, far), max(near, far)
        near = far
    if dear:
        way_out = "Raise epsilon or delta: some part costs more whatever its noise."
        raise InvalidArgument("target", "within reach of more noise", "one that is not", way_out)
    way_out = "Lower epsilon or delta, or state less noise: this target asks for next to none."
    raise InvalidArgument("target", "one that less noise misses", "one that is met anyway", way_out)
