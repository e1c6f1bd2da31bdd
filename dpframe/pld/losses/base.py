"""A privacy loss: the law of log(dP/dQ) under P, for a dominating pair (P, Q).

(P, Q) dominates a mechanism M when, for every two neighbours D, D' and every epsilon,

    sup_S  P[M(D) in S] - e^epsilon P[M(D') in S]  <=  E_P[(1 - e^(epsilon - L))_+].

Under adaptive composition pairs multiply and losses add. [ZhuDW22, Thm 10] The numeric accountant
evaluates the cumulant log E[e^(zL)] of each loss on a complex line, with a bound on the rounding
error. This module also has the complex functions that the losses share, each with a bound on its
absolute error: numpy's real exp, log, sin, cos, sinh, arctan2, hypot, log1p and expm1 are trusted
to 4 ulp, as their authors state, complex products and quotients to 3 and 10 units by the norm.
`tests/pld/losses` checks every cumulant against ball arithmetic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import AttrsClass, InvalidArgument
from dpframe.numbers import given, positive
from dpframe.numerics import ball

if TYPE_CHECKING:
    from flint import acb, arb

Reals: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]

UNIT = 2.0**-53
"""The unit of rounding: a correctly rounded operation has a relative error of at most this."""


class PrivacyLoss(AttrsClass, ABC):
    """Abstract: one dominating pair, as the law of its privacy loss; exact frozen parameters.

    Where L = infinity has positive probability (`infinite`), every E below is over L < infinity.
    """

    __slots__ = ()
    kind: ClassVar[str]
    effort: ClassVar[int] = 1
    """how many ordinary cumulants one cumulant costs in time"""

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The parameters of `cumulants`, in its order; as many for every loss of the class."""
        own: Any = type(self)
        return tuple(Fraction(getattr(self, field.name)) for field in attrs.fields(own))

    @property
    def infinite(self) -> Fraction:
        """P[L = infinity]: no epsilon covers it."""
        return Fraction(0)

    @property
    def largest(self) -> Fraction | None:
        """An upper bound on every finite value of L; None where L is unbounded."""
        return None

    @property
    def atoms(self) -> int | None:
        """The number of equally spaced atoms with all but 2^-128 of the law of a finite L, whatever
        the tilt; None for other laws.
        """
        return None

    def support(self, tilt: float) -> Support | None:
        """The atoms tilted by e^(tilt L), tilt >= 0, at the working precision; None where `atoms`
        is. docs/proofs/atoms.md
        """
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
        """log of a bound on |E e^((c + is)L)| / E e^(cL) for all s >= t, shape (m,): at most 0, and
        not increasing in t. The default 0 is always valid.
        """
        del c, t
        return np.zeros(len(parameters))

    def profile(self, epsilon: arb) -> arb | None:
        """The profile of one release at epsilon >= 0 in closed form, at the working precision; None
        where there is none.
        """
        return None

    @abstractmethod
    def enclosure(self, z: acb) -> acb:
        """E[e^(zL); L < infinity] in ball arithmetic, at the working precision."""

    @classmethod
    def stack(cls, losses: list[Self]) -> Reals:
        """The parameters of many losses as doubles, shape (m, p)."""
        table = [[float(number) for number in loss.parameters] for loss in losses]
        return np.array(table, dtype=np.float64).reshape(len(losses), -1)


class SymmetricLoss(PrivacyLoss):
    """Abstract: the loss of a pair (P, Q) with the same profile as (Q, P)."""

    __slots__ = ()

    def reverse(self) -> Self:
        return self


LARGEST_WHOLE = 2**53
"""Every whole number up to here is a double."""

_LEAST, _MOST = Fraction(1, 2**500), Fraction(2**500)


def whole(name: str, value: object, least: int) -> int:
    """`value` as a whole number from `least` to 2^53. Raises InvalidArgument."""
    number = given(name, value)
    if number.denominator != 1 or not least <= number <= LARGEST_WHOLE:
        raise InvalidArgument(name, f"a whole number from {least} to 2^53", value)
    return int(number)


