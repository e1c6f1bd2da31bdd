"""What the losses of noises on a grid share: the converters of their parameters."""

from __future__ import annotations

from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.numbers import given, positive

LARGEST_WHOLE = 2**53
"""Every whole number up to here is a double."""

_LEAST, _MOST = Fraction(1, 2**500), Fraction(2**500)


def whole(name: str, value: object, least: int) -> int:
    """`value` as a whole number from `least` to 2^53. Raises InvalidArgument."""
    number = given(name, value)
    if number.denominator != 1 or not least <= number <= LARGEST_WHOLE:
        raise InvalidArgument(name, f"a whole number from {least} to 2^53", value)
    return int(number)


def moderate(name: str, value: object) -> Fraction:
    """`value` as an exact rational from 2^-500 to 2^500. Raises InvalidArgument."""
    number = positive(name, given(name, value))
    if not _LEAST <= number <= _MOST:
        raise InvalidArgument(name, "from 2^-500 to 2^500", value, "No double is near its square.")
    return number
