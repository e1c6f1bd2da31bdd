"""Numbers become exact when they are given: a float as its shortest decimal; bool is refused."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.numbers import shortest

from .expression import Expression, Number


def exact(value: object, name: str = "value") -> Expression:
    """`value` as an exact expression: Fraction and int as they are, text parsed, a float as its
    shortest decimal.

    Raises InvalidArgument for bool, nan, infinities and anything else.

    >>> exact(0.7), exact("1/3"), exact(2)
    (7/10, 1/3, 2)
    """
    if isinstance(value, Expression):
        return value
    reading = getattr(value, "__expression__", None)
    return Number(rational(value, name)) if reading is None else reading()


def rational(value: object, name: str = "value") -> Fraction:
    """`value` as an exact rational; a float as its shortest decimal. Raises InvalidArgument."""
    if type(value) is Fraction:
        return value
    if isinstance(value, Number):
        return value.value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        raise InvalidArgument(
            name, "a number", value, "True and False are not numbers here; write 1 or 0."
        )
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise InvalidArgument(name, "finite", value, "")
        return shortest(value)
    if isinstance(value, str):
        return _from_text(value, name)
    raise InvalidArgument(
        name, "a number, a Fraction, text such as '1/3', or an expression", value, ""
    )


def _from_text(value: str, name: str) -> Fraction:
    exponent = value.lower().partition("e")[2]
    try:
        small = len(value) <= 80 and abs(int(exponent or "0")) <= 400
        return Fraction(value if small else "too large")
    except (ValueError, ZeroDivisionError):
        raise InvalidArgument(
            name,
            "a number written like '0.05', '1/3' or '1e-6'",
            value,
            "Formulas are read by dp.parse.",
        ) from None
