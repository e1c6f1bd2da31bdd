"""Standard errors that are robust to heteroscedasticity, from a released X' diag(r^2) X. Derived on
docs/uncertainty.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from .evidence import Meat
from .spread import Spread

Array = NDArray[Any]


@attrs.frozen(eq=False)
class Sandwich:
    """Sampling makes the variance u' bread M bread u of an estimate of u' theta, for u (d,), where
    M = X' diag(r^2) X was released as `meat` and `bread` (d, d) is the inverse of X'X in identified
    directions [White80]. The whole variance, with that of the noise for privacy, is at most u'
    limit u; `limit` is None where nothing bounds it.
    """

    bread: Array
    meat: Meat
    limit: Array | None

    def covariance(self, most: float) -> Array:
        """What stands for bread M bread, (d, d): no eigenvalue of M is taken to be below its noise,
        which may be all that is seen, or above `most`.
        """
        values, vectors = np.linalg.eigh(self.meat.seen)
        root = self.bread @ (vectors * np.sqrt(np.clip(values, min(self.meat.std, most), most)))
        return np.asarray(root @ root.T)

    def spread(self, rows: Array, errors: Array, private: Array, limit: Spread | None) -> Spread:
        """What is known of variances of rows (q, d) @ theta, whose `errors` and `private` parts
        are (q,). Of noise N on M, v'Nv has the std of N's diagonal times |v|^2.
        """
        pulled = rows @ self.bread
        seen = private + np.einsum("ia,ab,ib->i", pulled, self.meat.seen, pulled)
        doubt = self.meat.std * np.einsum("ia,ia->i", pulled, pulled)
        return Spread(errors, private, seen, doubt, limit)

    def doubt(self, rows: Array) -> float:
        """The largest std of the noise on the variance of any u' rows @ theta, |u| = 1."""
        return float(self.meat.std * np.linalg.norm(rows @ self.bread, 2) ** 2)
