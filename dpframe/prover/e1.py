"""Rule E1: a Gaussian tail bound that proves (epsilon, delta) with log and exp alone, for every
delta in (0, 1]. Here a and S are searched for; the rule is `dpframe.theory.gaussian`'s. Proof
page: proofs/e1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import attrs

from dpframe.symbols import Call, Expression, Number, exact, multiply, power
from dpframe.symbols.arithmetic import Formulas
from dpframe.theory.gaussian import outweighs, tail_bound

from .algebra import Field
from .obligation import Constraint
from .resolve import outermost
from .sign import nonnegative, positive

MAX_DENOMINATOR = 1000
Totals = Callable[
    [Sequence[Expression], Callable[[Expression, Expression], Expression]], Sequence[Expression]
]


@attrs.frozen
class Tail:
    """What E1 needs: q_i >= a and total <= S; the claim holds where `constraint` does."""

    a: Fraction
    S: Fraction
    constraint: Constraint


def tail_rule(
    moves: Sequence[Expression],
    totals: Totals,
    epsilon: Expression,
    delta: Expression,
    field: Field,
) -> Tail | None:
    """Apply E1 to the m_i = `moves`, whose joint total is the largest of `totals`; None where it
    does not apply.
    """
    if (
        not positive(epsilon, field).proved
        or not positive(delta, field).proved
        or not nonnegative(1 - delta, field).proved
    ):
        return None
    split = [_split(move, epsilon, delta, field) for move in dict.fromkeys(moves)]
    known = {
        move: part
        for move, part in zip(dict.fromkeys(moves), split, strict=True)
        if part is not None
    }
    if len(known) < len(split):
        return None
    floor = _least([q for _, q in known.values()], field)
    branches = totals([known[move][0] for move in moves], lambda a, b: larger(a, b, field))
    ceiling = _greatest(branches, field)
    if floor is None or ceiling is None:
        return None
    return _conclude(floor, ceiling, epsilon, delta, field)


def _split(
    move: Expression, epsilon: Expression, delta: Expression, field: Field
) -> tuple[Expression, Expression] | None:
    """m = R E^2/log(A): (R, A D), both rational in the symbols."""
    logs = [one for one in outermost(move) if isinstance(one, Call) and one.name == "log"]
    if len(logs) != 1:
        return None
    argument = logs[0].parts[0]
    rest = multiply(move, logs[0], power(epsilon, -2))
    inside = multiply(argument, delta)
    return (
        (rest, inside)
        if field.ratio(rest) is not None and field.ratio(inside) is not None
        else None
    )


def larger(a: Expression, b: Expression, field: Field) -> Expression:
    """max(a, b) as a rational function, from above: a + b where the order is not settled (both are
    >= 0).
    """
    if nonnegative(a - b, field).proved:
        return a
    return b if nonnegative(b - a, field).proved else a + b


def _least(formulas: Sequence[Expression], field: Field) -> Fraction | None:
    """A proved lower bound a >= 1 on all formulas, the best that corners suggest."""
    values = [value for formula in formulas for value in _corner_values(formula)]
    for bound in (min(values, default=Fraction(1)), Fraction(1)):
        if bound >= 1 and all(
            nonnegative(formula - exact(bound), field).proved for formula in set(formulas)
        ):
            return bound
    return None


def _greatest(formulas: Sequence[Expression], field: Field) -> Fraction | None:
    """A proved upper bound S on all formulas, the best that corners suggest, with a small
    denominator.
    """
    best = max(
        (value for formula in formulas for value in _corner_values(formula)),
        default=Fraction(1, 2),
    )
    for bound in (
        best,
        best * Fraction(65, 64),
        best * Fraction(9, 8),
        best * Fraction(3, 2),
        Fraction(1, 2),
    ):
        rounded = (
            bound if bound.denominator <= MAX_DENOMINATOR else Fraction(-(-bound * 64 // 1), 64)
        )
        if rounded > 0 and all(
            nonnegative(exact(rounded) - formula, field).proved for formula in set(formulas)
        ):
            return rounded
    return None


def _corner_values(formula: Expression) -> list[Fraction]:
    """Values at the corners and the middle of the domain's closure, where they exist."""
    symbols = sorted(formula.symbols(), key=lambda symbol: symbol.name)[:6]
    choices = [
        [end for end in (s.domain.lower, s.domain.upper, s.domain.example()) if end is not None]
        for s in symbols
    ]
    found = []
    for point in product(*choices):
        try:
            value = formula.substitute(
                {s.name: Number(v) for s, v in zip(symbols, point, strict=True)}
            )
        except ValueError:  # a division by zero at an open end
            continue
        if isinstance(value, Number):
            found.append(value.value)
    return found


def _conclude(
    a: Fraction, S: Fraction, epsilon: Expression, delta: Expression, field: Field
) -> Tail | None:
    small = outweighs(a, S) or nonnegative(exact(Fraction(1, 2)) - delta, field).proved
    if S > Fraction(1, 2) or not small:
        return None
    numbers: Any = (Formulas(None), a, S, delta)
    bound: Any = tail_bound(*numbers)
    return Tail(a, S, Constraint(epsilon, bound, source="rule E1"))
