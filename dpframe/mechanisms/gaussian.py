"""Gaussian noise, and the theorems that calibrate it.

A std may be stated as a formula, `Gaussian(std=...)`, and is then judged by whichever rule proves
it; or it comes from a named theorem:
`Gaussian.classical`, `Gaussian.kamath_ullman`, `Gaussian.analytic`, each under its own hypotheses.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import attrs

from dpframe.privacy import GaussianDP, Guarantee, Share
from dpframe.sensitivity import L2, Norm
from dpframe.symbols import Expression, Number, analytic_sigma, log, sqrt

from .base import AdditiveNoise, Calibration
from .std_noise import StdNoise

if TYPE_CHECKING:
    import numpy as np

    from dpframe.randomness import Bits

APPROX = ("epsilon", "delta")
ONE, E1_LIMIT = Number(Fraction(1)), 4 * log(2)


@attrs.frozen(cache_hash=True)
class DworkRoth(Calibration):
    """std = sqrt(2 log(1.25/delta)) Delta/epsilon, for 0 < epsilon < 1. [DworkR14, Thm A.1]"""

    name: ClassVar[str] = "Gaussian.classical"
    citation: ClassVar[str] = "[DworkR14, Thm A.1]"
    mechanism: ClassVar[type[AdditiveNoise]]
    currencies: ClassVar[tuple[tuple[str, ...], ...]] = (APPROX,)

    def calibrate(self, share: Share, sensitivity: Expression) -> Gaussian:
        """The classical std."""
        return Gaussian(sqrt(2 * log(Fraction(5, 4) / share.delta)) * sensitivity / share.epsilon)

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """epsilon < 1."""
        return share.epsilon, ONE, True


@attrs.frozen(cache_hash=True)
class KamathUllman(Calibration):
    """std = sqrt(2 log(2/delta)) Delta/epsilon, for epsilon <= 1 [KamathU20, Lem 2.4] and, by rule
    E1, up to 4 log 2 = 2.77.
    """

    name: ClassVar[str] = "Gaussian.kamath_ullman"
    citation: ClassVar[str] = "[KamathU20, Lem 2.4] up to 1, rule E1 up to 4 log 2"
    mechanism: ClassVar[type[AdditiveNoise]]
    currencies: ClassVar[tuple[tuple[str, ...], ...]] = (APPROX,)

    def calibrate(self, share: Share, sensitivity: Expression) -> Gaussian:
        """The std with constant 2."""
        return Gaussian(sqrt(2 * log(2 / share.delta)) * sensitivity / share.epsilon)

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """epsilon <= 4 log 2."""
        return share.epsilon, E1_LIMIT, False


@attrs.frozen(cache_hash=True)
class Analytic(Calibration):
    """The least std that is enough, in any currency: exact by the Gaussian privacy profile.
    [BalleW18, Thm 8]
    """

    name: ClassVar[str] = "Gaussian.analytic"
    citation: ClassVar[str] = "[BalleW18, Thm 8]"
    mechanism: ClassVar[type[AdditiveNoise]]
    currencies: ClassVar[tuple[tuple[str, ...], ...]] = (APPROX, ("rho",), ("mu^2",))

    def calibrate(self, share: Share, sensitivity: Expression) -> Gaussian:
        """analytic_sigma(epsilon, delta) Delta; Delta/sqrt(2 rho) under zCDP; Delta/mu under
        Gaussian DP.
        """
        if share.currency == ("rho",):
            return Gaussian(sensitivity / sqrt(2 * share.rho))
        if share.currency == ("mu^2",):
            return Gaussian(sensitivity / share.mu)
        return Gaussian(analytic_sigma(share.epsilon, share.delta) * sensitivity)

    def limit(self, share: Share) -> tuple[Expression, Expression, bool] | None:
        """Always holds."""
        del share
        return None


@attrs.frozen(cache_hash=True)
class Gaussian(StdNoise):
    """N(0, std^2) on every number; a symmetric matrix gets (A + A')/2 of such draws (diagonal std,
    off it std/sqrt 2).

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 sensitivity Delta [DongRS22, Thm 2.7];
    the symmetric form is the full
    d x d release with its antisymmetric part, which is pure noise, projected away.
    """

    kind: ClassVar[str] = "gaussian"
    isotropic: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    gives: ClassVar[type[Guarantee]] = GaussianDP
    norm: ClassVar[Norm] = L2
    classical: ClassVar[Calibration] = DworkRoth()
    kamath_ullman: ClassVar[Calibration] = KamathUllman()
    analytic: ClassVar[Calibration] = Analytic()

    def guarantee(self, sensitivity: Expression) -> GaussianDP:
        """(sensitivity/std)-Gaussian DP."""
        return GaussianDP(sensitivity / self.std)

    @staticmethod
    def sample(
        size: float, shape: tuple[int, ...], rng: np.random.Generator, *, symmetric: bool
    ) -> np.ndarray:
        """Independent normal draws of std `size`; isotropic symmetric noise for a symmetric
        statistic.
        """
        noise = rng.normal(0.0, size, shape)
        return (noise + noise.swapaxes(-1, -2)) / 2 if symmetric else noise

    @staticmethod
    def on_grid(size: Fraction, n: int, bits: Bits) -> np.ndarray:
        """N(0, size^2), rounded to the nearest whole number."""
        from dpframe.randomness import rounded_gaussian

        return rounded_gaussian(bits, size, n)


for _calibration in (DworkRoth, KamathUllman, Analytic):
    _calibration.mechanism = Gaussian
