"""CSV files with a row of names: a part a file, streamed in constant memory.

A line is a record. Cells with line breaks are refused, since an unclosed quote would make one cell
of all the records after it; `MultilineCSV` accepts them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import attrs

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Setting

from .csv_records import (
    CHUNK,
    batches,
    cells,
    check_plain,
    first_line,
    installed,
    kind_of_budget,
    lines,
    without_rows,
)
from .files import UNCHANGED, File
from .layout import Layout
from .opening import ENCODE, whole_batch
from .parts import TablePart, with_layout
from .reading import Plain
from .safe_errors import arrow, safely
from .source import Source
from .table import Table

SHAPE = (
    "A line is a record of as many cells as there are names, with its quotes closed; "
    "dp.MultilineCSV(path) reads cells that hold line breaks; so does dpframe fit --multiline."
)
CUT = "It may be cut short, or have rows of other lengths than its row of names."
CLOSED = "every quote in the CSV files is closed inside its own record"


@attrs.frozen
class MultilineCSV:
    """CSV files whose quoted cells may hold line breaks: a path, a pattern or a list of them.

    A record that opens a quote and does not close it would then take the records after it into one
    cell, so every receipt lists as an assumption that no record does.
    """

    files: Any


@attrs.frozen(eq=False, repr=False)
class CsvSource(Source):
    """CSV files with the same names of columns; `multiline` accepts cells with line breaks."""

    repeatable: ClassVar[bool] = True
    layout: Layout
    files: tuple[File, ...]
    multiline: bool = False

    @classmethod
    def of(
        cls,
        setting: Setting,
        files: tuple[File, ...],
        y: Any,
        budgets: Any = None,
        *,
        drop: bool,
        multiline: bool = False,
    ) -> CsvSource:
        """Reads every file's row of names, and the first budget. Raises BadData, SourceFailed or
        MissingExtra.
        """
        if not installed():
            check_plain(multiline=multiline, budget=budgets)
        headers = [header(file.path, multiline=multiline) for file in files]
        layout = Layout.of(setting, headers[0], len(headers[0]), y, budgets, drop=drop)
        layout.check_names(headers[0], file=True)
        if layout.budget is not None:
            found = first_kind(files, headers, layout.budget, multiline=multiline)
            layout = attrs.evolve(layout, budget_kind=found)
        cells(layout)
        for file, names in zip(files, headers, strict=True):
            with_layout(layout, empty(names), None, file.path)
        return cls(layout, files, multiline)

    @property
    def identity(self) -> object:
        """The files' paths."""
        return tuple(file.path for file in self.files)

    @property
    def steps(self) -> int:
        """The number of files."""
        return len(self.files)

    def parts(self) -> Iterator[TablePart]:
        """A file each."""
        for file in self.files:
            yield CsvFile(self.layout, file, self.multiline)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """With cells of several lines also that quotes are closed."""
        return (UNCHANGED, CLOSED) if self.multiline else (UNCHANGED,)

    @property
    def record_may_refuse(self) -> bool:
        """A cell of several lines can spoil other records, and a malformed line has no budget."""
        return self.multiline or self.layout.budget is not None


@attrs.frozen(eq=False)
class CsvFile(TablePart):
    """A file by its path, which the worker that reads it must be able to open."""

    carries_rows: ClassVar[bool] = False
    layout: Layout
    file: File
    multiline: bool = False

    @property
    def name(self) -> str:
        """The path."""
        return self.file.path

    def tables(self) -> Iterator[Table]:
        """The file, parsed some megabytes at a time."""
        self.file.unchanged()
        for batch, rejected in self._batches():
            if rejected:
                self._check_droppable()
            yield with_layout(self.layout, batch, None, self.file.path)
        self.file.unchanged()

    def _check_droppable(self) -> None:
        """Refuse malformed lines where rows may not be left out. Raises SourceFailed or BadData."""
        if not self.layout.drop:
            raise SourceFailed(self.file.path, "no table of equal rows", SHAPE)
        if self.layout.budget is not None:
            raise BadData(self.layout.budget_title, "given for every line", Plain("others"), SHAPE)

    def _batches(self) -> Iterator[tuple[Any, int]]:
        """Batches of numbers and levels, and the number of malformed lines beside each. Raises
        BadData or SourceFailed without quoting a cell.
        """
        columns = cells(self.layout)
        if not installed():
            yield from batches(self.file.path, self._names, columns)
            return
        invalid = arrow("pyarrow.lib").ArrowInvalid
        kinds = {name: one.kind for name, one in columns.items()}
        try:
            path, names = self.file.path, self._names
            for batch, rejected in parsed(path, names, kinds, multiline=self.multiline):
                arrays = [one.from_arrow(batch[name]) for name, one in columns.items()]
                yield arrow().RecordBatch.from_arrays(arrays, names=list(columns)), rejected
        except invalid as error:
            message = str(error)
        else:
            return
        raise self._refusal(message)

    @property
    def _names(self) -> tuple[str, ...]:
        return header(self.file.path, multiline=self.multiline)

    def _refusal(self, message: str) -> BadData | SourceFailed:
        """The parser's error, of which only the number of the column is used."""
        place = re.search(r"column #(\d+)", message.partition(":")[0])
        if place is None:
            return SourceFailed(self.file.path, "no table of equal rows", CUT)
        name = f"column {self._names[int(place[1])]} of X, in {self.file.path},"
        return BadData(name, "real numbers", Plain("other values"), ENCODE)


