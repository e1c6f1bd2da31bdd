"""Permute and flip: candidates in random order, each accepted by the flip of a coin."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike

from dpframe.randomness import Bits

from .contests import Contests, Indices, by_flips
from .selection import Reals, Selection


@attrs.frozen(cache_hash=True)
class PermuteAndFlip(Selection):
    """The first index, in random order, whose coin of probability exp((score_i - best)/scale)
    shows heads. [McKennaS20]

    Guarantees (2 Delta/scale)-DP, or (Delta/scale)-DP where monotone, with an expected score at
    least that of the exponential mechanism. It is *not* (epsilon^2/8)-zCDP: its loss may range over
    nearly 2 epsilon. (epsilon^2/2)-zCDP holds, as for all epsilon-DP. Proof page: proofs/selection.
    """

    kind: ClassVar[str] = "permute_and_flip"

    def log_probabilities(self, scores: ArrayLike) -> Reals:
        """log of a_i times the integral of prod_(j != i) (1 - a_j t) over t in [0, 1], a the coins'
        probabilities: Gauss's rule, exact for polynomials. Time and memory m^2 a row.
        """
        from scipy.special import roots_legendre

        gaps = self._gaps(scores)
        nodes, weights = roots_legendre((gaps.shape[-1] + 1) // 2)
        times, weights = (nodes + 1) / 2, weights / 2
        misses = np.log1p(-np.exp(gaps)[..., None, :] * times[:, None])
        others = misses.sum(axis=-1, keepdims=True) - misses
        hits: Reals = np.einsum("t,...ti->...i", weights, np.exp(others))
        return np.asarray(gaps + np.log(hits))

    def _chosen(self, rows: Contests, bits: Bits) -> Indices:
        return by_flips(rows, bits)
