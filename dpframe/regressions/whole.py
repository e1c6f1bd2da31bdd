"""Parameters that shape a declaration's graph: whole numbers, known before anything is drawn."""

from __future__ import annotations

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Number


def whole(value: Expression, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number of `least` to `most`. Raises InvalidArgument, naming the parameter."""
    number = value.value if isinstance(value, Number) else None
    beyond = most is not None and number is not None and number > most
    if number is None or number.denominator != 1 or number < least or beyond:
        wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")
        way_out = "It shapes what is released, so it is a number before anything is drawn."
        raise InvalidArgument(name, wanted, str(value), way_out)
    return int(number)
