"""The largest value of a formula over the whole open range of one parameter, ends included in the
limit: by boxes in interval arithmetic that knows infinity.
"""

from __future__ import annotations

import heapq
import operator
from fractions import Fraction
from typing import Any

import attrs
from mpmath import iv

from dpframe.symbols import Expression, Symbol
from dpframe.symbols.text import Arithmetic

MOST_BOXES = 4000
BITS = 160
ENOUGH = Fraction(1, 10**12)  # relative width of an answer
Interval = Any  # mpmath's ivmpf


@attrs.frozen
class Worst:
    """sup f lies in [low, high]; f(at) >= low. `boxes` is how many were looked at."""

    low: Fraction
    high: Fraction
    at: Fraction
    boxes: int


def worst(formula: Expression, parameter: Symbol) -> Worst | None:
    """The supremum over the parameter's bounded range, a proof for all of it: closed boxes cover
    the range and its ends. None where the range is unbounded or no box bounds the formula.
    """
    low, high = parameter.domain.lower, parameter.domain.upper
    if low is None or high is None or formula.symbols() != {parameter}:
        return None
    before, iv.prec = iv.prec, BITS
    try:
        return _searched(formula, parameter, low, high)
    finally:
        iv.prec = before


def _searched(
    formula: Expression, parameter: Symbol, low: Fraction, high: Fraction
) -> Worst | None:
    """Boxes with the largest upper bounds are halved first."""
    first = _box(formula, parameter, low, high)
    queue, seen = [first], 1
    best, at = _point(formula, parameter, (low + high) / 2)
    while seen < MOST_BOXES:
        top, left, right = queue[0]
        if best > 0 and -top <= best * (1 + ENOUGH):
            break
        heapq.heappop(queue)
        middle = (left + right) / 2
        for a, b in ((left, middle), (middle, right)):
            heapq.heappush(queue, _box(formula, parameter, a, b))
            best, at = max((best, at), _point(formula, parameter, (a + b) / 2))
            seen += 1
    bound = -queue[0][0]
    return None if bound == INFINITE else Worst(best, Fraction(bound), at, seen)


INFINITE = float("inf")


def _box(
    formula: Expression, parameter: Symbol, low: Fraction, high: Fraction
) -> tuple[Any, Fraction, Fraction]:
    """Minus an upper bound, first in a queue where that is largest; and the box."""
    hull = iv.mpf([_number(low).a, _number(high).b])
    return -_end(INTERVALS.value(formula, {parameter.name: hull}, {}).b), low, high


def _point(formula: Expression, parameter: Symbol, at: Fraction) -> tuple[Fraction, Fraction]:
    """A lower bound on the value, which some point of the range reaches; and that point."""
    low = _end(INTERVALS.value(formula, {parameter.name: _number(at)}, {}).a)
    return (Fraction(low) if abs(low) != INFINITE else Fraction(-1)), at


def _end(end: Interval) -> Any:
    """An end as an exact Fraction, or an infinity; what is no number is infinite."""
    sign, man, exponent, _ = end._mpi_[0]
    if not man:
        return Fraction(0) if exponent == 0 else INFINITE
    return (-1) ** sign * Fraction(man) * Fraction(2) ** exponent


def _number(value: Fraction) -> Interval:
    return iv.mpf(value.numerator) / value.denominator


def _power(base: Interval, exponent: Fraction) -> Interval:
    if exponent.denominator == 2:
        base, exponent = iv.sqrt(base), exponent * 2
    if exponent.denominator != 1:
        raise TypeError(exponent)
    raised = base ** abs(int(exponent))
    return raised if exponent > 0 else 1 / raised


def _larger(one: Interval, other: Interval) -> Interval:
    return iv.mpf([max(one.a, other.a).a, max(one.b, other.b).b])


INTERVALS: Arithmetic[Interval] = Arithmetic(
    _number, operator.add, operator.mul, _power, {"log": iv.log, "max": _larger}
)
