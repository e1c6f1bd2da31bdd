"""Public partitions: a public function of one record alone assigns it to exactly one cell,
independently of other records and of its position; in the rows and labels of a cell, records
outside become zeros. Proof page: proofs/partition.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.identity import kind_of
from dpframe.numbers import whole
from dpframe.symbols import Number, exact

from . import statistics as st
from .maps.base import MappedRows, OfRecord, RecordColumn, RecordMap, each
from .maps.grid import OnGrid
from .node import Array, Node, Numbers, Values, fields_of, np, titled, to_float, written
from .rows import ColumnNode, RowsNode

MOST = 1000
FIXED = "Cells are public and fixed before anything is read."


class Assignment(ABC):
    """Abstract: a public function from a record to one of `cells` cells."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    @abstractmethod
    def cells(self) -> int:
        """The number of cells."""

    @abstractmethod
    def places(self, rows: Array, labels: Array | None) -> Array:
        """The cell of each record of a block, from 0 to cells - 1, shape (m,)."""

    def record(self) -> dict[str, object]:
        """Its parameters as JSON values."""
        return {name: written(getattr(self, name)) for name in fields_of(type(self))}


def whole_cells(value: object) -> int:
    """A number of cells from 1 to 1000. Raises InvalidArgument."""
    return whole("cells", value, 1, MOST, way_out=FIXED)


def _salt(value: object) -> str:
    if not isinstance(value, str) or len(value) > 100:
        raise InvalidArgument("salt", "a short text", value, "It is public.")
    return value


@attrs.frozen
class Hashed(Assignment):
    """Cells by a salted hash of the record's numbers, bit for bit; -0 is read as 0."""

    kind: ClassVar[str] = "hashed"
    cells: int = attrs.field(converter=whole_cells)
    salt: str = attrs.field(default="", converter=_salt)

    def places(self, rows: Array, labels: Array | None) -> Array:
        """The high bits of the hash, scaled to the number of cells."""
        from dpframe.numerics.blocks.elementwise import hashed

        columns = [*rows.T] if labels is None else [*rows.T, labels]
        return hashed(columns, len(rows), self.salt, self.cells)


def _cuts(value: Any) -> tuple[Number, ...]:
    cuts = tuple(exact(cut, "cuts") for cut in value) if isinstance(value, Sequence) else ()
    numbers = tuple(cut for cut in cuts if isinstance(cut, Number))
    rising = all(a.value < b.value for a, b in pairwise(numbers))
    if not 1 <= len(numbers) == len(cuts) < MOST or not rising or isinstance(value, str):
        raise InvalidArgument("cuts", "increasing numbers, at least one", value, FIXED)
    return numbers


def _column(value: object) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise InvalidArgument("column", "the position of a column, from 0", value, "")
    return value


@attrs.frozen
class Cut(Assignment):
    """Cells by public cuts of the label, or of one column of the rows: the number of cuts that are
    at most the value. A cut is the double nearest to its number.
    """

    kind: ClassVar[str] = "cut"
    cuts: tuple[Number, ...] = attrs.field(converter=_cuts)
    column: int | None = attrs.field(default=None, converter=_column)

    @property
    def cells(self) -> int:
        """One more than the number of cuts."""
        return len(self.cuts) + 1

    def places(self, rows: Array, labels: Array | None) -> Array:
        """The number of cuts that are at most the value. Raises NotExecutable if the column does
        not exist.
        """
        if self.column is not None and self.column >= rows.shape[1]:
            way_out = f"the table has {rows.shape[1]} columns, counted from 0."
            raise NotExecutable(f"a partition by column {self.column}: {way_out}")
        values: Any = labels if self.column is None else rows[:, self.column]
        cuts = [to_float(cut.value) for cut in self.cuts]
        return np.asarray(np.searchsorted(cuts, values, side="right"))


