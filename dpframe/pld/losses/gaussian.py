"""Gaussian noise. The loss of N(mu, 1) against N(0, 1) is normal, with mean mu^2/2 and variance
mu^2. On a random subsample it is the loss of (1 - q) N(0, 1) + q N(mu, 1) against N(0, 1); each
release must draw a subsample of its own: the law of the loss is over that draw, and two releases on
one subsample are not two of these. (docs/proofs/subsampling.md)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs
import numpy as np

from dpframe.errors import InvalidArgument
from dpframe.numbers import given, positive
from dpframe.numerics import arb_float, ball, delta_ball, working

from .base import TINY, UNIT, Complexes, PrivacyLoss, Reals, SymmetricLoss, given_positive
from .subsampled_envelope import envelope_of
from .subsampled_nodes import MixturePair
from .subsampled_sums import cumulants_of

if TYPE_CHECKING:
    from flint import acb, arb


def _mu(value: Any) -> Fraction:
    return given_positive("mu", value)


@attrs.frozen(cache_hash=True)
class GaussianLoss(SymmetricLoss):
    """The Gaussian mechanism at mu = sensitivity/std; also what mu-Gaussian DP means. [DongRS22]"""

    kind: ClassVar[str] = "gaussian"
    mu: Fraction = attrs.field(converter=_mu)

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """z (z + 1) mu^2/2."""
        value = (parameters**2 / 2) * (z * (z + 1))
        return value, UNIT * (12 * np.abs(value) + TINY * (1 + np.abs(z) ** 2))

    @classmethod
    def envelope(cls, parameters: Reals, c: float, t: float) -> Reals:
        """-mu^2 t^2/2, exactly."""
        del c
        return -((parameters[:, 0] * t) ** 2) / 2 * (1 - 8 * UNIT)

    def enclosure(self, z: acb) -> acb:
        """exp(z (z + 1) mu^2/2)."""
        return (z * (z + 1) * ball(self.mu) ** 2 / 2).exp()


_LEAST = Fraction(1, 1 << 200)
_DIRECTIONS = {"removal": 1, "addition": -1, "both": 0}
_OPPOSITE = {"removal": "addition", "addition": "removal", "both": "both"}


def _moderate_mu(value: object) -> Fraction:
    number = positive("mu", given("mu", value))
    if not _LEAST <= number <= 1 << 20:
        raise InvalidArgument("mu", "between 2^-200 and 2^20", value, "A larger mu is safe.")
    return number


def _rate(value: object) -> Fraction:
    number = given("rate", value)
    if not _LEAST <= number <= 1 or 0 < 1 - number < _LEAST:
        way_out = "A higher rate is safe; 1 is no subsampling."
        raise InvalidArgument("rate", "in [2^-200, 1 - 2^-200], or 1", value, way_out)
    return number


def _direction(value: object) -> str:
    if not isinstance(value, str) or value not in _DIRECTIONS:
        raise InvalidArgument("direction", f"one of {', '.join(_DIRECTIONS)}", value)
    return value


def normal(x: arb) -> arb:
    """The distribution function of N(0, 1)."""
    return (-x / ball(2).sqrt()).erfc() / 2


@attrs.frozen(cache_hash=True)
class SubsampledGaussianLoss(PrivacyLoss):
    """Removal: P = (1 - q) N(0, 1) + q N(mu, 1) against Q = N(0, 1); addition: Q against P; both:
    the pair whose profile is the larger of the two at every epsilon. q = rate; q = 1 is Gaussian.

    Poisson sampling under add/remove takes removal or addition, one of them throughout a
    composition [ZhuDW22, Thm 11]; sampling without replacement under replace-one takes both.
    (docs/proofs/subsampling.md) Domain: 2^-200 <= mu <= 2^20, 2^-200 <= q <= 1.
    """

    kind: ClassVar[str] = "subsampled_gaussian"
    effort: ClassVar[int] = 256
    mu: Fraction = attrs.field(converter=_moderate_mu)
    rate: Fraction = attrs.field(converter=_rate)
    direction: str = attrs.field(default="removal", converter=_direction)

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """(mu, q, 1 - q, direction): 1 for removal, -1 for addition, 0 for both."""
        return (self.mu, self.rate, 1 - self.rate, Fraction(_DIRECTIONS[self.direction]))

    @property
    def largest(self) -> Fraction | None:
        """-log(1 - q), rounded up, of addition; the others have no bound."""
        if self.direction != "addition" or self.rate == 1:
            return None
        with working(128):
            return Fraction(arb_float(-(-ball(self.rate)).log1p(), up=True))

    def reverse(self) -> Self:
        """The other direction; `both` is its own, and so is q = 1."""
        if self.direction == "both" or self.rate == 1:
            return self
        return attrs.evolve(self, direction=_OPPOSITE[self.direction])

    @classmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log of the integral of phi r^(z + 1) or phi r^-z, by the trapezoid rule.

        The error bounds |E e^(zL) - e^value| by |e^value| (e^error - 1); where |E e^(zL)| is below
        the rounding of E e^(cL), it is log 5.1, and log E e^(zL) is not determined. It is infinite
        where more than 2^20 nodes would be needed: c mu^2 far beyond 10^4.
        """
        value = np.zeros((len(parameters), len(z)), dtype=np.complex128)
        error = np.zeros((len(parameters), len(z)))
        for row, numbers in enumerate(parameters.tolist()):
            pair = MixturePair(*numbers)
            if pair.p == 0.0:
                plain = GaussianLoss.cumulants(np.array([[pair.mu]]), z)
                value[row], error[row] = plain[0][0], plain[1][0]
            else:
                value[row], error[row] = cumulants_of(pair, z)
        return value, error

    @classmethod
    def envelope(cls, parameters: Reals, c: float, t: float) -> Reals:
        """By pairs of cells, and by variation beyond. (docs/proofs/subsampling.md)"""
        pairs = (MixturePair(*numbers) for numbers in parameters.tolist())
        bounds = [
            envelope_of(pair, c, t)
            if pair.p
            else GaussianLoss.envelope(np.array([[pair.mu]]), c, t)[0]
            for pair in pairs
        ]
        return np.array(bounds)

    def profile(self, epsilon: arb) -> arb | None:
        """Removal: q delta(log(1 + (e^epsilon - 1)/q)) of the Gaussian [BalleBG18, Thm 8]; both:
        the same, as epsilon >= 0; addition: Pr_Q[A] - e^epsilon Pr_P[A], A where r < e^-epsilon.
        """
        q, mu = ball(self.rate), ball(self.mu)
        if self.direction != "addition":
            return q * delta_ball((epsilon.expm1() / q).log1p(), mu)
        odds = 1 + (-epsilon).expm1() / q  # of the likelihood ratio at which r = e^-epsilon
        if not odds > 0:
            return 0 * q if odds <= 0 else None
        edge = odds.log() / mu + mu / 2
        return normal(edge) * (1 - epsilon.exp() * (1 - q)) - epsilon.exp() * q * normal(edge - mu)

    def enclosure(self, z: acb) -> acb:
        """The integral by flint, on a range whose remainder is below the working precision."""
        from flint import acb

        if self.rate == 1:
            return GaussianLoss(self.mu).enclosure(z)
        if self.direction == "removal":
            return self._integral(z + 1, half=False)
        if self.direction == "addition":
            return self._integral(-z, half=False)
        mu, rate = ball(self.mu), ball(self.rate)
        atom = (1 - rate) * (mu / ball(8).sqrt()).erf()
        return acb(atom) + self._integral(z + 1, half=True) + self._integral(-z, half=True)

    def _integral(self, s: acb, *, half: bool) -> acb:
        """The integral of phi r^s over the line, or over r > 1."""
        from flint import acb, arb, ctx

        mu, rate = ball(self.mu), ball(self.rate)
        moved = math.ceil(arb_float(abs(s.real * mu), up=True)) + 1
        width = 8 + int((2 * ctx.prec) ** 0.5)
        ends = (arb(-moved - width), arb(moved + width + int(self.mu) + 1))
        start = mu / 2 if half else ends[0]
        integrand = _integrand(s, mu, rate)
        integral = acb.integral(integrand, acb(start), acb(ends[1]))
        sizes = (_size(s.real, end, mu, rate) * ball(Fraction(127, 100)) for end in ends)
        slack = arb(0, sum(sizes, arb(0)).abs_upper())
        return integral + acb(slack, slack)


def _integrand(s: acb, mu: arb, rate: arb) -> Callable[[acb, bool], acb]:
    from flint import arb

    root = (2 * arb.pi()).sqrt()

    def value(x: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it by position
        r = (1 - rate) + rate * (mu * x - mu * mu / 2).exp()
        return (s * r.log(analytic=analytic) - x * x / 2).exp() / root

    return value


def _size(power: arb, x: arb, mu: arb, rate: arb) -> arb:
    """phi r^power at a real number."""
    r = (1 - rate) + rate * (mu * x - mu * mu / 2).exp()
    return (power * r.log() - x * x / 2).exp()
