"""The profile of a sum of atomic losses, without a contour. (docs/proofs/atoms.md)

    delta(epsilon) = D + E[(1 - e^(epsilon - L))_+; L < infinity],  D = P[L = infinity].

Equal binary responses are binomial, with an answer of one or two doubles; every other sum is one of
tilted atoms. Of n responses with one epsilon, j have the loss -epsilon: L_j = (n - 2j) epsilon has
the probability w_j = C(n, j) e^((n - j) epsilon)/(1 + e^epsilon)^n, and the profile is

    phi(x) = sum_j w_j (1 - e^(x - L_j))_+ = max_J (P_J - e^x Q_J),

P_J = w_0 + ... + w_J, Q_J the same of w_j e^(-L_j). [KairouzOV15, Thm 3.3] Negligible terms are
left out, and bounded by a geometric series.

Responses composed give the least (epsilon, delta) of pure and approximate DP: adaptive
(epsilon_i, delta_i)-DP releases are dominated by the sum of responses that are infinite with
probability delta_i, else +-epsilon_i. [KairouzOV15, Thm 3.3] [MurtaghV16, Thm 1.5] For many
distinct epsilon_i the exact value is #P-hard [MurtaghV16, Thm 1.7]: the interval is wider there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs
from flint import arb, ctx

from dpframe.errors import InvalidArgument
from dpframe.numerics import Interval, arb_float, at_rising_precision, ball, to_float, working

from ..losses import CategoricalLoss, PrivacyLoss, ResponseLoss
from ..losses.base import Reals
from .atoms import BITS, Atoms
from .contour import saddle
from .mixed import tilted_sum
from .total import TotalLoss, total_loss

MOST = 10**10
"""The largest count: some tens of sqrt(count) terms are summed."""

_GUARD = 40  # bits: terms smaller than the total by the working precision and this are left out
_EVERY = 16  # terms between two tests of the stopping rule


@attrs.frozen
class EqualResponses:
    """`count` responses of one epsilon > 0."""

    epsilon: Fraction
    count: int

    def profile(self, x: Fraction) -> arb:
        """phi(x) for x >= 0, at the working precision."""
        last = math.ceil((self.count - x / self.epsilon) / 2) - 1  # the last j with L_j > x
        if last < 0:
            return arb(0)
        start = min(last, self._mode())
        return self._down(start, x) + self._up(start, last, x)

    def inverse(self, target: arb) -> arb:
        """max_J (P_J - target)/Q_J: e^x at the x with phi(x) = target; 1 at least. target > 0.

        A further term moves (P - target)/Q towards its e^(L_j): the maximum is at the first J
        where e^(L_(J+1)) is no larger. Any J gives a lower bound.
        """
        growth = ball(self.epsilon).exp()
        start, best = self._negligible(target), arb(1)
        w = self._weight(start)
        size = (ball(self.epsilon) * (self.count - 2 * start)).exp()
        p, q = self._before(w, start), arb(0)
        q = p / size
        v = w / size
        for j in range(start, self.count // 2 + 1):
            p, q = p + w, q + v
            size = size / (growth * growth)
            rest = p - target - size * q
            if rest >= 0:
                break
            if not rest < 0:
                best = best.max((p - target) / q)
            w = w * (self.count - j) / (growth * (j + 1))
            v = v * (self.count - j) * growth / (j + 1)
        return best.max((p - target) / q)

    def _start(self, start: int, x: Fraction) -> tuple[arb, arb, arb, int]:
        """e^epsilon, w_start, e^(x - L_start), and the bits below which a remainder is left out."""
        power = (ball(x - self.epsilon * (self.count - 2 * start))).exp()
        return ball(self.epsilon).exp(), self._weight(start), power, ctx.prec + _GUARD

    def _down(self, start: int, x: Fraction) -> arb:
        """The terms start, start - 1, ... 0."""
        growth, w, u, bits = self._start(start, x)
        shrink, total = 1 / (growth * growth), arb(0)
        for j in range(start, -1, -1):
            total += w * (1 - u)
            ratio = growth * j / (self.count - j + 1)
            w, u = w * ratio, u * shrink
            if j % _EVERY == 0 and ratio < 1 and _ends(rest := w / (1 - ratio), total, bits):
                return total + arb(0).union(rest)
        return total

    def _up(self, start: int, last: int, x: Fraction) -> arb:
        """The terms start + 1, ... last, which fall beyond the mode."""
        growth, w, u, bits = self._start(start, x)
        swell, total = growth * growth, arb(0)
        for j in range(start, last):
            ratio = (self.count - j) / (growth * (j + 1))
            w, u = w * ratio, u * swell
            total += w * (1 - u)
            if j % _EVERY == 0 and ratio < 1 and _ends(rest := w / (1 - ratio), total, bits):
                return total + arb(0).union(rest)
        return total

    def _before(self, w: arb, start: int) -> arb:
        """w_0 + ... + w_(start - 1), from w_start."""
        if start == 0:
            return arb(0)
        ratio = ball(self.epsilon).exp() * start / (self.count - start + 1)
        return arb(0).union(w * ratio / (1 - ratio)) if ratio < 1 else arb(0).union(1)

    def _weight(self, j: int) -> arb:
        growth = ball(self.epsilon).exp()
        choose = arb.bin_uiui(self.count, j)
        exponent = ball(self.epsilon * (self.count - j)) - self.count * (1 + growth).log()
        return choose * exponent.exp()

    def _mode(self) -> int:
        share = 1 / (1 + math.exp(min(float(self.epsilon), 700.0)))
        return min(self.count, int(self.count * share))

    def _negligible(self, target: arb) -> int:
        """A j below the mode, below which all terms together are far below `target`."""
        need = float(target.log().lower()) - 0.7 * (ctx.prec + _GUARD)
        low, high = 0, self._mode()
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._log(middle) < need else (low, middle - 1)
        return low

    def _log(self, j: int) -> float:
        """log w_j, roughly."""
        n, epsilon = self.count, min(float(self.epsilon), 1e290)
        choose = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
        return choose - j * epsilon - n * math.log1p(math.exp(-epsilon))


def _ends(rest: arb, total: arb, bits: int) -> bool:
    """Whether the remainder `rest` is below `total` by so many bits."""
    return bool(rest * (arb(2) ** bits) < total)


_SHARP = 60  # bits of relative accuracy: an interval of one or two neighbouring doubles
_EXACTLY = 1 << 20  # bits up to which D is an exact rational
_MOST_ATOMS = 1 << 18  # of all distinct losses: about a second
_INFINITE = 1e308
_STEEPEST = 1e12  # tilt times loss

Counted = Sequence[tuple[Fraction, int]]
"""Probabilities of L = infinity, each with its count."""


def is_atomic(counts: Mapping[PrivacyLoss, int]) -> bool:
    """Whether all losses are atomic, with few enough atoms."""
    sizes = [loss.atoms for loss, count in counts.items() if count]
    return all(size is not None for size in sizes) and sum(filter(None, sizes)) <= _MOST_ATOMS


@attrs.frozen(eq=False)
class AtomicSum:
    """A sum of atomic losses; releases of `instant` have the loss infinity or 0."""

    total: TotalLoss
    instant: Counted = ()

    @property
    def counts(self) -> Mapping[PrivacyLoss, int]:
        """Each loss with a count above 0."""
        return {loss: count for loss, count in self.total.counts.items() if count}

    @property
    def infinite(self) -> Counted:
        """The probabilities of infinity of all releases."""
        own = [(loss.infinite, count) for loss, count in self.counts.items() if loss.infinite]
        return [*self.instant, *own]

    def delta(self, epsilon: Fraction) -> Interval | None:
        """The profile at epsilon >= 0; None where atoms do not bound it."""
        largest = self.total.largest
        if not self.counts or (largest is not None and epsilon >= largest):
            return self._only_infinite()
        equal = _equal_responses(self.counts)
        if equal is not None:
            return self._sharp(equal, epsilon)
        point = to_float(epsilon, up=True)
        law = self._law(lambda b, bound: bound - b * point) if math.isfinite(point) else None
        return None if law is None else self._with_infinite(*law.both(epsilon))

    def epsilon(self, delta: Fraction) -> Interval | None:
        """The least epsilon >= 0 with a profile of at most delta, 0 < delta < 1; infinite where
        delta < D. None where atoms do not bound it.
        """
        infinite = self._exact_infinite()
        if infinite is not None and delta < infinite:
            return Interval(math.inf, math.inf)
        if not self.counts:
            return Interval(0.0, 0.0) if infinite is not None else None
        if infinite is not None and delta == infinite:
            return self._top()
        equal = _equal_responses(self.counts)
        return self._inverse(delta) if equal is None else self._sharp_inverse(equal, delta)

    def _inverse(self, delta: Fraction) -> Interval | None:
        for target in at_rising_precision(lambda: ball(delta) - self._infinite()):
            if target < 0:
                return Interval(math.inf, math.inf)
            if target > 0 and target.rel_accuracy_bits() >= _SHARP:
                break
        if not target > 0:  # delta and D agree to thousands of digits
            return Interval(0.0, math.inf)
        log = float(target.log().mid())
        law = self._law(lambda b, bound: (bound - log) / b)
        top = self.total.largest
        highest = math.inf if top is None else to_float(top, up=True)
        return None if law is None else law.inverse(target, highest)

    def _law(self, merit: Callable[[Reals, Reals], Reals]) -> Atoms | None:
        """Tilted at the least merit of Chernoff's bound: the tilt changes only the width."""
        largest = self.total.largest
        tilt = saddle(self.total, merit)
        if largest is not None:
            tilt = min(tilt, _STEEPEST / to_float(largest, up=True))
        with working(BITS):
            spare = _log_finite(self.instant)
        return tilted_sum(list(self.counts.items()), tilt, spare)

    def _sharp(self, equal: EqualResponses, epsilon: Fraction) -> Interval:
        def value() -> arb:
            infinite = self._infinite()
            return infinite + (1 - infinite) * equal.profile(epsilon)

        delta = _accurate(at_rising_precision(value))
        return Interval(max(arb_float(delta, up=False), 0.0), min(arb_float(delta, up=True), 1.0))

    def _sharp_inverse(self, equal: EqualResponses, delta: Fraction) -> Interval:
        with working(BITS):
            if ball(delta) < self._infinite():
                return Interval(math.inf, math.inf)

        def value() -> arb:
            infinite = self._infinite()
            target = (ball(delta) - infinite) / (1 - infinite)
            if target < 0:
                return arb("inf")
            return equal.inverse(target).log() if target > 0 else arb("nan")

        epsilon = _accurate(at_rising_precision(value))
        return Interval(
            max(arb_float(epsilon, up=False), 0.0), max(arb_float(epsilon, up=True), 0.0)
        )

    def _only_infinite(self) -> Interval:
        """D."""
        infinite = self._exact_infinite()
        if infinite is None:
            return self._with_infinite(arb(0), arb(0))
        return Interval(to_float(infinite, up=False), to_float(infinite, up=True))

    def _with_infinite(self, lower: arb, upper: arb) -> Interval:
        """D and a finite part between two balls."""
        with working(BITS):
            infinite = self._infinite()
            low, high = infinite + lower, infinite + upper
            return Interval(max(arb_float(low, up=False), 0.0), min(arb_float(high, up=True), 1.0))

    def _infinite(self) -> arb:
        """D, at the working precision."""
        return -_log_finite(self.infinite).expm1()

    def _exact_infinite(self) -> Fraction | None:
        """D as a rational, where it has at most 2^20 bits."""
        parts = [(1 - probability, count) for probability, count in self.infinite]
        if sum(part.denominator.bit_length() * count for part, count in parts) > _EXACTLY:
            return None
        return 1 - math.prod((part**count for part, count in parts), start=Fraction(1))

    def _top(self) -> Interval:
        """The largest finite value."""
        if self.total.largest is None:
            return Interval(math.inf, math.inf)
        with working(BITS):
            supports = [(loss.support(0.0), count) for loss, count in self.counts.items()]
            tops = [(s.odds, s.last * count, s.unit) for s, count in supports if s is not None]
            if all(odds is None for odds, _, _ in tops):
                top = sum((last for _, last, _ in tops), Fraction(0))
                return Interval(to_float(top, up=False), to_float(top, up=True))
            value = sum((ball(last) * unit for _, last, unit in tops), arb(0))
            return Interval(arb_float(value, up=False), arb_float(value, up=True))


