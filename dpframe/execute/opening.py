"""What users give as X and y, opened for reading: arrays, lists, data frames. Refusals name columns and kinds, never values or rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Categorical, Numeric

from .reading import REAL, Array, Column, Features, Frame, Matrix, Plain, check_kind, level_column, number_column

Schema = tuple[Numeric | Categorical, ...] | None


def features(X: object, schema: Schema) -> Features:
    """The features, by the schema's names where both have names. Raises BadData."""
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        return _from_frame(X, schema)
    array = _array(X, "X")
    if array.ndim != 2:
        raise BadData("X", "two-dimensional: a row a record", Plain(_dimensions(array)), "X.reshape(-1, 1) makes one column.")
    if schema is not None and array.shape[1] != len(schema):
        wanted = f"a table of the {len(schema)} columns of its codebook"
        raise BadData("X", wanted, Plain(f"{array.shape[1]} columns"), "Data frames are read by column name.")
    if array.shape[1] == 0:
        raise BadData("X", "a table with at least one column", Plain("none"), "")
    if schema is not None and array.dtype.kind not in REAL and any(isinstance(part, Categorical) for part in schema):
        columns = tuple(level_column(array[:, j]) for j in range(array.shape[1]))
        return Frame(array, _named([part.name for part in schema]), columns)
    check_kind(array.dtype, "X")
    names = [f"{j}" for j in range(array.shape[1])] if schema is None else [part.name for part in schema]
    return Matrix(array, _named(names))


def _from_frame(frame: Any, schema: Schema) -> Frame:
    """The columns of a data frame. Raises BadData."""
    given = [str(name) for name in frame.columns]
    wanted = given if schema is None else [part.name for part in schema]
    for name in dict.fromkeys(wanted):
        if given.count(name) != 1 and schema is not None:
            got = Plain(f"{given.count(name)} of that name")
            raise BadData("X", f"a table with one column {name!r}", got, "The codebook names the columns: dp.Rows(columns=[...]).")
    if not wanted:
        raise BadData("X", "a table with at least one column", Plain("none"), "")
    places = range(len(given)) if schema is None else [given.index(name) for name in wanted]
    series = [frame.iloc[:, j] if hasattr(frame, "iloc") else frame[given[j]] for j in places]
    names = _named(wanted)
    parts: Sequence[Numeric | Categorical | None] = schema or [None] * len(series)
    columns = [
        level_column(one) if isinstance(part, Categorical) else number_column(one, name)
        for one, name, part in zip(series, names, parts, strict=True)
    ]
    return Frame(frame, names, tuple(columns))


def labels(y: object, *, declared: bool) -> Column | None:
    """The labels. Raises BadData."""
    if y is None or not declared:
        if (y is None) == declared:
            way_out = "This certificate declares labels." if declared else "This certificate declares none."
            raise BadData("y", "given" if declared else "left out", Plain("none" if declared else "some"), way_out)
        return None
    series = y if hasattr(y, "to_numpy") and hasattr(y, "dtype") else _array(y, "y")
    if len(series.shape) != 1:
        raise BadData("y", "one-dimensional: a number a record", Plain(_dimensions(series)), "y.ravel() flattens one column.")
    return number_column(series, "y")


def _array(data: Any, name: str) -> Array:
    """`data` as an array, the same memory where it is one. Raises BadData for masked, sparse and ragged data."""
    if isinstance(data, np.ma.MaskedArray):
        raise BadData(name, "an array without a mask", Plain("a masked array"), f'{name}.filled(numpy.nan) with missing="drop" leaves masked rows out.')
    if hasattr(data, "toarray"):
        raise BadData(name, "a dense array", Plain("a sparse one"), f"{name}.toarray() makes it dense.")
    try:
        return np.asarray(data)
    except (TypeError, ValueError):
        raise BadData(name, "an array, a list of equally long rows, or a data frame", Plain(type(data).__name__), "") from None


def _dimensions(array: Any) -> str:
    dimensions = len(array.shape)
    return f"{dimensions} dimension" + ("" if dimensions == 1 else "s")


def _named(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"column {name} of X" for name in names)
