"""The codebook of a setting as a JSON document, which `--schema` of the command line reads."""

from __future__ import annotations

from fractions import Fraction
from types import NoneType
from typing import Any

import attrs

from dpframe.errors import InvalidArgument
from dpframe.symbols import Number

from .schema import Categorical, Numeric, Rows, Setting


def codebook_of(setting: Setting) -> dict[str, Any]:
    """Columns, target, norm, terms and intercept, exactly. Raises InvalidArgument if the setting
    has no codebook, or one that JSON cannot hold.
    """
    X = setting.X
    if X.columns is None or X.box is not None:
        wanted = "with a codebook, dp.Rows(columns=[...]), and no box"
        raise InvalidArgument("setting", wanted, X, "The certificate has its bounds.")
    content = {"columns": [_given(part) for part in X.columns], **_given(X)}
    target = {} if setting.y is None else {"target": _given(setting.y)}
    return {**content, **target, "intercept": X.intercept}


def _given(part: Numeric | Categorical | Rows | Any) -> dict[str, Any]:
    """The fields that differ from their defaults, without those of a codebook's columns."""
    fields = attrs.fields(type(part))
    values = {field.name: getattr(part, field.name) for field in fields}
    left_out = {"columns", "intercept"}
    if values.get("levels") is not None and "bound" in values:
        left_out |= {"lower", "upper"}
    return {
        field.name: _value(field.name, values[field.name])
        for field in fields
        if field.name not in left_out and values[field.name] != field.default
    }


def _value(name: str, value: Any) -> Any:
    """As JSON; numbers that are no short decimals as text. Raises InvalidArgument."""
    if isinstance(value, tuple):
        return [_value(name, one) for one in value]
    exact = value.value if isinstance(value, Number) else value
    if isinstance(exact, Fraction):
        if exact.denominator == 1:
            return exact.numerator
        return float(exact) if Fraction(str(float(exact))) == exact else str(exact)
    if not isinstance(exact, (str, int, NoneType)):
        way_out = "Write other levels as text, in the table too."
        raise InvalidArgument(
            name, "texts, whole numbers or truth values in a file", exact, way_out
        )
    return exact
