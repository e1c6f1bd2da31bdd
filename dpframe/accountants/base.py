"""What an accountant is: it turns what many releases cost into one cost, and knows no mechanism.

What accountants add: guarantees and privacy losses, each so many times.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, TypeAlias

import attrs

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, nonnegative, open_unit, whole
from dpframe.numerics import Interval
from dpframe.pld import losses
from dpframe.privacy import Guarantee, as_kind
from dpframe.symbols import rational

Costed: TypeAlias = "Guarantee | losses.PrivacyLoss"


def _what(value: object) -> Costed:
    if isinstance(value, (Guarantee, losses.PrivacyLoss)):
        return value
    way_out = "Of a mechanism, take mechanism.loss(sensitivity) or .guarantee(sensitivity)."
    if isinstance(value, type):
        way_out = "Of a class of noise, give one with its size, such as dp.Gaussian(std=1)."
    elif hasattr(value, "target") and hasattr(value, "derivation"):
        way_out = "Of a certificate, take certificate.target, its guarantee."
    raise InvalidArgument("part", "a guarantee or a privacy loss", value, way_out)


def count_of(value: object) -> int:
    """`value` as a whole number of at least 0, never a bool. Raises InvalidArgument."""
    return whole("count", value, 0)


@attrs.frozen(cache_hash=True)
class Part:
    """`count` releases that each cost `what`, or at most that."""

    what: Costed = attrs.field(converter=_what)
    count: int = attrs.field(default=1, converter=count_of)
    above: bool = attrs.field(default=False, kw_only=True)
    """Whether they may cost less than `what`, which bounds them."""

    @property
    def loss(self) -> losses.PrivacyLoss:
        """The loss of one of them; InvalidArgument where no single pair dominates."""
        if isinstance(self.what, losses.PrivacyLoss):
            return self.what
        loss = self.what.loss
        if loss is None:
            way_out = "The RDP and zCDP accountants add it."
            raise InvalidArgument("part", "dominated by one pair", str(self.what), way_out)
        return loss


def parts_of(*things: object) -> tuple[Part, ...]:
    """A Part for each thing: a guarantee, a loss, a Part, or a pair (thing, count).

    Equal things keep their places: accountants group them.
    """
    return tuple(_part(thing) for thing in things)


def _part(thing: object) -> Part:
    if isinstance(thing, Part):
        return thing
    if isinstance(thing, tuple) and len(thing) == 2:
        return Part(*thing)
    return Part(thing)


def grouped(parts: Iterable[Part]) -> dict[Costed, int]:
    """How often each distinct cost occurs; nothing that occurs 0 times."""
    counts: dict[Costed, int] = {}
    for part in parts:
        if part.count:
            counts[part.what] = counts.get(part.what, 0) + part.count
    return counts


def delta_argument(value: object) -> Fraction:
    """`value` in (0, 1), exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return open_unit("delta", rational(value, "delta"))


def epsilon_argument(value: object) -> Fraction:
    """`value` >= 0, exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return nonnegative("epsilon", rational(value, "epsilon"))


class Accountant(ABC):
    """Abstract: adaptive composition, in numbers. Each answer is an interval around the exact
    value; an accountant that only bounds from above says 0 below.
    """

    __slots__ = ()
    name: ClassVar[str]
    citation: ClassVar[str]
    reads_losses: ClassVar[bool] = False
    """whether it asks a mechanism for its privacy loss; else for its guarantee"""
    proof: ClassVar[str] = "numbers"
    """how certify derives a total with it: from `epsilon` at numbers; "total", from `total` in
    symbols; "shares" or "joint", by an argument that knows more than guarantees"""
    automatic: ClassVar[bool] = False
    """whether certify tries it where no accountant is named"""
    argument: ClassVar[str] = ""
    """what a derivation with it is, in words"""

    @abstractmethod
    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """The least epsilon >= 0 at which all parts together are (epsilon, delta)-DP, each part
        free to depend on the output of those before it. 0 < delta < 1.

        `upper` is infinite where no epsilon is enough. Raises InvalidArgument for a part that this
        accountant cannot add.
        """

    def searched(
        self, parts: Sequence[Part], delta: Exact
    ) -> tuple[float, Callable[[Sequence[Part]], float]]:
        """The upper end of `epsilon`; and a function of parts near these, for searches, that may
        leave out what is less here. What a search ends at is evaluated by `epsilon`.
        """
        return self.epsilon(parts, delta).upper, lambda some: self.epsilon(some, delta).upper

    @abstractmethod
    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """The least delta at which all parts together are (epsilon, delta)-DP. epsilon >= 0."""


class AdditiveAccountant(Accountant):
    """Abstract: guarantees of one kind, with parameters that add up, symbols included."""

    __slots__ = ()
    proof: ClassVar[str] = "total"
    adds: ClassVar[type[Guarantee]]

    @abstractmethod
    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """What releases with these guarantees, all of kind `adds` and each free to depend on those
        before it, satisfy together.
        """

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """`guarantee` in the kind that this accountant adds, by a cited implication; None where
        there is none.
        """
        return as_kind(guarantee, self.adds)

    @abstractmethod
    def times(self, guarantee: Guarantee, count: int) -> Guarantee:
        """What `count` >= 1 releases with this guarantee, of kind `adds`, satisfy together: `total`
        of so many, in one step.
        """

    def attains(self, guarantee: Guarantee) -> bool:
        """Whether mechanisms with guarantees such as this one, as given, need all of `total`: then
        what `total` needs at least, they need together.
        """
        del guarantee
        return False

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """By `total`, converted; `lower` is 0 where `total` may be more than the parts cost."""
        from .conversions import epsilon_of

        target, counts = delta_argument(delta), self._admitted(parts)
        if not counts:
            return Interval(0.0, 0.0)
        whole = self._whole(counts)
        found = Interval(0.0, math.inf) if whole is None else epsilon_of(whole, target)
        return found if self._exact(parts) else Interval(0.0, found.upper)

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """By `total`, converted; `lower` is 0 where `total` may be more than the parts cost."""
        from .conversions import delta_of

        at, counts = epsilon_argument(epsilon), self._admitted(parts)
        if not counts:
            return Interval(0.0, 0.0)
        whole = self._whole(counts)
        found = Interval(0.0, 1.0) if whole is None else delta_of(whole, at)
        return found if self._exact(parts) else Interval(0.0, found.upper)

    def _whole(self, counts: Mapping[Guarantee, int]) -> Guarantee | None:
        """The total; None where it guarantees nothing."""
        return self.total([self.times(own, count) for own, count in counts.items()])

    def _exact(self, parts: Sequence[Part]) -> bool:
        """Whether the total is no more than the parts may cost."""
        counts = grouped(parts)
        given = [what for what in counts if isinstance(what, Guarantee)]
        alone = list(counts.values()) == [1] and self.admit(given[0]) == given[0]
        return alone or all(self.attains(guarantee) for guarantee in given)

    def _admitted(self, parts: Sequence[Part]) -> dict[Guarantee, int]:
        """How often each distinct guarantee occurs, in the kind that this accountant adds."""
        found: dict[Guarantee, int] = {}
        for what, count in grouped(parts).items():
            own = self.admit(what) if isinstance(what, Guarantee) else None
            if own is None:
                way_out = "The numeric accountant adds everything that has a privacy loss."
                raise InvalidArgument("part", f"a guarantee that {self.name} adds", what, way_out)
            found[own] = found.get(own, 0) + count
        return found
