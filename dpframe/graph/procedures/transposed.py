"""A sampler that is not the posterior's, as it was published in code."""

from __future__ import annotations

from typing import ClassVar

import attrs

from ..arrays import Array, np
from .posterior import Posterior


@attrs.frozen(eq=False)
class TransposedPosterior(Posterior):
    """theta + R'^-1 noise with R'R = H, where R^-1 noise was meant: its covariance (R R')^-1/gamma
    is not (gamma H)^-1, and no posterior's. Kept to be audited; never certified.
    """

    kind: ClassVar[str] = "transposed_posterior"
    summary: ClassVar[str] = "posterior sample, factor transposed"

    @staticmethod
    def centred(theta: Array, system: Array, noise: Array) -> Array:
        """theta + R'^-1 noise."""
        factor = np.linalg.cholesky(system)  # H = L L', R = L'
        return np.asarray(np.nan_to_num(theta + np.linalg.solve(factor, noise)))
