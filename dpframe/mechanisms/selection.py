"""Private selection: of m candidates with scores, release the index of a good one."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpframe.errors import InvalidArgument
from dpframe.numerics.rounding import to_float
from dpframe.privacy import Guarantee, PureDP, Share, number
from dpframe.randomness import Bits, as_bits
from dpframe.symbols import Expression, exact

from .base import Mechanism, positive_formula
from .contests import Contests

Reals: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]


def _flag(_: object, __: object, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidArgument("monotone", "True or False", value)


@attrs.frozen(cache_hash=True)
class Selection(Mechanism):
    """Abstract: takes scores, the higher the better, and releases the index of one candidate.

    Between neighbours each score moves by at most the sensitivity Delta. `monotone` is a claim of
    yours: between any two neighbours no two scores move in opposite directions, as counts under
    add/remove do. Guarantees PureDP(2 Delta/scale), or PureDP(Delta/scale) where monotone.
    """

    gives: ClassVar[type[Guarantee]] = PureDP
    scale: Expression = attrs.field(converter=positive_formula)
    monotone: bool = attrs.field(default=False, validator=_flag, kw_only=True)

    @classmethod
    def pure(cls, share: Share, sensitivity: object = 1, *, monotone: bool = False) -> Self:
        """The scale that spends the epsilon of `share` exactly: 2 Delta/epsilon, or Delta/epsilon
        where monotone. Spends no delta.
        """
        if not isinstance(share, Share):
            raise InvalidArgument("share", "a share of a budget", share, "dp.PureDP(1).budget")
        moved = positive_formula(exact(sensitivity, "sensitivity"))
        return cls((moved if monotone else 2 * moved) / share.epsilon, monotone=monotone)

    def guarantee(self, sensitivity: Expression) -> PureDP:
        """(2 sensitivity/scale)-DP, or (sensitivity/scale)-DP where monotone."""
        return PureDP(self._range(sensitivity))

    def _range(self, sensitivity: Expression) -> Expression:
        moved = exact(sensitivity, "sensitivity") / self.scale
        return moved if self.monotone else 2 * moved

    @abstractmethod
    def log_probabilities(self, scores: ArrayLike) -> Reals:
        """The logarithm of each candidate's probability, shape (..., m) as `scores`, in doubles
        (no bounds): private, and meant for tests and plans.
        """

    def probabilities(self, scores: ArrayLike) -> Reals:
        """Each candidate's probability, shape (..., m) as `scores`, in doubles: private too."""
        return np.exp(self.log_probabilities(scores))

    def sample(self, scores: ArrayLike, rng: np.random.Generator | Bits) -> Indices:
        """One index for each row of `scores`: shape (..., m) gives shape (...). Finite, m >= 1.
        Exact in distribution, for the scores and the scale as they are: nothing is rounded.
        """
        rows = Contests.of(self._checked(scores), self._scale)
        return self._chosen(rows, as_bits(rng)).reshape(np.shape(scores)[:-1])

    @abstractmethod
    def _chosen(self, rows: Contests, bits: Bits) -> Indices:
        """One index for each row."""

    def _gaps(self, scores: ArrayLike) -> Reals:
        """(score - best score)/scale, at most 0; the scale rounded up. Raises InvalidArgument."""
        values = self._checked(scores).astype(np.float64)
        best: Reals = values.max(axis=-1, keepdims=True)
        with np.errstate(over="ignore"):
            gaps: Reals = (values - best) / to_float(self._scale, up=True)
        return gaps

    def _checked(self, scores: ArrayLike) -> NDArray[Any]:
        found = np.asarray(scores)
        numeric = found.dtype.kind in "iuf"
        if not numeric or found.ndim == 0 or not found.shape[-1] or not np.isfinite(found).all():
            requirement = "finite numbers, one for each of m >= 1 candidates on the last axis"
            raise InvalidArgument("scores", requirement, scores, "Leave out what cannot be chosen.")
        return found

    @property
    def _scale(self) -> Fraction:
        return number("scale", self.scale)


def log_softmax(gaps: Reals) -> Reals:
    """gaps - log(sum of exp(gaps)) over the last axis, where the largest gap is 0."""
    total: Reals = np.log(np.exp(gaps).sum(axis=-1, keepdims=True))
    return np.asarray(gaps - total)