def parsed(
    path: str, names: Sequence[str], kinds: dict[str, Any], *, multiline: bool
) -> Iterator[tuple[Any, int]]:
    """Batches of the columns in `kinds`, as these types, and the number of malformed lines beside
    each; a blank line is a row of a file of a single column.
    """
    library, rejected = arrow("pyarrow.csv"), list[object]()
    read = library.ReadOptions(use_threads=False, block_size=CHUNK)
    convert = library.ConvertOptions(
        include_columns=list(kinds), column_types=kinds, check_utf8=False
    )
    parse = library.ParseOptions(newlines_in_values=multiline, ignore_empty_lines=len(names) > 1)
    if multiline:
        for batch in library.open_csv(path, read, parse, convert):
            yield batch, 0
        return

    def skipped(row: object) -> str:
        rejected.append(row)
        return "skip"

    parse.invalid_row_handler, read.column_names = skipped, list(names)
    for chunk in lines(path, len(names)):
        rejected.clear()
        read.block_size = max(len(chunk.text), 1)
        batch = empty_of(kinds)
        if chunk.text and (len(names) == 1 or chunk.text.strip(b"\r\n")):
            batch = whole_batch(library.read_csv(io.BytesIO(chunk.text), read, parse, convert))
        yield batch, chunk.rejected + len(rejected)


def first_kind(
    files: Sequence[File], headers: Sequence[Sequence[str]], name: str, *, multiline: bool
) -> str:
    """The kind of the first budget in this column of the files. Raises BadData or SourceFailed."""
    firsts = (
        safely(partial(_first, file.path, names, name, multiline=multiline), file.path, CUT)
        for file, names in zip(files, headers, strict=True)
    )
    return kind_of_budget(next((cell for cells in firsts for cell in cells), b""))


def _first(path: str, names: Sequence[str], name: str, *, multiline: bool) -> list[bytes]:
    """The first cell of a column, none where there are no rows."""
    batches = parsed(path, names, {name: arrow().binary()}, multiline=multiline)
    cells: list[bytes] = next((one[name][:1].to_pylist() for one, _ in batches if len(one)), [])
    return cells


def header(path: str, *, multiline: bool = False) -> tuple[str, ...]:
    """The row of names. Raises BadData or SourceFailed."""
    names = safely(lambda: _first_row(path, multiline=multiline), path)
    if not names or len(set(names)) < len(names):
        raise BadData("X", "a CSV file with a row of different names", path)
    return tuple(names)


def _first_row(path: str, *, multiline: bool) -> list[str]:
    if multiline:
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file), [])
    line = first_line(path)
    return [] if line is None else next(csv.reader([line.decode("utf-8", "replace")]), [])


def empty_of(kinds: dict[str, Any]) -> Any:
    """A batch without rows of columns of these types."""
    library = arrow()
    empty_table = [library.nulls(0, kind) for kind in kinds.values()]
    return library.RecordBatch.from_arrays(empty_table, names=list(kinds))


def empty(names: Sequence[str]) -> Any:
    """A batch without rows that has these columns."""
    if not installed():
        return without_rows(names)
    return empty_of(dict.fromkeys(names, arrow().null()))
