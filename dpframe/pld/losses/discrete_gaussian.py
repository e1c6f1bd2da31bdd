"""The loss of discrete Gaussian noise that is moved by a whole number.

Four terms of Jacobi's theta series on each side are exact to the rounding of doubles.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.numerics import ball

from .base import TAIL_BITS, UNIT, Complexes, Reals, Support, SymmetricLoss, log1p, moderate, whole

if TYPE_CHECKING:
    from flint import acb, arb

_TERMS = 4
_TAIL = 4e-23  # sum_(k > 4) of both sides, e^(-g k (k - 3/2)) and less, for g >= 3


def theta_minus_one(g: Reals, w: Complexes, moved: Reals) -> tuple[Complexes, Reals]:
    """2 sum_(k >= 1) e^(-g k^2) cosh(k w) for g >= 3 and |Re w| <= g, with a bound on its error.

    g has an error of at most 6 units, w of at most `moved`, by which |Re w| may exceed g. The bound
    is infinite where `moved` is too large.
    """
    value = np.zeros(np.broadcast(g, w).shape, dtype=np.complex128)
    error = np.full(value.shape, _TAIL)
    lost = moved > g / 2
    for k in (*range(1, _TERMS + 1), *range(-_TERMS, 0)):
        depth = k * k * g - k * w.real
        lost = lost | (depth < -1)
        depth = np.maximum(depth, -1)
        size = np.exp(-depth)
        value += size * (np.cos(k * w.imag) + 1j * np.sin(k * w.imag))
        off = UNIT * (10 * k * k * g + 4 * abs(k) * np.abs(w)) + abs(k) * moved
        error += np.exp(np.minimum(off - depth, 9)) * np.minimum(off, 2) + 40 * UNIT * size
    return value, np.where(lost, np.inf, error)


def _variance(value: Any) -> Fraction:
    return moderate("variance", value)


def _shift(value: Any) -> int:
    return whole("shift", value, 1)


@attrs.frozen(cache_hash=True)
class DiscreteGaussianLoss(SymmetricLoss):
    """Noise p(x) ~ e^(-x^2/(2 variance)) on the integers, moved by `shift`. [CanonneKS20]

    variance is the parameter sigma^2, from 2^-500 to 2^500, a little above the noise's variance;
    shift from 1 to 2^53. Vectors of such noises that move by `shift` in L1 cost no more
    (docs/proofs/shifts.md); vectors that move by it in L2 may.
    """

    kind: ClassVar[str] = "discrete_gaussian"
    variance: Fraction = attrs.field(converter=_variance)
    shift: int = attrs.field(default=1, converter=_shift)

    @property
    def atoms(self) -> int:
        """The whole numbers around the tilted center out to e^(-x^2/(2 variance)) < 2^-132."""
        return 2 * self._reach + 1

    def support(self, tilt: float) -> Support:
        """shift (shift - 2x)/(2 variance) for whole x: tilted, x has e^(-(x - u)^2/(2 variance))
        up to a factor, u = -tilt shift.
        """
        from flint import acb, arb

        u = -Fraction(tilt) * self.shift
        top = round(u) + self._reach
        width = 2 * ball(self.variance)
        theta = acb.modular_theta(acb(ball(u - round(u))), acb(0, arb.pi() * width))[2]
        total = (arb.pi() * width).sqrt() * theta.real
        masses = _masses(top - u, 2 * self._reach + 1, width, total)
        log_moment = self.enclosure(acb(ball(tilt))).real.log()
        stride = self.shift / self.variance
        return Support(stride * (self.shift - 2 * top) / 2, stride, masses, log_moment)

    @property
    def _reach(self) -> int:
        return math.isqrt(math.ceil(Fraction(7, 5) * (TAIL_BITS + 4) * self.variance)) + 2

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """z (z + 1) shift^2/(2 variance) + log(T(z shift)/T(0)), where T(u) is the sum of
        e^(-(x - u)^2/(2 variance)) over the integers x: as it stands, or by Poisson summation.
        """
        variance, shift = parameters[:, :1], parameters[:, 1:]
        value = np.empty((len(parameters), len(z)), dtype=np.complex128)
        error = np.empty(value.shape)
        narrow = parameters[:, 0] * (2 * np.pi) < 1
        for rows, form in ((narrow, _direct), (~narrow, _dual)):
            if rows.any():
                value[rows], error[rows] = form(variance[rows], shift[rows], z)
        return value, error

    def enclosure(self, z: acb) -> acb:
        """e^(z shift^2/(2 variance)) theta_3(v, tau)/theta_3(0, tau), tau = i/(2 pi variance)."""
        from flint import acb, arb

        step = ball(Fraction(self.shift) / self.variance)
        tau = acb(0, 1 / (2 * arb.pi() * ball(self.variance)))
        place = acb(0, -1) * z * step / (2 * arb.pi())
        ratio = acb.modular_theta(place, tau)[2] / acb.modular_theta(acb(0), tau)[2]
        return (z * step * self.shift / 2).exp() * ratio


def _masses(start: Fraction, count: int, width: arb, total: arb) -> list[arb]:
    """e^(-y^2/width)/total at y = start, start - 1, ...: a factor e^((2y - 1)/width) each."""
    w = (-(ball(start) ** 2) / width).exp() / total
    ratio, turn = (ball(2 * start - 1) / width).exp(), (-2 / width).exp()
    masses = []
    for _ in range(count):
        masses.append(w)
        w, ratio = w * ratio, ratio * turn
    return masses


def _direct(variance: Reals, shift: Reals, z: Complexes) -> tuple[Complexes, Reals]:
    """Around the whole number n next to Re u, u = z shift: (u (shift + 2n) - n^2)/(2 variance)."""
    h, u = 0.5 / variance, shift * z
    n = np.rint(u.real)
    v = u - n
    main = h * (u * (shift + 2 * n) - n * n)
    size = h * (np.abs(u) * (shift + 2 * n) + n * n)
    value, error = _quotient(h, 2 * h * v, 16 * UNIT * h * (np.abs(u) + 1))
    return main + value, error + UNIT * (10 * size + np.abs(value))


def _dual(variance: Reals, shift: Reals, z: Complexes) -> tuple[Complexes, Reals]:
    """Im z is brought within half a period, where the dual series is largest at its first term."""
    period = 2 * np.pi * variance / shift
    turns = np.rint(z.imag / period)
    t = z.imag - turns * period
    drift = np.where(turns == 0, 0, 6 * UNIT * np.abs(z.imag))
    inner, slope, place = z.real + 1j * t, shift * (shift / variance) / 2, shift * z.real
    main = slope * (inner * (inner + 1))
    w = (2j * np.pi * (shift * inner - np.rint(place))).astype(np.complex128)
    moved = 2 * np.pi * (UNIT * (np.abs(place) + 1) + shift * drift) + 8 * UNIT * np.abs(w)
    value, error = _quotient(2 * np.pi**2 * variance, w, moved)
    swing = slope * drift * (2 * np.abs(inner) + 1 + drift)
    value = main + value + 1j * np.pi * np.fmod(shift, 2) * np.fmod(turns, 2)
    flips = 8 * (turns != 0)
    return value, error + swing + UNIT * (14 * np.abs(main) + 2 * np.abs(value) + flips)


def _quotient(g: Reals, w: Complexes, moved: Reals) -> tuple[Complexes, Reals]:
    """log of theta(w)/theta(0), with its error."""
    upper, first = log1p(*theta_minus_one(g, w, moved))
    lower, second = log1p(*theta_minus_one(g, np.zeros((1, 1), np.complex128), np.zeros((1, 1))))
    return upper - lower, first + second + UNIT * np.abs(upper)
