"""Intervals of normal estimates whose variance was observed with normal noise: as Student's law
where the observed variance is chi-squared.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs
import numpy as np

from .arrays import Array

BEND, ROOM = 0.0153, 0.0145
SLOPE = (0.0534, 0.91, -0.146)  # of a parabola in z, up to its top
FARTHEST = 40.0  # stds: no double is the chance of more
STEPS = 60


@attrs.frozen(eq=False)
class Spread:
    """Variances (m,) of estimates: `errors`, as standard errors count them, the `private` part,
    which is known, and the whole as it was `observed`, with noise of the stds `doubt`, 0 where the
    whole is known.
    """

    errors: Array
    private: Array
    observed: Array
    doubt: Array

    def at(self, z: Array | float) -> Array:
        """The variances in whose place z stds cover as often as z stds of a known variance do; at
        least the private part.
        """
        doubt = np.where(self.doubt > 0, self.doubt, 1.0)
        likely = np.maximum(doubt * stretched(self.observed / doubt, z), self.private)
        return np.where(self.doubt > 0, likely, self.errors)

    def half(
        self,
        stds: float | Array,
        df: int = 1,
        unsure: float | Array = 0.0,
    ) -> Array:
        """How far regions of `stds` standard deviations reach, (m,): to either side, or in each
        direction of an ellipsoid of dimension `df`. To second order Student's law becomes
        Hotelling's where z^2 becomes stds^2 + 1 - df. Bounds on a bias, which are added to regions,
        have normal noise of stds `unsure` (m,), independent of the estimates.
        """
        z = np.sqrt(np.maximum(np.square(stds) + 1.0 - df, 0.0))
        return np.asarray(stds * np.sqrt(self.at(z) + np.square(unsure)))

    def biased(self, stds: float | Array, off: float | Array, unsure: float | Array) -> Array:
        """Half lengths (m,) of intervals of estimates whose bias is at most a bound that was
        observed as `off` (m,), negative too, with normal noise of stds `unsure` (m,), independent
        of the estimates: the longer of the interval for a bound that is exactly max(off, 0), and
        `off` with the one-sided quantile of the sum of both errors. It covers for every bias: by
        quadrature, 95% intervals are missed in at most 5.05%. (docs/uncertainty)
        """
        from scipy.special import log_ndtr, ndtri_exp

        deviations, known = np.sqrt(self.at(stds)), np.maximum(off, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            both: Array = deviations * farther(stds, known / deviations)
        both = np.where(deviations > 0, both, known)
        tail = np.minimum(log_ndtr(-np.asarray(stds)) + np.log(2), -np.log(2))
        return np.asarray(np.maximum(both, off - ndtri_exp(tail) * np.hypot(deviations, unsure)))

    def stds(self, sizes: Array, df: int = 1, unsure: float | Array = 0.0) -> Array:
        """The standard deviations whose regions reach as far as `sizes` (m,), at most FARTHEST."""
        return reaching(lambda stds: self.half(stds, df, unsure), sizes)

    def p_values(
        self, sizes: Array, off: float | Array = 0.0, unsure: float | Array = 0.0
    ) -> Array:
        """Of estimates as far from 0 as `sizes` (m,): 1 less the level whose interval ends at 0."""
        from scipy.special import ndtr

        stds = reaching(lambda stds: self.biased(stds, off, unsure), sizes)
        return np.asarray(2 * ndtr(-stds))


def reaching(half: Callable[[Array], Array], sizes: Array) -> Array:
    """The standard deviations at which an increasing `half` is `sizes` (m,), at most FARTHEST."""
    low, high = np.zeros(len(sizes)), np.full(len(sizes), FARTHEST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        inside = half(middle) < sizes
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(sizes > 0, low, 0.0)


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


def stretched(observed: Array, z: Array | float) -> Array:
    """g(x, z) > 0, increasing in x, such that z sqrt(g) covers N(0, r) for nearly 2 Phi(z) - 1 of
    all N and x = r + N(0, 1) together, for every r that is not far below 1.

    m (1 + a/(m^2 + e m + b)) of m = (x + sqrt(x^2 + c))/2: for large x it is x + a/x with a = (1 +
    z^2)/4, as an expansion to second order requires. The other numbers were fitted by quadrature:
    up to 99.8%, misses are at most 1.06 times the nominal rate, and at least 0.82 of it for 95%
    where r >= 0.65; at most 1.2 times at 99.99%, 1.6 at 1 - 1e-9. (docs/uncertainty)
    """
    top = -SLOPE[1] / (2 * SLOPE[2])
    e = np.polynomial.polynomial.polyval(np.minimum(z, top), SLOPE)
    long = np.hypot(observed, np.sqrt(BEND))
    m = np.where(observed > 0, (observed + long) / 2, BEND / (2 * (long + np.abs(observed))))
    a = (1 + np.square(z)) / 4
    return np.asarray(m * (1 + a / (m * m + e * m + ROOM)))
