"""Lines of a CSV file, each checked by itself, and the values of their cells, by the codebook and
never by a guess from the first rows.

A cell is quoted as a whole, with quotes inside it doubled, or it has no quote. A line of such
cells, as many as there are names, has the same meaning in every place, so an unclosed quote spoils
its own line and no other. [RFC 4180, without line breaks in cells] Where rows may be dropped each
cell is read by itself, so that no row influences another.

Without pyarrow the records and the values of their cells are the same, and reading is some ten
times slower. Cells with line breaks, and columns of budgets, need pyarrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import attrs

from dpframe.errors import BadData, MissingExtra
from dpframe.graph import Categorical, Numeric

from .arrow import decoded
from .budgets import NAMES, NUMBERS
from .layout import Layout
from .reading import Plain
from .safe_errors import arrow

NO_NUMBER = re.compile(r"[ \t]*[+-]?(nan|inf|infinity)[ \t]*", re.IGNORECASE)
NUMBER = r"^[ \t]*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*$"
DECIMAL = re.compile(NUMBER.encode())
MISSING = {b"", b"na", b"n/a", b"#n/a", b"nan", b"null", b"inf", b"infinity"}
TRUTHS = {b"true": True, b"false": False}
CHUNK = 2**22  # bytes that are parsed at once
CELL = rb'(?:[^",\r\n]*|"(?:[^"\r\n]|"")*")'
CELLS = re.compile(rb'(?:\A|,)("(?:[^"]|"")*"|[^",]*)')  # of a line that is a record
END = rb"\r?\n"
BOM = b"\xef\xbb\xbf"
BLANK = re.compile(rb"^\r?\n", re.MULTILINE)


@attrs.frozen
class CellParser:
    """How the cells of a column become values: those that the parser of Arrow made, of type
    `arrow_type`, or, without pyarrow, the bytes of one cell.
    """

    arrow_type: str
    from_arrow: Callable[[Any], Any]
    from_bytes: Callable[[bytes], Any]

    @property
    def kind(self) -> Any:
        """The type of Arrow that the parser makes of them."""
        return getattr(arrow(), self.arrow_type)()


def _as_decimals(column: Any) -> Any:
    """The doubles nearest to decimal numbers, null for anything else."""
    compute, library = arrow("pyarrow.compute"), arrow()
    numeric = compute.match_substring_regex(column, NUMBER)
    text = compute.if_else(numeric, column, library.scalar(None, column.type))
    plain = compute.ascii_trim_whitespace(text.cast(library.string()))
    return compute.replace_substring_regex(plain, r"^\+", "").cast(library.float64())


def _each(read: Callable[[bytes], Any], arrow_type: str) -> Callable[[Any], Any]:
    """Cells that are read one by one."""
    return lambda column: arrow().array(
        map(read, column.to_pylist()), getattr(arrow(), arrow_type)()
    )


def _group(cell: bytes) -> str | None:
    """The name of a group; None for a number, a blank, or what is not UTF-8."""
    name = decoded(cell) or ""
    numeric = re.search(NUMBER, name) or NO_NUMBER.fullmatch(name)
    return None if numeric or not name.strip() else name


def _truth(cell: bytes) -> bool | None:
    """true or false; None for anything else."""
    return TRUTHS.get(cell.strip().lower())


def _number(cell: bytes) -> Any:
    """The nearest double; None for a missing or an infinite one, and anything else as a text."""
    if DECIMAL.match(cell):
        return float(cell)
    return None if cell.strip().lower().lstrip(b"+-") in MISSING else decoded(cell)


# Bytes are parsed one by one: a cell that is not UTF-8 spoils no other.
STRICT = CellParser("float64", lambda column: column, _number)  # others are refused by the parser
LENIENT = CellParser("binary", _as_decimals, _number)
TEXTS = CellParser("binary", _each(decoded, "string"), decoded)
GROUPS = CellParser("binary", _each(_group, "string"), _group)
BOOLEANS = CellParser("binary", _each(_truth, "bool_"), _truth)


def cells(layout: Layout) -> dict[str, CellParser]:
    """How every column is read, in the order of the batches. Raises BadData."""
    parts = dict(zip(layout.names, layout.parts, strict=True))
    order = layout.needed if layout.schema is not None else layout.header or ()
    result = {name: _cells(parts.get(name), drop=layout.drop) for name in order}
    if layout.label is not None and layout.classes is not None:
        result[layout.label] = _levelled(layout.label, layout.classes)
    own = GROUPS if layout.budget_kind == NAMES else LENIENT
    return result if layout.budget is None else {**result, layout.budget: own}


def kind_of_budget(cell: bytes) -> str:
    """NAMES, unless the cell is a number or blank."""
    return NUMBERS if _group(cell) is None else NAMES


def _cells(part: Numeric | Categorical | None, *, drop: bool) -> CellParser:
    if not isinstance(part, Categorical):
        return LENIENT if drop else STRICT
    return _levelled(part.name, part.levels)


def _levelled(name: str, levels: Sequence[object]) -> CellParser:
    """How cells of levels are read. Raises BadData."""
    kinds = {type(level) if isinstance(level, (str, bool)) else float for level in levels}
    if len(kinds) > 1:
        wanted, got = "all texts, all numbers or all truth values", Plain("several kinds")
        raise BadData(f"levels of {name}", wanted, got, "A CSV file does not tell them apart.")
    kind = kinds.pop()
    return TEXTS if issubclass(kind, str) else BOOLEANS if kind is bool else LENIENT


@attrs.frozen
class Lines:
    """Lines for a parser, without malformed ones, of which `rejected` is the number."""

    text: bytes
    rejected: int


def lines(path: str, columns: int) -> Iterator[Lines]:
    """The lines of a file but its first, some megabytes at a time."""
    with Path(path).open("rb") as file:
        file.readline()
        rest = b""
        while chunk := file.read(CHUNK):
            whole, newline, rest = (rest + chunk).rpartition(b"\n")
            if newline:
                yield parser_input(whole + newline, columns)
        if rest:
            yield parser_input(rest + b"\n", columns)


def parser_input(text: bytes, columns: int) -> Lines:
    """Whole lines without malformed ones. A parser cannot join or split lines without quotes and
    carriage returns inside, and counts their cells; but it fails at a line of another number of
    cells that is not UTF-8.
    """
    plain = b'"' not in text and text.count(b"\r") == text.count(b"\r\n")
    if plain and (text.isascii() or decoded(text) is not None):
        return Lines(_marked(text), 0)
    complete = _records(columns).findall(text)
    blank = len(BLANK.findall(text)) if columns > 1 else 0
    return Lines(_marked(b"".join(complete)), text.count(b"\n") - blank - len(complete))


def _marked(text: bytes) -> bytes:
    """Another byte order mark: a parser drops one at the start, which may belong to a cell."""
    return BOM + text if text.startswith(BOM) else text


@lru_cache(maxsize=16)
def _records(columns: int) -> re.Pattern[bytes]:
    """A line of so many cells."""
    cells = rb"(?:%s,){%d}%s" % (CELL, columns - 1, CELL)
    return re.compile(rb"^%s%s" % (cells, END), re.MULTILINE)


def first_line(path: str) -> bytes | None:
    """The row of names, without its line end; None where its quotes are not closed."""
    with Path(path).open("rb") as file:
        line = file.readline().removeprefix(BOM).rstrip(b"\r\n")
    return line if re.fullmatch(rb"%s(?:,%s)*" % (CELL, CELL), line) else None


def installed() -> bool:
    """Whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def check_plain(*, multiline: bool, budget: str | None) -> None:
    """Raises MissingExtra for what needs pyarrow."""
    if multiline or budget is not None:
        raise MissingExtra("pyarrow", "arrow")


