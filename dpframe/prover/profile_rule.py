"""The exact Gaussian privacy profile at numbers, and as a source of counterexamples."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs
import flint

from dpframe.exact.interval import Interval
from dpframe.numerics.profile import certainly_above, delta_ball
from dpframe.numerics.rounding import arb_lower, arb_upper, working
from dpframe.symbols import Expression, Number, Symbol

from .algebra import BITS, at_point, enclose, rational_ball
from .obligation import Constraint, Witness
from .sign import counterexample

MAX_TRIES = 40
Ball = Any


@attrs.frozen
class Claim:
    """delta(epsilon; mu) <= delta for mu^2 = `upper`; `lower` is a lower bound on the mu^2 that
    some pair of neighbours attains.
    """

    epsilon: Expression
    delta: Expression
    upper: Expression
    lower: Expression

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, by name."""
        found = frozenset().union(
            *(f.symbols() for f in (self.epsilon, self.delta, self.upper, self.lower))
        )
        return tuple(sorted(found, key=lambda symbol: symbol.name))


def root(square: Ball) -> Ball:
    """sqrt of an enclosure of a nonnegative number."""
    with working(BITS):
        return square.max(flint.arb(0)).sqrt() if square.is_finite() else square


def holds(claim: Claim, values: Mapping[str, Ball]) -> bool:
    """Whether the claim certainly holds where every symbol lies in its ball (False: not seen)."""
    seen: dict[Expression, Ball] = {}
    epsilon, delta, square = (
        enclose(formula, values, seen) for formula in (claim.epsilon, claim.delta, claim.upper)
    )
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()):
        return False
    least, target = arb_lower(epsilon), arb_lower(delta)
    if least < 0 or target <= 0:
        return False
    mu = root(rational_ball(max(arb_upper(square), Fraction(0))))
    return bool(arb_upper(delta_ball(least, mu)) <= target)


def refute(claim: Claim) -> Witness | None:
    """Numbers at which the transcript certainly breaks the claim, or None."""
    read = (claim.epsilon, claim.delta, claim.lower)
    return counterexample(read, _broken, claim.symbols, MAX_TRIES)


def _broken(epsilon: Ball, delta: Ball, square: Ball) -> str | None:
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()) or not epsilon >= 0:
        return None
    mu = root(square)
    true = delta_ball(epsilon, mu)
    if not certainly_above(true, arb_upper(delta)):
        return None
    return (
        f"the worst pair moves by mu = {shown_ball(mu)} stds, so the exact delta at "
        f"epsilon = {shown_ball(epsilon)} is {float(true.mid()):.4g} > {shown_ball(delta)}"
    )


def shown_ball(ball: Ball) -> str:
    """Six digits of an enclosure's middle."""
    return f"{float(ball.mid()):.6g}".replace("e-0", "e-").replace("e+", "e")


def compact(symbol: Symbol) -> Interval | None:
    """The compact range on which boxes prove: closed ends as declared, open ends drawn in by 1/1000
    of the width; delta from 1e-300 to 1/2.
    """
    low, high = symbol.domain.lower, symbol.domain.upper
    if low is None or high is None:
        return None
    if symbol.name == "delta" and low == 0 and high == 1:
        return Interval(Fraction(1, 10**300), Fraction(1, 2))
    margin = Fraction(0) if low > 0 else (high - low) / 1000
    left = low if symbol.domain.lower_closed else low + margin
    return Interval(left, high if symbol.domain.upper_closed else high - margin)


def drawn_in(symbol: Symbol, span: Interval) -> list[Constraint]:
    """Where the range is less than the domain."""
    low, high = span
    wanted = []
    if low != symbol.domain.lower:
        wanted.append(Constraint(Number(low), symbol, source="compact range of the boxes"))
    if high != symbol.domain.upper:
        wanted.append(Constraint(symbol, Number(high), source="compact range of the boxes"))
    return wanted


def known_delta(claim: Claim, values: Mapping[str, Fraction]) -> str:
    """How the claim stands at numbers: `exact delta 8.848e-07 at epsilon 0.3333`."""
    epsilon, square = at_point((claim.epsilon, claim.upper), values)
    mu = root(square)
    if not epsilon >= 0:
        return f"mu = {shown_ball(mu)}, epsilon {shown_ball(epsilon)}"
    true = float(delta_ball(epsilon, mu).mid())
    return f"mu = {shown_ball(mu)}, exact delta {true:.4g} at epsilon {shown_ball(epsilon)}"
