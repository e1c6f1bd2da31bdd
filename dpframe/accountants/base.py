"""Accountants: the cost of many releases from guarantees and privacy losses, whatever mechanism."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, TypeAlias, TypeVar

import attrs

from dpframe.errors import AttrsClass, InvalidArgument, Plain
from dpframe.numbers import Exact, nonnegative, open_unit, whole
from dpframe.numerics import Interval
from dpframe.pld import losses
from dpframe.privacy import Guarantee, as_kind
from dpframe.privacy.guarantees import CONVERTS
from dpframe.symbols import rational

Costed: TypeAlias = "Guarantee | losses.PrivacyLoss"


def _cost(value: object) -> Costed:
    if isinstance(value, (Guarantee, losses.PrivacyLoss)):
        return value
    way_out = "Of a mechanism, take mechanism.loss(sensitivity) or .guarantee(sensitivity)."
    if isinstance(value, type):
        way_out = "Of a class of noise, give one with its size, such as dp.Gaussian(std=1)."
    elif hasattr(value, "as_composition"):
        way_out = "dp.compose takes certificates and adds their releases."
    raise InvalidArgument("part", "a guarantee or a privacy loss", value, way_out)


def count_of(value: object) -> int:
    """`value` as a whole number of at least 0, never a bool. Raises InvalidArgument."""
    return whole("count", value, 0)


@attrs.frozen
class Least:
    """What a release costs at least: as much as `loss` at an epsilon that is larger by `hidden`,
    which rounding hides.
    """

    loss: losses.PrivacyLoss
    hidden: Fraction = Fraction(0)


@attrs.frozen(cache_hash=True)
class Part:
    """`count` releases, each with the cost `what`."""

    what: Costed = attrs.field(converter=_cost)
    count: int = attrs.field(default=1, converter=count_of)
    above: bool = attrs.field(default=False, kw_only=True)
    """Whether `what` is an upper bound on their cost."""
    least: Least | None = attrs.field(default=None, kw_only=True, eq=False)
    """What each costs at least where that is known and less than `what`."""

    @property
    def loss(self) -> losses.PrivacyLoss:
        """The loss of one of them; InvalidArgument where no single pair dominates."""
        if isinstance(self.what, losses.PrivacyLoss):
            return self.what
        loss = self.what.loss
        if loss is None:
            way_out = f"Convert it by {CONVERTS}."
            raise InvalidArgument("part", "dominated by one pair", Plain(self.what), way_out)
        return loss


def parts_of(*things: object) -> tuple[Part, ...]:
    """A Part for each thing: a guarantee, a loss, a Part, or a pair (thing, count).

    Equal things keep their places: accountants group them.
    """
    pairs = (
        thing if isinstance(thing, tuple) and len(thing) == 2 else (thing,) for thing in things
    )
    return tuple(pair[0] if isinstance(pair[0], Part) else Part(*pair) for pair in pairs)


Key = TypeVar("Key", bound=Hashable)


def counted(pairs: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """The total count of each distinct key with a count above 0, in the order of the keys."""
    counts: dict[Key, int] = {}
    for key, count in pairs:
        if count:
            counts[key] = counts.get(key, 0) + count
    return counts


def grouped(parts: Iterable[Part]) -> dict[Costed, int]:
    """The count of each distinct cost."""
    return counted((part.what, part.count) for part in parts)


def directions(
    removal: Iterable[tuple[losses.PrivacyLoss, int]],
) -> list[dict[losses.PrivacyLoss, int]]:
    """The count of each loss where a record is removed and, where that differs, added."""
    removed = counted(removal)
    added = counted((loss.reverse(), count) for loss, count in removed.items())
    return [removed] if added == removed else [removed, added]


def delta_argument(value: object) -> Fraction:
    """`value` in (0, 1), exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return open_unit("delta", rational(value, "delta"))


def epsilon_argument(value: object) -> Fraction:
    """`value` >= 0, exactly; a float is its shortest decimal, as in dp.ApproxDP."""
    return nonnegative("epsilon", rational(value, "epsilon"))


