"""Standard errors that are robust to heteroscedasticity, from a released X' diag(r^2) X. Derived on
docs/uncertainty.
"""

from __future__ import annotations

import attrs
import numpy as np

from .arrays import Array
from .evidence import Meat
from .row_set import RowSet
from .spread import Spread, stretched

USUAL = 1.96  # stds, of the intervals whose lengths are compared
TINY = 1e-9  # of a variance: its doubt where it is known


@attrs.frozen(eq=False)
class Sandwich:
    """Sampling makes the variance u' bread M bread u of an estimate of u' theta, for u (d,), where
    M = X' diag(r^2) X was released as `meat` and `bread` (d, d) is the inverse of X'X in identified
    directions [White80]. It is at most `limit` times the square of the farthest x'v of `rows`, v =
    bread u; `limit` is None where nothing bounds it.
    """

    bread: Array
    meat: Meat
    rows: RowSet
    limit: float | None

    def covariance(self, most: float) -> Array:
        """A substitute for bread M bread, (d, d): no eigenvalue of M is taken to be below its
        noise, which may be all that is observed, or above `most`.
        """
        values, vectors = np.linalg.eigh(self.meat.observed)
        root = self.bread @ (vectors * np.sqrt(np.clip(values, min(self.meat.std, most), most)))
        return np.asarray(root @ root.T)

    def most(self, contrasts: Array) -> Array | None:
        """The largest variances (q,) that sampling makes of contrasts (q, d) @ theta."""
        if self.limit is None:
            return None
        return np.asarray(self.limit * self.rows.farthest(contrasts @ self.bread) ** 2)

    def spread(
        self, contrasts: Array, errors: Array, private: Array, limit: Spread | None
    ) -> Spread:
        """The spread of variances of contrasts (q, d) @ theta, whose `errors` and `private`
        parts are (q,), and which are at most those of `limit`, where that is given.

        The limit stands for them where intervals would be shorter by it even if it were twice the
        variance. That does not depend on the noise of M; the smaller of the two estimates would,
        and would be too small too often.
        """
        pulled = contrasts @ self.bread
        observed = private + np.einsum("ia,ab,ib->i", pulled, self.meat.observed, pulled)
        squares = np.einsum("ia,ia->i", pulled, pulled)
        reach = self.rows.share(pulled)
        doubt = self.doubt_of(squares, reach, np.maximum(errors - private, 0.0))
        if limit is None:
            return Spread(errors, private, observed, doubt)
        most = np.maximum(
            self.doubt_of(squares, reach, limit.errors - private), TINY * limit.errors
        )
        half = (private + limit.errors) / (2 * np.where(most > 0, most, 1.0))
        taken = limit.errors <= most * stretched(half, USUAL)
        known = np.maximum(limit.doubt, TINY * limit.observed)
        return Spread(
            errors,
            private,
            np.where(taken, limit.observed, observed),
            np.where(taken, known, doubt),
        )

    def doubt(self, contrasts: Array, most: float) -> float:
        """The largest std of what is observed of the variance of any u' contrasts @ theta, |u| = 1,
        of which sampling makes at most the part `most`.
        """
        reach = np.asarray(np.linalg.norm(contrasts @ self.bread, 2))
        return float(self.doubt_of(reach**2, reach, np.asarray(most)))

    def doubt_of(self, squares: Array, reach: Array, variances: Array) -> Array:
        """The std of v'Mv, about `variances` (q,), for v (q, d) of these squared lengths and no
        |x'v| above `reach` times the norm of rows: noise N makes v'Nv with the std of N's diagonal
        times |v|^2, and the sample a sum of (r x'v)^2, each at most (largest reach)^2, whose
        variance is at most that times their expected sum.
        """
        of_sample = self.meat.largest * reach * np.sqrt(variances)
        return np.asarray(np.hypot(self.meat.std * squares, of_sample))
