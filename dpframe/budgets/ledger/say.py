"""What is left and what would fit, in words; numbers are rounded to the safe side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpframe.numerics import arb_float, profile_epsilon_lower, working
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, PureDP, number
from dpframe.symbols import Number

from .rules import BITS, Total, corner

LONGEST = 16  # characters of an exact number in a sentence
DIGITS = 6


def spent_line(total: Total) -> str:
    """`mu^2 1/100 of 0.0513008`: what is spent, rounded up, of the ceiling, rounded down."""
    spent = [short(amount, up=True) for amount in total.state.spent]
    return ", ".join(
        f"{name} {amount} of {most}"
        for name, amount, most in zip(total.kind.currency, spent, _ceiling(total), strict=True)
    )


def left_line(total: Total) -> str:
    """`epsilon 1/10 of 1, delta 1e-7 of 1e-6`: what is left of the ceiling, rounded down."""
    left = [short(amount) for amount in total.state.remaining]
    return ", ".join(
        f"{name} {amount} of {most}"
        for name, amount, most in zip(total.kind.currency, left, _ceiling(total), strict=True)
    )


def _ceiling(total: Total) -> list[str]:
    pairs = zip(total.state.spent, total.state.remaining, strict=True)
    return [short(spent + left) for spent, left in pairs]


def fitting(total: Total, asked: Sequence[Guarantee]) -> str:
    """The largest run that a total could still hold, in its own kind, and the largest epsilon at
    the delta that was asked for; rounded down.
    """
    left = total.state.remaining
    if not left[0]:
        return f"nothing that costs {total.kind.currency[0]}"
    if total.kind is GaussianDP:
        return _gaussian(left[0], asked)
    if total.kind is ApproxDP:
        return f"a run of epsilon up to {short(left[0])} at delta up to {short(left[1])}"
    pure = "pure " if total.kind is PureDP else ""
    return f"a {pure}run of {total.kind.currency[0]} up to {short(left[0])}"


def short(value: Fraction, *, up: bool = False) -> str:
    """An exact number as it is where that is short, else 6 digits rounded to one side."""
    text = str(Number(value))
    if len(text) <= LONGEST:
        return text
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    ratio = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{ratio.normalize(context):g}"


def root(value: Fraction) -> Fraction:
    """The square root of a positive number, rounded down to about 9 digits."""
    digits = 9 + max(0, value.denominator.bit_length() - value.numerator.bit_length()) // 6
    unit = 10**digits
    return Fraction(math.isqrt(value.numerator * unit**2 // value.denominator), unit)


def _gaussian(left: Fraction, asked: Sequence[Guarantee]) -> str:
    mu = root(left)
    for one in asked:
        if type(one) is ApproxDP:
            delta = number("delta", one.delta)
            epsilon = _printed(profile_epsilon_lower(delta, mu))
            return (
                f"Gaussian noise of mu up to {short(mu)}, epsilon {epsilon} at delta {short(delta)}"
            )
        if type(one) is PureDP:
            return f"a pure run of epsilon up to {_printed(_pure(mu))}"
    return f"Gaussian noise of mu up to {short(mu)}"


def _pure(mu: Fraction) -> float:
    """The largest epsilon with chord mu, Phi(mu/2) = e^epsilon/(1 + e^epsilon); rounded down."""
    with working(BITS):
        tail = corner(mu)
        return max(0.0, arb_float(((1 - tail) / tail).log(), up=False))


def _printed(epsilon: float) -> str:
    return short(Fraction(epsilon)) if epsilon < math.inf else "any"
