"""Profiles of small sums by conditioning, in mpmath: no transform, no contour."""

from __future__ import annotations

import mpmath as mp

DIGITS = 60


def exact(value):
    """A rational as an mpf."""
    return mp.mpf(value.numerator) / value.denominator


def gaussian(mu, x):
    """Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu), at any real x. [BalleW18, Thm 8]"""
    first, second = x / mu - mu / 2, x / mu + mu / 2
    root = mp.sqrt(2)
    return (mp.erfc(first / root) - mp.exp(x) * mp.erfc(second / root)) / 2


def laplace(epsilon, x):
    """1 - e^((x - epsilon)/2) inside, at any real x."""
    if x >= epsilon:
        return mp.mpf(0)
    return -mp.expm1(x) if x <= -epsilon else -mp.expm1((x - epsilon) / 2)


def after_laplace(epsilon, inner, x, kinks):
    """E inner(x - L): atoms 1/2 at epsilon, e^-epsilon/2 at -epsilon, density e^((l-epsilon)/2)/4.

    `kinks`: where inner is not smooth, or turns.
    """
    ends = sorted({-epsilon, epsilon, *(x - k for k in kinks if -epsilon < x - k < epsilon)})
    most = inner(x - epsilon) or mp.mpf(1)  # quad aims at an absolute error
    between = mp.quad(lambda at: mp.exp((at - epsilon) / 2) * (inner(x - at) / most), ends) / 4
    return inner(x - epsilon) / 2 + mp.exp(-epsilon) / 2 * inner(x + epsilon) + most * between


def after_responses(epsilon, count, inner, x):
    """E inner(x - L) over a binomial number of answers at -epsilon."""
    share = 1 / (1 + mp.exp(-epsilon))
    return sum(
        mp.binomial(count, j)
        * share ** (count - j)
        * (1 - share) ** j
        * inner(x - (count - 2 * j) * epsilon)
        for j in range(count + 1)
    )


def contour(factors, x, c, reach):
    """(1/pi) int_0^reach Re prod M_i(z)^(n_i) e^(-zx)/(z (z + 1)) dt by Gauss-Legendre panels.

    `factors`: (function of z, count); `reach` is where a Gaussian factor leaves nothing.
    """

    def integrand(t):
        z = mp.mpc(c, t)
        value = mp.exp(-z * x) / (z * (z + 1))
        for moment, count in factors:
            value *= moment(z) ** count
        return value.real

    return mp.quad(integrand, mp.linspace(0, reach, 7), method="gauss-legendre") / mp.pi


def gaussian_moment(mu):
    """e^(z (z + 1) mu^2/2)."""
    return lambda z: mp.exp(z * (z + 1) * mu**2 / 2)


def laplace_moment(epsilon):
    """((z + 1) e^(z epsilon) + z e^(-(z + 1) epsilon))/(2z + 1)."""
    return lambda z: ((z + 1) * mp.exp(z * epsilon) + z * mp.exp(-(z + 1) * epsilon)) / (2 * z + 1)
