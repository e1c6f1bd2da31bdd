"""The Gaussian profile and its inverses at 50 digits, by mpmath alone."""

from fractions import Fraction

import mpmath

MILLIONTH = Fraction(1, 10**6)


def profile(epsilon, mu):
    """delta(epsilon) of mu-Gaussian DP, at 50 digits."""
    with mpmath.workdps(50):
        a, b = mpmath.mpf(mu) / 2 - epsilon / mu, -mpmath.mpf(mu) / 2 - epsilon / mu
        return mpmath.ncdf(a) - mpmath.exp(epsilon) * mpmath.ncdf(b)


def mpf(value):
    """A fraction at 50 digits."""
    return mpmath.mpf(value.numerator) / value.denominator


def bisect(holds, low, high):
    """The largest number in [low, high] where a monotone condition holds."""
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def bisect_mu():
    """The largest mu inside (1, 1e-6), at 50 digits."""
    return bisect(lambda mu: profile(1, mu) <= mpf(MILLIONTH), mpmath.mpf("1e-3"), mpmath.mpf(1))
