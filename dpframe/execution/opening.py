"""What users give as X and y, opened for reading: arrays, lists, data frames.

Refusals name columns and kinds, never values, rows or numbers of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Categorical, Numeric

from .reading import (
    REAL,
    Array,
    Column,
    Features,
    Frame,
    Matrix,
    Plain,
    check_kind,
    level_column,
    number_column,
)

Schema = tuple[Numeric | Categorical, ...] | None
MASKED = '{0}.filled(numpy.nan) with missing="drop" leaves masked rows out.'
SPARSE = "{0}.toarray() makes it dense."


def features(X: Any, schema: Schema, *, drop: bool = False) -> Features:
    """The features, chosen by the codebook's names where X has names. Raises BadData."""
    if hasattr(X, "to_numpy") and hasattr(X, "columns"):
        return _from_frame(X, schema, drop=drop)
    return _from_array(_array(X, "X"), schema, drop=drop)


def labels(y: Any, *, declared: bool, drop: bool = False) -> Column | None:
    """The labels, where the certificate declares some. Raises BadData."""
    if y is None and not declared:
        return None
    if y is None:
        raise BadData("y", "given", None, "The certificate declares labels.")
    if not declared:
        raise BadData("y", "left out", Plain("labels"), "The certificate declares none.")
    series = y if hasattr(y, "to_numpy") and hasattr(y, "dtype") else _array(y, "y")
    if len(series.shape) != 1:
        got, way_out = _dimensions(series), "y.ravel() flattens one column."
        raise BadData("y", "one-dimensional: a number a record", got, way_out)
    return number_column(series, "y", drop=drop)


def _from_array(array: Array, schema: Schema, *, drop: bool) -> Features:
    if array.ndim != 2:
        way_out = "X.reshape(-1, 1) makes one column." if array.ndim == 1 else ""
        raise BadData("X", "two-dimensional: a row a record", _dimensions(array), way_out)
    _check_width(array.shape[1], schema)
    names = _named([str(j) for j in range(array.shape[1])] if schema is None else _names(schema))
    if array.dtype.kind not in REAL and _has_categories(schema):
        return Frame(array, names, tuple(level_column(column) for column in array.T))
    if drop and array.dtype == object:
        columns = zip(array.T, names, strict=True)
        return Frame(array, names, tuple(number_column(c, name, drop=True) for c, name in columns))
    check_kind(array.dtype, "X")
    return Matrix(array, names)


def _from_frame(frame: Any, schema: Schema, *, drop: bool) -> Frame:
    given = [str(name) for name in frame.columns]
    wanted = given if schema is None else _names(schema)
    _check_width(len(wanted), schema)
    places = list(range(len(given))) if schema is None else [_place(one, given) for one in wanted]
    parts: Sequence[Numeric | Categorical | None] = schema or [None] * len(places)
    names = _named(wanted)
    columns = [
        level_column(series)
        if isinstance(part, Categorical)
        else number_column(series, name, drop=drop)
        for series, part, name in zip(_series(frame, places), parts, names, strict=True)
    ]
    return Frame(frame, names, tuple(columns))


def _check_width(width: int, schema: Schema) -> None:
    if schema is not None and width != len(schema):
        wanted, got = f"a table of its codebook's {len(schema)} columns", Plain(f"{width} columns")
        raise BadData("X", wanted, got, "A data frame is read by its columns' names.")
    if width == 0:
        raise BadData("X", "a table with at least one column", Plain("none"))


def _place(name: str, given: Sequence[str]) -> int:
    """Where the one column of that name stands. Raises BadData."""
    if given.count(name) != 1:
        got = Plain(f"{given.count(name)} of that name")
        way_out = "dp.Rows(columns=[...]) names the columns of its codebook."
        raise BadData("X", f"a table with one column {name!r}", got, way_out)
    return given.index(name)


def _series(frame: Any, places: Sequence[int]) -> list[Any]:
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, j] for j in places]
    names = list(frame.columns)
    return [frame[names[j]] for j in places]


def _array(data: Any, name: str) -> Array:
    """`data` as an array, the same memory where it is one. Raises BadData."""
    if isinstance(data, np.ma.MaskedArray):
        raise BadData(name, "unmasked", Plain("a masked array"), MASKED.format(name))
    if hasattr(data, "toarray"):
        raise BadData(name, "dense", Plain("a sparse matrix"), SPARSE.format(name))
    try:
        return np.asarray(data)
    except (TypeError, ValueError):
        wanted = "an array, a list of rows of one length or a data frame"
        raise BadData(name, wanted, Plain(type(data).__name__)) from None


def _dimensions(array: Any) -> Plain:
    count = len(array.shape)
    return Plain("1 dimension" if count == 1 else f"{count} dimensions")


def _names(schema: tuple[Numeric | Categorical, ...]) -> list[str]:
    return [part.name for part in schema]


def _named(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"column {name} of X" for name in names)


def _has_categories(schema: Schema) -> bool:
    return any(isinstance(part, Categorical) for part in schema or ())
