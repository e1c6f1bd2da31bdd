"""Report noisy max: the index of the largest score after noise. Only the index is released."""

from __future__ import annotations

from typing import ClassVar

import attrs

from .exponential import ExponentialMechanism
from .permute_and_flip import PermuteAndFlip


@attrs.frozen(cache_hash=True)
class GumbelNoisyMax(ExponentialMechanism):
    """The largest of score_i + Gumbel noise of `scale`: in law the exponential mechanism, with its
    guarantees, and drawn as such, since only the index is released. [McSherryT07, Thm 6]
    Proof page: proofs/selection.
    """

    kind: ClassVar[str] = "gumbel_noisy_max"


@attrs.frozen(cache_hash=True)
class ExponentialNoisyMax(PermuteAndFlip):
    """The largest of score_i + exponential noise of `scale`: in law permute-and-flip, with its
    guarantee, which is pure only, and drawn as such. [DingKS21] Proof page: proofs/selection.
    """

    kind: ClassVar[str] = "exponential_noisy_max"