@attrs.frozen
class Partition:
    """The records of rows and labels (labels are optional), each in one cell of `assignment`.
    Compares by structure. cell(j) gives the rows and labels of one cell, count(j) its size.
    """

    rows: RowsNode
    column: ColumnNode | None
    assignment: Assignment

    def __attrs_post_init__(self) -> None:
        """Check that rows and labels are those of a declaration. Raises InvalidArgument."""
        tables = (self.rows, self.column)
        kinds = isinstance(self.rows, RowsNode) and isinstance(self.column, ColumnNode | None)
        if not kinds or any(isinstance(node, OnGrid) for node in tables):
            way_out = "Give it the X and y of declare, or maps of them."
            wanted = "declared X and y"
            raise InvalidArgument("rows and labels of a partition", wanted, tables, way_out)
        by_label = isinstance(self.assignment, Cut) and self.assignment.column is None
        if by_label and self.column is None:
            way_out = (
                "Pass y, or cut by a column of X: dp.graph.partition_at(X, y, cuts, column=0)."
            )
            raise InvalidArgument("y", "labels, since the cuts are of the label", None, way_out)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels if there are any."""
        return (self.rows,) if self.column is None else (self.rows, self.column)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.assignment.cells

    def cell(self, number: int) -> tuple[CellRows, CellColumn | None]:
        """Rows and labels of a cell, numbered from 0; records outside the cell are zeros. Raises
        InvalidArgument.
        """
        labels = None if self.column is None else CellColumn(self, number)
        return CellRows(self, number), labels

    def count(self, number: int) -> st.CellCount:
        """The number of records in a cell. Raises InvalidArgument."""
        return st.CellCount(self, number)

    def places(self, values: Values) -> Array:
        """The cell of each record of a block, shape (m,), from the blocks of `inputs`."""
        labels = None if self.column is None else values[self.column]
        return self.assignment.places(values[self.rows], labels)

    def record(self) -> dict[str, object]:
        """The assignment."""
        return {"assignment": kind_of(type(self.assignment)), **self.assignment.record()}


def in_partition(instance: Any, attribute: object, value: int) -> None:
    """Validate the `cell` of an attrs class with a `partition`. Raises InvalidArgument."""
    del attribute
    if type(value) is not int or not 0 <= value < instance.partition.cells:
        wanted = f"one of the cells, from 0 to {instance.partition.cells - 1}"
        raise InvalidArgument("cell", wanted, value, "")


def partition(X: RowsNode, y: ColumnNode | None, *, cells: int, salt: str = "") -> Partition:
    """A partition into `cells` cells (1 to 1000) by a salted public hash of each record's numbers
    after the maps of X and y. Cells have about equal sizes, but equal records share a cell. Raises
    InvalidArgument.
    """
    return Partition(X, y, Hashed(cells, salt))


def partition_at(
    X: RowsNode, y: ColumnNode | None, cuts: Sequence[object], *, column: int | None = None
) -> Partition:
    """A partition by public cuts of the label, or of one column of X (numbered from 0): cell j has
    the values for which exactly j cuts are at most the value. Raises InvalidArgument.
    """
    return Partition(X, y, Cut(cuts, column))


@attrs.frozen(cache_hash=True)
class InCell(OfRecord):
    """Abstract: the rows or labels of one cell, with zeros for records outside it. Bounds are
    unchanged, and nothing is known about which values occur. Proof page: proofs/partition.
    """

    label = titled("cell {0.cell} of {0.partition.cells}")

    partition: Partition
    cell: int = attrs.field(validator=in_partition)

    def records(self, values: Values, number: Numbers) -> Array:
        """The rows or labels, with zeros outside the cell."""
        block, inside = values[self.inputs[0]], self.partition.places(values) == self.cell
        return np.where(each(inside, block), block, 0.0)


@attrs.frozen(cache_hash=True)
class CellRows(InCell, RecordMap):
    """Each row of the cell."""

    kind: ClassVar[str] = "cell_rows"

    @property
    def source(self) -> RowsNode:  # type: ignore[override]
        """The rows of the partition."""
        return self.partition.rows

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows, and the labels where there are any."""
        return self.partition.inputs


@attrs.frozen(cache_hash=True)
class CellColumn(InCell, RecordColumn):
    """Each label of the cell."""

    kind: ClassVar[str] = "cell_column"

    @property
    def source(self) -> ColumnNode:  # type: ignore[override]
        """The labels of the partition."""
        return self.partition.inputs[-1]  # type: ignore[return-value]  # it has some

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The labels and the rows."""
        return (self.source, self.partition.rows)


def cell_under(rows: RowsNode) -> CellRows | None:
    """The cell whose rows are mapped; None if there is none."""
    while isinstance(rows, MappedRows):
        if isinstance(rows, CellRows):
            return rows
        rows = rows.source
    return None
