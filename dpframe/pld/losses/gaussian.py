"""The loss of N(mu, 1) against N(0, 1): itself normal, with mean mu^2/2 and variance mu^2."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs
import numpy as np

from dpframe.numerics import ball

from .base import TINY, UNIT, Complexes, Reals, SymmetricLoss, given_positive

if TYPE_CHECKING:
    from flint import acb


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
