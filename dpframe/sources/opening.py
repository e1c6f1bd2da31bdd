"""X and y of users, opened for reading: arrays, lists, data frames, Arrow batches.

The layout fixes the meaning of a cell before any is read (cells.py); the library of a table decides
how its memory is read, never the values. Refusals name columns and kinds, never values, rows or
numbers of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData, DataWarning, warn
from dpframe.graph.cells import NO_LEVEL, NUMBERS, Levels, Meaning, label_meaning
from dpframe.graph.rows import Class

from .budgets import NAMES, kind, listed
from .budgets import column as budget_column
from .column_values import (
    ColumnReader,
    column_data,
    column_reader,
    is_arrow,
    kind_of,
    narrow_floats,
)
from .layout import Layout
from .reading import (
    REAL,
    Array,
    ColumnData,
    Features,
    FrameFeatures,
    ListFeatures,
    MatrixFeatures,
    Plain,
    row_of,
)

ALIKE = "Every block is of the kind of the first."
MASKED = '{0}.filled(numpy.nan) with missing="drop" leaves masked rows out.'
SPARSE = "{0}.toarray() makes it dense."
ENCODE = "Encode it by a public rule, or declare dp.Categorical in dp.Rows(columns=[...])."
AS_NUMBERS = "y.astype(float) makes numbers of text; two classes are dp.Column(levels=[...])."
LEVELS = "Declare levels of the column's kind, or convert the column to the kind of its levels."
DOUBLES = "column.astype(str).astype(float) makes doubles of its shortest decimals."
ONE = "One record is a table of one row: pandas.DataFrame([{...}]), or [[...]]."
ROW = "numpy.reshape(X, (1, -1)) makes one row, numpy.reshape(X, (-1, 1)) one column."
RAGGED = "dp.Rows(columns=[...]) fixes the number of columns."


def is_frame(X: Any) -> bool:
    """Whether X is a data frame in memory: of pandas or its like, of Polars."""
    return hasattr(X, "to_numpy") and hasattr(X, "columns")


def is_batch(X: Any) -> bool:
    """Whether X is a batch or a table of pyarrow."""
    return type(X).__module__.partition(".")[0] == "pyarrow" and hasattr(X, "column_names")


def given(X: Any) -> Any:
    """X as it is read: frames, batches and lists of rows as they are, anything else as an array of
    two dimensions. Raises BadData.
    """
    if is_frame(X) or is_batch(X) or isinstance(X, (list, tuple)):
        return X
    array = as_array(X, "X")
    if array.ndim != 2:
        raise not_rows(array)
    return array


def not_rows(array: Any) -> BadData:
    """The refusal of an array that is not two-dimensional."""
    way_out = ROW if array.ndim == 1 else ONE if array.ndim == 0 else ""
    return BadData("X", "two-dimensional: a row a record", _dimensions(array), way_out)


def width_of(X: Any, columns: int | None) -> int:
    """The public number of columns: the codebook's, else that of an array, or of every row of a
    list. Raises BadData.
    """
    if not isinstance(X, (list, tuple)):
        return len(header(X) or ()) or X.shape[1]
    if columns is not None:
        return columns
    rows = [row_of(entry) for entry in X]
    if not rows or any(row is None for row in rows):
        raise BadData("X", "two-dimensional: a row a record", Plain("a list of others"), RAGGED)
    lengths = {len(row) for row in rows if row is not None}
    if len(lengths) > 1:
        raise BadData("X", "rows of one length", Plain("several lengths"), RAGGED)
    return lengths.pop()


def header(X: Any) -> tuple[str, ...] | None:
    """The columns' names, None for an array."""
    return tuple(map(str, _names(X))) if is_batch(X) or is_frame(X) else None


def text_names(X: Any) -> list[str]:
    """The columns' names that are texts: those of a file always are."""
    return [name for name in _names(X) if isinstance(name, str)]


def _names(X: Any) -> Sequence[Any]:
    if is_batch(X):
        return tuple(X.column_names)
    return tuple(X.columns) if is_frame(X) else ()


def features(layout: Layout, X: Any) -> Features:
    """The features of a frame, a batch or an array. Raises BadData."""
    names = header(X)
    if (names is None) != (layout.header is None):
        wanted = f"a table {'without' if names else 'with'} names of columns"
        raise BadData("X", wanted, Plain("another kind"), ALIKE)
    if names is not None:
        return _from_named(layout, X, names)
    if isinstance(X, (list, tuple)):
        return ListFeatures(X, layout.titles, tuple(map(column_reader, layout.parts)))
    return _from_array(layout, X)


def labels(layout: Layout, X: Any, y: Any) -> ColumnData | None:
    """The labels, if they are declared: a column of X, or y. Raises BadData."""
    if layout.label is not None:
        if not (y is None or isinstance(y, str)):
            wanted = f"left out: labels are the column {layout.label!r} of X"
            raise BadData("y", wanted, Plain("labels"), ALIKE)
        values = column(X, layout.place(layout.label, header(X) or ()))
        read = ColumnReader(label_meaning(layout.classes))
        return _column(values, read, layout.label_title, drop=layout.drop, labels=True)
    if y is None and not layout.declared:
        return None
    if y is None:
        raise BadData("y", "given", None, "The certificate declares labels.")
    if not layout.declared:
        raise BadData("y", "left out", Plain("labels"), "The certificate declares none.")
    index: Any = getattr(X, "index", None)
    own: Any = getattr(y, "index", None)
    indexed = hasattr(index, "equals") and hasattr(own, "equals") and len(index) == len(own)
    if not layout.drop and indexed and not index.equals(own):
        way_out = "y.loc[X.index] puts y in the order of X; y.to_numpy() is read by position."
        raise BadData("y", "indexed as X is", Plain("another index"), way_out)
    return labels_beside(y, drop=layout.drop, classes=layout.classes)


