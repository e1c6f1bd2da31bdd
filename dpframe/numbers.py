"""Exact rationals from numbers: nothing is rounded, and nothing is guessed.

A float that a person gives means its shortest decimal, everywhere: `given`. A float that was
computed, such as the end of a search, is the double that it is: `as_fraction`.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, TypeAlias

from dpframe.errors import InvalidArgument

Exact: TypeAlias = Fraction | int | float
"""An exact rational; what a float stands for is up to its reader: `given` or `as_fraction`."""

_A_NUMBER = "an exact number: a Fraction, an int, or a finite float"


def as_fraction(name: str, value: object) -> Fraction:
    """`value` as an exact rational; booleans, text, infinities and nan are refused by `name`."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(float(value))
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Fraction(int(value))
    raise InvalidArgument(name, _A_NUMBER, value, "Write decimals as Fraction('0.1').")


def given(name: str, value: object) -> Fraction:
    """A caller's number as an exact rational: a float, also one of numpy, as its shortest decimal;
    a text such as "1e-6" as it is written. Booleans, infinities and nan are refused by `name`.
    Raises InvalidArgument.

    >>> given("delta", 1e-6), given("epsilon", "0.1")
    (Fraction(1, 1000000), Fraction(1, 10))
    """
    if isinstance(value, str):
        return from_text(name, value)
    if isinstance(value, Real) and not isinstance(value, (Fraction, Integral)):
        if not math.isfinite(value):
            raise InvalidArgument(name, "a finite number", value)
        return shortest(value)
    return as_fraction(name, value)


def from_text(name: str, value: str) -> Fraction:
    """The number in a text such as '0.05', '1/3' or '1e-6'. Raises InvalidArgument."""
    exponent = value.lower().partition("e")[2]
    try:
        small = len(value) <= 80 and abs(int(exponent or "0")) <= 400
        return Fraction(value if small else "too large")
    except (ValueError, ZeroDivisionError):
        wanted = "a number written like '0.05', '1/3' or '1e-6'"
        raise InvalidArgument(
            name, wanted, value, "A formula is dp.graph.parse('sqrt(2)/3')."
        ) from None


def shortest(value: float | Real) -> Fraction:
    """The shortest decimal that reads as this finite float, among those of its own width."""
    return Fraction(float.__repr__(value) if isinstance(value, float) else str(value))


def rounded_up(value: Fraction, digits: int) -> Fraction:
    """A positive number, rounded up to a decimal of so many digits."""
    above = Context(prec=digits, rounding=ROUND_CEILING)
    return Fraction(above.divide(Decimal(value.numerator), Decimal(value.denominator)))


def doubles(array: Any) -> Any:
    """An array of numbers as doubles; floats of fewer bits by their shortest decimals."""
    narrow = array.dtype.kind == "f" and array.dtype.itemsize < 8
    return (array.astype(str) if narrow else array).astype(float, copy=False)


def nonnegative(name: str, value: object) -> Fraction:
    """`value` as an exact rational >= 0."""
    number = as_fraction(name, value)
    if number < 0:
        raise InvalidArgument(name, "at least 0", value)
    return number


def positive(name: str, value: object) -> Fraction:
    """`value` as an exact rational > 0."""
    number = as_fraction(name, value)
    if number <= 0:
        raise InvalidArgument(name, "above 0", value)
    return number


def open_unit(name: str, value: object) -> Fraction:
    """`value` as an exact rational in the open interval (0, 1)."""
    number = as_fraction(name, value)
    if not 0 < number < 1:
        raise InvalidArgument(name, "strictly between 0 and 1", value)
    return number


def whole(name: str, value: Any, least: int, most: int | None = None, *, way_out: str = "") -> int:
    """`value` as a whole number of at least `least`, and at most `most` where that is given; of
    Python's or numpy's, never a bool. Raises InvalidArgument.
    """
    of_integers = isinstance(value, Integral) and not isinstance(value, bool)
    if of_integers and value >= least and (most is None or value <= most):
        return int(value)
    wanted = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise InvalidArgument(name, f"a whole number {wanted}", value, way_out)
