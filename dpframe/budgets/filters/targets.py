"""The largest ceiling in one number whose conversion lies inside an (epsilon, delta) target."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest
from dpframe.numerics import (
    analytic_mu,
    ball,
    boundary,
    certainly_at_most,
    holds,
    next_down,
    to_float,
    working,
)
from dpframe.privacy import ApproxDP, GaussianDP, Guarantee, ZeroConcentratedDP, number

from .prices import Kind

BITS = 256


def largest_inside(target: Guarantee, kind: object) -> Guarantee:
    """The ceiling of `kind`, zCDP or Gaussian DP, that implies `target`: rounded down, proved.

    Raises InvalidArgument for another kind, and where no positive double is small enough.
    """
    if type(target) is not ApproxDP:
        way_out = "Without by=, every guarantee is its own ceiling."
        raise InvalidArgument("ceiling", "dp.ApproxDP(epsilon, delta)", str(target), way_out)
    if kind is not ZeroConcentratedDP and kind is not GaussianDP:
        way_out = "Without by=, epsilons and deltas are added themselves."
        raise InvalidArgument("by", "dp.ZeroConcentratedDP or dp.GaussianDP", kind, way_out)
    epsilon, delta = numbers(target)
    most = _rho(epsilon, delta) if kind is ZeroConcentratedDP else analytic_mu(epsilon, delta)
    rounded = _short(most)
    if not rounded:
        raise InvalidArgument("target", "wide enough for a positive ceiling", str(target))
    return kind(rounded)


def is_inside(kind: Kind, amounts: tuple[Fraction, ...], target: ApproxDP) -> bool:
    """Whether a ceiling of zCDP or Gaussian DP with these amounts is proved to imply `target`."""
    epsilon, delta = numbers(target)
    if kind is GaussianDP:
        return holds(epsilon, delta, lambda: ball(amounts[0]).sqrt()) is True
    return kind is ZeroConcentratedDP and _rho_is_inside(amounts[0], epsilon, delta)


def numbers(target: ApproxDP) -> tuple[Fraction, Fraction]:
    """Epsilon and delta. Raises InvalidArgument while they are symbols."""
    return number("epsilon", target.epsilon), number("delta", target.delta)


def _short(value: float) -> Fraction:
    """A decimal that a person can read, at most `value` and within two doubles of it."""
    decimal = shortest(value)
    return decimal if decimal <= Fraction(value) else shortest(next_down(value))


def _rho(epsilon: Fraction, delta: Fraction) -> float:
    """The largest double that is proved to be small enough; 0 where none is."""
    log_delta = math.log(delta.denominator) - math.log(delta.numerator)
    wide = to_float(epsilon, up=False)
    guess = (wide / (math.sqrt(log_delta + wide) + math.sqrt(log_delta))) ** 2
    return boundary(lambda rho: not _rho_is_inside(Fraction(rho), epsilon, delta), guess)[0]


def _rho_is_inside(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """rho-zCDP implies (epsilon, delta)-DP where, for one order a > 1 that we may choose,
    exp((a-1)(a rho - epsilon)) (1-1/a)^(a-1) / a <= delta. [CanonneKS20, Prop 12]
    """
    order = _best_order(to_float(rho, up=True), to_float(epsilon, up=False))
    with working(BITS):
        beyond = arb(order)
        a = 1 + beyond
        exponent = beyond * (a * ball(rho) - ball(epsilon)) + beyond * (beyond / a).log()
        value = exponent.exp() / a
    return bool(value.is_finite()) and certainly_at_most(value, delta)


def _best_order(rho: float, epsilon: float) -> float:
    """Near the least of the convex logarithm of the bound: a - 1 where its slope
    (2a - 1) rho - epsilon + log(1 - 1/a) is 0. Any other order is as true.
    """
    low, high = -700.0, 700.0
    for _ in range(70):
        middle = (low + high) / 2
        t = math.exp(middle)
        last = math.log(t / (1 + t)) if t < 1 else -math.log1p(1 / t)
        slope = (2 * t + 1) * rho - epsilon + last
        low, high = (low, middle) if slope > 0 else (middle, high)
    return math.exp(low)
