"""Report noisy max: the index of the largest score after noise. Only the index is released."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np
from numpy.typing import ArrayLike

from .exponential import ExponentialMechanism
from .permute_and_flip import PermuteAndFlip
from .selection import Indices


@attrs.frozen(cache_hash=True)
class GumbelNoisyMax(ExponentialMechanism):
    """The largest of score_i + Gumbel noise of `scale`: in law the exponential mechanism, with its
    guarantees. [McSherryT07, Thm 6] Proof page: proofs/selection.
    """

    kind: ClassVar[str] = "gumbel_noisy_max"

    def sample(self, scores: ArrayLike, rng: np.random.Generator) -> Indices:
        """By noise on every score."""
        gaps = self._gaps(scores)
        return np.asarray(np.argmax(gaps + rng.gumbel(size=gaps.shape), axis=-1), dtype=np.int64)


@attrs.frozen(cache_hash=True)
class ExponentialNoisyMax(PermuteAndFlip):
    """The largest of score_i + exponential noise of `scale`: in law permute-and-flip, with its
    guarantee, which is pure only. [DingKS21] Proof page: proofs/selection.
    """

    kind: ClassVar[str] = "exponential_noisy_max"

    def sample(self, scores: ArrayLike, rng: np.random.Generator) -> Indices:
        """By noise on every score."""
        gaps = self._gaps(scores)
        noise = rng.exponential(size=gaps.shape)
        return np.asarray(np.argmax(gaps + noise, axis=-1), dtype=np.int64)
