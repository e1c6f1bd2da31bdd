"""The exponential mechanism: every candidate, with probability exponential in its score."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import attrs
from numpy.typing import ArrayLike

from dpframe.privacy import ZeroConcentratedDP
from dpframe.randomness import Bits
from dpframe.symbols import Expression, power

from .contests import Contests, Indices, by_weight
from .selection import Reals, Selection, log_softmax


@attrs.frozen(cache_hash=True)
class ExponentialMechanism(Selection):
    """Index i with probability proportional to exp(score_i/scale). [McSherryT07, Thm 6]

    Guarantees (2 Delta/scale)-DP, or (Delta/scale)-DP where monotone. Its loss lies in an interval
    of that length, so that it is concentrated too: see `concentrated`.
    Proof page: proofs/selection.

    >>> from dpframe.mechanisms import ExponentialMechanism
    >>> mechanism = ExponentialMechanism(scale=4)
    >>> print(mechanism.guarantee(1), "and", mechanism.concentrated(1))
    1/2-differential privacy and 1/32-zCDP
    """

    kind: ClassVar[str] = "exponential"

    def concentrated(self, sensitivity: Expression) -> ZeroConcentratedDP:
        """(epsilon^2/8)-zCDP for epsilon as in `guarantee`: a quarter of what epsilon-DP implies.
        Bounded range [DongDR20] and Hoeffding's lemma, proofs/selection.
        """
        return ZeroConcentratedDP(power(self._range(sensitivity), 2) * Fraction(1, 8))

    def log_probabilities(self, scores: ArrayLike) -> Reals:
        """score/scale less the logarithm of the sum of weights."""
        return log_softmax(self._gaps(scores))

    def _chosen(self, rows: Contests, bits: Bits) -> Indices:
        return by_weight(rows, bits)
