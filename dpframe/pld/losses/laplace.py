"""The loss of Laplace noise moved by epsilon scales: bounded, with an atom at either end."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.numerics import ball

from .base import (
    TINY,
    UNIT,
    Complexes,
    Reals,
    SymmetricLoss,
    cosh_minus_one,
    given_positive,
    log1p,
    sinhc,
)

if TYPE_CHECKING:
    from flint import acb, arb

_NEAR = 0.7  # below it in size, Re x takes the form that is exact near 0; above it, the scaled one


def _epsilon(value: Any) -> Fraction:
    return given_positive("epsilon", value)


@attrs.frozen(cache_hash=True)
class LaplaceLoss(SymmetricLoss):
    """Laplace noise at epsilon = L1 sensitivity/scale, in any dimension.

    A move of several coordinates costs no more than one move of their sum. (docs/proofs/shifts.md)
    """

    kind: ClassVar[str] = "laplace"
    epsilon: Fraction = attrs.field(converter=_epsilon)

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log of e^(-epsilon/2) (cosh x + (epsilon/2) sinh(x)/x), x = (z + 1/2) epsilon."""
        near = np.abs(parameters * (z.real + 0.5)) <= _NEAR
        if near.all():
            return _near(parameters, z, near)
        value, error = _far(parameters, z)
        if near.any():
            rows = near.any(axis=1)
            close, bound = _near(parameters[rows], z, near[rows])
            value[rows] = np.where(near[rows], close, value[rows])
            error[rows] = np.where(near[rows], bound, error[rows])
        return value, error

    @classmethod
    def envelope(cls, parameters: Reals, c: float, t: float) -> Reals:
        """By variance while t epsilon < pi/2, by the atoms beyond. (docs/proofs/contour.md)"""
        epsilon = parameters[:, 0]
        turn = np.pi / (2 * epsilon)
        far = _atoms(epsilon, c, np.maximum(t, turn))
        variance = _variance(epsilon, c)
        near = -2 * np.minimum(t, turn) ** 2 * variance / np.pi**2
        bound = np.where(t < turn, np.maximum(near, far), far)
        return np.minimum(bound, 0.0)

    def profile(self, epsilon: arb) -> arb:
        """1 - e^((epsilon - epsilon_0)/2), at least 0."""
        return (-((epsilon - ball(self.epsilon)) / 2).expm1()).max(0 * epsilon)

    def enclosure(self, z: acb) -> acb:
        """((z + 1) e^(z epsilon) + z e^(-(z + 1) epsilon)) / (2z + 1)."""
        epsilon = ball(self.epsilon)
        return ((z + 1) * (z * epsilon).exp() + z * (-(z + 1) * epsilon).exp()) / (2 * z + 1)


def _near(epsilon: Reals, z: Complexes, near: NDArray[np.bool_]) -> tuple[Complexes, Reals]:
    """|Re x| of order 1: no cancellation near 0, no overflow."""
    x = np.where(near, epsilon * (z + 0.5), 0)
    bend, slope = cosh_minus_one(x), (epsilon / 2) * sinhc(x)
    size, wide = np.abs(x), np.cosh(np.minimum(np.abs(x.real), 1.0))
    moved = wide * (4 * size * np.minimum(size, 1) + 4 * epsilon)
    error = UNIT * (moved + 44 * (np.abs(bend) + np.abs(slope)) + TINY * (1 + size))
    value, bound = log1p(bend + slope, error)
    return value - epsilon / 2, bound + 4 * UNIT * (epsilon + np.abs(value))


def _far(epsilon: Reals, z: Complexes) -> tuple[Complexes, Reals]:
    """z epsilon + log1p(-z/(2z + 1)) + log1p(z/(z + 1) e^(-2x))."""
    x = epsilon * (z + 0.5)
    decay = np.exp(-2 * np.abs(x.real)) * (np.cos(2 * x.imag) - 1j * np.sin(2 * x.imag))
    q = z / (z + 1) * decay
    tail, bound = log1p(q, UNIT * np.abs(q) * (40 + 8 * np.abs(x)))
    rest = -z / (2 * z + 1)
    atom, more = log1p(rest, 12 * UNIT * np.abs(rest))
    main = z * epsilon
    value = main + atom + tail
    return value, bound + more + UNIT * (6 * np.abs(main) + 4 * np.abs(value) + 4)


def _atoms(epsilon: Reals, c: float, t: Reals) -> Reals:
    """log of (|1 + D| e^(c epsilon) + max(1, |1 - D|) e^(-(c+1) epsilon)) / 2 E e^(cL).

    D = 1/(2z + 1) at z = c + it: the weights of the two exponentials are (1 + D)/2 and (1 - D)/2.
    """
    w = c + 0.5
    up = np.sqrt(1 + (w + 0.25) / (w * w + t * t)) * (1 + 16 * UNIT)
    down = np.sqrt(np.maximum(1.0, 1 + (0.25 - w) / (w * w + t * t))) * (1 + 16 * UNIT)
    ratio, real = _real(epsilon, w)
    return np.log(up + down * ratio) - np.log(real) + 32 * UNIT


def _real(epsilon: Reals, w: float) -> tuple[Reals, Reals]:
    """e^(-2 w epsilon), and E e^(cL) over half the weight of the upper exponential, w = c + 1/2."""
    ratio = np.exp(-2 * w * epsilon)
    return ratio, (1 + 0.5 / w) + (1 - 0.5 / w) * ratio


def _variance(epsilon: Reals, c: float) -> Reals:
    """A lower bound on the variance of the loss under e^(cL) P, from its two atoms."""
    ratio, real = _real(epsilon, c + 0.5)
    p, q = 1 / real, ratio / real
    return (2 * epsilon) ** 2 * p * q * (1 - 1e-9)
