"""Profiles of sums of losses without the contour's code: by conditioning, and by balls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs
import mpmath as mp
from flint import acb, arb

from dpframe.errors import InvalidArgument
from dpframe.numerics import ball, to_float, working
from dpframe.pld.composition.contour import NEED, for_epsilon, rounded
from dpframe.pld.composition.total import total_loss
from dpframe.pld.losses import GaussianLoss, PrivacyLoss

# ------------------------------------------------ Profiles of small sums by conditioning, in mpmath
DIGITS = 60


def exact(value):
    """A rational as an mpf."""
    return mp.mpf(value.numerator) / value.denominator


def gaussian(mu, x):
    """Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu), at any real x. [BalleW18, Thm 8]"""
    first, second = x / mu - mu / 2, x / mu + mu / 2
    root = mp.sqrt(2)
    return (mp.erfc(first / root) - mp.exp(x) * mp.erfc(second / root)) / 2


def laplace(epsilon, x):
    """1 - e^((x - epsilon)/2) inside, at any real x."""
    if x >= epsilon:
        return mp.mpf(0)
    return -mp.expm1(x) if x <= -epsilon else -mp.expm1((x - epsilon) / 2)


def after_laplace(epsilon, inner, x, kinks):
    """E inner(x - L): atoms 1/2 at epsilon, e^-epsilon/2 at -epsilon, density e^((l-epsilon)/2)/4.

    `kinks`: where inner is not smooth, or turns.
    """
    ends = sorted({-epsilon, epsilon, *(x - k for k in kinks if -epsilon < x - k < epsilon)})
    most = inner(x - epsilon) or mp.mpf(1)  # quad aims at an absolute error
    between = mp.quad(lambda at: mp.exp((at - epsilon) / 2) * (inner(x - at) / most), ends) / 4
    return inner(x - epsilon) / 2 + mp.exp(-epsilon) / 2 * inner(x + epsilon) + most * between


def after_responses(epsilon, count, inner, x):
    """E inner(x - L) over a binomial number of answers at -epsilon."""
    share = 1 / (1 + mp.exp(-epsilon))
    return sum(
        mp.binomial(count, j)
        * share ** (count - j)
        * (1 - share) ** j
        * inner(x - (count - 2 * j) * epsilon)
        for j in range(count + 1)
    )


def contour(factors, x, c, reach):
    """(1/pi) int_0^reach Re prod M_i(z)^(n_i) e^(-zx)/(z (z + 1)) dt by Gauss-Legendre panels.

    `factors`: (function of z, count); `reach` is where a Gaussian factor leaves nothing.
    """

    def integrand(t):
        z = mp.mpc(c, t)
        value = mp.exp(-z * x) / (z * (z + 1))
        for moment, count in factors:
            value *= moment(z) ** count
        return value.real

    return mp.quad(integrand, mp.linspace(0, reach, 7), method="gauss-legendre") / mp.pi


def gaussian_moment(mu):
    """e^(z (z + 1) mu^2/2)."""
    return lambda z: mp.exp(z * (z + 1) * mu**2 / 2)


def laplace_moment(epsilon):
    """((z + 1) e^(z epsilon) + z e^(-(z + 1) epsilon))/(2z + 1)."""
    return lambda z: ((z + 1) * mp.exp(z * epsilon) + z * mp.exp(-(z + 1) * epsilon)) / (2 * z + 1)


# ---------------------------------------- The privacy profile of a sum of losses in ball arithmetic
# The contour's argument, but every number a ball (docs/proofs/contour.md). The contour in doubles
# is asked only where to integrate. The Gaussian part bounds what is left out: |M(c + it)| <= M(c)
# e^(-v t^2/2), v the sum of all mu^2.

_GUARD = 32
_MOST = 1 << 14  # nodes; a tail that they do not reach only widens the ball


@attrs.frozen
class _Line:
    """Re z = c with nodes every h, and real points on either side of c for the aliases."""

    counts: Mapping[PrivacyLoss, int]
    epsilon: arb
    c: float
    h: float

    def moment(self, z: acb) -> acb:
        """E[e^(z(L - epsilon)); L < infinity]."""
        value = (-z * self.epsilon).exp()
        for loss, count in self.counts.items():
            value *= loss.enclosure(z) ** count
        return value

    def trapezoid(self, nodes: int) -> arb:
        """(h/pi) Re (F(0)/2 + F(h) + ... + F((nodes - 1) h))."""
        total = arb(0)
        for k in range(nodes):
            z = acb(ball(self.c), ball(self.h) * k)
            term = (self.moment(z) / (z * (z + 1))).real
            total += term / 2 if k == 0 else term
        return total * ball(self.h) / arb.pi()

    def tail(self, nodes: int, variance: arb) -> arb:
        """A bound on all that the other nodes add."""
        reach = ball(self.h) * nodes
        shape = (-variance * reach * reach / 2).exp() / (arb.pi() * (reach - ball(self.h)))
        return self.moment(acb(ball(self.c))).real * shape

    def alias(self, b: float) -> arb:
        """A bound on the aliases on the side of c on which b is."""
        at = ball(b)
        bound = arb(1)
        if b > 0:
            slack = at * at.log() - (1 + at) * at.log1p()
            bound = self.moment(acb(at)).real * slack.exp()
        q = (-2 * arb.pi() * abs(at - ball(self.c)) / ball(self.h)).exp()
        return bound * q / (1 - q)


def delta_ball(counts: Mapping[PrivacyLoss, int], epsilon: Fraction, *, bits: int = 128) -> arb:
    """The exact profile at epsilon >= 0 of these losses, each so many times, inside a ball.

    About `bits` bits sharp where a Gaussian part smooths the others; raises InvalidArgument where
    there is none. Takes about 20 microseconds a node and distinct loss.
    """
    held = {loss: count for loss, count in counts.items() if count}
    gaussian = [(loss.mu, n) for loss, n in held.items() if isinstance(loss, GaussianLoss)]
    if not gaussian:
        way_out = "Ask dp.accountants.NumericAccountant, whose interval needs no smoothness."
        raise InvalidArgument("counts", "of losses with a Gaussian among them", "none", way_out)
    hint = for_epsilon(total_loss(held), min(to_float(epsilon, up=False), 1e300))
    share = NEED / (NEED + 0.7 * bits)
    with working(bits + _GUARD):
        variance = sum((ball(mu) ** 2 * n for mu, n in gaussian), arb(0))
        line = _Line(held, ball(epsilon), hint.c, rounded(hint.h * share))
        nodes = _nodes(line.h, float(variance.mid()), bits)
        value, tail = line.trapezoid(nodes), line.tail(nodes, variance)
        below = value - tail - _sides(line, [tilt.b for tilt in hint.aliases])
        return _with_infinite(held, below, value + tail)


def _nodes(h: float, variance: float, bits: int) -> int:
    wanted = math.sqrt(2 * (0.7 * bits + NEED)) / (h * math.sqrt(variance))
    return min(math.ceil(wanted) + 2, _MOST) if math.isfinite(wanted) else _MOST


def _sides(line: _Line, hints: Iterable[float]) -> arb:
    """Both sides' aliases; where a hint is missing, from plain neighbours of c."""
    points = [*hints, 0.0, line.c / 2, 2 * line.c]
    above = [bound for b in points if b > line.c and (bound := line.alias(b)).is_finite()]
    below = [bound for b in points if 0 <= b < line.c and (bound := line.alias(b)).is_finite()]
    return _least(above) + _least(below)


def _least(bounds: list[arb]) -> arb:
    return min(bounds, key=lambda bound: float(bound.upper().log()), default=arb("inf"))


def _with_infinite(counts: Mapping[PrivacyLoss, int], below: arb, above: arb) -> arb:
    """From the finite part's two bounds to the profile, which is a probability."""
    kept = arb(1)
    for loss, count in counts.items():
        kept *= ball(1 - loss.infinite) ** count
    lost = 1 - kept
    least = lost + max(arb(0), below)
    most = lost + above if above < 1 else arb(1)
    return least.lower().max(arb(0)).union(most.upper().min(arb(1)))