def _column(
    values: Any, read: ColumnReader, title: str, *, drop: bool, labels: bool = False
) -> ColumnData:
    """A column and its reader. Where no cell of its type has a value, raises BadData, or warns if
    no cell alone would be refused.
    """
    kinds, stored = read.meaning.kinds, kind_of(values)
    if stored is not None and stored not in kinds:
        numbers = read.meaning is NUMBERS
        zeros = isinstance(read.meaning, Levels) and read.meaning.other == NO_LEVEL
        way_out = (AS_NUMBERS if labels else ENCODE) if numbers else LEVELS
        if not (drop or zeros):
            wanted = "real numbers" if numbers else f"{' or '.join(kinds)}, as its levels are"
            raise BadData(title, wanted, Plain(f"values of kind {stored}"), way_out)
        what = "a number" if numbers else "a declared level"
        fate = "counts as the mean of all levels" if zeros else "is left out, by missing='drop'"
        warn(
            f"{title} holds values of kind {stored}, none of which is {what}: every row {fate}. "
            f"{way_out}",
            DataWarning,
        )
    _check_precision(values, read.meaning, title)
    plain = hasattr(values, "iloc") and isinstance(values.dtype, np.dtype)
    return column_data(values.to_numpy() if plain else values, read)


def _check_precision(values: Any, meaning: Meaning, title: str) -> None:
    """Refuse shorter floats for levels that they cannot hold: no cell would equal these. Raises
    BadData.
    """
    short = narrow_floats(values)
    if short is None or not isinstance(meaning, Levels):
        return
    with np.errstate(over="ignore"):
        lost = [level for level in meaning.numbers if float(short(level)) != level]
    if lost:
        got = Plain(f"values of kind {short.__name__}")
        raise BadData(title, f"of doubles, as its level {lost[0]!r} is", got, DOUBLES)


def labels_beside(y: Any, *, drop: bool, classes: tuple[Class, ...] | None = None) -> ColumnData:
    """Labels that are no column of X: one number, or one of the classes, a record. Raises
    BadData.
    """
    read = ColumnReader(label_meaning(classes))
    if isinstance(y, (list, tuple)) or (is_arrow(y) and not is_batch(y)):
        return _column(y, read, "y", drop=drop, labels=True)
    series = _series(y, "y", "a number a record", "y.ravel() flattens one column.")
    return _column(series, read, "y", drop=drop, labels=True)


def with_budget_kind(layout: Layout, X: Any, given: Any) -> tuple[Layout, Any]:
    """The layout with the kind of the budgets, and the budgets unless they are a column of X.

    Raises BadData.
    """
    if given is None:
        return layout, None
    values = _budget_values(layout, X, given)
    evolved = attrs.evolve(layout, budget_kind=kind(values, layout.budget_title) or NAMES)
    return evolved, values if layout.budget is None else None


def budgets(layout: Layout, X: Any, given: Any) -> ColumnData | None:
    """The budgets, if there are any: a column of X, or an array. Raises BadData."""
    if layout.budget_kind is None:
        if given is not None:
            raise BadData("budgets", "left out", Plain("budgets"), ALIKE)
        return None
    values = _budget_values(layout, X, given)
    return budget_column(values, layout.budget_title, layout.budget_kind)


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
    if isinstance(given, np.ma.MaskedArray):
        raise BadData("budgets", "unmasked", Plain("a masked array"), "Give every record one.")
    values = listed(given) if isinstance(given, (list, tuple)) else given
    return _series(values, "budgets", "an entry a record")


def _series(given: Any, name: str, wanted: str, way_out: str = "") -> Any:
    """A series as it is, anything else as an array, of one dimension. Raises BadData."""
    named = hasattr(given, "to_numpy") and hasattr(given, "dtype")
    series = given if named else as_array(given, name)
    if len(series.shape) != 1:
        raise BadData(name, f"one-dimensional: {wanted}", _dimensions(series), way_out)
    return series


def _from_array(layout: Layout, array: Array) -> Features:
    if array.shape[1] != len(layout.names):
        wanted, got = f"a table of {len(layout.names)} columns", f"{array.shape[1]} columns"
        raise BadData("X", wanted, Plain(got), "Every block has the columns of the first.")
    if array.dtype.kind in REAL and not layout.mixed:
        return MatrixFeatures(array, layout.titles)
    return _framed(layout, array, array.T)


def _from_named(layout: Layout, X: Any, names: Sequence[str]) -> FrameFeatures:
    return _framed(layout, X, map(partial(column, X), layout.places(names)))


def _framed(layout: Layout, X: Any, columns: Iterable[Any]) -> FrameFeatures:
    """Columns side by side, each read by the layout."""
    read = [
        _column(values, column_reader(part), title, drop=layout.drop)
        for values, part, title in zip(columns, layout.parts, layout.titles, strict=True)
    ]
    return FrameFeatures(X, layout.titles, tuple(read))


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
