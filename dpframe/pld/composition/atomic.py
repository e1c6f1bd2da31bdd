"""The profile of a sum of losses that are all made of atoms, without a contour.

    delta(epsilon) = D + E[(1 - e^(epsilon - L))_+; L < infinity],  D = P[L = infinity].

Responses of one epsilon are binomials, to one or two doubles; all else is a sum of tilted atoms.
docs/proofs/atoms.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs
from flint import arb

from dpframe.numerics import Interval, arb_float, at_rising_precision, ball, to_float, working

from ..losses import CategoricalLoss, PrivacyLoss, ResponseLoss
from ..losses.base import Reals
from .atoms import BITS, Atoms
from .binomial import MOST, Alike
from .mixed import law
from .saddle import saddle
from .total import TotalLoss

_SHARP = 60  # bits of relative accuracy: an interval of one or two neighbouring doubles
_EXACTLY = 1 << 20  # bits up to which D is an exact rational
_MOST_ATOMS = 1 << 18  # of all distinct losses: about a second
_INFINITE = 1e308
_STEEPEST = 1e12  # tilt times loss

Confessed = Sequence[tuple[Fraction, int]]
"""Probabilities of L = infinity, and how often."""


def is_atomic(counts: Mapping[PrivacyLoss, int]) -> bool:
    """Whether all that counts is made of atoms, and of few enough."""
    sizes = [loss.atoms for loss, count in counts.items() if count]
    return all(size is not None for size in sizes) and sum(filter(None, sizes)) <= _MOST_ATOMS


@attrs.frozen(eq=False)
class AtomicSum:
    """A sum of atomic losses; `mute` are releases that are infinite or nothing at all."""

    total: TotalLoss
    mute: Confessed = ()

    @property
    def counts(self) -> Mapping[PrivacyLoss, int]:
        """Each loss that counts, and how often."""
        return {loss: count for loss, count in self.total.counts.items() if count}

    @property
    def confessed(self) -> Confessed:
        """All that is infinite."""
        own = [(loss.infinite, count) for loss, count in self.counts.items() if loss.infinite]
        return [*self.mute, *own]

    def delta(self, epsilon: Fraction) -> Interval | None:
        """The profile at epsilon >= 0; None where this is no way to find it."""
        largest = self.total.largest
        if not self.counts or (largest is not None and epsilon >= largest):
            return self._only_lost()
        alike = _alike(self.counts)
        if alike is not None:
            return self._sharp(alike, epsilon)
        point = to_float(epsilon, up=True)
        found = self._law(lambda b, bound: bound - b * point) if math.isfinite(point) else None
        return None if found is None else self._with_lost(*found.both(epsilon))

    def epsilon(self, delta: Fraction) -> Interval | None:
        """The least epsilon >= 0 with a profile of at most delta, 0 < delta < 1; None where this is
        no way to find it. Infinite where even infinity is not enough: delta < D.
        """
        lost = self._exactly_lost()
        if lost is not None and delta < lost:
            return Interval(math.inf, math.inf)
        if not self.counts:
            return Interval(0.0, 0.0) if lost is not None else None
        if lost is not None and delta == lost:
            return self._top()
        alike = _alike(self.counts)
        return self._inverse(delta) if alike is None else self._sharp_inverse(alike, delta)

    def _inverse(self, delta: Fraction) -> Interval | None:
        for target in at_rising_precision(lambda: ball(delta) - self._lost()):
            if target < 0:
                return Interval(math.inf, math.inf)
            if target > 0 and target.rel_accuracy_bits() >= _SHARP:
                break
        if not target > 0:  # delta and D agree to thousands of digits
            return Interval(0.0, math.inf)
        log = float(target.log().mid())
        found = self._law(lambda b, bound: (bound - log) / b)
        top = self.total.largest
        highest = math.inf if top is None else to_float(top, up=True)
        return None if found is None else found.inverse(target, highest)

    def _law(self, merit: Callable[[Reals, Reals], Reals]) -> Atoms | None:
        """Tilted so that Chernoff's bound has the least merit: a choice, which costs width only."""
        largest = self.total.largest
        tilt = saddle(self.total, merit)
        if largest is not None:
            tilt = min(tilt, _STEEPEST / to_float(largest, up=True))
        with working(BITS):
            logs = [(-ball(probability)).log1p() * count for probability, count in self.mute]
            spare = sum(logs, arb(0))
        return law(list(self.counts.items()), tilt, spare)

    def _sharp(self, alike: Alike, epsilon: Fraction) -> Interval:
        def value() -> arb:
            lost = self._lost()
            return lost + (1 - lost) * alike.profile(epsilon)

        found = _accurate(at_rising_precision(value))
        return Interval(max(arb_float(found, up=False), 0.0), min(arb_float(found, up=True), 1.0))

    def _sharp_inverse(self, alike: Alike, delta: Fraction) -> Interval:
        with working(BITS):
            if ball(delta) < self._lost():
                return Interval(math.inf, math.inf)

        def value() -> arb:
            lost = self._lost()
            target = (ball(delta) - lost) / (1 - lost)
            if target < 0:
                return arb("inf")
            return alike.inverse(target).log() if target > 0 else arb("nan")

        found = _accurate(at_rising_precision(value))
        return Interval(max(arb_float(found, up=False), 0.0), max(arb_float(found, up=True), 0.0))

    def _only_lost(self) -> Interval:
        """D."""
        lost = self._exactly_lost()
        if lost is None:
            return self._with_lost(arb(0), arb(0))
        return Interval(to_float(lost, up=False), to_float(lost, up=True))

    def _with_lost(self, lower: arb, upper: arb) -> Interval:
        """D and a finite part between two balls."""
        with working(BITS):
            lost = self._lost()
            low, high = lost + lower, lost + upper
            return Interval(max(arb_float(low, up=False), 0.0), min(arb_float(high, up=True), 1.0))

    def _lost(self) -> arb:
        """D, at the working precision."""
        logs = [(-ball(probability)).log1p() * count for probability, count in self.confessed]
        return -sum(logs, arb(0)).expm1() if logs else arb(0)

    def _exactly_lost(self) -> Fraction | None:
        """D as a rational, where it is not too long."""
        parts = [(1 - probability, count) for probability, count in self.confessed]
        if sum(part.denominator.bit_length() * count for part, count in parts) > _EXACTLY:
            return None
        return 1 - math.prod((part**count for part, count in parts), start=Fraction(1))

    def _top(self) -> Interval:
        """The largest finite value."""
        if self.total.largest is None:
            return Interval(math.inf, math.inf)
        with working(BITS):
            found = [(loss.support(0.0), count) for loss, count in self.counts.items()]
            tops = [(s.odds, s.last * count, s.unit) for s, count in found if s is not None]
            if all(odds is None for odds, _, _ in tops):
                top = sum((last for _, last, _ in tops), Fraction(0))
                return Interval(to_float(top, up=False), to_float(top, up=True))
            value = sum((ball(last) * unit for _, last, unit in tops), arb(0))
            return Interval(arb_float(value, up=False), arb_float(value, up=True))


def _alike(counts: Mapping[PrivacyLoss, int]) -> Alike | None:
    """The finite parts, where they are responses of one epsilon and no more than binomials bear."""
    sizes = {_response(loss) for loss in counts}
    count = sum(counts.values())
    size = next(iter(sizes))
    return Alike(size, count) if len(sizes) == 1 and size is not None and count <= MOST else None


def _response(loss: PrivacyLoss) -> Fraction | None:
    match loss:
        case ResponseLoss(epsilon=epsilon) | CategoricalLoss(epsilon=epsilon, categories=2):
            return epsilon
    return None


def _accurate(balls: Iterator[arb]) -> arb:
    """The first that is sharp, or the last."""
    found = arb("nan")
    for found in balls:
        if found.is_zero() or found > _INFINITE or found.rel_accuracy_bits() >= _SHARP:
            break
    return found
