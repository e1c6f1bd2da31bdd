"""Selections: the release of the index of a high score, without the scores. The sensitivity is the
range of the changes of scores. (proofs/selection)
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
from dpframe.privacy import Guarantee, ZeroConcentratedDP
from dpframe.sensitivity import RANGE, Norm
from dpframe.symbols import Expression, constant, power, sqrt
from dpframe.theory.guarantees import APPROX, PURE, ZCDP

from .base import Array, Calibration, Generator, PureNoise, Shape, Theorem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpframe.randomness import Bits

    Scores = NDArray[Any]
    Indices = NDArray[np.int64]

GRAIN = 2**30
"""Steps of a scale."""
GUMBEL = constant("1.2826")
"""pi/sqrt(6), rounded up."""


@attrs.frozen(cache_hash=True)
class SelectionNoise(PureNoise):
    """Abstract: the index of one of m >= 1 scores, drawn with a `scale`. (range/scale)-DP, where
    range bounds the largest move of a score less the smallest, between neighbours: at most twice
    what one score moves by, and once where all move in one direction. Proof page: proofs/selection.
    """

    norm: ClassVar[Norm] = RANGE
    selects: ClassVar[bool] = True
    symmetric: ClassVar[bool] = False

    @staticmethod
    @abstractmethod
    def chosen(scores: Scores, scale: Fraction, bits: Bits) -> Indices:
        """An index for each row of scores, whole numbers (n, m), with the scale in these units:
        exact in distribution, shape (n,).
        """

    @staticmethod
    def two(loss: Any, epsilon: Any) -> Any:
        """A lower bound on the delta at `epsilon` of two candidates, where one score rises by
        `loss` > epsilon scales relative to the other: in balls of arb. None without a formula.
        """
        del loss, epsilon

    @staticmethod
    def behind(gap: Any) -> Any:
        """The probability of one of two candidates with a score `gap` >= 0 scales below the
        other's, a ball of arb. None without a formula.
        """
        del gap

    @staticmethod
    def sample(size: float, shape: Shape, rng: Generator, *, symmetric: bool) -> Array:
        """Raises InvalidArgument: a selection adds no noise."""
        del size, shape, rng, symmetric
        way_out = "dp.release(scores, dp.mechanisms.ExponentialSelection.pure, share)"
        raise InvalidArgument("mechanism", "one that adds noise", Plain("a selection"), way_out)


@attrs.frozen(cache_hash=True)
class ExponentialSelection(SelectionNoise):
    """The exponential mechanism: index i with probability proportional to e^(score_i/scale).

    Guarantees (range/scale)-DP [McSherryT07, Thm 6] and, by bounded range, a quarter of the rho
    that this implies: (range/scale)^2/8 [DongDR20].

    >>> from dpframe.mechanisms import ExponentialSelection
    >>> from dpframe.symbols import constant
    >>> print(ExponentialSelection(scale=4).guarantee(constant(2)))
    1/2-differential privacy
    """

    kind: ClassVar[str] = "exponential_selection"
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "ExponentialSelection.pure", "[McSherryT07, Thm 6]", PURE, APPROX, ZCDP
    )

    @property
    def deviation(self) -> Expression:
        """Of the Gumbel noise on a score whose largest has this law: at most pi/sqrt(6) scale."""
        return GUMBEL * self.scale

    def given_in(self, kind: type[Guarantee], sensitivity: Expression) -> Guarantee:
        """As zero-concentrated privacy, (sensitivity/scale)^2/8."""
        if kind is ZeroConcentratedDP:
            return ZeroConcentratedDP(power(sensitivity / self.scale, 2) * Fraction(1, 8))
        return self.guarantee(sensitivity)

    @staticmethod
    def two(loss: Any, epsilon: Any) -> Any:
        """e^l/(e^l + w) - e^c/(1 + w) is largest where (e^l + w)/(1 + w) = e^((l - c)/2); here w is
        the better of the whole powers of e^l next to that, so that the scores are as many moves
        apart: scores may be whole numbers.
        """
        top, root = loss.exp(), ((loss - epsilon) / 2).exp()
        moves = ((top - root) / (root - 1)).log() / loss
        if not moves.is_finite():
            return None
        few = math.floor(float(moves.mid()))
        others = [(k * loss).exp() for k in (few, few + 1)]
        found = [top / (top + one) - epsilon.exp() / (1 + one) for one in others]
        return max(found, key=lambda one: float(one.mid()))

    @staticmethod
    def behind(gap: Any) -> Any:
        """1/(1 + e^gap)."""
        return 1 / (1 + gap.exp())

    @staticmethod
    def chosen(scores: Scores, scale: Fraction, bits: Bits) -> Indices:
        """By rejection."""
        from .contests import Contests, by_weight

        return by_weight(Contests.of(scores, scale), bits)


@attrs.frozen(cache_hash=True)
class GumbelSelection(ExponentialSelection):
    """Report noisy max with Gumbel noise of the scale: in law the exponential mechanism, with its
    guarantees, and drawn as such. [McSherryT07, Thm 6]
    """

    kind: ClassVar[str] = "gumbel_selection"
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "GumbelSelection.pure", "[McSherryT07, Thm 6]", PURE, APPROX, ZCDP
    )


@attrs.frozen(cache_hash=True)
class PermuteAndFlipSelection(SelectionNoise):
    """The first index, in random order, with a true Bernoulli draw of probability
    e^((score - best)/scale). (range/scale)-DP [McKennaS20], with the rho of any pure mechanism.
    """

    kind: ClassVar[str] = "permute_and_flip_selection"
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "PermuteAndFlipSelection.pure", "[McKennaS20]", PURE, APPROX
    )

    @property
    def deviation(self) -> Expression:
        """Of the exponential noise on a score whose largest has this law: the scale."""
        return self.scale

    @staticmethod
    def two(loss: Any, epsilon: Any) -> Any:
        """The probability e^-l becomes 1, and of two true draws each is taken half the time."""
        return (1 - (epsilon - loss).exp()) / 2

    @staticmethod
    def behind(gap: Any) -> Any:
        """Half the probability of a true draw."""
        return (-gap).exp() / 2

    @staticmethod
    def chosen(scores: Scores, scale: Fraction, bits: Bits) -> Indices:
        """By the draws of all candidates."""
        from .contests import Contests, by_flips

        return by_flips(Contests.of(scores, scale), bits)


@attrs.frozen(cache_hash=True)
class ExponentialNoiseSelection(PermuteAndFlipSelection):
    """Report noisy max with exponential noise of the scale: in law permute-and-flip, with its
    guarantee, and drawn as such. [DingKS21]
    """

    kind: ClassVar[str] = "exponential_noise_selection"
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "ExponentialNoiseSelection.pure", "[McKennaS20]", PURE, APPROX
    )


@attrs.frozen(cache_hash=True)
class LaplaceSelection(SelectionNoise):
    """Report noisy max with Laplace noise of the scale: (range/scale)-DP [DworkR14, Claim 3.9].
    On a grid the noise is discrete Laplace of the same scale, and of equal sums the first is taken.
    """

    kind: ClassVar[str] = "laplace_selection"
    exact: ClassVar[bool] = True
    pure: ClassVar[Calibration] = Theorem.of(
        "LaplaceSelection.pure", "[DworkR14, Claim 3.9]", PURE, APPROX
    )

    @property
    def deviation(self) -> Expression:
        """Of the noise on a score: sqrt(2) times the scale."""
        return sqrt(2) * self.scale

    @staticmethod
    def chosen(scores: Scores, scale: Fraction, bits: Bits) -> Indices:
        """The first of the largest sums of a score and its noise."""
        import numpy as np

        from dpframe.randomness import discrete_laplace

        whole = scores.astype(object)
        if scores.dtype.kind == "f":  # in doubles: as steps of a fine grid
            fine = scores / float(scale) * GRAIN
            whole = np.array([[round(one) for one in row] for row in fine.tolist()], dtype=object)
            scale = Fraction(GRAIN)
        noise = discrete_laplace(bits, scale, whole.size).reshape(whole.shape)
        sums = whole + noise.astype(object)
        return np.asarray(sums.argmax(axis=1), dtype=np.int64)
