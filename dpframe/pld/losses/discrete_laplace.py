"""The loss of discrete Laplace noise that is moved by a whole number: shift + 1 atoms."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.numerics import ball

from .base import (
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
    from flint import acb

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