class Accountant(AttrsClass, ABC):
    """Abstract: adaptive composition, in numbers. Each answer is an interval around the exact
    value; its lower end is 0 for an accountant with upper bounds only.
    """

    __slots__ = ()
    name: ClassVar[str]
    citation: ClassVar[str]
    reads_losses: ClassVar[bool] = False
    """whether it adds the privacy losses of mechanisms; else their guarantees"""
    proof: ClassVar[str] = "numbers"
    """how certify derives a total with it: from `epsilon` at numbers; "total", from `total` in
    symbols; "shares" or "joint", from more than guarantees"""
    tried: ClassVar[int] = 0
    """its place among those that certify tries when no accountant is named; 0: none"""
    argument: ClassVar[str] = ""
    """a description of derivations with it"""

    @abstractmethod
    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """The least epsilon >= 0 at which all parts together are (epsilon, delta)-DP, each part
        free to depend on the output of those before it. 0 < delta < 1.

        `upper` is infinite where no epsilon is enough. Raises InvalidArgument for a part that this
        accountant does not add.
        """

    def searched(
        self, parts: Sequence[Part], delta: Exact
    ) -> tuple[float, Callable[[Sequence[Part]], float]]:
        """The upper end of `epsilon`; and an approximation of it for searches among similar parts.
        The result of a search is evaluated by `epsilon`.
        """
        return self.epsilon(parts, delta).upper, lambda some: self.epsilon(some, delta).upper

    @abstractmethod
    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """The least delta at which all parts together are (epsilon, delta)-DP. epsilon >= 0."""


class AdditiveAccountant(Accountant):
    """Abstract: guarantees of one kind with additive parameters, also symbolic ones."""

    __slots__ = ()
    proof: ClassVar[str] = "total"
    adds: ClassVar[type[Guarantee]]

    @abstractmethod
    def total(self, guarantees: Sequence[Guarantee]) -> Guarantee:
        """The guarantee of adaptive releases with these guarantees, all of kind `adds`."""

    def admit(self, guarantee: Guarantee) -> Guarantee | None:
        """`guarantee` as one of kind `adds`, by a cited implication; None where there is none."""
        return as_kind(guarantee, self.adds)

    @abstractmethod
    def times(self, guarantee: Guarantee, count: int) -> Guarantee:
        """`total` of `count` >= 1 equal guarantees of kind `adds`, in one step; `repeated` where
        `total` adds amounts.
        """

    def repeated(self, guarantee: Guarantee, count: int) -> Guarantee:
        """`count` times each amount."""
        return guarantee.of(*(count * amount for amount in guarantee.amounts))

    def attains(self, guarantee: Guarantee) -> bool:
        """Whether mechanisms with such guarantees attain `total` together."""
        return False

    def epsilon(self, parts: Sequence[Part], delta: Exact) -> Interval:
        """By `total`, converted; `lower` is 0 where the parts may cost less than `total`."""
        from .conversions import epsilon_of

        target = delta_argument(delta)
        return self._converted(parts, lambda whole: epsilon_of(whole, target), math.inf)

    def delta(self, parts: Sequence[Part], epsilon: Exact) -> Interval:
        """By `total`, converted; `lower` is 0 where the parts may cost less than `total`."""
        from .conversions import delta_of

        at = epsilon_argument(epsilon)
        return self._converted(parts, lambda whole: delta_of(whole, at), 1.0)

    def _converted(
        self, parts: Sequence[Part], convert: Callable[[Guarantee], Interval], most: float
    ) -> Interval:
        """The answer of `convert` for the total; `most` where the total guarantees nothing."""
        counts = self._admitted(parts)
        if not counts:
            return Interval(0.0, 0.0)
        whole = self._whole(counts)
        answer = Interval(0.0, most) if whole is None else convert(whole)
        return answer if self._exact(parts) else Interval(0.0, answer.upper)

    def _whole(self, counts: Mapping[Guarantee, int]) -> Guarantee | None:
        """The total; None where it guarantees nothing."""
        return self.total([self.times(own, count) for own, count in counts.items()])

    def _exact(self, parts: Sequence[Part]) -> bool:
        """Whether the parts attain the total."""
        counts = grouped(parts)
        given = [what for what in counts if isinstance(what, Guarantee)]
        alone = list(counts.values()) == [1] and self.admit(given[0]) == given[0]
        return alone or all(self.attains(guarantee) for guarantee in given)

    def _admitted(self, parts: Sequence[Part]) -> dict[Guarantee, int]:
        """The count of each distinct guarantee, as one of kind `adds`."""
        return counted((self._own(what), count) for what, count in grouped(parts).items())

    def _own(self, what: Costed) -> Guarantee:
        own = self.admit(what) if isinstance(what, Guarantee) else None
        if own is None:
            way_out = "The numeric accountant adds everything that has a privacy loss."
            raise InvalidArgument("part", f"a guarantee that {self.name} adds", what, way_out)
        return own
