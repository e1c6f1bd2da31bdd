"""CSV files where pyarrow is not installed: the same records, and the same meaning of every cell,
some ten times slower. Cells that hold line breaks, and columns of budgets, need pyarrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NoReturn

import attrs

from dpframe.errors import MissingExtra

from .csv_records import BOM, NUMBER, Cells, Texts, Truths, lines

ONE = re.compile(rb'(?:\A|,)("(?:[^"]|"")*"|[^",]*)')  # of a line that is a record
DECIMAL = re.compile(NUMBER.encode())
NO_NUMBER = {b"", b"na", b"n/a", b"#n/a", b"nan", b"null", b"inf", b"infinity"}
TRUTHS = {b"true": True, b"false": False}


def installed() -> bool:
    """Whether pyarrow is."""
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
        """No frame is read as a whole; its having this method says that it is one."""
        raise NotImplementedError


def without_rows(names: Sequence[str]) -> Columns:
    """These columns, and no row."""
    return Columns(tuple(names), ([],) * len(names))


def batches(
    path: str, names: Sequence[str], cells: dict[str, Cells]
) -> Iterator[tuple[Columns, int]]:
    """Batches of the columns in `cells`, and how many lines beside each are no records."""
    places = [names.index(name) for name in cells]
    reads = [_reader(one) for one in cells.values()]
    for some in lines(path, len(names)):
        text = some.text.removeprefix(BOM)
        found = [line.removesuffix(b"\r") for line in text.split(b"\n")[:-1]]
        kept = [line for line in found if line or len(names) == 1]
        rows = [row for row in map(split, kept) if len(row) == len(names)]
        columns = [
            [read(row[place]) for row in rows] for place, read in zip(places, reads, strict=True)
        ]
        yield Columns(tuple(cells), tuple(columns)), some.others + len(kept) - len(rows)


def split(line: bytes) -> list[bytes]:
    """The cells of a record, without their quotes."""
    if b'"' not in line:
        return line.split(b",")
    return [
        cell[1:-1].replace(b'""', b'"') if cell.startswith(b'"') else cell
        for cell in ONE.findall(line)
    ]


def _reader(cells: Cells) -> Callable[[bytes], Any]:
    """What a cell of a column is, by itself."""
    if isinstance(cells, Texts):
        return _text
    return _truth if isinstance(cells, Truths) else _number


def _number(cell: bytes) -> Any:
    """The nearest double; None for a missing or an infinite one, and anything else as a text."""
    if DECIMAL.match(cell):
        return float(cell)
    return None if cell.strip().lower().lstrip(b"+-") in NO_NUMBER else _text(cell)


def _text(cell: bytes) -> str | None:
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return None


def _truth(cell: bytes) -> bool | None:
    return TRUTHS.get(cell.strip().lower())
