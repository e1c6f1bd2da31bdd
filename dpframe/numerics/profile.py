"""The privacy profile of Gaussian noise, enclosed rigorously.

    delta(epsilon; mu) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)

mu is the largest shift divided by the std. The profile decreases in epsilon and increases in mu.
[BalleW18, Thm 8; DongRS22, Cor 2.13] Tails come from the Mills ratio R(x) = (1 - Phi(x)) / phi(x),
from x = 512 on by its asymptotic series, as arb's erfc loses relative accuracy beyond x = 2^20.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from flint import arb, ctx

from dpframe.errors import InvalidArgument
from dpframe.numbers import Exact, as_fraction

from .rounding import LEAST_BITS, MOST_BITS, at_rising_precision, working

_FAR = 512


def mills(x: arb) -> arb:
    """An enclosure of R(x), at the working precision."""
    if x >= _FAR:
        return _series(x)
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * _erfc(x)


def upper_tail(x: arb) -> arb:
    """An enclosure of 1 - Phi(x), at the working precision."""
    if x >= _FAR:
        return (-x * x / 2).exp() / (2 * arb.pi()).sqrt() * _series(x)
    return _erfc(x) / 2


def _erfc(x: arb) -> arb:
    return (x / arb(2).sqrt()).erfc()


def _series(x: arb) -> arb:
    """R(x) = 1/x - 1/x^3 + 3/x^5 - 15/x^7 + ..., for x >= 512.

    The remainder is smaller than the first omitted term. [DLMF, 7.12(i)]
    """
    term = total = 1 / x
    small = abs(total) * arb(2) ** -ctx.prec
    square = x * x
    for k in range(ctx.prec // 6 + 2):
        term = -term * (2 * k + 1) / square
        if abs(term) < small:
            break
        total += term
    return total + arb(0, abs(term).upper())


Quantity: TypeAlias = Fraction | int | float | arb | Callable[[], arb]
"""An exact number, a fixed ball, or a function that is called at each working precision."""

_ENOUGH = 84  # bits of relative accuracy; arb's measure may exceed the true one by two


class Terms(NamedTuple):
    """The profile at one point, and its two partial derivatives."""

    delta: arb
    density: arb
    """d delta / d mu"""
    tail: arb
    """- d delta / d epsilon"""


def ball(value: Quantity) -> arb:
    """An enclosure of `value` at the working precision; a float is its exact binary value."""
    if isinstance(value, arb):
        return value
    if callable(value):
        return value()
    exact = as_fraction("value", value)
    return arb(exact.numerator) / arb(exact.denominator)


def terms(epsilon: arb, mu: arb) -> Terms:
    """Enclosures at the working precision, for epsilon >= 0 and mu > 0.

    With t = epsilon/mu - mu/2 and w = epsilon/mu + mu/2, e^epsilon phi(w) = phi(t): so the second
    half of the profile is phi(t) times the Mills ratio of w, and nothing overflows.
    """
    centre, half = epsilon / mu, mu / 2
    near, far = centre - half, centre + half
    density = (-near * near / 2).exp() / (2 * arb.pi()).sqrt()
    tail = density * mills(far)
    if epsilon.is_zero():
        return Terms((half / arb(2).sqrt()).erf(), density, tail)
    return Terms(upper_tail(near) - tail, density, tail)


def delta_ball(epsilon: Quantity, mu: Quantity) -> arb:
    """An enclosure of delta(epsilon; mu) over all epsilon >= 0 and mu >= 0 in the arguments.

    At a point its relative radius is below 2^-80. Over wide balls it joins the two extreme
    corners, each that sharp.
    """
    (epsilon_low, epsilon_high), (mu_low, mu_high) = _ends("epsilon", epsilon), _ends("mu", mu)
    upper = sharp_terms(epsilon_low, mu_high).delta
    if epsilon_low is epsilon_high and mu_low is mu_high:
        return upper
    lower = sharp_terms(epsilon_high, mu_low).delta
    with working(LEAST_BITS):
        return upper.union(lower)


def holds(epsilon: Quantity, delta: Exact, mu: Quantity) -> bool | None:
    """Is delta(epsilon; mu) <= delta? True and False are proved for all values in the arguments.

    None: undecided, since wide arguments lie on both sides or 8192 bits did not separate them.
    """
    target = as_fraction("delta", delta)
    if target >= 1:
        return True
    (epsilon_low, epsilon_high), (mu_low, mu_high) = _ends("epsilon", epsilon), _ends("mu", mu)
    worst = _decide(epsilon_low, target, mu_high)
    if worst or (epsilon_low is epsilon_high and mu_low is mu_high):
        return worst
    return False if _decide(epsilon_high, target, mu_low) is False else None


def certainly_at_most(value: arb, bound: Exact) -> bool:
    """Every point of the ball is <= `bound`, proved."""
    exact = as_fraction("bound", bound)
    with working(MOST_BITS):
        return value * exact.denominator <= arb(exact.numerator)


def certainly_above(value: arb, bound: Exact) -> bool:
    """Every point of the ball is > `bound`, proved."""
    exact = as_fraction("bound", bound)
    with working(MOST_BITS):
        return value * exact.denominator > arb(exact.numerator)


def sharp_terms(epsilon: Quantity, mu: Quantity) -> Terms:
    """`terms` at a point, delta to a relative radius below 2^-80 if 8192 bits suffice."""
    for at in at_rising_precision(lambda: _terms(epsilon, mu)):
        if at.delta.is_zero() or at.delta.rel_accuracy_bits() >= _ENOUGH:
            break
    return at


def _terms(epsilon: Quantity, mu: Quantity) -> Terms:
    """`terms` for mu >= 0, with a delta that is finite."""
    budget, shift = ball(epsilon), ball(mu)
    if budget < 0 or shift < 0:
        raise InvalidArgument("epsilon, mu", "at least 0", (budget, shift))
    if shift.is_zero():
        return Terms(arb(0), arb(0), arb(0))
    at = terms(budget, shift)
    return at if at.delta.is_finite() else at._replace(delta=arb(0).union(1))


def _decide(epsilon: Quantity, delta: Fraction, mu: Quantity) -> bool | None:
    """Is delta(epsilon; mu) <= delta at this point?"""
    for at in at_rising_precision(lambda: _terms(epsilon, mu)):
        if certainly_at_most(at.delta, delta):
            return True
        if certainly_above(at.delta, delta):
            return False
    return None


def _ends(name: str, value: Quantity) -> tuple[Quantity, Quantity]:
    """The ends of a fixed ball, cut at 0, as exact balls; anything else is one point."""
    if isinstance(value, arb):
        return _ball_ends(name, value)
    if not callable(value) and as_fraction(name, value) < 0:
        raise InvalidArgument(name, "at least 0", value)
    return value, value


def _ball_ends(name: str, value: arb) -> tuple[arb, arb]:
    if value < 0:
        raise InvalidArgument(name, "a ball that reaches 0 or above", value)
    if not value.is_finite():
        return arb(0), arb("inf")
    if value.is_exact():
        return value, value
    with working(MOST_BITS):
        return value.lower() if value > 0 else arb(0), value.upper()
