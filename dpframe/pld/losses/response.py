"""Binary randomised response: the worst pair that (epsilon, delta)-DP admits."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numbers import given
from dpframe.numerics import ball

from .base import (
    TINY,
    UNIT,
    Complexes,
    Reals,
    Support,
    SymmetricLoss,
    cosh_minus_one,
    given_positive,
    log1p,
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
        epsilon, kept = ball(self.epsilon), ball(1 - self.delta)
        low = (-epsilon * (2 * ball(tilt) + 1)).exp()
        log_moment = kept.log() + ball(tilt) * epsilon + low.log1p() - (-epsilon).exp().log1p()
        masses = [low / (1 + low), 1 / (1 + low)]
        return Support(-self.epsilon, 2 * self.epsilon, masses, log_moment)

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log(1 - delta) + log cosh((z + 1/2) epsilon) - log cosh(epsilon/2)."""
        epsilon, delta = parameters[:, :1], parameters[:, 1:]
        upper, first = _log_cosh(epsilon * (z + 0.5))
        lower, second = _log_cosh(epsilon * np.array([0.5 + 0j]))
        kept = np.log1p(-delta)
        value = upper - lower + kept
        sizes = np.abs(upper) + np.abs(lower) + np.abs(kept) + np.abs(value)
        return value, first + second + 4 * UNIT * (sizes + delta / (1 - delta))

    def enclosure(self, z: acb) -> acb:
        """(1 - delta) (e^((z + 1) epsilon) + e^(-z epsilon)) / (1 + e^epsilon)."""
        epsilon, kept = ball(self.epsilon), ball(1 - self.delta)
        return kept * (((z + 1) * epsilon).exp() + (-z * epsilon).exp()) / (1 + epsilon.exp())


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
