"""Exact rationals from a caller's numbers: nothing is rounded, and nothing is guessed."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral
from typing import TypeAlias

from ..errors import InvalidArgument

Exact: TypeAlias = Fraction | int | float
"""An exact rational; a float stands for its exact binary value."""

_A_NUMBER = "an exact number: a Fraction, an int, or a finite float (its exact binary value)"


def as_fraction(name: str, value: object) -> Fraction:
    """`value` as an exact rational; booleans, text, infinities and nan are refused by `name`."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return Fraction(float(value))
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Fraction(int(value))
    raise InvalidArgument(name, _A_NUMBER, value, "Write decimals as Fraction('0.1').")


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
