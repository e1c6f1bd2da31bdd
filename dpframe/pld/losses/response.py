"""Randomised response: binary, the worst pair that (epsilon, delta)-DP admits; and over k
categories, whose loss is epsilon, -epsilon, or 0.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numbers import given
from dpframe.numerics import arb_float, ball, working

from .base import (
    TINY,
    UNIT,
    Complexes,
    Reals,
    Support,
    SymmetricLoss,
    cosh_minus_one,
    exp_minus,
    given_positive,
    joined,
    log1p,
    moderate,
    shares,
    sinh,
    unit,
    whole,
)

if TYPE_CHECKING:
    from flint import acb

_NEAR = 0.7


def _delta(value: object) -> Fraction:
    number = given("delta", value)
    if not 0 <= number < 1:
        raise InvalidArgument("delta", "in [0, 1)", value)
    return number


def _epsilon(value: Any) -> Fraction:
    return given_positive("epsilon", value)


@attrs.frozen(cache_hash=True)
class ResponseLoss(SymmetricLoss):
    """Infinite with probability delta, else +-epsilon as in randomised response.

    Dominates every (epsilon, delta)-DP mechanism, and is one. [KairouzOV15, Thm 3.2]
    """

    kind: ClassVar[str] = "response"
    epsilon: Fraction = attrs.field(converter=_epsilon)
    delta: Fraction = attrs.field(default=Fraction(0), converter=_delta)

    @property
    def infinite(self) -> Fraction:
        return self.delta

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @property
    def atoms(self) -> int:
        return 2

    def support(self, tilt: float) -> Support:
        """+-epsilon, the lower one e^(-(2 tilt + 1) epsilon) times as likely."""
        epsilon, finite = ball(self.epsilon), ball(1 - self.delta)
        low = (-epsilon * (2 * ball(tilt) + 1)).exp()
        log_moment = finite.log() + ball(tilt) * epsilon + low.log1p() - (-epsilon).exp().log1p()
        masses = [low / (1 + low), 1 / (1 + low)]
        return Support(-self.epsilon, 2 * self.epsilon, masses, log_moment)

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log(1 - delta) + log cosh((z + 1/2) epsilon) - log cosh(epsilon/2)."""
        epsilon, delta = parameters[:, :1], parameters[:, 1:]
        upper, first = _log_cosh(epsilon * (z + 0.5))
        lower, second = _log_cosh(epsilon * np.array([0.5 + 0j]))
        finite = np.log1p(-delta)
        value = upper - lower + finite
        sizes = np.abs(upper) + np.abs(lower) + np.abs(finite) + np.abs(value)
        return value, first + second + 4 * UNIT * (sizes + delta / (1 - delta))

    def enclosure(self, z: acb) -> acb:
        """(1 - delta) (e^((z + 1) epsilon) + e^(-z epsilon)) / (1 + e^epsilon)."""
        epsilon, finite = ball(self.epsilon), ball(1 - self.delta)
        return finite * (((z + 1) * epsilon).exp() + (-z * epsilon).exp()) / (1 + epsilon.exp())


def _log_cosh(x: Complexes) -> tuple[Complexes, Reals]:
    """log cosh x for Re x >= 0, with its error; x has an error of at most 3 units."""
    near = x.real <= _NEAR
    close = np.where(near, x, 0)
    u = cosh_minus_one(close)
    size = np.abs(close)
    moved = 8 * size * np.minimum(size, 1) + TINY * (1 + size)
    small, bound = log1p(u, UNIT * (moved + 40 * np.abs(u)))
    apart = np.where(near, 1, x)
    decay = np.exp(-2 * apart.real) * (np.cos(2 * apart.imag) - 1j * np.sin(2 * apart.imag))
    tail, more = log1p(decay, UNIT * np.abs(decay) * (24 + 8 * np.abs(apart)))
    large = apart - np.log(2) + tail
    value = np.where(near, small, large)
    wide = more + UNIT * (4 * np.abs(apart) + 4 * np.abs(large) + 2)
    return value, np.where(near, bound, wide)


_UNDERFLOW = 1e-300


class _CategoryLoss(SymmetricLoss):
    """Abstract: the loss is epsilon, 0 or -epsilon, epsilon = `_size` or the log of exact odds."""

    __slots__ = ()
    categories: int

    @property
    @abstractmethod
    def _size(self) -> tuple[Fraction, Fraction | None]:
        """The distance of atoms and its unit: (epsilon, None), or (1, e^epsilon)."""

    @property
    def atoms(self) -> int:
        return 3

    def support(self, tilt: float) -> Support:
        """Relative to epsilon: 0 has (k - 2) e^(-(tilt + 1) epsilon), and -epsilon
        e^(-(2 tilt + 1) epsilon).
        """
        stride, odds = self._size
        epsilon, c, k = ball(stride) * unit(odds), ball(tilt), self.categories
        rest = (k - 2) * (-epsilon * (c + 1)).exp()
        masses, total = shares([(-epsilon * (2 * c + 1)).exp(), rest, ball(Fraction(1))])
        log_moment = c * epsilon + total - ((k - 1) * (-epsilon).exp()).log1p()
        return Support(-stride, stride, masses, log_moment, odds)

    def enclosure(self, z: acb) -> acb:
        """(e^((z + 1) epsilon) + e^(-z epsilon) + k - 2)/(e^epsilon + k - 1)."""
        stride, odds = self._size
        epsilon, k = ball(stride) * unit(odds), self.categories
        total = ((z + 1) * epsilon).exp() + (-z * epsilon).exp() + (k - 2)
        return total / (epsilon.exp() + (k - 1))