def _log_finite(counted: Counted) -> arb:
    """The log of the probability that no release is infinite, at the working precision."""
    return sum(((-ball(probability)).log1p() * count for probability, count in counted), arb(0))


def _equal_responses(counts: Mapping[PrivacyLoss, int]) -> EqualResponses | None:
    """The finite parts, where they are at most 10^10 responses of one epsilon."""
    sizes, count = set(), sum(counts.values())
    for loss in counts:
        match loss:
            case ResponseLoss(epsilon=epsilon) | CategoricalLoss(epsilon=epsilon, categories=2):
                sizes.add(epsilon)
            case _:
                return None
    return EqualResponses(sizes.pop(), count) if len(sizes) == 1 and count <= MOST else None


def _accurate(balls: Iterator[arb]) -> arb:
    """The first ball with an accuracy of 60 bits, or the last."""
    value = arb("nan")
    for value in balls:
        if value.is_zero() or value > _INFINITE or value.rel_accuracy_bits() >= _SHARP:
            break
    return value


Group = tuple[Fraction, Fraction, int]
"""epsilon >= 0, 0 <= delta < 1, and the count."""


def response_delta(groups: Iterable[Group], epsilon: Fraction) -> Interval:
    """The least delta at which responses (epsilon_i, delta_i), each n_i times, are (epsilon,
    delta)-DP together. epsilon >= 0, exact.

    One or two doubles wide for one distinct epsilon_i; about 1e-13 relatively for a few, by
    docs/proofs/atoms.md. Raises InvalidArgument for counts above 10^10.
    """
    given = list(groups)
    return _checked(_sum(given).delta(epsilon), given)


def response_epsilon(groups: Iterable[Group], delta: Fraction) -> Interval:
    """The least epsilon >= 0 at which these responses are (epsilon, delta)-DP together.

    0 < delta < 1, exact. Infinite where delta < D.
    """
    given = list(groups)
    return _checked(_sum(given).epsilon(delta), given)


def _sum(given: list[Group]) -> AtomicSum:
    """One loss for each distinct epsilon; probabilities of infinity apart."""
    counts: dict[PrivacyLoss, int] = {}
    for epsilon, _, count in given:
        if epsilon and count:
            loss = ResponseLoss(epsilon)
            counts[loss] = counts.get(loss, 0) + count
    instant = [(delta, count) for _, delta, count in given if delta and count]
    return AtomicSum(total_loss(counts), instant)


def _checked(answer: Interval | None, given: list[Group]) -> Interval:
    if answer is None:
        way_out = "The numeric accountant answers with a wider interval."
        required = f"of moderate size: at most {MOST} of one epsilon, fewer of several"
        raise InvalidArgument("responses", required, len(given), way_out)
    return answer
