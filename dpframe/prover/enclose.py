"""Formulas as rigorous enclosures: ball arithmetic at numbers and on boxes."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from dpframe.numerics.calibrate import analytic_sigma_ball
from dpframe.numerics.precision import working
from dpframe.numerics.rounding import arb_float
from dpframe.symbols import Expression
from dpframe.symbols.evaluation import Arithmetic

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
    with working(BITS):
        return BALLS.value(formula, values, {} if seen is None else seen)


def _power(base: Ball, exponent: Fraction) -> Ball:
    if exponent.denominator == 1:
        return base ** int(exponent)
    if exponent.denominator == 2:
        return base.sqrt() ** int(exponent.numerator)
    return (base.log() * rational_ball(exponent)).exp()


BALLS: Arithmetic[Ball] = Arithmetic(
    rational_ball,
    operator.add,
    operator.mul,
    _power,
    {
        "log": flint.arb.log,
        "exp": flint.arb.exp,
        "min": flint.arb.min,
        "max": flint.arb.max,
        "analytic_sigma": analytic_sigma_ball,
    },
)


def at_point(formulas: Sequence[Expression], point: Mapping[str, Fraction]) -> list[Ball]:
    """Enclosures of formulas at exact numbers, by name."""
    balls = {name: rational_ball(value) for name, value in point.items()}
    known: dict[Expression, Ball] = {}
    return [enclose(formula, balls, known) for formula in formulas]


def number(formula: Expression, values: Mapping[str, Fraction], *, up: bool) -> float:
    """The value of `formula` at exact numbers as a double, rounded up or down."""
    return float(arb_float(at_point([formula], values)[0], up=up))
