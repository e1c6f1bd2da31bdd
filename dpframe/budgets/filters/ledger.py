"""Exact sums in constant time: whole numbers over one denominator, replaced and never changed."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from dpframe.errors import InvalidArgument

from .prices import MAX_BITS, ROUND_UP, Price


class State(NamedTuple):
    """How many queries, and their totals; `ceiling` is empty where there is none.

    Amounts are numerators over `denominator`, which need not be the least.
    """

    queries: int
    denominator: int
    totals: tuple[int, ...]
    ceiling: tuple[int, ...]

    @property
    def spent(self) -> tuple[Fraction, ...]:
        """The totals in lowest terms."""
        return tuple(Fraction(total, self.denominator) for total in self.totals)

    @property
    def remaining(self) -> tuple[Fraction, ...]:
        """Ceiling minus totals; empty where there is no ceiling."""
        pairs = zip(self.ceiling, self.totals, strict=False)
        return tuple(Fraction(most - total, self.denominator) for most, total in pairs)


def state_of(spent: Price, ceiling: Price | None, queries: int) -> State:
    """The state with these amounts."""
    common = spent.denominator if ceiling is None else lcm(spent.denominator, ceiling.denominator)
    most = () if ceiling is None else _over(ceiling, common)
    return State(queries, common, _over(spent, common), most)


def after(state: State, price: Price) -> State | None:
    """The state after one more query at `price`; None where that would exceed the ceiling.

    Raises InvalidArgument where the exact total would need a denominator of more than 8192 bits.
    """
    scale, rest = divmod(state.denominator, price.denominator)
    if rest:
        state = _widened(state, price.denominator)
        scale = state.denominator // price.denominator
    queries, denominator, totals, ceiling = state
    more = [total + n * scale for total, n in zip(totals, price.numerators, strict=True)]
    for total, most in zip(more, ceiling, strict=False):
        if total > most:
            return None
    return State(queries + 1, denominator, tuple(more), ceiling)


def _over(price: Price, common: int) -> tuple[int, ...]:
    return tuple(n * (common // price.denominator) for n in price.numerators)


def _widened(state: State, denominator: int) -> State:
    """The same state over a multiple of `denominator`.

    Whether that is possible depends on the amounts alone, not on how they came about.
    """
    common = lcm(state.denominator, denominator)
    if common.bit_length() > 2 * MAX_BITS:
        state = _reduced(state)
        common = lcm(state.denominator, denominator)
    if common.bit_length() > 2 * MAX_BITS:
        requirement = f"a total over a denominator of at most {2 * MAX_BITS} bits"
        raise InvalidArgument("cost", requirement, "a new denominator", ROUND_UP)
    return _multiplied(state, common // state.denominator)


def _reduced(state: State) -> State:
    common = gcd(state.denominator, *state.totals, *state.ceiling)
    return State(
        state.queries,
        state.denominator // common,
        tuple(total // common for total in state.totals),
        tuple(most // common for most in state.ceiling),
    )


def _multiplied(state: State, factor: int) -> State:
    return State(
        state.queries,
        state.denominator * factor,
        tuple(total * factor for total in state.totals),
        tuple(most * factor for most in state.ceiling),
    )
