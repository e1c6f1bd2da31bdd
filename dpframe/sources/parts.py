"""The parts of a table, each read by one worker."""

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
from .safe_errors import arrow, guarded, safely
from .table import Block, Table

REUSED = "Without an executor blocks are read one at a time, and are not copied."


class TablePart(ABC):
    """Abstract: a part of a table, picklable, read where the work on it is done.

    A part that does not carry its rows has their place, such as a path.
    """

    carries_rows: ClassVar[bool] = True
    layout: Layout

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name in errors: `block 3`."""

    @abstractmethod
    def tables(self) -> Iterator[Table]:
        """Its rows, in order, as tables in memory."""

    def blocks(self) -> Iterator[Block]:
        """Its rows, in order, as blocks of finite numbers; at least one. Raises DPFrameError."""
        return guarded(self._blocks(), self.name)

    def own_copy(self) -> TablePart:
        """The part in memory of its own. Raises SourceFailed."""
        return self

    def _blocks(self) -> Iterator[Block]:
        empty = True
        for table in self.tables():
            for block in table.blocks():
                yield block
                empty = False
        if empty:
            yield from empty_table(self.layout).blocks()


@attrs.frozen(eq=False, repr=False)
class TableWindow(TablePart):
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
class RawPart(TablePart):
    """A frame, a batch or an array, perhaps with labels and budgets beside it, not yet checked."""

    layout: Layout
    X: Any
    y: Any
    name: str
    budgets: Any = None

    def tables(self) -> Iterator[Table]:
        """The one table, if it has the layout's columns."""
        yield with_layout(self.layout, self.X, self.y, self.name, self.budgets)

    def own_copy(self) -> RawPart:
        """A copy of the rows, labels and budgets."""
        own = (self.X, self.y, self.budgets)
        X, y, budgets = safely(lambda: tuple(map(copied, own)), self.name, REUSED)
        return attrs.evolve(self, X=X, y=y, budgets=budgets)

    def __reduce__(self) -> tuple[object, ...]:
        """A window on a batch of Arrow travels without the rest of the batch."""
        if not is_batch(self.X):
            return RawPart, (self.layout, self.X, self.y, self.name, self.budgets)
        data = packed(whole_batch(self.X))
        return _unpacked, (self.layout, data, self.y, self.name, self.budgets)


def _unpacked(layout: Layout, data: bytes, y: Any, name: str, budgets: Any) -> RawPart:
    return RawPart(layout, unpacked(data), y, name, budgets)


def packed(batch: Any) -> bytes:
    """A batch of Arrow, without the rest of the memory that it is a window on."""
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


def with_layout(layout: Layout, X: Any, y: Any, where: str, budgets: Any = None) -> Table:
    """A later piece of a table, compared with its first. Raises BadData that names the piece."""
    try:
        return Table.with_layout(layout, X, y, budgets)
    except BadData as error:
        name = f"{error.name}, in {where},"
        refusal = BadData(name, error.requirement, error.value, error.way_out)
    raise refusal


def empty_table(layout: Layout) -> Table:
    """A table of this layout without rows."""
    rows = np.empty((0, len(layout.names)), dtype=object if layout.mixed else float)
    plain = attrs.evolve(layout, header=None, label=None, budget=None)
    labels = np.empty(0, dtype=object if layout.classes else float) if layout.declared else None
    budgets = np.empty(0, dtype=float if layout.budget_kind == NUMBERS else object)
    return Table.with_layout(plain, rows, labels, None if layout.budget_kind is None else budgets)
