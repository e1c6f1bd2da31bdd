"""The setting of a description, the bounds of a setting as text, and numbers and ranges in the
notation of descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpframe.errors import InvalidArgument
from dpframe.graph import Column, Rows, Setting
from dpframe.privacy import Relation
from dpframe.symbols import Domain, Expression, Number, constant, parameter

from . import limits
from .keys import LABELS, RELATIONS, ROWS, FilePart, keyed

FIGURE = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
NUMBER = re.compile(rf"({FIGURE})(?:\s*/\s*([0-9]+))?\Z", re.ASCII)
RANGE = re.compile(
    r"(?:(?P<whole>whole)\s*)?(?:in\s*)?(?P<left>[\[(])\s*(?P<lower>[^,\[\]()]+?)\s*,"
    r"\s*(?P<upper>[^,\[\]()]+?)\s*(?P<right>[\])])\s*(?P<also>,\s*whole)?\Z",
    re.ASCII,
)
SIDES = {"()": "neither", "[)": "left", "(]": "right", "[]": "both"}
WRITTEN = "Such as 1, 0.05, 1e-6 or 1/3."


def number(text: str, name: str = "number") -> Fraction:
    """The exact number that the text spells. Raises InvalidArgument."""
    match = NUMBER.match(text) if len(text) <= limits.DIGITS else None
    if match is None or (match[2] and not int(match[2])):
        raise InvalidArgument(name, "a number", text, WRITTEN)
    value = Fraction(match[1]) / int(match[2] or 1)
    if value and not 1 / limits.NUMBER <= abs(value) <= limits.NUMBER:
        raise InvalidArgument(name, "zero, or between 1e-400 and 1e400 in size", text)
    return value


def ranged(name: str, text: str) -> Expression:
    """A parameter on a range, `in (0, 1)`, `whole in [1, inf)`; or the number that is given.
    Raises InvalidArgument.
    """
    match = RANGE.match(text)
    if match is None:
        if any(sign in text for sign in "[(,"):
            way_out = "A range is written in (0, 1), or whole in [1, inf)."
            raise InvalidArgument(name, "a number or a range", text, way_out)
        return Number(number(text, name))
    lower, upper = match["lower"], match["upper"]
    low = None if lower in {"-inf", "-oo"} else number(lower, name)
    high = None if upper in {"inf", "+inf", "oo"} else number(upper, name)
    whole = match["whole"] is not None or match["also"] is not None
    closed = SIDES[match["left"] + match["right"]]
    return parameter(name, low, high, closed=closed, integer=whole)


RELATED = dict(zip(RELATIONS, Relation, strict=True))
ANY = "any"
SIGNED = {"lower", "upper"}
SYMBOLS = {"norm": "B", "box": "box", "bound": "Y"}


def bounds_of(setting: Setting) -> tuple[tuple[str, str], ...]:
    """Relation and bounds as pairs of text, for which a stated sensitivity holds."""
    names = {relation: name for name, relation in RELATED.items()}
    rows, labels = setting.X, setting.y
    bounds: dict[str, object] = {
        "relation": names[setting.relation],
        "norm": rows.norm,
        "box": rows.box,
    }
    if rows.d is not None:
        bounds["columns"] = rows.d
    if rows.columns is not None or rows.intercept:
        bounds["rows"] = rows
    bounds |= {name: getattr(labels, name, None) for name in ("bound", "lower", "upper")}
    return tuple((name, str(value)) for name, value in bounds.items() if value is not None)


def setting_of(parts: Mapping[str, FilePart]) -> Setting:
    """The setting of the parts of a file. Raises InvalidArgument."""
    relation = parts["relation"].text(limits.IN_FORMULA)
    if relation not in RELATED:
        way_out = "add-remove: one record joins or leaves; replace-one: one is exchanged."
        parts["relation"].refuse(f"one of {', '.join(RELATIONS)}", way_out=way_out)
    given = dict(keyed(parts["rows"], ROWS))
    columns = given.pop("columns", None)
    rows: dict[str, Any] = {n: amount(one, n) for n, one in given.items()}
    if not rows:
        parts["rows"].refuse("bounded: norm or box", "neither", "A paper says |x| <= 1 somewhere.")
    most = parts.get("rows_per_person")
    return Setting(
        X=Rows(**rows, d=None if columns is None else int(_whole(columns).value)),
        y=_labels(parts["labels"]) if "labels" in parts else None,
        relation=RELATED[relation],
        rows_per_person=constant(1) if most is None else _whole(most),
    )


def _labels(part: FilePart) -> Column:
    bounds: dict[str, Any] = {n: amount(one, n) for n, one in keyed(part, LABELS).items()}
    if set(bounds) not in ({"bound"}, {"lower", "upper"}):
        given = ", ".join(bounds) or "nothing"
        part.refuse("bounded once: by bound, or by lower and upper", given)
    return Column(**bounds)


def amount(part: FilePart, name: str, *, zero: bool = False) -> Expression:
    """A positive number, or a parameter for "any" or a range; ends of labels have any sign. Raises
    InvalidArgument.
    """
    text, symbol = part.text(limits.IN_FORMULA), SYMBOLS.get(name, name)
    below = name == "delta"
    if name not in SIGNED and text in {ANY, symbol}:
        return parameter(symbol, 0, 1 if below else None)
    if name not in SIGNED and RANGE.match(text):
        within: Any = ranged(symbol, text)
        if not _positive(within.domain, below=below):
            part.refuse(f"a range of positive numbers{', below 1' * below}")
        return within  # type: ignore[no-any-return]
    try:
        value = number(text)
    except InvalidArgument as error:
        part.refuse(
            f'{error.requirement}, a range such as "in (0, 1)", or "{ANY}"', way_out=error.way_out
        )
    if name not in SIGNED and (value < 0 or (value == 0 and not zero)):
        part.refuse("positive")
    if below and value >= 1:
        part.refuse("below 1")
    return Number(value)


def _positive(domain: Domain, *, below: bool) -> bool:
    """All of its numbers are above 0, and, if they shall be, `below` 1."""
    low, high = domain.lower, domain.upper
    if below and (high is None or high > 1 or Fraction(1) in domain):
        return False
    return low is not None and low >= 0 and Fraction(0) not in domain and not domain.integer


def _whole(part: FilePart) -> Number:
    try:
        value = number(part.text(limits.IN_FORMULA))
    except InvalidArgument:
        value = number("0")
    if value < 1 or value.denominator != 1:
        part.refuse("a whole number of at least 1")
    return Number(value)
