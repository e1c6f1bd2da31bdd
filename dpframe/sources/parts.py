"""The parts of a table, each read by one worker."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData

from .budgets import NUMBERS
from .layout import Layout
from .safe_errors import guarded, safely
from .table import Block, Table

REUSED = "Without an executor blocks are read one at a time, and are not copied."


class TablePart(ABC):
    """Abstract: a part of a table, picklable, read where the work on it is done. It has its rows,
    or their place, such as a path.
    """

    layout: Layout

    @property
    @abstractmethod
    def name(self) -> str:
        """As errors call it: `block 3`."""

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
    """Rows that are in memory."""

    table: Table
    name: str = "X"

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        """The table's."""
        return self.table.layout

    def tables(self) -> Iterator[Table]:
        """The one table."""
        yield self.table

    def own_copy(self) -> TableWindow:
        """A copy of the rows, labels and budgets."""
        packed = safely(lambda: pickle.dumps(self), self.name, REUSED)
        copied: TableWindow = pickle.loads(packed)  # noqa: S301 - our own bytes
        return copied


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
