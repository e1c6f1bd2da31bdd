"""The codebook of a setting as a JSON file, which `--schema` of the command line reads too."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any

import attrs

from dpframe import documents
from dpframe.errors import InvalidArgument, Plain
from dpframe.symbols import Number

from .schema import Categorical, Column, Numeric, Rows, Setting


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
    """As JSON; bounds that are no short decimals as text. Raises InvalidArgument."""
    if isinstance(value, tuple):
        return [_value(name, one) for one in value]
    exact = value.value if isinstance(value, Number) else value
    if isinstance(exact, Fraction):
        if exact.denominator == 1:
            return exact.numerator
        return float(exact) if Fraction(str(float(exact))) == exact else str(exact)
    if not isinstance(exact, (str, int, float, NoneType)):
        raise InvalidArgument(name, "numbers, texts or truth values in a file", exact)
    return exact


# -------------------------------------------------------------------------------------- From a file
NEEDED = {"columns", "target"}
KNOWN = NEEDED | {"intercept", "norm", "terms"}


def _content(path: str | Path, source: str) -> dict[str, Any]:
    """The object in a JSON file, with exact decimals."""
    text = documents.text_of(path, source)
    content = documents.json_of(text, source, parse_float=Decimal, parse_constant=Decimal)
    if not isinstance(content, dict):
        raise InvalidArgument(source, f"written like {documents.CODEBOOK}", str(path))
    _check_keys(f"{source}, the file", content, tuple(sorted(KNOWN)))
    for key in sorted(NEEDED - set(content)):
        raise _missing(f"{source}, the file", key)
    return content


def _missing(place: str, key: str) -> InvalidArgument:
    """The refusal of a codebook in which `place` lacks a key."""
    way_out = f"A codebook is written like {documents.CODEBOOK}."
    wanted = f"an object with the key {key!r}"
    return InvalidArgument(place, wanted, Plain("none"), way_out)


def _check_keys(place: str, part: object, known: Iterable[str]) -> None:
    """Refuse unknown keys. Raises InvalidArgument."""
    others = [key for key in part if key not in known] if isinstance(part, dict) else []
    if others:
        wanted = f"of the keys {', '.join(known)}"
        raise InvalidArgument(place, wanted, others[0], "Delete or rename it.")


def _part(cls: Any, place: str, part: Any, path: str | Path) -> Any:
    """The instance of `cls` that a JSON object describes. Raises InvalidArgument."""
    fields = attrs.fields_dict(cls)
    _check_keys(place, part, fields)
    for key, field in fields.items() if isinstance(part, dict) else ():
        if field.default is attrs.NOTHING and key not in part:
            raise _missing(place, key)
    try:
        return cls(**part)
    except TypeError:
        raise InvalidArgument(place, f"written like {documents.CODEBOOK}", str(path)) from None


def codebook_in(path: str | Path, source: str = "codebook") -> tuple[Rows, Column]:
    """The rows and labels of a codebook in a JSON file; errors call it `source`. Raises
    InvalidArgument.
    """
    content = _content(path, source)
    parts = content["columns"] if isinstance(content["columns"], list) else [None]
    columns = []
    for part in parts:
        named = part if isinstance(part, dict) else {}
        kind = Categorical if "levels" in named else Numeric
        place = f"{source}, column {named.get('name', '')}".strip()
        columns.append(_part(kind, place, part, path))
    intercept, norm = content.get("intercept", False), content.get("norm")
    if not isinstance(intercept, bool):
        raise InvalidArgument("intercept", "true or false", intercept)
    terms = content.get("terms")
    rows = Rows(columns=columns, norm=norm, terms=terms, intercept=intercept)
    return rows, _part(Column, f"{source}, target", content["target"] or None, path)
