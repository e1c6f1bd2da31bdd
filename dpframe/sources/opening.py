"""What users give as X and y, opened for reading: arrays, lists, data frames, Arrow batches.

Refusals name columns and kinds, never values, rows or numbers of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Categorical
from dpframe.graph.classes import Class

from .arrow import is_arrow
from .arrow import number_column as arrow_column
from .budgets import NAMES, kind, listed
from .budgets import column as budget_column
from .extras import arrow
from .layout import Layout
from .reading import (
    REAL,
    Array,
    Column,
    Features,
    Frame,
    Matrix,
    Plain,
    check_kind,
    class_column,
    level_column,
    number_column,
)

ALIKE = "Every block is of the kind of the first."
MASKED = '{0}.filled(numpy.nan) with missing="drop" leaves masked rows out.'
SPARSE = "{0}.toarray() makes it dense."


def is_frame(X: Any) -> bool:
    """Whether X is a data frame in memory: of pandas or its like, of Polars."""
    return hasattr(X, "to_numpy") and hasattr(X, "columns")


def is_batch(X: Any) -> bool:
    """Whether X is a batch or a table of pyarrow."""
    return type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "column_names")


def is_table(X: Any) -> bool:
    """Whether X has rows and columns, by its looks."""
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], (list, tuple, np.ndarray))
    return is_frame(X) or is_batch(X) or len(getattr(X, "shape", ())) == 2


def given(X: Any, *, mixed: bool = False) -> Any:
    """X as it is read: frames and batches as they are, anything else as an array of two dimensions,
    of objects where a list holds texts and is `mixed`: numpy would make texts of its numbers.

    Raises BadData.
    """
    if is_frame(X):
        return X
    if is_batch(X):
        return whole_batch(X)
    array = as_array(X, "X")
    if mixed and isinstance(X, (list, tuple)) and array.dtype.kind in "US":
        array = np.asarray(X, dtype=object)
    if array.ndim != 2:
        way_out = "X.reshape(-1, 1) makes one column." if array.ndim == 1 else ""
        raise BadData("X", "two-dimensional: a row a record", _dimensions(array), way_out)
    return array


def header(X: Any) -> tuple[str, ...] | None:
    """The columns' names, None for an array."""
    if is_batch(X):
        return tuple(X.column_names)
    return tuple(str(name) for name in X.columns) if is_frame(X) else None


def whole_batch(X: Any) -> Any:
    """A batch itself; a table of Arrow, which is in chunks, as one batch."""
    if not hasattr(X, "itercolumns") or not hasattr(X, "combine_chunks"):
        return X
    columns = [values.combine_chunks() for values in X.itercolumns()]
    return arrow().RecordBatch.from_arrays(columns, schema=X.schema)


def features(layout: Layout, X: Any) -> Features:
    """The features of a frame, a batch or an array. Raises BadData."""
    names = header(X)
    if (names is None) != (layout.header is None):
        wanted = f"a table {'without' if names else 'with'} names of columns"
        raise BadData("X", wanted, Plain("another kind"), ALIKE)
    return _from_array(layout, X) if names is None else _from_named(layout, X, names)


def labels(layout: Layout, X: Any, y: Any) -> Column | None:
    """The labels, where some are declared: a column of X, or y. Raises BadData."""
    if layout.label is not None:
        if not (y is None or isinstance(y, str)):
            wanted = f"left out: labels are the column {layout.label!r} of X"
            raise BadData("y", wanted, Plain("labels"), ALIKE)
        values = column(X, layout.place(layout.label, header(X) or ()))
        if layout.classes is not None:
            return class_column(values, layout.classes)
        return _numbers(values, layout.label_title, drop=layout.drop)
    if y is None and not layout.declared:
        return None
    if y is None:
        raise BadData("y", "given", None, "The certificate declares labels.")
    if not layout.declared:
        raise BadData("y", "left out", Plain("labels"), "The certificate declares none.")
    return beside(y, drop=layout.drop, classes=layout.classes)


def _numbers(values: Any, title: str, *, drop: bool) -> Column:
    if is_arrow(values):
        return arrow_column(values, title)
    return number_column(values, title, drop=drop)


def beside(y: Any, *, drop: bool, classes: tuple[Class, ...] | None = None) -> Column:
    """Labels that are no column of X: one number, or one of the classes, a record. Raises
    BadData.
    """
    if classes is not None and isinstance(y, (list, tuple)):
        y = listed_labels(y)
    series = y if hasattr(y, "to_numpy") and hasattr(y, "dtype") else as_array(y, "y")
    if len(series.shape) != 1:
        got, way_out = _dimensions(series), "y.ravel() flattens one column."
        raise BadData("y", "one-dimensional: a number a record", got, way_out)
    if classes is not None:
        return class_column(series, classes)
    return number_column(series, "y", drop=drop)


