"""What a privacy loss is: the law of log(dP/dQ) under P, for a pair (P, Q) that dominates.

(P, Q) dominates a mechanism M when, for every two neighbours D, D' and every epsilon,

    sup_S  P[M(D) in S] - e^epsilon P[M(D') in S]  <=  E_P[(1 - e^(epsilon - L))_+].

Under adaptive composition pairs multiply and losses add. [ZhuDW22, Thm 10] What a numeric
accountant asks of a loss is its cumulant log E[e^(zL)] on a complex line, with a bound on the
rounding error: one vectorised formula a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .support import Support

if TYPE_CHECKING:
    from flint import acb, arb

Reals: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]

UNIT = 2.0**-53
"""The unit of rounding: a correctly rounded operation has a relative error of at most this."""


class PrivacyLoss(ABC):
    """Abstract: one dominating pair, as the law of its privacy loss; exact frozen parameters.

    Where L = infinity has positive probability (`infinite`), every E below is over L < infinity.
    """

    __slots__ = ()
    kind: ClassVar[str]
    effort: ClassVar[int] = 1
    """how many ordinary cumulants one cumulant costs in time"""

    @property
    @abstractmethod
    def parameters(self) -> tuple[Fraction, ...]:
        """What `cumulants` reads, in its order; a fixed number of them for the class."""

    @property
    def infinite(self) -> Fraction:
        """P[L = infinity]: what even epsilon = infinity does not cover."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """An upper bound on every finite value of L; None where it has none."""
        return None

    @property
    def atoms(self) -> int | None:
        """How many values carry the law of a finite L, all but 2^-128 of it under any tilt; None
        where it is not made of equally spaced atoms.
        """
        return None

    def support(self, tilt: float) -> Support | None:
        """The atoms tilted by e^(tilt L), tilt >= 0, at the working precision; None where `atoms`
        is. docs/proofs/atoms.md
        """
        del tilt
        return None

    @abstractmethod
    def reverse(self) -> PrivacyLoss:
        """The loss of (Q, P): adding a record instead of removing it. Itself where symmetric."""

    @classmethod
    @abstractmethod
    def cumulants(cls, parameters: Reals, z: Complexes) -> tuple[Complexes, Reals]:
        """log E[e^(zL); L < infinity] for m losses at n points, and a bound on the error of each.

        `parameters` has shape (m, p): each the double nearest to the exact one, an error that the
        bound includes. The bound is on the size of the exponential: |E e^(zL) - e^value| is at
        most |e^value| (e^error - 1), so that a value may stand for one that is lost in rounding.
        `z` has shape (n,), Re z >= 0; its doubles are exact. Both results have
        shape (m, n); the imaginary part is right up to multiples of 2 pi. Never overflows where
        the cumulant itself does not.
        """

    @classmethod
    def envelope(cls, parameters: Reals, c: float, t: float) -> Reals:
        """log of a bound on |E e^((c + is)L)| / E e^(cL) for all s >= t, shape (m,): at most 0.

        Must not increase in t. 0, as here, is always true.
        """
        del c, t
        return np.zeros(len(parameters))

    def profile(self, epsilon: arb) -> arb | None:
        """The profile of one release at epsilon >= 0 in closed form, at the working precision; None
        where there is none.
        """
        del epsilon
        return None

    @abstractmethod
    def enclosure(self, z: acb) -> acb:
        """E[e^(zL); L < infinity] in ball arithmetic, at the working precision."""

    @classmethod
    def stack(cls, losses: list[Self]) -> Reals:
        """The parameters of many losses as doubles, shape (m, p)."""
        table = [[float(number) for number in loss.parameters] for loss in losses]
        return np.array(table, dtype=np.float64).reshape(len(losses), -1)
