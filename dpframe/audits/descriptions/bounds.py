"""The setting of a description and the bounds of a setting as text; numbers and ranges as
descriptions write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpframe.errors import InvalidArgument
from dpframe.graph import Column, Rows, Setting
from dpframe.privacy import Relation
from dpframe.symbols import Expression, Number, constant, parameter

from .keys import LABELS, RELATIONS, ROWS, Part, keyed
from .limits import MOST_DIGITS, MOST_IN_FORMULA, MOST_NUMBER

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


RELATED = dict(zip(RELATIONS, Relation, strict=True))
ANY = "any"
SIGNED = {"lower", "upper"}
SYMBOLS = {"norm": "B", "box": "box", "bound": "Y"}


def bounds_of(setting: Setting) -> tuple[tuple[str, str], ...]:
    """Relation and bounds as pairs of text; what a stated sensitivity holds for."""
    names = {relation: name for name, relation in RELATED.items()}
    rows, column = setting.X, setting.y
    found: dict[str, object] = {
        "relation": names[setting.relation],
        "norm": rows.norm,
        "box": rows.box,
    }
    if rows.columns is not None or rows.intercept:
        found["rows"] = rows
    if column is not None:
        found |= {"bound": column.bound, "lower": column.lower, "upper": column.upper}
    return tuple((name, str(value)) for name, value in found.items() if value is not None)


def setting_of(parts: Mapping[str, Part]) -> Setting:
    """The setting of the parts of a file. Raises InvalidArgument."""
    relation = parts["relation"].text(MOST_IN_FORMULA)
    if relation not in RELATED:
        way_out = "add-remove: one record joins or leaves; replace-one: one is exchanged."
        parts["relation"].refuse(f"one of {', '.join(RELATIONS)}", way_out=way_out)
    rows: dict[str, Any] = {n: amount(one, n) for n, one in keyed(parts["rows"], ROWS).items()}
    if not rows:
        parts["rows"].refuse("bounded: norm or box", "neither", "A paper says |x| <= 1 somewhere.")
    most = parts.get("rows_per_person")
    return Setting(
        X=Rows(**rows),
        y=_labels(parts["labels"]) if "labels" in parts else None,
        relation=RELATED[relation],
        rows_per_person=constant(1) if most is None else _whole(most),
    )


def _labels(part: Part) -> Column:
    found: dict[str, Any] = {n: amount(one, n) for n, one in keyed(part, LABELS).items()}
    if set(found) not in ({"bound"}, {"lower", "upper"}):
        part.refuse("bounded once: by bound, or by lower and upper", ", ".join(found) or "nothing")
    return Column(**found)


def amount(part: Part, name: str, *, zero: bool = False) -> Expression:
    """A positive number; or, where it says any, a parameter; ends of labels have any sign. Raises
    InvalidArgument.
    """
    text = part.text(MOST_IN_FORMULA)
    if name not in SIGNED and text in {ANY, SYMBOLS.get(name, name)}:
        return parameter(SYMBOLS.get(name, name), 0, 1 if name == "delta" else None)
    try:
        value = number(text)
    except InvalidArgument as error:
        part.refuse(f'{error.requirement}, or "{ANY}" for every value', way_out=error.way_out)
    if name not in SIGNED and (value < 0 or (value == 0 and not zero)):
        part.refuse("positive")
    if name == "delta" and value >= 1:
        part.refuse("below 1")
    return Number(value)


def _whole(part: Part) -> Number:
    try:
        value = number(part.text(MOST_IN_FORMULA))
    except InvalidArgument:
        value = number("0")
    if value < 1 or value.denominator != 1:
        part.refuse("a whole number of at least 1")
    return Number(value)
