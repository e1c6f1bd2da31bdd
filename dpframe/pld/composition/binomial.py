"""n binary randomised responses of one epsilon: the exact profile, in ball arithmetic.

Of n responses j have the loss -epsilon: L_j = (n - 2j) epsilon has the probability
w_j = C(n, j) e^((n - j) epsilon)/(1 + e^epsilon)^n, and the profile is

    phi(x) = sum_j w_j (1 - e^(x - L_j))_+ = max_J (P_J - e^x Q_J),

P_J = w_0 + ... + w_J, Q_J the same of w_j e^(-L_j). [KairouzOV15, Thm 3.3] Terms that cannot
matter are left out, and bounded by a geometric series.
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
from flint import arb, ctx

from dpframe.numerics import ball

MOST = 10**10
"""The largest count: the terms that matter are some tens of sqrt(count)."""

_GUARD = 40  # bits: terms smaller than the total by the working precision and this are left out
_EVERY = 16  # how many terms between two looks at whether to stop


@attrs.frozen
class Alike:
    """`count` responses of one epsilon > 0."""

    epsilon: Fraction
    count: int

    @property
    def largest(self) -> Fraction:
        """count epsilon: the largest loss."""
        return self.epsilon * self.count

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

    def _down(self, start: int, x: Fraction) -> arb:
        """The terms start, start - 1, ... 0."""
        growth = ball(self.epsilon).exp()
        shrink = 1 / (growth * growth)
        w, u = self._weight(start), (ball(x - self.epsilon * (self.count - 2 * start))).exp()
        total, bits = arb(0), ctx.prec + _GUARD
        for j in range(start, -1, -1):
            total += w * (1 - u)
            ratio = growth * j / (self.count - j + 1)
            w, u = w * ratio, u * shrink
            if j % _EVERY == 0 and ratio < 1 and _ends(rest := w / (1 - ratio), total, bits):
                return total + arb(0).union(rest)
        return total

    def _up(self, start: int, last: int, x: Fraction) -> arb:
        """The terms start + 1, ... last: fewer and fewer beyond the mode."""
        growth = ball(self.epsilon).exp()
        swell = growth * growth
        w, u = self._weight(start), (ball(x - self.epsilon * (self.count - 2 * start))).exp()
        total, bits = arb(0), ctx.prec + _GUARD
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
    """Whether `rest`, all that is left, is below `total` by so many bits."""
    return bool(rest * (arb(2) ** bits) < total)
