"""Gaussian noise, and the theorems that calibrate it.

A std may be stated as a formula, `Gaussian(std=...)`, and is then judged by whichever rule proves
it; or it comes from a named theorem:
`Gaussian.classical`, `Gaussian.kamath_ullman`, `Gaussian.analytic`, each under its own hypotheses.
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from dpframe.theory.guarantees import APPROX, OF_MU

from .base import Array, Calibration, Generator, NormalNoise, Shape, Theorem


@attrs.frozen(cache_hash=True)
class Gaussian(NormalNoise):
    """N(0, std^2) on every number; a symmetric matrix gets (A + A')/2 of such draws (diagonal std,
    off it std/sqrt 2).

    Guarantees (Delta/std)-Gaussian DP for a statistic of L2 sensitivity Delta [DongRS22, Thm 2.7];
    the symmetric form is the full
    d x d release with its antisymmetric part, which is pure noise, projected away.
    """

    kind: ClassVar[str] = "gaussian"
    isotropic: ClassVar[bool] = True
    exact: ClassVar[bool] = True
    classical: ClassVar[Calibration] = Theorem.of(
        "Gaussian.classical", "[DworkR14, Thm A.1]", APPROX
    )
    kamath_ullman: ClassVar[Calibration] = Theorem.of(
        "Gaussian.kamath_ullman",
        "[KamathU20, Lem 2.4] for epsilon up to 1, rule E1 for epsilon up to 4 log 2",
        APPROX,
    )
    analytic: ClassVar[Calibration] = Theorem.of(
        "Gaussian.analytic", "[BalleW18, Thm 8]", APPROX, *OF_MU
    )

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Independent normal draws of std `size`; isotropic symmetric noise for a symmetric
        statistic.
        """
        noise = rng.normal(0.0, size, shape)
        return (noise + noise.swapaxes(-1, -2)) / 2 if symmetric else noise
