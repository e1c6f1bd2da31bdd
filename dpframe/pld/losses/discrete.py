"""The losses of noise in whole numbers that is moved by a whole number: discrete Laplace noise has
shift + 1 atoms; of discrete Gaussian noise, four terms of Jacobi's theta series on each side are
exact to the rounding of doubles.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.numerics import ball

from .base import (
    TAIL_BITS,
    UNIT,
    Complexes,
    Reals,
    Support,
    SymmetricLoss,
    cosh_minus_one,
    exp_minus,
    joined,
    log1p,
    moderate,
    shares,
    sinhc,
    whole,
)

if TYPE_CHECKING:
    from flint import acb, arb

_NEAR = 0.7  # below it, Re x takes the form that is exact near 0; above it, the scaled one


def _rate(value: Any) -> Fraction:
    return moderate("rate", value)


def _shift(value: Any) -> int:
    return whole("shift", value, 1)


@attrs.frozen(cache_hash=True)
class DiscreteLaplaceLoss(SymmetricLoss):
    """Noise p(x) ~ e^(-rate |x|) on the integers, moved by `shift`. [GhoshRS12]

    rate = 1/scale, from 2^-500 to 2^500; shift from 1 to 2^53. Vectors of such noises that move by
    `shift` in L1 cost no more. (docs/proofs/shifts.md)
    """

    kind: ClassVar[str] = "discrete_laplace"
    rate: Fraction = attrs.field(converter=_rate)
    shift: int = attrs.field(default=1, converter=_shift)

    @property
    def largest(self) -> Fraction:
        return self.rate * self.shift

    @property
    def atoms(self) -> int:
        return self.shift + 1

    def support(self, tilt: float) -> Support:
        """rate (shift - 2x), x = 0 ... shift: the tilted mass relative to that of x = 0 is
        (1 - e^-rate) e^(-(2 tilt + 1) rate x), without the first factor at the last x.
        """
        rate, c = ball(self.rate), ball(tilt)
        fall, inner = (-rate * (2 * c + 1)).exp(), -(-rate).expm1()
        weights, w = [ball(Fraction(1))], fall
        for _ in range(1, self.shift):
            weights.append(inner * w)
            w = w * fall
        masses, total = shares([*weights, w][::-1])
        log_moment = c * rate * self.shift + total - (-rate).exp().log1p()
        return Support(-self.rate * self.shift, 2 * self.rate, masses, log_moment)

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log of e^(-rate shift/2) (cosh x + tanh(rate/2) sinh x coth y), where
        y = (z + 1/2) rate and x = shift y.
        """
        rate, shift = parameters[:, :1], parameters[:, 1:]
        near = rate * shift * (z.real + 0.5) <= _NEAR
        close = _near(rate, shift, np.where(near, rate * (z + 0.5), 0))
        return joined(near, close, lambda: _far(rate, shift, z, near))

    def enclosure(self, z: acb) -> acb:
        """The same; at sinh y = 0 by Chebyshev's sinh x/sinh y = U_(shift - 1)(cosh y)."""
        rate, shift = ball(self.rate), self.shift
        y = (z + ball(Fraction(1, 2))) * rate
        zero = y.sinh().contains(0)
        kernel = y.cosh().chebyshev_u(shift - 1) if zero else (y * shift).sinh() / y.sinh()
        slope = (rate / 2).tanh() * kernel * y.cosh()
        return (-rate * shift / 2).exp() * ((y * shift).cosh() + slope)


def _near(rate: Reals, shift: Reals, whole_y: Complexes) -> tuple[Complexes, Reals]:
    """Re x of order 1: Im y is brought into [-pi/2, pi/2], where nothing cancels near 0."""
    turns = np.rint(whole_y.imag / np.pi)
    y = whole_y - 1j * np.pi * turns
    x = shift * y
    steep = -np.expm1(-rate) / (1 + np.exp(-rate))
    wave = np.cosh(y.real) * np.cos(y.imag) + 1j * np.sinh(y.real) * np.sin(y.imag)
    bend, slope = cosh_minus_one(x), steep * shift * sinhc(x) * wave / sinhc(y)
    rounded = UNIT * (50 * np.abs(bend) + 120 * np.abs(slope))
    value, error = log1p(bend + slope, _moved(steep, shift, whole_y, x) + rounded)
    half = rate * shift / 2
    value = value - half + 1j * np.pi * np.fmod(shift, 2) * np.fmod(turns, 2)
    return value, error + UNIT * (4 * half + 4 * np.abs(value) + 8 * (turns != 0))


def _moved(steep: Reals, shift: Reals, y: Complexes, x: Complexes) -> Reals:
    """The error of bend + slope for a y with an error of 6 units: their derivatives are at most
    cosh(Re x) min(|x|, 1) in x and 1.5 steep shift^2 cosh(Re x) in y.
    """
    off = 6 * UNIT * np.abs(y)
    moved = shift * off + UNIT * np.abs(x)
    size = np.minimum(np.abs(x) + moved, 1)
    both = size * moved + 1.5 * steep * shift * (shift * off)
    return np.asarray(1.01 * np.cosh(x.real) * both)


def _far(rate: Reals, shift: Reals, z: Complexes, near: np.ndarray) -> tuple[Complexes, Reals]:
    """z rate shift + log((1 - a q)/((1 + a)(1 - q))) + log1p((a - q)/(1 - a q) q^shift).

    a = e^(-rate), q = e^(-(2z + 1) rate); the last quotient is at most 1 in size.
    """
    step = rate * (2 * z + 1)
    up, up_off = _fall(rate * (2 * (z + 1)))
    down, down_off = _fall(step)
    side, side_off = _fall(rate * (2 * z))
    turn = shift * step
    ratio, decay = np.exp(-rate) * side / up, np.where(near, 0, exp_minus(turn))
    above = up_off / np.abs(up)
    wide = above + 50 * UNIT + np.minimum(6 * UNIT * np.abs(turn), 2)
    off = np.abs(decay) * (np.exp(-rate) * side_off / np.abs(up) + np.abs(ratio) * wide)
    tail, bound = log1p(ratio * decay, off)
    share = up / down
    atom = np.log(np.abs(share)) + 1j * np.arctan2(share.imag, share.real)
    main = rate * shift * z
    value = main + atom + tail - np.log1p(np.exp(-rate))
    relative = above + down_off / np.abs(down)
    sizes = 50 + 10 * np.abs(atom) + 6 * np.abs(main) + 4 * np.abs(value)
    error = 1.01 * relative + bound + UNIT * sizes
    return value, np.where(relative < 0.01, error, np.inf)


def _fall(w: Complexes) -> tuple[Complexes, Reals]:
    """1 - e^(-w) for Re w >= 0, with its error; w has an error of at most 4 units."""
    size = np.exp(-w.real)
    real = -np.expm1(-w.real) + 2 * size * np.sin(w.imag / 2) ** 2
    value = real + 1j * size * np.sin(w.imag)
    off = size * np.minimum(4 * UNIT * np.abs(w), 2)
    return value, 1.01 * off + 30 * UNIT * np.abs(value)


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
