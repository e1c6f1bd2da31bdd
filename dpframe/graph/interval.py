"""The ends of public intervals."""

from __future__ import annotations

import math
from fractions import Fraction

from dpframe.errors import SHORT, InvalidArgument, Plain
from dpframe.symbols import Expression, Number, Symbol


def check_ends(name: str, lower: Fraction, upper: Fraction) -> None:
    """Refuse bounds between which no double is finite and positive. Raises InvalidArgument."""
    if lower >= upper or not 0 < to_float(upper) - to_float(lower) < math.inf:
        found = Plain(f"{lower} and {upper}")
        title = name if len(name) <= SHORT else "a column"
        raise InvalidArgument(f"bounds of {title}", "increasing", found, "Give lower < upper.")


def to_float(value: Fraction) -> float:
    """The nearest double, infinite beyond all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_interval(lower: Expression, upper: Expression) -> None:
    """Refuse ends that are not increasing numbers, or not -Y and Y for a positive parameter Y."""
    if isinstance(lower, Number) and isinstance(upper, Number):
        check_ends("y", lower.value, upper.value)
    elif (
        lower != -upper
        or not isinstance(upper, Symbol)
        or not (upper.domain.positive or upper.origin is not None)
    ):
        raise InvalidArgument(
            "bounds of y",
            "two numbers, or bound=Y with a positive public parameter Y",
            Plain(f"{lower} and {upper}"),
            "",
        )
