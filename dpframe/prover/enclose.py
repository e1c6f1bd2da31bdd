"""Formulas as rigorous enclosures: ball arithmetic at numbers and on boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from dpframe.numerics.calibrate import analytic_sigma_ball
from dpframe.numerics.precision import working
from dpframe.numerics.rounding import arb_float
from dpframe.symbols import Call, Expression, Number, Power, Product, Sum, Symbol

Ball = Any  # flint.arb
BITS = 128


def rational_ball(value: Fraction) -> Ball:
    """An enclosure of an exact rational."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def enclose(
    formula: Expression, values: Mapping[str, Ball], seen: dict[Expression, Ball] | None = None
) -> Ball:
    """An enclosure of `formula` where each symbol, by name, lies in its ball; not finite where a
    part is undefined.
    """
    known: dict[Expression, Ball] = {} if seen is None else seen
    with working(BITS):
        return _enclose(formula, values, known)


def _enclose(
    formula: Expression, values: Mapping[str, Ball], known: dict[Expression, Ball]
) -> Ball:
    if formula not in known:
        known[formula] = _value(formula, values, known)
    return known[formula]


def _value(formula: Expression, values: Mapping[str, Ball], known: dict[Expression, Ball]) -> Ball:
    match formula:
        case Number(value):
            return rational_ball(value)
        case Symbol(name, _, _):
            return values[name]
    parts = [_enclose(part, values, known) for part in formula.parts]
    match formula:
        case Sum(_):
            return sum(parts[1:], parts[0])
        case Product(_):
            total = parts[0]
            for part in parts[1:]:
                total = total * part
            return total
        case Power(_, exponent):
            return _power(parts[0], exponent)
        case Call(name, _):
            return _call(name, parts)
    raise TypeError(formula)


def _power(base: Ball, exponent: Fraction) -> Ball:
    if exponent.denominator == 1:
        return base ** int(exponent)
    if exponent.denominator == 2:
        return base.sqrt() ** int(exponent.numerator)
    return (base.log() * rational_ball(exponent)).exp()


def _call(name: str, parts: list[Ball]) -> Ball:
    if name == "log":
        return parts[0].log()
    if name == "exp":
        return parts[0].exp()
    if name == "analytic_sigma":
        return analytic_sigma_ball(parts[0], parts[1])
    total = parts[0]
    for part in parts[1:]:
        total = total.max(part) if name == "max" else total.min(part)
    return total


def at_point(formulas: Sequence[Expression], point: Mapping[str, Fraction]) -> list[Ball]:
    """Enclosures of formulas at exact numbers, by name."""
    balls, known = {name: rational_ball(value) for name, value in point.items()}, {}
    return [enclose(formula, balls, known) for formula in formulas]


def number(formula: Expression, values: Mapping[str, Fraction], *, up: bool) -> float:
    """The value of `formula` at exact numbers as a double, rounded up or down."""
    return float(arb_float(at_point([formula], values)[0], up=up))
