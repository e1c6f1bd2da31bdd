"""The parts of a table: what one worker reads."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import attrs
import numpy as np

from dpframe.errors import BadData

from .budgets import NUMBERS
from .layout import Layout
from .opening import is_batch, whole_batch
from .table import Block, Table
from .telling import arrow, guarded, safely

REUSED = "Without an executor blocks are read one at a time, and are not copied."


class Part(ABC):
    """Abstract: a part of a table, picklable, read by whoever works on it.

    `held` says whether it carries rows; elsewhere it names where they are.
    """

    held: ClassVar[bool] = True
    layout: Layout

    @property
    @abstractmethod
    def name(self) -> str:
        """What errors call it: `block 3`."""

    @abstractmethod
    def tables(self) -> Iterator[Table]:
        """Its rows, in order, as tables in memory."""

    def blocks(self) -> Iterator[Block]:
        """Its rows, in order, as blocks of finite numbers; at least one. Raises DPFrameError."""
        return guarded(self._blocks(), self.name)

    def apart(self) -> Part:
        """The part, with no memory that others may write into. Raises SourceFailed."""
        return self

    def _blocks(self) -> Iterator[Block]:
        empty = True
        for table in self.tables():
            for block in table.blocks():
                yield block
                empty = False
        if empty:
            yield from nothing(self.layout).blocks()


@attrs.frozen(eq=False, repr=False)
class Window(Part):
    """Rows that are in memory, and checked."""

    table: Table

    @property
    def name(self) -> str:
        """`X`."""
        return "X"

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The table's."""
        return self.table.layout

    def tables(self) -> Iterator[Table]:
        """The one table."""
        yield self.table


@attrs.frozen(eq=False, repr=False)
class Piece(Part):
    """A frame, a batch or an array, with or without labels and budgets beside it, that its reader
    is the first to see.
    """

    layout: Layout
    X: Any
    y: Any
    name: str
    budgets: Any = None

    def tables(self) -> Iterator[Table]:
        """The one table, if it has the layout's columns."""
        yield laid(self.layout, self.X, self.y, self.name, self.budgets)

    def apart(self) -> Piece:
        """A copy of the rows, labels and budgets."""
        own = (self.X, self.y, self.budgets)
        X, y, budgets = safely(lambda: tuple(map(copied, own)), self.name, REUSED)
        return attrs.evolve(self, X=X, y=y, budgets=budgets)

    def __reduce__(self) -> tuple[object, ...]:
        """A window on a batch of Arrow travels without the rest of the batch."""
        if not is_batch(self.X):
            return Piece, (self.layout, self.X, self.y, self.name, self.budgets)
        data = packed(whole_batch(self.X))
        return _unpacked, (self.layout, data, self.y, self.name, self.budgets)


def _unpacked(layout: Layout, data: bytes, y: Any, name: str, budgets: Any) -> Piece:
    return Piece(layout, unpacked(data), y, name, budgets)


def packed(batch: Any) -> bytes:
    """A batch of Arrow, and nothing else of the memory that it is a window on."""
    sink = arrow().BufferOutputStream()
    with arrow("pyarrow.ipc").new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(data: bytes) -> Any:
    """The batch that was packed."""
    return arrow("pyarrow.ipc").open_stream(data).read_next_batch()


def copied(data: Any) -> Any:
    """A copy of rows, labels or budgets. (Arrow and Polars take arrays of numpy without one, and
    their own copies share the memory.)
    """
    if is_batch(data):
        return unpacked(packed(whole_batch(data)))
    if isinstance(data, np.ndarray):
        return data.copy()
    return pickle.loads(pickle.dumps(data))  # noqa: S301 - our own bytes


def laid(layout: Layout, X: Any, y: Any, where: str, budgets: Any = None) -> Table:
    """A later piece of a table, compared with its first. Raises BadData that names the piece."""
    try:
        return Table.laid(layout, X, y, budgets)
    except BadData as error:
        name = f"{error.name}, in {where},"
        refusal = BadData(name, error.requirement, error.value, error.way_out)
    raise refusal


def nothing(layout: Layout) -> Table:
    """A table of this layout without rows."""
    rows = np.empty((0, len(layout.names)), dtype=object if layout.mixed else float)
    plain = attrs.evolve(layout, header=None, label=None, budget=None)
    labels = np.empty(0, dtype=object if layout.classes else float) if layout.declared else None
    budgets = np.empty(0, dtype=float if layout.budgeted == NUMBERS else object)
    return Table.laid(plain, rows, labels, None if layout.budgeted is None else budgets)
