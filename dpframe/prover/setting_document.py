"""A setting in a file: every field of it, field by field, so that none can be forgotten.

A field at its default is left out, unless it is among WRITTEN. Relation and rows per person stand
in the statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import attrs

from dpframe.graph import Categorical, Column, Numeric, Rows, Setting
from dpframe.privacy import Relation
from dpframe.symbols import Expression, Symbol, from_json, to_json

STATED = {"relation", "rows_per_person"}
WRITTEN = {
    Setting: {"X", "y"},
    Rows: {"norm", "columns", "intercept"},
    Column: {"name", "bound", "lower", "upper"},
    Numeric: {"name", "lower", "upper", "unit"},
    Categorical: {"name", "levels", "baseline"},
}
Symbols = Mapping[str, Symbol]


def setting_record(setting: Setting) -> dict[str, object]:
    """The JSON value of a setting, without what stands in the statement."""
    found = _record(setting)
    return {name: value for name, value in found.items() if name not in STATED}


def setting_of(spec: Mapping[str, Any], claimed: Mapping[str, Any], symbols: Symbols) -> Setting:
    """The setting of a file, whose statement is `claimed`. Raises what its classes raise."""
    labels = None if spec["y"] is None else _built(Column, spec["y"], symbols)
    parts = {
        "X": _built(Rows, spec["X"], symbols),
        "y": labels,
        "relation": Relation(claimed["relation"]),
        "rows_per_person": from_json(claimed["rows_per_person"], symbols),
    }
    return Setting(**{**spec, **parts})


def _record(value: Any) -> dict[str, object]:
    fields = ((field, getattr(value, field.name)) for field in attrs.fields(type(value)))
    kept = WRITTEN[type(value)]
    return {
        field.name: _json(own)
        for field, own in fields
        if field.name in kept or own != field.default
    }


def _json(value: Any) -> object:
    if isinstance(value, Expression):
        return to_json(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [_json(part) for part in value]
    return _record(value) if attrs.has(type(value)) else value


def _built(kind: type, spec: Mapping[str, Any], symbols: Symbols) -> Any:
    """An object of this class. What is annotated as a formula is read as one."""
    types = {field.name: str(field.type) for field in attrs.fields(kind)}
    return kind(**{name: _value(types.get(name, ""), own, symbols) for name, own in spec.items()})


def _value(annotation: str, value: Any, symbols: Symbols) -> Any:
    if value is not None and "Expression" in annotation:
        return from_json(value, symbols)
    if isinstance(value, list):
        return [_part(one, symbols) for one in value]
    return value


def _part(value: Any, symbols: Symbols) -> Any:
    """A column of a codebook, or a level of one."""
    if not isinstance(value, Mapping):
        return value
    return _built(Categorical if "levels" in value else Numeric, value, symbols)
