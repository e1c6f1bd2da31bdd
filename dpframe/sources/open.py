"""open_source: what users give as X and y, whatever holds it, as a source.

Tables in memory: arrays, lists, data frames.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import attrs

from dpframe.errors import BadData, InvalidArgument
from dpframe.graph import Setting

from .budgets import check_no_labels
from .csv import CsvSource, MultilineCSV
from .dask import DaskSource, is_dask
from .files import found, is_path, kind
from .layout import Layout
from .parquet import ParquetSource
from .parts import Part, Window
from .reading import Plain, Rows
from .running import FEW
from .source import Source
from .streams import ArrowSource, IteratorSource, LazySource
from .table import Table
from .telling import bared, safely

UNCHANGED = "nobody changes the table in memory while it is read"
EVEN = 8  # a multiple of 1, 2, 4 and 8 workers


@attrs.frozen(eq=False, repr=False)
class MemorySource(Source):
    """A table in memory, at most so many blocks a part; nothing is copied as a whole."""

    threaded: ClassVar[bool] = True
    at_rest: ClassVar[bool] = True
    table: Table
    blocks: int

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The table's."""
        return self.table.layout

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.table)

    @property
    def identity(self) -> object:
        """The object that holds the memory."""
        return self.table.features.identity

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Memory may be written to by whoever holds it."""
        return (UNCHANGED,)

    @property
    def refuses(self) -> bool:
        """Without a codebook, a row of another length leaves the number of columns open."""
        return isinstance(self.table.features, Rows) and self.layout.schema is None

    @property
    def steps(self) -> int:
        """The number of windows."""
        return -(-max(self.rows, 1) // self._window)

    def parts(self) -> Iterator[Part]:
        """Windows on the table, in order."""
        for start in range(0, max(self.rows, 1), self._window):
            yield Window(self.table.window(start, min(start + self._window, self.rows)))

    @property
    def _window(self) -> int:
        """Rows of a part; of many, equal numbers, and so many parts that workers end together."""
        most = self.blocks * self.table.block_rows
        parts = -(-self.rows // most)
        return most if parts <= FEW else -(-self.rows // (EVEN * -(-parts // EVEN)))


HELD = {"y": "labels", "budgets": "budgets"}
PARTS = 16  # blocks of a part, where the table has no parts of its own


@bared
def open_source(
    setting: Setting,
    X: Any,
    y: Any = None,
    *,
    drop: bool = False,
    budgets: Any = None,
    parts: int = PARTS,
) -> Source:
    """The table X with labels y, checked by its columns for this setting; reads no row.

    `X`, shape (n, d), is an array, a list of rows or a data frame in memory; anything with
    __arrow_c_stream__ (pyarrow, DuckDB); a lazy frame of Polars; a path of Parquet or CSV files, a
    pattern or a list of them; an iterator of blocks, pairs (X, y); a Dask DataFrame or Array; or a
    source that is open. `y`, shape (n,), is labels beside X, or the name of the column of X that
    holds them; None takes the column with the setting's name for labels. Features are the columns
    of the setting's codebook by name; without one all other columns in their order.

    `budgets`, shape (n,), are public, an entry a record: positive, finite numbers, or names of
    groups, which are texts; or the name of the column of X that holds them, which is then no
    feature. Blocks of an iterator that have no such column are triples (X, y, budgets).

    `drop` leaves rows without finite numbers out (under replace-one it makes them rows of zeros);
    a record without a budget is refused all the same.
    `parts` is how many blocks a part has, at most, where the table comes in no parts of its own.

    Raises BadData for columns that do not fit, SourceFailed for what cannot be opened, MissingExtra
    where a library is absent, InvalidArgument for other arguments.
    """
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 1:
        raise InvalidArgument("parts", "a number of blocks, at least 1", parts)
    if isinstance(X, Source):
        return _again(setting, X, y, budgets, drop=drop)
    check_no_labels(y, budgets)
    return safely(lambda: _opened(setting, X, y, budgets, drop=drop, parts=parts), "X")


def _opened(setting: Setting, X: Any, y: Any, budgets: Any, *, drop: bool, parts: int) -> Source:
    if isinstance(X, MultilineCSV) or is_path(X):
        return _files(setting, X, y, budgets, drop=drop)
    if is_dask(X):
        return DaskSource.of(setting, X, y, budgets, drop=drop)
    if hasattr(type(X), "collect_schema") and hasattr(type(X), "collect"):
        return LazySource.of(setting, X, y, budgets, drop=drop, blocks=parts)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "to_numpy"):
        return ArrowSource.of(setting, X, y, budgets, drop=drop, blocks=parts)
    if isinstance(X, Iterator):
        return IteratorSource.of(setting, X, y, budgets, drop=drop)
    return MemorySource(Table.of(setting, X, y, budgets, drop=drop), parts)


def _files(setting: Setting, X: Any, y: Any, budgets: Any, *, drop: bool) -> Source:
    for name, given in (("y", y), ("budgets", budgets)):
        if not (given is None or isinstance(given, str)):
            got, way_out = Plain(type(given).__name__), f"Files hold their {HELD[name]}."
            raise BadData(name, "left out, or the name of a column", got, way_out)
    multiline = isinstance(X, MultilineCSV)
    files = found(X.files if isinstance(X, MultilineCSV) else X)
    if kind(files) == "parquet":
        if multiline:
            raise BadData("X", "a CSV file", files[0].path, "Parquet has no lines.")
        return ParquetSource.of(setting, files, y, budgets, drop=drop)
    return CsvSource.of(setting, files, y, budgets, drop=drop, multiline=multiline)


def _again(setting: Setting, source: Source, y: Any, budgets: Any, *, drop: bool) -> Source:
    """A source that is open already, if it was opened for this. Raises InvalidArgument."""
    layout = source.layout
    classes = None if setting.y is None else setting.y.levels
    kept = setting.relation.replaced
    asked = (setting.X.columns, setting.y is not None, drop, kept, classes)
    opened = (layout.schema, layout.declared, layout.drop, layout.keep_count, layout.classes)
    if y is not None or budgets is not None or asked != opened:
        wanted = "a source that was opened for this setting, with its labels and budgets"
        raise InvalidArgument("X", wanted, type(source).__name__, "Open it again.")
    return source
