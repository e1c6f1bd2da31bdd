"""What is believed of a regression before anything is released."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@attrs.frozen
class Prior:
    """Coefficients along the principal directions are normal with mean 0 and variances
    proportional to eigenvalue^(power - 2), for every power of `powers` alike.

    Their size is such that the variance of x'theta is a share of the mean of y^2 whose logarithm is
    uniform between `least` and `most`; beside that, all coefficients may be zero, with odds `null`
    to one, times e^`unclear` for each std by which n falls short of two of its noise (less with
    more than `wide` columns: each costs little then). `hidden` is the mean square of what noise
    hides of eigenvalues, in variances of the noise, but no more than one direction with the share
    `top` of the trace makes. `sampling` is the part of the variance of y about x'theta that counts
    as noise; 1 would be all. `energy` is the mean of y^2 that is believed of labels in [-1, 1],
    `doubt` its std over it. `floor` is the least eigenvalue, in stds of the noise on X'X.

    Clips move sums of residuals with the chance that the counts of labels say, between `biased` and
    `most_biased`: along each direction by something like the signal, whose share of the mean of y^2
    is one of `moves`, or, in `at_zero` of these cases, so that their root is 0.

    The defaults are constants: they were chosen on generated tables (docs/flagship).
    """

    powers: tuple[float, ...] = (2.0, 3.0)
    least: float = -4.0
    most: float = 0.0
    null: float = 0.25
    unclear: float = 3.0
    wide: float = 6.0
    hidden: float = 2.0
    top: float = 0.25
    sampling: float = 0.3
    energy: float = 0.2
    doubt: float = 2.0
    floor: float = 0.5
    biased: float = 0.01
    most_biased: float = 0.5
    at_zero: float = 0.1
    points: int = 32

    @property
    def shares(self) -> Array:
        """Signal as shares of the mean of y^2, shape (points,)."""
        found: Array = np.exp(np.linspace(self.least, self.most, self.points))
        return found

    @property
    def moves(self) -> Array:
        """What clips move, as shares of the mean of y^2, shape (h,)."""
        found: Array = np.exp(np.linspace(-8, 0, 9))
        return found

    def bias(self, non_normal: float) -> Array:
        """Chances of what clips may have moved, (h + 2,): nothing, by each of `moves`, to 0; where
        a share of labels is `non_normal`.
        """
        chance = float(np.clip(non_normal, self.biased, self.most_biased))
        some = chance * (1 - self.at_zero) / len(self.moves)
        return np.array([1 - chance, *[some] * len(self.moves), chance * self.at_zero])