def listed_labels(cells: Sequence[Any]) -> Array:
    """A list as objects: numpy would make texts of its numbers where any is a text."""
    found = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        found[place] = cell
    return found


def budgeted(layout: Layout, X: Any, given: Any) -> tuple[Layout, Any]:
    """The layout with the kind of the budgets, and those that are no column of X, if any.

    Raises BadData.
    """
    if given is None:
        return layout, None
    values = _budget_values(layout, X, given)
    found = attrs.evolve(layout, budgeted=kind(values, layout.budget_title) or NAMES)
    return found, values if layout.budget is None else None


def budgets(layout: Layout, X: Any, given: Any) -> Column | None:
    """The budgets, where there are some: a column of X, or those given. Raises BadData."""
    if layout.budgeted is None:
        if given is not None:
            raise BadData("budgets", "left out", Plain("budgets"), ALIKE)
        return None
    values = _budget_values(layout, X, given)
    return budget_column(values, layout.budget_title, layout.budgeted)


def _budget_values(layout: Layout, X: Any, given: Any) -> Any:
    """The budgets as they are. Raises BadData."""
    if layout.budget is None:
        return budgets_beside(given)
    if given is not None and not (isinstance(given, str) and given == layout.budget):
        wanted = f"left out: budgets are the column {layout.budget!r} of X"
        raise BadData("budgets", wanted, Plain("others"), ALIKE)
    return column(X, layout.place(layout.budget, header(X) or ()))


def budgets_beside(given: Any) -> Any:
    """Budgets that are no column of X, as an array or a series. Raises BadData."""
    if given is None:
        raise BadData("budgets", "given", None, ALIKE)
    series = _series(given)
    if len(series.shape) != 1:
        raise BadData("budgets", "one-dimensional: an entry a record", _dimensions(series))
    return series


def _series(given: Any) -> Any:
    if isinstance(given, (list, tuple)):
        return listed(given)
    if isinstance(given, np.ma.MaskedArray):
        raise BadData("budgets", "unmasked", Plain("a masked array"), "Give every record one.")
    named = hasattr(given, "to_numpy") and hasattr(given, "dtype")
    return given if named else as_array(given, "budgets")


def _from_array(layout: Layout, array: Array) -> Features:
    if array.shape[1] != len(layout.names):
        wanted, got = f"a table of {len(layout.names)} columns", f"{array.shape[1]} columns"
        raise BadData("X", wanted, Plain(got), "Every block has the columns of the first.")
    mixed = array.dtype.kind not in REAL
    if array.dtype.kind in "mM" and layout.real:
        check_kind(array.dtype, "X")  # numpy makes objects of dates that are whole numbers
    if mixed and layout.mixed:
        columns = tuple(level_column(values) for values in array.T)
        return Frame(array, layout.titles, columns)
    if layout.drop and array.dtype == object:
        pairs = zip(array.T, layout.titles, strict=True)
        columns = tuple(number_column(values, title, drop=True) for values, title in pairs)
        return Frame(array, layout.titles, columns)
    check_kind(array.dtype, "X")
    return Matrix(array, layout.titles)


def _from_named(layout: Layout, X: Any, names: Sequence[str]) -> Frame:
    chosen = [column(X, place) for place in layout.places(names)]
    columns = [
        level_column(values)
        if isinstance(part, Categorical)
        else _numbers(values, title, drop=layout.drop)
        for values, part, title in zip(chosen, layout.parts, layout.titles, strict=True)
    ]
    return Frame(X, layout.titles, tuple(columns))


def column(X: Any, place: int) -> Any:
    """A column of a frame or batch, by its place: names may be equal."""
    if is_batch(X):
        return X.column(place)
    return X.iloc[:, place] if hasattr(X, "iloc") else X[list(X.columns)[place]]


def as_array(data: Any, name: str) -> Array:
    """`data` as an array, the same memory where it is one. Raises BadData."""
    if isinstance(data, np.ma.MaskedArray):
        raise BadData(name, "unmasked", Plain("a masked array"), MASKED.format(name))
    if hasattr(data, "toarray"):
        raise BadData(name, "dense", Plain("a sparse matrix"), SPARSE.format(name))
    try:
        return np.asarray(data)
    except (TypeError, ValueError):
        wanted = "an array, a list of rows of one length or a data frame"
        refusal = BadData(name, wanted, Plain(type(data).__name__))
    raise refusal


def _dimensions(array: Any) -> Plain:
    count = len(array.shape)
    return Plain("1 dimension" if count == 1 else f"{count} dimensions")
