"""CSV files with a row of names: a part a file, streamed in constant memory."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import attrs

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Setting

from .cells import budget_kind, cells
from .extras import arrow
from .files import File
from .layout import Layout
from .parts import Part, laid
from .reading import ENCODE, Plain
from .source import Source
from .table import Table
from .telling import safely

CHUNK = 2**22  # bytes that are parsed at once
SHAPE = "It may be cut short, or have rows of other lengths than its row of names."


@attrs.frozen(eq=False, repr=False)
class CsvSource(Source):
    """CSV files with the same names of columns."""

    layout: Layout
    files: tuple[File, ...]

    @classmethod
    def of(
        cls, setting: Setting, files: tuple[File, ...], y: Any, budgets: Any = None, *, drop: bool
    ) -> CsvSource:
        """Reads every file's row of names, and the first budget. Raises BadData, SourceFailed or
        MissingExtra.
        """
        arrow("pyarrow.csv")
        headers = [header(file.path) for file in files]
        layout = Layout.of(setting, headers[0], len(headers[0]), y, budgets, drop=drop)
        if layout.budget is not None:
            layout = attrs.evolve(layout, budgeted=first_kind(files, layout.budget))
        cells(layout)
        for file, names in zip(files, headers, strict=True):
            laid(layout, empty(names), None, file.path)
        return cls(layout, files)

    @property
    def identity(self) -> object:
        """The files' paths."""
        return tuple(file.path for file in self.files)

    @property
    def steps(self) -> int:
        """The number of files."""
        return len(self.files)

    def parts(self) -> Iterator[Part]:
        """A file each."""
        for file in self.files:
            yield CsvFile(self.layout, file)


@attrs.frozen(eq=False)
class CsvFile(Part):
    """A file, by name: the worker that reads it must see it."""

    held: ClassVar[bool] = False
    layout: Layout
    file: File

    @property
    def name(self) -> str:
        """The path."""
        return self.file.path

    def tables(self) -> Iterator[Table]:
        """The file, parsed some megabytes at a time."""
        self.file.unchanged()
        for batch in self._batches():
            yield laid(self.layout, batch, None, self.file.path)
        self.file.unchanged()

    def _batches(self) -> Iterator[Any]:
        """Batches of numbers and levels. Raises BadData or SourceFailed without quoting a cell."""
        invalid = arrow("pyarrow.lib").ArrowInvalid
        columns = cells(self.layout)
        try:
            for batch in self._parsed({name: one.kind for name, one in columns.items()}):
                arrays = [one.read(batch[name]) for name, one in columns.items()]
                yield arrow().RecordBatch.from_arrays(arrays, names=list(columns))
        except invalid as error:
            said = str(error)
        else:
            return
        raise self._refusal(said)

    def _parsed(self, kinds: dict[str, Any]) -> Any:
        return parsed(self.file.path, kinds, single=len(self.layout.header or ()) == 1)

    def _refusal(self, said: str) -> BadData | SourceFailed:
        """What the parser refused: of its words only the number of the column is used."""
        place = re.search(r"column #(\d+)", said.partition(":")[0])
        if place is None:
            return SourceFailed(self.file.path, "no table of equal rows", SHAPE)
        title = f"column {header(self.file.path)[int(place[1])]} of X"
        name = f"{title}, in {self.file.path},"
        return BadData(name, "real numbers", Plain("other values"), ENCODE)


def parsed(path: str, kinds: dict[str, Any], *, single: bool) -> Any:
    """A reader of the columns of these names, of these types; a blank line is a row of a file of a
    single column.
    """
    library = arrow("pyarrow.csv")
    return library.open_csv(
        path,
        read_options=library.ReadOptions(use_threads=False, block_size=CHUNK),
        parse_options=library.ParseOptions(newlines_in_values=True, ignore_empty_lines=not single),
        convert_options=library.ConvertOptions(
            include_columns=list(kinds), column_types=kinds, check_utf8=False
        ),
    )


def first_kind(files: Sequence[File], name: str) -> str:
    """What the first budget in this column of the files is. Raises BadData or SourceFailed."""
    paths = (file.path for file in files)
    firsts = (safely(partial(_first, path, name), path, SHAPE) for path in paths)
    return budget_kind(next((cell for cells in firsts for cell in cells), b""))


def _first(path: str, name: str) -> list[bytes]:
    """The first cell of a column, none where there are no rows."""
    batches = parsed(path, {name: arrow().binary()}, single=False)
    cells: list[bytes] = next((batch[name][:1].to_pylist() for batch in batches if len(batch)), [])
    return cells


def header(path: str) -> tuple[str, ...]:
    """The row of names. Raises BadData or SourceFailed."""
    names = safely(lambda: _first_row(path), path)
    if not names or len(set(names)) < len(names):
        raise BadData("X", "a CSV file with a row of different names", path)
    return tuple(names)


def _first_row(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        return next(csv.reader(file), [])


def empty(names: Sequence[str]) -> Any:
    """A batch without rows that has these columns."""
    library = arrow()
    nothing = library.nulls(0)
    return library.RecordBatch.from_arrays([nothing] * len(names), names=list(names))
