"""Inverses of the Gaussian profile, by bisection."""

from fractions import Fraction

import mpmath

from tests.support.oracles import delta_of, mpf

MILLIONTH = Fraction(1, 10**6)


def bisect(holds, low, high):
    """The largest number in [low, high] where a monotone condition holds."""
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def bisect_mu():
    """The largest mu inside (1, 1e-6), at 50 digits."""
    return bisect(lambda mu: delta_of(1, mu) <= mpf(MILLIONTH), mpmath.mpf("1e-3"), mpmath.mpf(1))
