"""Numbers and ranges as descriptions write them."""

from __future__ import annotations

import re
from fractions import Fraction

from dpframe.errors import InvalidArgument
from dpframe.symbols import Expression, Number, parameter

from .limits import MOST_DIGITS, MOST_NUMBER

FIGURE = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
NUMBER = re.compile(rf"({FIGURE})(?:\s*/\s*([0-9]+))?\Z", re.ASCII)
RANGE = re.compile(
    r"(?:(?P<whole>whole)\s*)?(?:in\s*)?(?P<left>[\[(])\s*(?P<lower>[^,\[\]()]+?)\s*,"
    r"\s*(?P<upper>[^,\[\]()]+?)\s*(?P<right>[\])])\s*(?P<also>,\s*whole)?\Z",
    re.ASCII,
)
SIDES = {"()": "neither", "[)": "left", "(]": "right", "[]": "both"}
ENDLESS = {"inf", "+inf", "oo"}
WRITTEN = "Such as 1, 0.05, 1e-6 or 1/3."


def number(text: str, name: str = "number") -> Fraction:
    """The exact number that the text spells. Raises InvalidArgument."""
    found = NUMBER.match(text) if len(text) <= MOST_DIGITS else None
    if found is None or (found[2] and not int(found[2])):
        raise InvalidArgument(name, "a number", text, WRITTEN)
    value = Fraction(found[1]) / int(found[2] or 1)
    if value and not 1 / MOST_NUMBER <= abs(value) <= MOST_NUMBER:
        raise InvalidArgument(name, "zero, or between 1e-400 and 1e400 in size", text)
    return value


def ranged(name: str, text: str) -> Expression:
    """A parameter on a range, `in (0, 1)`, `whole in [1, inf)`; or the number that is given.
    Raises InvalidArgument.
    """
    found = RANGE.match(text)
    if found is None:
        way_out = "A range is written in (0, 1), or whole in [1, inf)."
        if any(sign in text for sign in "[(,"):
            raise InvalidArgument(name, "a number or a range", text, way_out)
        return Number(number(text, name))
    lower, upper = found["lower"], found["upper"]
    low = None if lower in {"-inf", "-oo"} else number(lower, name)
    high = None if upper in ENDLESS else number(upper, name)
    whole = found["whole"] is not None or found["also"] is not None
    closed = SIDES[found["left"] + found["right"]]
    return parameter(name, low, high, closed=closed, integer=whole)
