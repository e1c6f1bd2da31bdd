"""Intervals of normal estimates whose variance was itself seen with normal noise: what Student's
law is where a variance is chi-squared.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

BEND, ROOM = 0.0153, 0.0145
SLOPE = (0.0534, 0.91, -0.146)  # of a parabola in z, up to its top
FARTHEST = 40.0  # stds: no double is the chance of more
STEPS = 60


@attrs.frozen(eq=False)
class Spread:
    """Variances (m,) of estimates: what stands for them in `errors`, the part that is `private`,
    hence known, and what was `seen` of the whole, with noise of the stds `doubt`, 0 where the whole
    is known; `limit` has variances that they do not exceed, or is None.
    """

    errors: Array
    private: Array
    seen: Array
    doubt: Array
    limit: Spread | None = None

    def at(self, z: Array | float) -> Array:
        """The variances in whose place z stds cover as often as z stds of a known variance do; at
        least the private part.
        """
        doubt = np.where(self.doubt > 0, self.doubt, 1.0)
        likely = np.maximum(doubt * stretched(self.seen / doubt, z), self.private)
        found: Array = np.where(self.doubt > 0, likely, self.errors)
        return found if self.limit is None else np.minimum(found, self.limit.at(z))

    def half(
        self,
        stds: float | Array,
        df: int = 1,
        off: float | Array = 0.0,
        unsure: float | Array = 0.0,
    ) -> Array:
        """How far regions of `stds` standard deviations reach, (m,): to either side, or in each
        direction of an ellipsoid of dimension `df`. To second order Student's law becomes
        Hotelling's where z^2 becomes stds^2 + 1 - df. Estimates may be biased by at most `off`
        (m,), where df is 1; bounds on a bias, these or what is added to regions, have normal noise
        of stds `unsure` (m,), independent of the estimates.
        """
        z = np.sqrt(np.maximum(np.square(stds) + 1.0 - df, 0.0))
        deviations = np.sqrt(self.at(z) + np.square(unsure))
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = deviations * farther(stds, np.asarray(off) / deviations)
        return np.where(deviations > 0, found, off)

    def stds(
        self, sizes: Array, df: int = 1, off: float | Array = 0.0, unsure: float | Array = 0.0
    ) -> Array:
        """The standard deviations whose regions reach as far as `sizes` (m,), at most FARTHEST."""
        low, high = np.zeros(len(sizes)), np.full(len(sizes), FARTHEST)
        for _ in range(STEPS):
            middle = (low + high) / 2
            inside = self.half(middle, df, off, unsure) < sizes
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(sizes > 0, low, 0.0)

    def p_values(
        self, sizes: Array, off: float | Array = 0.0, unsure: float | Array = 0.0
    ) -> Array:
        """Of estimates as far from 0 as `sizes` (m,): 1 less the level whose interval ends at 0."""
        from scipy.special import ndtr

        found: Array = 2 * ndtr(-self.stds(sizes, off=off, unsure=unsure))
        return found


def farther(stds: float | Array, bias: Array) -> Array:
    """The c at which |N(bias, 1)| exceeds c as often as |N(0, 1)| exceeds `stds`: at most stds +
    bias, and for a large bias the one-sided quantile beyond it [ArmstrongK18].
    """
    from scipy.special import ndtr

    stds, bias = np.broadcast_arrays(np.asarray(stds, dtype=float), bias)
    tails, low, high = 2 * ndtr(-stds), np.zeros(bias.shape), stds + bias
    if not np.any(bias > 0):
        return high
    with np.errstate(invalid="ignore"):
        for _ in range(STEPS):
            middle = (low + high) / 2
            beyond = ndtr(bias - middle) + ndtr(-bias - middle) > tails
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
    return high


def stretched(seen: Array, z: Array | float) -> Array:
    """g(x, z) > 0, increasing in x, such that z sqrt(g) covers N(0, r) for nearly 2 Phi(z) - 1 of
    all N and x = r + N(0, 1) together, whatever r is, if not far below 1.

    m (1 + a/(m^2 + e m + b)) of m = (x + sqrt(x^2 + c))/2: for large x it is x + a/x with a = (1 +
    z^2)/4, as an expansion to second order asks. The other numbers were fitted by quadrature: up to
    99.8%, misses are at most 1.06 times what was asked for, and at least 0.82 of it for 95% where r
    >= 0.65; at most 1.2 times at 99.99%, 1.6 at 1 - 1e-9. (docs/uncertainty)
    """
    top = -SLOPE[1] / (2 * SLOPE[2])
    e = np.polynomial.polynomial.polyval(np.minimum(z, top), SLOPE)
    long = np.hypot(seen, np.sqrt(BEND))
    m = np.where(seen > 0, (seen + long) / 2, BEND / (2 * (long + np.abs(seen))))
    a = (1 + np.square(z)) / 4
    found: Array = m * (1 + a / (m * m + e * m + ROOM))
    return found
