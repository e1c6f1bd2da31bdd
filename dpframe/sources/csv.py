"""CSV files with a row of names: a part a file, streamed in constant memory.

A line is a record. A cell is quoted as a whole, with quotes inside it doubled, or it has no quote.
A line of such cells, as many as there are names, has the same meaning in every place, so an
unclosed quote spoils its own line and no other. [RFC 4180, without line breaks in cells]
`MultilineCSV` accepts cells with line breaks.

Values of cells follow from the codebook and never from a guess by the first rows. Where rows may be
dropped each cell is read by itself, so that no row influences another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import attrs
import numpy as np

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Categorical, Setting

from .budgets import NAMES, NUMBERS
from .column_values import decoded
from .files import UNCHANGED, File
from .layout import Layout
from .opening import ENCODE
from .reading import Array, Plain
from .safe_errors import safely
from .source import FileSource
from .table import CLASSES, Table, TablePart, block_rows, with_layout

SHAPE = (
    "A line is a record of as many cells as there are names, with its quotes closed; "
    "dp.MultilineCSV(path) reads cells that hold line breaks; so does dpframe fit --multiline."
)
CUT = "It may be cut short, or have rows of other lengths than its row of names."
CLOSED = "every quote in the CSV files is closed inside its own record"

# ------------------------------------------------------------------------------------- Records
LONGEST = 2**24  # bytes of a record of several lines
BOM = b"\xef\xbb\xbf"
CELL = rb'(?:[^",\r\n]*|"(?:%s|"")*+")'
LINE, LINES = (
    re.compile(rb"%s(?:,%s)*" % (cell, cell)) for cell in (CELL % rb'[^"\r\n]++', CELL % rb'[^"]++')
)
CELLS = re.compile(rb'(?:\A|,)("(?:[^"]|"")*"|[^",]*)')  # of a text that is a record
Record = list[bytes] | None


def records(path: str, *, multiline: bool) -> Iterator[Record]:
    """The cells of each record without their quotes, the row of names first; None for a text that
    is no record. A blank line has one blank cell.
    """
    form = LINES if multiline else LINE
    with Path(path).open("rb") as file:
        if file.read(len(BOM)) != BOM:
            file.seek(0)
        for line in _several_lines(file) if multiline else file:
            text = line.removesuffix(b"\n").removesuffix(b"\r")
            plain = b'"' not in text and b"\r" not in text
            yield text.split(b",") if plain else _quoted(text, form)


def _several_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines, joined to the next where a quote is open."""
    lines: list[bytes] = []
    size, inside = 0, False
    for line in file:
        lines.append(line)
        size, inside = size + len(line), inside ^ (line.count(b'"') % 2 == 1)
        if not inside or size > LONGEST:
            yield b"".join(lines)
            lines, size = [], 0
    if lines:
        yield b"".join(lines)


def _quoted(text: bytes, form: re.Pattern[bytes]) -> Record:
    if not form.fullmatch(text):
        return None
    return [
        cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell
        for cell in CELLS.findall(text)
    ]


def header(path: str, *, multiline: bool = False) -> tuple[str, ...]:
    """The row of names. Raises BadData or SourceFailed."""
    first = safely(lambda: next(records(path, multiline=multiline), None), path)
    names = [cell.decode("utf-8", "replace") for cell in first or ()]
    if names in ([], [""]) or len(set(names)) < len(names):
        raise BadData("X", "a CSV file with a row of different names", path)
    return tuple(names)


def rows_of(path: str, columns: int, *, multiline: bool) -> Iterator[Record]:
    """The records below the row of names; None for one of another number of cells. Blank lines are
    none, but in a file of a single column.
    """
    for record in islice(records(path, multiline=multiline), 1, None):
        if record is not None and len(record) == columns:
            yield record
        elif record != [b""]:
            yield None


# --------------------------------------------------------------------------------------- Cells
DIGITS = b"0123456789.eE+- \t"  # of these float() takes decimals only, as DECIMAL does
DECIMAL = re.compile(rb"[ \t]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t]*")
NO_NUMBER = re.compile(rb"[ \t]*[+-]?(nan|inf|infinity)[ \t]*", re.IGNORECASE)
MISSING = {b"", b"na", b"n/a", b"#n/a", b"nan", b"null", b"inf", b"infinity"}
TRUTHS = {b"true": True, b"false": False}
Parser = Callable[[Sequence[bytes]], Array | list[Any]]


def _each(read: Callable[[bytes], Any], cells: Sequence[bytes]) -> list[Any]:
    return list(map(read, cells))


def _numbers(cells: Sequence[bytes]) -> Array | list[Any]:
    """The nearest doubles; None for a missing or an infinite one, and anything else as a text."""
    if not b"".join(cells).translate(None, DIGITS):
        with suppress(ValueError):
            return np.fromiter(map(float, cells), dtype=float, count=len(cells))
    return _each(_number, cells)


def _number(cell: bytes) -> Any:
    if DECIMAL.fullmatch(cell):
        return float(cell)
    return None if cell.strip().lower().lstrip(b"+-") in MISSING else decoded(cell)


def _number_or_truth(cell: bytes) -> Any:
    read = _number(cell)
    return TRUTHS.get(cell.strip().lower(), read) if isinstance(read, str) else read


def _budgets(cells: Sequence[bytes]) -> Array:
    """Doubles, nan for anything but a decimal number."""
    found = (float(cell) if DECIMAL.fullmatch(cell) else np.nan for cell in cells)
    return np.fromiter(found, dtype=float, count=len(cells))


def _group(cell: bytes) -> str | None:
    """The name of a group; None for a number, a blank, or what is not UTF-8."""
    numeric = DECIMAL.fullmatch(cell) or NO_NUMBER.fullmatch(cell)
    name = decoded(cell) or ""
    return None if numeric or not name.strip() else name


