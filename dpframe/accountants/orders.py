"""From Renyi divergences to (epsilon, delta), at the best order of all real ones.

With K(z) = log E e^(zL) = z D_(z+1) and (1 - e^-y)_+ <= e^(zy) z^z/(1 + z)^(1 + z), every z > 0 has

    delta(epsilon) <= I + e^(K(z) - z epsilon) z^z/(1 + z)^(1 + z)

where L is infinite with probability I and K is over finite L. [CanonneKS20, Prop 12] Which z is
best is searched for in doubles; the bound at that z is evaluated in ball arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import attrs
import numpy as np
from flint import arb

from dpframe.numerics import arb_float, ball, to_float, working
from dpframe.pld.composition import TotalLoss
from dpframe.pld.losses.base import Reals

_AROUND, _ROUNDS = np.arange(-4, 5), 30
_FAR, _CLOSE = math.log(1e13), 5e-4  # of log(order - 1): how far to search, and how closely


@attrs.frozen(eq=False)
class Orders:
    """The divergences of rho-zCDP and of a sum of losses, added. [Mironov17, Prop 1]"""

    rho: Fraction
    total: TotalLoss

    @property
    def free(self) -> bool:
        """Whether nothing is released."""
        return self.rho == 0 and self.total.size == 0

    def epsilon(self, delta: Fraction) -> float:
        """An epsilon >= 0 that is enough at 0 < delta < 1; infinite where I >= delta."""
        if self.free:
            return 0.0
        left = delta - self.total.infinite[1]
        if left <= 0:
            return math.inf
        with working(128):
            log = float(ball(left).log().mid())
            z = _least(lambda z: (self._rough(z) + _slack(z) - log) / z)
            room = ball(z) * ball(z).log() - (1 + ball(z)) * ball(z).log1p() - ball(left).log()
            found = arb_float((self._cumulant(z) + room) / ball(z), up=True)
        return max(found, 0.0)

    def delta(self, epsilon: Fraction) -> float:
        """A delta <= 1 that is enough at epsilon >= 0."""
        if self.free:
            return 0.0
        with working(128):
            at = to_float(epsilon, up=False)
            z = _least(lambda z: self._rough(z) + _slack(z) - z * at)
            slack = ball(z) * (ball(z).log() - ball(epsilon)) - (1 + ball(z)) * ball(z).log1p()
            found = (self._cumulant(z) + slack).exp() + ball(self.total.infinite[1])
            return min(arb_float(found, up=True), 1.0)

    def _cumulant(self, z: float) -> arb:
        """An upper bound on K(z), as a ball; infinite where doubles cannot hold it."""
        value, error = self._doubles(np.array([z]))
        if not (math.isfinite(value[0]) and math.isfinite(error[0])):
            return arb("inf")
        own = ball(self.rho) * ball(z) * (1 + ball(z))
        return own + ball(float(value[0])) + ball(float(error[0]))

    def _doubles(self, z: Reals) -> tuple[Reals, Reals]:
        if self.total.size == 0:
            return np.zeros(len(z)), np.zeros(len(z))
        value, error = self.total.cumulant(z.astype(complex))
        return value.real, error

    def _rough(self, z: Reals) -> Reals:
        value, error = self._doubles(z)
        rho = to_float(self.rho, up=False)
        return rho * z * (1 + z) + value + error


def _slack(z: Reals) -> Reals:
    return z * np.log(z) - (1 + z) * np.log1p(z)


def _least(merit: Callable[[Reals], Reals]) -> float:
    """The z of the least unimodal merit, roughly: any z gives a bound. Few points are evaluated at
    a time, since a subsampled loss costs seconds at the largest orders.
    """
    centre, step = 0.0, math.log(4)
    for _ in range(_ROUNDS):
        points = centre + step * _AROUND
        with np.errstate(all="ignore"):
            values = merit(np.exp(points))
        index = int(np.argmin(np.where(np.isnan(values), np.inf, values)))
        centre = float(points[index])
        if step < _CLOSE:
            break
        if 0 < index < len(points) - 1 or abs(centre) > _FAR:
            step /= 4
    return math.exp(centre)
