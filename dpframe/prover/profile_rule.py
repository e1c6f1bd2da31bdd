"""The exact Gaussian privacy profile at numbers, and as a source of counterexamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import attrs
import flint

from dpframe.exact.interval import Interval
from dpframe.numerics.profile import certainly_above, delta_ball
from dpframe.numerics.rounding import arb_lower, arb_upper, working
from dpframe.symbols import ZERO, Expression, Number, Symbol
from dpframe.wording import Formula, digits, say

from .algebra import BITS, at_point, enclose, rational_ball
from .problem import Constraint, Witness
from .sign import counterexample

MAX_TRIES = 40
SIX = 6  # digits
MANY = tuple(Fraction(2) ** power for power in (4, 8, 16, 32))
Ball = Any


@attrs.frozen
class ProfileClaim:
    """delta(epsilon; mu) <= delta for mu^2 = `upper`; `lower` is a lower bound on the mu^2 that
    some pair of neighbours attains, whose delta at epsilon + `hidden` rounding leaves.
    """

    epsilon: Expression
    delta: Expression
    upper: Expression
    lower: Expression
    hidden: Expression = ZERO

    @property
    def exact(self) -> bool:
        """Whether some pair is known to attain the profile."""
        return self.lower == self.upper and self.hidden == ZERO

    @property
    def reached(self) -> tuple[Expression, Expression, Expression]:
        """What refutes it: the profile at `epsilon + hidden` of `lower`, above `delta`."""
        return self.epsilon + self.hidden, self.delta, self.lower

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol that occurs, by name."""
        symbols = frozenset().union(
            *(f.symbols() for f in (*self.reached, self.epsilon, self.upper))
        )
        return tuple(sorted(symbols, key=lambda symbol: symbol.name))


def root(square: Ball) -> Ball:
    """sqrt of an enclosure of a nonnegative number."""
    with working(BITS):
        return square.max(flint.arb(0)).sqrt() if square.is_finite() else square


def holds(claim: ProfileClaim, values: Mapping[str, Ball]) -> bool:
    """Whether the claim certainly holds where every symbol lies in its ball (False: not seen)."""
    known: dict[Expression, Ball] = {}
    epsilon, delta, square = (
        enclose(formula, values, known) for formula in (claim.epsilon, claim.delta, claim.upper)
    )
    if not (epsilon.is_finite() and delta.is_finite() and square.is_finite()):
        return False
    least, target = arb_lower(epsilon), arb_lower(delta)
    if least < 0 or target <= 0:
        return False
    mu = root(rational_ball(max(arb_upper(square), Fraction(0))))
    return bool(arb_upper(delta_ball(least, mu)) <= target)


def refute(claim: ProfileClaim, *, whole: bool = True) -> Witness | None:
    """Numbers at which the transcript certainly breaks the claim, or None."""
    broken = partial(_broken, exact=whole and claim.exact)
    read = (claim.epsilon, *claim.reached)
    witness = counterexample(read, broken, claim.symbols, MAX_TRIES)
    return witness or next(
        (one for one in _with_many_draws(claim, broken) if one is not None), None
    )


def _with_many_draws(
    claim: ProfileClaim, broken: Callable[..., str | None]
) -> Iterator[Witness | None]:
    """The same at large values of whole numbers without an upper end, such as numbers of draws."""
    counts = [one for one in claim.symbols if one.domain.integer and one.domain.upper is None]
    for size in MANY if counts else ():
        fixed = {one.name: Number(size) for one in counts if size in one.domain}
        names = {name: value.value for name, value in fixed.items()}
        read = [one.substitute(fixed) for one in (claim.epsilon, *claim.reached)]
        witness = counterexample(read, broken, (), MAX_TRIES)
        yield witness and attrs.evolve(witness, values={**witness.values, **names})


def _broken(epsilon: Ball, beyond: Ball, delta: Ball, square: Ball, *, exact: bool) -> str | None:
    known = all(one.is_finite() for one in (epsilon, beyond, delta, square))
    if not known or not epsilon >= 0:
        return None
    mu = root(square)
    true = delta_ball(beyond, mu)
    if not certainly_above(true, arb_upper(delta)):
        return None
    at, most = say("at $epsilon$ = {}", shown_ball(epsilon)), shown_ball(delta)
    if exact:
        return say(
            "the worst pair moves by $mu$ = {} stds, so the exact $delta$ {} is {} > {}",
            shown_ball(mu),
            at,
            digits(float(true.mid()), 4),
            most,
        )
    stds = shown_end(arb_lower(mu), up=False)
    least = shown_end(arb_lower(true), up=False, limit=arb_upper(delta))
    return say(
        "some pair moves by $mu$ >= {} stds, so its $delta$ {} is at least {} > {}",
        stds,
        at,
        least,
        most,
    )


def shown_ball(ball: Ball) -> str:
    """Six digits of an enclosure's middle."""
    return digits(float(ball.mid()))


def shown_end(end: Fraction, *, up: bool, limit: Fraction | None = None) -> Formula:
    """A bound in six digits, rounded up or down; in more where six are on the other side of
    `limit`.
    """
    for count in (SIX, 10, 16):
        context = Context(prec=count, rounding=ROUND_CEILING if up else ROUND_FLOOR)
        rounded = context.divide(Decimal(end.numerator), Decimal(end.denominator))
        if limit is None or (Fraction(rounded) > limit) == (end > limit):
            break
    value = float(rounded)
    return digits(value, count) if math.isfinite(value) else Formula(f"{rounded:.{SIX}g}")


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


def known_delta(claim: ProfileClaim, values: Mapping[str, Fraction]) -> str:
    """How the claim stands at numbers: `exact delta 8.848e-07 at epsilon 0.3333`, or `mu at most
    42.7, delta at most 1` where no pair is known to attain the bound, and what some pair attains.
    """
    beyond, _, attained = at_point(claim.reached, values)
    epsilon, square = at_point((claim.epsilon, claim.upper), values)
    mu, least = root(square), root(attained)
    if not epsilon >= 0:
        return say("$mu$ = {}, $epsilon$ {}", shown_ball(mu), shown_ball(epsilon))
    delta, at = delta_ball(epsilon, mu), say("at $epsilon$ {}", shown_ball(epsilon))
    if claim.exact:
        true = digits(float(delta.mid()), 4)
        return say("$mu$ = {}, exact $delta$ {} {}", shown_ball(mu), true, at)
    ends = arb_upper(mu), min(arb_upper(delta), Fraction(1))
    most = say(
        "$mu$ at most {}, $delta$ at most {} {}", *(shown_end(one, up=True) for one in ends), at
    )
    if not least > 0:
        return say("{}; no pair of neighbours is known to attain them", most)
    low = shown_end(arb_lower(delta_ball(beyond, least)), up=False)
    mu_low = shown_end(arb_lower(least), up=False)
    return say("{}; some pair has $mu$ >= {}, $delta$ >= {}", most, mu_low, low)
