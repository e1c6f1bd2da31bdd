"""What a run takes from one running total: exact amounts, each by a cited or proved implication."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

from flint import arb

from dpframe.errors import InvalidArgument, listed_words
from dpframe.numbers import shortest
from dpframe.numerics import ball, boundary, certainly_at_most, next_up, to_float, working
from dpframe.privacy import GaussianDP, Guarantee, PureDP, as_kind

from ..filters.ledger import State, after, state_of
from ..filters.prices import MAX_BITS, Kind, amounts_of, fixed

Amounts = tuple[Fraction, ...]
BITS = 256
MOST_EPSILON = 1000


class Total(NamedTuple):
    """The sum of all runs so far in the currency of `ceiling`, which it must not exceed."""

    ceiling: Guarantee
    state: State

    @property
    def kind(self) -> Kind:
        """What is added up: a class of guarantees."""
        return type(self.ceiling)

    def plus(self, amounts: Amounts) -> Total | None:
        """The total after one more run; None beyond the ceiling."""
        state = after(self.state, fixed("cost", self.kind.currency, amounts))
        return None if state is None else Total(self.ceiling, state)


def nothing_spent(ceiling: Guarantee) -> Total:
    """The total before the first run."""
    return total_of(ceiling, (Fraction(0),) * len(type(ceiling).currency), 0)


def total_of(ceiling: Guarantee, spent: Amounts, runs: int) -> Total:
    """The total that holds so much after so many runs. Raises InvalidArgument beyond the ceiling
    or where there is nothing that could have been spent.
    """
    kind = type(ceiling)
    most = fixed("budget", kind.currency, amounts_of(ceiling, kind))
    state = state_of(fixed("total", kind.currency, spent, 4 * MAX_BITS), most, runs)
    if any(left < 0 for left in state.remaining) or (any(spent) and not runs):
        raise InvalidArgument("total", f"of {runs} runs within {ceiling}", listed_words(spent))
    return Total(ceiling, state)


def cheapest(guarantees: Sequence[Guarantee], total: Total) -> Amounts | None:
    """Of what the alternatives take from a total, that which takes the smallest part of what is
    left (of the scarcer of epsilon and delta); None where no theorem leads there.
    """
    found = [amounts_in(guarantee, total.kind) for guarantee in guarantees]
    offers = [amounts for amounts in found if amounts is not None]
    return min(offers, key=lambda offer: _part(offer, total.state.remaining), default=None)


@lru_cache(maxsize=1024)
def amounts_in(guarantee: Guarantee, kind: Kind) -> Amounts | None:
    """The amounts of `guarantee` as one of `kind`, exact or rounded up; None without a theorem.

    Besides the implications of filters: pure privacy as Gaussian, by `chord`.
    """
    if kind is GaussianDP and type(guarantee) is PureDP:
        epsilon = amounts_of(guarantee, PureDP)[0]
        return (chord(epsilon) ** 2,) if epsilon <= MOST_EPSILON else None
    if type(guarantee) is not PureDP and as_kind(guarantee, kind) is None:
        return None
    return amounts_of(guarantee, kind)


@lru_cache(maxsize=1024)
def chord(epsilon: Fraction) -> Fraction:
    """A mu, rounded up to a decimal, such that epsilon-DP implies mu-Gaussian DP.

    The least one is 2 Phi^-1(e^epsilon/(1 + e^epsilon)): the trade-off curve of mu-Gaussian DP is
    convex, so it lies below the chords of that of epsilon-DP as soon as it does at the corner where
    both errors are 1/(1 + e^epsilon). 0 < epsilon <= 1000. [DongRS22, Def 2.6]
    """
    above = boundary(lambda mu: _implied(epsilon, Fraction(mu)), _guess(to_float(epsilon, up=True)))
    decimal = shortest(above[1])
    return decimal if decimal >= Fraction(above[1]) else shortest(next_up(above[1]))


def corner(mu: Fraction) -> arb:
    """Phi(-mu/2), where both errors of mu-Gaussian DP are equal; at the working precision."""
    return (ball(mu) / arb(8).sqrt()).erfc() / 2


def _part(offer: Amounts, left: Amounts) -> tuple[bool, Fraction]:
    beyond = any(amount > most for amount, most in zip(offer, left, strict=True))
    parts = [amount / most for amount, most in zip(offer, left, strict=True) if most]
    return beyond, max(parts, default=Fraction(0))


def _implied(epsilon: Fraction, mu: Fraction) -> bool:
    """Whether Phi(-mu/2) <= 1/(1 + e^epsilon) is proved."""
    with working(BITS):
        return certainly_at_most(corner(mu) * (1 + ball(epsilon).exp()), Fraction(1))


def _guess(epsilon: float) -> float:
    return -2 * NormalDist().inv_cdf(1 / (1 + math.exp(min(epsilon, 600.0)))) or 1.0