def moderate(name: str, value: object) -> Fraction:
    """`value` as an exact rational from 2^-500 to 2^500. Raises InvalidArgument."""
    number = positive(name, given(name, value))
    if not _LEAST <= number <= _MOST:
        raise InvalidArgument(name, "from 2^-500 to 2^500", value, "No double is near its square.")
    return number


TINY = 1e-290
"""In units of rounding: far above the error of a parameter or square that underflows."""


def given_positive(name: str, value: object) -> Fraction:
    """A number > 0, exactly; a float means its shortest decimal. Raises InvalidArgument."""
    return positive(name, given(name, value))


def exp_minus(w: Complexes) -> Complexes:
    """e^(-w)."""
    size = np.exp(-w.real)
    return size * np.cos(w.imag) - 1j * size * np.sin(w.imag)


def sinh(x: Complexes) -> Complexes:
    """sinh x, accurate near 0."""
    return np.sinh(x.real) * np.cos(x.imag) + 1j * np.cosh(x.real) * np.sin(x.imag)


def joined(
    near: NDArray[np.bool_],
    close: tuple[Complexes, Reals],
    far: Callable[[], tuple[Complexes, Reals]],
) -> tuple[Complexes, Reals]:
    """A value and its error where `near`, those of `far` elsewhere."""
    if near.all():
        return close
    value, error = far()
    return np.where(near, close[0], value), np.where(near, close[1], error)


def log1p(u: Complexes, error: Reals) -> tuple[Complexes, Reals]:
    """log(1 + u) for u known up to `error`, and a bound on its error; infinite near 1 + u = 0."""
    size = np.abs(u)
    small = size < 0.5
    squared = np.where(small, 2 * u.real + size * size, 0.0)
    whole = np.maximum(np.abs(1 + u), 1e-300)
    modulus = np.where(small, 0.5 * np.log1p(squared), np.log(np.where(small, 1.0, whole)))
    value = modulus + 1j * np.arctan2(u.imag, 1 + u.real)
    relative = (error + 8 * UNIT * size) / whole
    bound = 1.01 * relative + np.where(small, 8 * UNIT * size / whole**2, 12 * UNIT)
    return value, np.where(relative < 0.01, bound + 8 * UNIT * np.abs(value), np.inf)


def cosh_minus_one(x: Complexes) -> Complexes:
    """cosh x - 1 = 2 sinh(x/2)^2, accurate near 0, for |Re x| of order 1."""
    root = sinh(x / 2)
    return 2 * root * root


def sinhc(x: Complexes) -> Complexes:
    """sinh(x)/x for |Re x| of order 1."""
    tiny = np.abs(x) < 1e-9
    return np.where(tiny, 1.0, sinh(x) / np.where(tiny, 1.0, x))


TAIL_BITS = 128
"""A loss with infinitely many atoms may leave out 2^-128 of its tilted law."""


@attrs.frozen(eq=False)
class Support:
    """Equally spaced atoms (first + i stride) u of a finite L, u = 1 or log(odds), in rising order.

    `masses` are enclosures of P[L = l] e^(cl)/E[e^(cL); L < infinity], the law tilted by c; all
    together are 1, or less where atoms are left out.
    """

    first: Fraction
    stride: Fraction
    masses: Sequence[arb]
    log_moment: arb
    """log E[e^(cL); L < infinity]"""
    odds: Fraction | None = None

    @property
    def unit(self) -> arb:
        """u, at the working precision."""
        return unit(self.odds)

    @property
    def last(self) -> Fraction:
        """The largest atom, in units."""
        return self.first + self.stride * (len(self.masses) - 1)


def unit(odds: Fraction | None) -> arb:
    """1, or log(odds) at the working precision."""
    return ball(Fraction(1)) if odds is None else ball(odds).log()


def shares(weights: Sequence[arb]) -> tuple[list[arb], arb]:
    """Weights divided by their total, and the log of the total."""
    total = sum(weights[1:], weights[0])
    return [weight / total for weight in weights], total.log()