def _moderate_epsilon(value: Any) -> Fraction:
    return moderate("epsilon", value)


def _categories(value: Any) -> int:
    return whole("categories", value, 2)


def _excess(value: Any) -> Fraction:
    return moderate("excess", value)


@attrs.frozen(cache_hash=True)
class CategoricalLoss(_CategoryLoss):
    """The truth with probability e^epsilon/(e^epsilon + k - 1), every other answer with
    1/(e^epsilon + k - 1), k = categories. [KairouzOV15, Thm 3.2] is its case k = 2.

    epsilon from 2^-500 to 2^500, categories from 2 to 2^53.
    """

    kind: ClassVar[str] = "categorical"
    epsilon: Fraction = attrs.field(converter=_moderate_epsilon)
    categories: int = attrs.field(default=2, converter=_categories)

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @property
    def _size(self) -> tuple[Fraction, None]:
        return self.epsilon, None

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        return _cumulants(parameters[:, :1], parameters[:, 1:], z)


@attrs.frozen(cache_hash=True)
class OddsLoss(_CategoryLoss):
    """CategoricalLoss with the exact e^epsilon = 1 + excess instead of epsilon.

    The truth is 1 + excess times as likely as each other answer. excess from 2^-500 to 2^500.
    """

    kind: ClassVar[str] = "odds"
    excess: Fraction = attrs.field(converter=_excess)
    categories: int = attrs.field(default=2, converter=_categories)

    @property
    def largest(self) -> Fraction:
        """log(1 + excess), rounded up."""
        with working(128):
            return Fraction(arb_float(ball(1 + self.excess).log(), up=True))

    @property
    def _size(self) -> tuple[Fraction, Fraction]:
        return Fraction(1), 1 + self.excess

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        return _cumulants(np.log1p(parameters[:, :1]), parameters[:, 1:], z)


def _cumulants(epsilon: Reals, k: Reals, z: Complexes) -> tuple[Complexes, Reals]:
    """The log of `enclosure`, for an epsilon with an error of at most 10 units."""
    near = epsilon * (z.real + 0.5) <= _NEAR
    close = _near(np.where(near, epsilon, 0), k, np.where(near, z, 0))
    return joined(near, close, lambda: _far(epsilon, k, z, near))


def _near(epsilon: Reals, k: Reals, z: Complexes) -> tuple[Complexes, Reals]:
    """log1p of 4 sinh((z + 1) epsilon/2) sinh(z epsilon/2)/(2 cosh(epsilon/2) + (k - 2)
    e^(-epsilon/2)): exact near z = 0 and near epsilon = 0.
    """
    up, side = (z + 1) * (epsilon / 2), z * (epsilon / 2)
    below = 2 * np.cosh(epsilon / 2) + (k - 2) * np.exp(-epsilon / 2)
    u = 4 * sinh(up) * sinh(side) / below
    tall = np.cosh(up.real) * np.cosh(side.real)
    turned = np.minimum(np.abs(up), 1) * np.abs(side) + np.minimum(np.abs(side), 1) * np.abs(up)
    moved = 4 * tall * 13 * UNIT * turned / below
    return log1p(u, 1.01 * moved + (70 + 20 * epsilon) * UNIT * np.abs(u) + _UNDERFLOW)


def _far(epsilon: Reals, k: Reals, z: Complexes, near: np.ndarray) -> tuple[Complexes, Reals]:
    """z epsilon + log1p(e^(-(2z + 1) epsilon) + (k - 2) e^(-(z + 1) epsilon))
    - log1p((k - 1) e^(-epsilon)).
    """
    lone, lone_off = _decay(epsilon * (2 * z + 1))
    rest, rest_off = _decay(epsilon * (z + 1))
    u = np.where(near, 0, lone + (k - 2) * rest)
    upper, first = log1p(u, lone_off + (k - 2) * rest_off + 2 * UNIT * np.abs(u))
    share = (k - 1) * np.exp(-epsilon)
    lower = np.log1p(share)
    main = z * epsilon
    value = main + upper - lower
    off = UNIT * (12 * epsilon + 10) * share / (1 + share)
    sizes = 13 * np.abs(main) + 10 * lower + 2 * np.abs(upper) + 2 * np.abs(value)
    return value, first + off + UNIT * sizes


def _decay(w: Complexes) -> tuple[Complexes, Reals]:
    """e^(-w) with its error, for a w with an error of at most 12 units."""
    relative = np.minimum(14 * UNIT * np.abs(w), 2) + 20 * UNIT
    return exp_minus(w), np.exp(-w.real) * relative
