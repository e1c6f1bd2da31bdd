"""Where the rows of sums can lie, by public numbers and released ones, and how far that is in a
direction. Derived on docs/proofs/reach.
"""

from __future__ import annotations

import math

import attrs
import numpy as np

from .arrays import Array


@attrs.frozen(eq=False)
class RowSet:
    """Rows of at most the length `norm`, each a factor in (0, 1] times (z, value) @ units, but for
    at most `rounded` times the norm in each entry; `value` is that of an intercept, 0 where there
    is none, and `units` (d, d) are those that were released, None for the identity.

    z has at most the length `beside`. Where `corners` are given, each block of columns of z is in
    the convex hull of its rows, (m, w) for w columns.
    """

    norm: float = math.inf
    beside: float = math.inf
    corners: tuple[Array, ...] = ()
    value: float = 0.0
    rounded: float = 0.0
    units: Array | None = None

    def farthest(self, directions: Array) -> Array:
        """A bound on |x'v| over all rows x, (q,), for v (q, d): the lesser of `norm` |v| and the
        maximum over (z, value), which is a sum over blocks.
        """
        own = directions if self.units is None else directions @ self.units.T
        last = np.zeros(len(own))
        if self.value:
            own, last = own[:, :-1], self.value * own[:, -1]
        above = below = times(self.beside, np.linalg.norm(own, axis=1))
        if self.corners:
            ends = np.cumsum([each.shape[1] for each in self.corners])[:-1]
            pairs = zip(np.split(own, ends, axis=1), self.corners, strict=True)
            reached = [part @ each.T for part, each in pairs]
            above = np.minimum(above, sum(each.max(axis=1) for each in reached))
            below = np.minimum(below, sum(-each.min(axis=1) for each in reached))
        rounded = times(
            self.norm * self.rounded if self.rounded else 0.0, np.abs(directions).sum(axis=1)
        )
        reach = np.maximum(above + last, below - last) + rounded
        most = times(self.norm, np.linalg.norm(directions, axis=1))
        return np.asarray(np.minimum(reach, most))

    def share(self, directions: Array) -> Array:
        """The same over `norm`, (q,); |v| where nothing bounds rows."""
        if not math.isfinite(self.norm):
            return np.asarray(np.linalg.norm(directions, axis=1))
        return np.asarray(self.farthest(directions) / self.norm)


def times(bound: float, lengths: Array) -> Array:
    """Their product, 0 where the lengths are, also for an infinite bound."""
    return np.where(lengths > 0, bound * np.where(lengths > 0, lengths, 1.0), 0.0)


@attrs.frozen(eq=False)
class Clipped:
    """How far clips of labels moved estimates of u'theta, v = bread u: by at most what they took
    off all labels times the farthest x'v of `rows`. They took at most `lost`, observed with noise
    of std `unsure`, so that it may be negative; and the noise on X'X is multiplied by what they
    took off the coefficients too, which has the std `turned` |v| at most.
    """

    bread: Array
    rows: RowSet
    lost: float
    unsure: float
    turned: float

    def moved(self, contrasts: Array) -> tuple[Array, Array]:
        """By how much at most, for u (q, d), as it was observed, and the std of its noise, (q,)."""
        pulled = contrasts @ self.bread
        most = self.rows.farthest(pulled)
        noise = np.hypot(self.unsure * most, self.turned * np.linalg.norm(pulled, axis=1))
        return self.lost * most, noise
