"""open_source: the tables that users give, in memory, in files or as streams, as sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import attrs

from dpframe.errors import BadData, InvalidArgument
from dpframe.graph import Setting

from .csv import CsvSource, MultilineCSV
from .files import existing_files, file_kind, is_path
from .layout import Layout, check_no_labels
from .opening import is_batch
from .parquet import ParquetSource
from .reading import ListFeatures, Plain
from .running import FEW
from .safe_errors import raises_without_context, safely
from .source import Source
from .streams import StreamSource, is_lazy
from .table import Table, TablePart, TableWindow

UNCHANGED = "no program changes the table in memory while it is read"
EVEN = 8  # a multiple of 1, 2, 4 and 8 workers


@attrs.frozen(eq=False, repr=False)
class MemorySource(Source):
    """A table in memory, at most so many blocks a part; nothing is copied as a whole."""

    thread_safe: ClassVar[bool] = True
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
        """Other code may write to the memory."""
        return (UNCHANGED,)

    @property
    def record_may_refuse(self) -> bool:
        """Without a codebook, a row of another length leaves the number of columns open."""
        return isinstance(self.table.features, ListFeatures) and self.layout.schema is None

    @property
    def steps(self) -> int:
        """The number of windows."""
        return -(-max(self.rows, 1) // self._window)

    def parts(self) -> Iterator[TablePart]:
        """Windows on the table, in order."""
        for start in range(0, max(self.rows, 1), self._window):
            yield TableWindow(self.table.window(start, min(start + self._window, self.rows)))

    @property
    def _window(self) -> int:
        """Rows of a part; of many parts equal numbers, so that workers end together."""
        most = self.blocks * self.table.block_rows
        parts = -(-self.rows // most)
        return most if parts <= FEW else -(-self.rows // (EVEN * -(-parts // EVEN)))


CONTENTS = {"y": "labels", "budgets": "budgets"}
PARTS = 16  # blocks of a part, where the table has no parts of its own


@raises_without_context
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

    `X`, shape (n, d), is an array, a list of rows, a data frame or a table of pyarrow in memory;
    anything else with __arrow_c_stream__ (DuckDB); a lazy frame of Polars; a path of Parquet or CSV
    files, a pattern or a list of them; an iterator of blocks, pairs (X, y); or a source that is
    open. `y`, shape (n,), is labels beside a table in memory, or the name of the column of X that
    holds them; None takes the column with the setting's name for labels. Features are the columns
    of the setting's codebook by name; without one all other columns in their order.

    `budgets`, shape (n,), are public, an entry a record: positive, finite numbers, or names of
    groups, which are texts; or the name of the column of X that holds them, which is then no
    feature. Blocks of an iterator that have no such column are triples (X, y, budgets).

    `drop` leaves rows without finite numbers out, which replace-one refuses; a record without a
    budget is refused all the same. `parts` is how many blocks a part has, at most, where the table
    comes in no parts of its own.

    Raises BadData for columns that do not fit, SourceFailed for what cannot be opened, MissingExtra
    where a library is absent, InvalidArgument for other arguments.
    """
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 1:
        raise InvalidArgument("parts", "a number of blocks, at least 1", parts)
    if isinstance(X, Source):
        return _reopened(setting, X, y, budgets, drop=drop)
    check_no_labels(y, budgets)
    return safely(lambda: _opened(setting, X, y, budgets, drop=drop, parts=parts), "X")


def _opened(setting: Setting, X: Any, y: Any, budgets: Any, *, drop: bool, parts: int) -> Source:
    if isinstance(X, MultilineCSV) or is_path(X):
        return _files(setting, X, y, budgets, drop=drop)
    arrives = hasattr(X, "__arrow_c_stream__") and not (hasattr(X, "to_numpy") or is_batch(X))
    if arrives or is_lazy(X) or isinstance(X, Iterator):
        return StreamSource.of(setting, X, y, budgets, parts, drop=drop)
    return MemorySource(Table.of(setting, X, y, budgets, drop=drop), parts)


def _files(setting: Setting, X: Any, y: Any, budgets: Any, *, drop: bool) -> Source:
    for name, given in (("y", y), ("budgets", budgets)):
        if not (given is None or isinstance(given, str)):
            got, way_out = Plain(type(given).__name__), f"Files hold their {CONTENTS[name]}."
            raise BadData(name, "left out, or the name of a column", got, way_out)
    multiline = isinstance(X, MultilineCSV)
    files = existing_files(X.files if isinstance(X, MultilineCSV) else X)
    if file_kind(files) == "parquet":
        if multiline:
            raise BadData("X", "a CSV file", files[0].path, "Parquet has no lines.")
        return ParquetSource.of(setting, files, y, budgets, drop=drop)
    return CsvSource.of(setting, files, y, budgets, drop=drop, multiline=multiline)


def _reopened(setting: Setting, source: Source, y: Any, budgets: Any, *, drop: bool) -> Source:
    """A source that is open already, if it was opened for this. Raises InvalidArgument."""
    layout = source.layout
    classes = None if setting.y is None else setting.y.levels
    rows, replaced = setting.X.columns, setting.relation.replaced
    requested = (rows, setting.y is not None, drop, replaced, classes)
    opened = (layout.schema, layout.declared, layout.drop, layout.public_count, layout.classes)
    if y is not None or budgets is not None or requested != opened:
        wanted = "a source that was opened for this setting, with its labels and budgets"
        raise InvalidArgument("X", wanted, type(source).__name__, "Open it again.")
    return source