@attrs.frozen(eq=False)
class Columns:
    """Lists of cells by name, as a data frame has them."""

    columns: tuple[str, ...]
    cells: tuple[Sequence[Any], ...]

    def __getitem__(self, name: str) -> Sequence[Any]:
        return self.cells[self.columns.index(name)]

    def to_numpy(self) -> NoReturn:
        """Marks a frame; no frame is read as a whole."""
        raise NotImplementedError


def without_rows(names: Sequence[str]) -> Columns:
    """These columns, and no row."""
    return Columns(tuple(names), ([],) * len(names))


def batches(
    path: str, names: Sequence[str], cells: dict[str, CellParser]
) -> Iterator[tuple[Columns, int]]:
    """Batches of the columns in `cells`, and the number of malformed lines beside each."""
    places = [names.index(name) for name in cells]
    reads = [one.from_bytes for one in cells.values()]
    for chunk in lines(path, len(names)):
        text = chunk.text.removeprefix(BOM)
        result = [line.removesuffix(b"\r") for line in text.split(b"\n")[:-1]]
        complete = [line for line in result if line or len(names) == 1]
        rows = [row for row in map(split, complete) if len(row) == len(names)]
        columns = [
            [read(row[place]) for row in rows] for place, read in zip(places, reads, strict=True)
        ]
        yield Columns(tuple(cells), tuple(columns)), chunk.rejected + len(complete) - len(rows)


def split(line: bytes) -> list[bytes]:
    """The cells of a record, without their quotes."""
    if b'"' not in line:
        return line.split(b",")
    return [
        cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell
        for cell in CELLS.findall(line)
    ]
