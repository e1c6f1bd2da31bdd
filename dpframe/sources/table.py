"""A table in memory, or a piece of one, whose numbers are checked to be finite while they are read;
and the parts of a table, each read by one worker.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Categorical, Setting
from dpframe.graph.cells import is_missing, number

from . import opening
from .budgets import NUMBERS
from .column_values import cell_values
from .layout import Layout
from .opening import AS_NUMBERS, ONE
from .reading import Array, ColumnData, Features, ListFeatures, Plain
from .safe_errors import guarded, safely

ENTRIES = 2**19  # of a block: 4 MiB of doubles
FEWEST, MOST = 1024, 8192  # rows of a block: whose products are exact on a grid of 20 bits
TOGETHER = 4  # blocks whose columns are put side by side at once
EACH = "Each record has a budget of its own."
MOST_LEVELS = 8  # that an error lists
CLASSES = "dp.Column(levels=[...]) declares classes."
LEVELS = 'dp.Categorical(..., unknown="zeros") counts them as the mean of all levels.'
NUMERIC = "Give numbers, not texts or dates; dp.Rows(columns=[...]) declares categories."


@attrs.frozen(eq=False, repr=False)
class Block:
    """Finite rows, shape (m, d), their labels, (m,), or None where none are declared, and their
    budgets, (m,), or None where the source has none.

    Doubles; columns of categories hold the positions of levels, -1 for none (cells.py). Budgets are
    public: positive, finite doubles; objects, texts, where they are names of groups.
    """

    rows: Array
    labels: Array | None
    budgets: Array | None = None

    def only(self, chosen: Array | slice) -> Block:
        """The chosen records, in their order."""
        columns = (self.rows, self.labels, self.budgets)
        return Block(*(None if one is None else one[chosen] for one in columns))  # type: ignore[arg-type]


@attrs.frozen(eq=False, repr=False)
class Table:
    """Features, labels and budgets of one length, read by a layout."""

    features: Features
    labels: ColumnData | None
    layout: Layout
    budgets: ColumnData | None = None

    @classmethod
    def of(
        cls, setting: Setting, X: object, y: object = None, budgets: object = None, *, drop: bool
    ) -> Table:
        """The table that the setting describes; reads no entry. Raises BadData, and
        InvalidArgument for rows dropped where their number is public (replace-one).
        """
        data = opening.given(X)
        names, schema = opening.header(data), setting.X.columns
        width = opening.width_of(data, None if schema is None else len(schema))
        layout = Layout.of(setting, names, width, y, budgets, drop=drop)
        layout.check_names(opening.text_names(data))
        layout, own = opening.with_budget_kind(layout, data, budgets)
        return cls.with_layout(layout, data, y, own)

    @classmethod
    def with_layout(
        cls, layout: Layout, X: object, y: object = None, budgets: object = None
    ) -> Table:
        """A table of a known layout: the table itself, or a later block of it. Raises BadData."""
        data = opening.given(X)
        features, labels = opening.features(layout, data), opening.labels(layout, data, y)
        if labels is not None and len(labels) != len(features):
            wanted = "as long as X"
            raise BadData("y", wanted, Plain("another length"), "A record is a row of both.")
        own = opening.budgets(layout, data, budgets)
        if own is not None and len(own) != len(features):
            raise BadData("budgets", "as long as X", Plain("another length"), EACH)
        return cls(features, labels, layout, own)

    def __len__(self) -> int:
        """The number of rows: private under add/remove."""
        return len(self.features)

    @property
    def columns(self) -> int:
        """The public number of columns."""
        return len(self.layout.names)

    @property
    def block_rows(self) -> int:
        """Rows of a block that stays in the cache while it is used."""
        return block_rows(self.columns)

    def window(self, start: int, stop: int) -> Table:
        """Rows start to stop, without a copy."""
        labels = None if self.labels is None else self.labels.window(start, stop)
        budgets = None if self.budgets is None else self.budgets.window(start, stop)
        return Table(self.features.window(start, stop), labels, self.layout, budgets)

    def blocks(self, size: int | None = None) -> Iterator[Block]:
        """Every row once, `size` at a time; one empty block for an empty table. Raises BadData."""
        step = self.block_rows if size is None else size
        for first in range(0, max(len(self), 1), TOGETHER * step):
            read = self._read(first, min(first + TOGETHER * step, len(self)))
            for start in range(0, max(len(read.rows), 1), step):
                yield self._finite(read.only(slice(start, start + step)), first + start)

    def _read(self, start: int, stop: int) -> Block:
        """Rows start to stop, unchecked; budgets first, since they are required."""
        budgets = None if self.budgets is None else self.budgets.read(start, stop)
        rows = self.features.read(start, stop)
        labels = None if self.labels is None else self.labels.read(start, stop)
        return Block(rows, labels, budgets)

    def _finite(self, block: Block, start: int) -> Block:
        """A block of finite rows, the first at `start`. Entries are read only where their sum does
        not prove them finite.
        """
        rows, labels = block.rows, block.labels
        if sums_finitely(rows) and (labels is None or sums_finitely(labels)):
            return block
        finite = np.isfinite(rows)
        chosen: Array = np.logical_and.reduce(finite, axis=1)
        if labels is not None:
            chosen &= np.isfinite(labels)
        if chosen.all():
            return block
        if not self.layout.drop:
            raise self._not_finite(finite, labels, start)
        return block.only(chosen)

    def _not_finite(self, finite: Array, labels: Array | None, start: int) -> BadData:
        """The refusal, with the columns' names; never a row, never a value."""
        bad, stop = [j for j in range(self.columns) if not finite[:, j].all()], start + len(finite)
        if isinstance(self.features, ListFeatures) and not self.features.fit(start, stop):
            wanted = f"a list of rows of length {self.columns}: a row a record"
            return BadData("X", wanted, Plain("other entries, or other lengths"), ONE)
        for j in bad:
            part = self.layout.parts[j]
            if isinstance(part, Categorical):
                wanted = f"one of its declared levels, {_listed(part.levels)}"
                way_out = f"{LEVELS} {self.layout.way_out}"
                return _no_level(self.features.names[j], wanted, way_out)
            if _odd(self.features.cells(j, start, stop)):
                names = [self.features.names[j]]
                return BadData(names[0], "real numbers", Plain("other values"), NUMERIC)
        names = [self.features.names[j] for j in bad]
        if labels is not None and not np.isfinite(labels).all():
            names.append(self.layout.label_title)
            if not bad and self.layout.classes is not None:
                first, second = self.layout.classes
                way_out = f"{CLASSES} {self.layout.way_out}"
                return _no_level(names[-1], f"{first!r} or {second!r}", way_out)
            if self.labels is not None and _odd(self.labels.entries(start, stop)):
                return BadData(names[-1], "real numbers", Plain("other values"), AS_NUMBERS)
        got = Plain("missing or infinite values")
        return BadData(", ".join(names), "finite", got, self.layout.way_out)


def _listed(levels: Sequence[object]) -> str:
    """Levels, MOST_LEVELS at most."""
    more = len(levels) - MOST_LEVELS
    shown = ", ".join(map(repr, levels[:MOST_LEVELS]))
    return f"{shown} and {more} more" if more > 0 else shown


def _no_level(name: str, wanted: str, way_out: str) -> BadData:
    """The refusal of cells that are none of the declared levels."""
    way_out = f"Spell the levels as the table does, capitals too. {way_out}"
    return BadData(name, wanted, Plain("other values, or missing ones"), way_out)


def _odd(column: Any) -> bool:
    """Whether any cell is neither a number nor missing."""
    cells = cell_values(column)
    if isinstance(cells, np.ndarray):
        return False
    return any(np.isnan(number(cell)) and not is_missing(cell) for cell in cells)


def block_rows(columns: int) -> int:
    """Rows of a block that stays in the cache while it is used."""
    return max(FEWEST, min(MOST, ENTRIES // columns))


def sums_finitely(numbers: Array) -> bool:
    """True proves every entry finite: nan and inf survive addition."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


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