TEXTS: Parser = partial(_each, decoded)
GROUPS: Parser = partial(_each, _group)
NUMBER_LEVELS: Parser = partial(_each, _number_or_truth)


def parsers(layout: Layout) -> dict[str, Parser]:
    """How the cells of every column that is read become values. Raises BadData."""
    parts = dict(zip(layout.names, layout.parts, strict=True))
    levels = {name: part.levels for name, part in parts.items() if isinstance(part, Categorical)}
    if layout.label is not None and layout.classes is not None:
        levels[layout.label] = layout.classes
    order = layout.needed if layout.schema is not None else layout.header or ()
    found = {name: _levelled(name, levels[name]) if name in levels else _numbers for name in order}
    own = GROUPS if layout.budget_kind == NAMES else _budgets
    return found if layout.budget is None else {**found, layout.budget: own}


def _levelled(name: str, levels: Sequence[object]) -> Parser:
    """How cells of levels are read. Raises BadData."""
    texts = {isinstance(level, str) for level in levels}
    if len(texts) > 1:
        wanted = "all texts, or all numbers and truth values"
        way_out = "A CSV file does not tell them apart: write all as texts, or give Parquet."
        raise BadData(f"levels of {name}", wanted, Plain("both"), way_out)
    return TEXTS if True in texts else NUMBER_LEVELS


@attrs.frozen(eq=False)
class Columns:
    """Values of cells by the names of columns, as a data frame has them."""

    columns: tuple[str, ...]
    cells: tuple[Any, ...]

    def __getitem__(self, name: str) -> Any:
        return self.cells[self.columns.index(name)]

    def to_numpy(self) -> NoReturn:
        """Marks a frame; no frame is read as a whole."""
        raise NotImplementedError


# -------------------------------------------------------------------------------------- Sources
@attrs.frozen
class MultilineCSV:
    """CSV files whose quoted cells may hold line breaks: a path, a pattern or a list of them.

    A record that opens a quote and does not close it would then take the records after it into one
    cell, so every receipt lists as an assumption that no record does.
    """

    files: Any


@attrs.frozen(eq=False, repr=False)
class CsvSource(FileSource):
    """CSV files with the same names of columns; `multiline` accepts cells with line breaks."""

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
        """Reads every file's row of names, and the first budget. Raises BadData, SourceFailed."""
        headers = [header(file.path, multiline=multiline) for file in files]
        layout = Layout.of(setting, headers[0], len(headers[0]), y, budgets, drop=drop)
        layout.check_names(headers[0], file=True)
        if layout.budget is not None:
            firsts = (
                _first(file.path, names, layout.budget, multiline=multiline)
                for file, names in zip(files, headers, strict=True)
            )
            first = next((cell for cell in firsts if cell is not None), b"")
            kind = NUMBERS if _group(first) is None else NAMES
            layout = attrs.evolve(layout, budget_kind=kind)
        parsers(layout)
        for file, names in zip(files, headers, strict=True):
            with_layout(layout, Columns(names, ([],) * len(names)), None, file.path)
        return cls(layout, files, multiline)

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
        """A cell of several lines can spoil other records."""
        return self.multiline


def _first(path: str, names: Sequence[str], name: str, *, multiline: bool) -> bytes | None:
    """The first cell of a column; None where there are no rows. Raises BadData or SourceFailed."""
    if name not in names:
        return None
    rows = filter(None, rows_of(path, len(names), multiline=multiline))
    first = safely(lambda: next(rows, None), path, CUT)
    return None if first is None else first[names.index(name)]


@attrs.frozen(eq=False)
class CsvFile(TablePart):
    """A file by its path, which the worker that reads it must be able to open."""

    layout: Layout
    file: File
    multiline: bool = False

    @property
    def name(self) -> str:
        """The path."""
        return self.file.path

    def tables(self) -> Iterator[Table]:
        """The file, parsed a block at a time."""
        path = self.file.path
        self.file.unchanged()
        names, size = header(path, multiline=self.multiline), block_rows(len(self.layout.names))
        rows = rows_of(path, len(names), multiline=self.multiline)
        while group := list(islice(rows, size)):
            complete = [row for row in group if row is not None]
            if len(complete) < len(group):
                self._check_droppable()
            columns = dict(zip(names, zip(*complete, strict=True), strict=False))
            yield with_layout(self.layout, self._parsed(columns), None, path)
        self.file.unchanged()

    def _parsed(self, columns: Mapping[str, Sequence[bytes]]) -> Columns:
        """The values of the columns that are read. Raises BadData."""
        reading = parsers(self.layout)
        values = {name: parse(columns.get(name, ())) for name, parse in reading.items()}
        for name, cells in values.items():
            numbers = reading[name] is _numbers and isinstance(cells, list) and not self.layout.drop
            if numbers and any(isinstance(cell, str) for cell in cells):
                labels = name == self.layout.label
                title = self.layout.label_title if labels else f"column {name} of X"
                place, way_out = f"{title}, in {self.file.path},", CLASSES if labels else ENCODE
                raise BadData(place, "real numbers", Plain("other values"), way_out)
        return Columns(tuple(values), tuple(values.values()))

    def _check_droppable(self) -> None:
        """Refuse malformed records where none may be left out. Raises SourceFailed or BadData."""
        if self.multiline:
            raise SourceFailed(self.file.path, "no table of equal rows", CUT)
        if not self.layout.drop:
            raise SourceFailed(self.file.path, "no table of equal rows", SHAPE)
        if self.layout.budget is not None:
            raise BadData(self.layout.budget_title, "given for every line", Plain("others"), SHAPE)
