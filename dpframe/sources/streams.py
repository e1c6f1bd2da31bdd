"""Sources that give frames or batches one after the other: read in order, in constant memory."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain, count
from typing import Any, ClassVar

import attrs

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Setting

from .arrow import without_rows
from .layout import Layout, check_no_labels
from .opening import budgets as all_budgets
from .opening import is_batch, labels_beside, with_budget_kind
from .parts import RawPart, TablePart
from .reading import ColumnData, Plain
from .safe_errors import arrow, guarded, safely
from .source import Source
from .table import Table, block_rows


@attrs.define(eq=False, repr=False)
class StreamSource(Source):
    """Abstract: batches in order, cut into pieces of at most so many blocks.

    `labels` and `budgets` are given beside the batches, in their order, or None.
    """

    data: Any
    layout: Layout
    labels: ColumnData | None
    budgets: ColumnData | None
    blocks: int

    @abstractmethod
    def batches(self) -> Iterator[Any]:
        """Every row once, in order, as frames or batches."""

    @property
    def identity(self) -> object:
        """What was given."""
        return self.data

    def parts(self) -> Iterator[TablePart]:
        """A piece of a batch each. Raises BadData where labels or budgets have another length."""
        start, size = 0, self.blocks * block_rows(self.columns)
        for batch in guarded(self.batches(), "X"):
            for place in range(0, len(batch), size):
                piece = batch.slice(place, size)
                stop = start + len(piece)
                y, budgets = (_cut(name, one, start, stop) for name, one in self._beside)
                yield RawPart(self.layout, piece, y, "X", budgets)
                start = stop
        for name, one in self._beside:
            if one is not None and start != len(one):
                raise _uneven(name)

    @property
    def _beside(self) -> tuple[tuple[str, ColumnData | None], ...]:
        return ("y", self.labels), ("budgets", self.budgets)


@attrs.define(eq=False, repr=False)
class ArrowSource(StreamSource):
    """Anything with __arrow_c_stream__: tables and readers of pyarrow, relations of DuckDB, others.

    A table or a batch of pyarrow is in memory and at rest. Anything else is read once: another
    reading might give the records in another order. `reader` is the stream that opening has begun.
    """

    again: ClassVar[str] = "pyarrow.table(X) reads it into memory."
    reader: Any
    passes: float

    @classmethod
    def of(
        cls, setting: Setting, X: Any, y: Any, budgets: Any = None, *, drop: bool, blocks: int
    ) -> ArrowSource:
        """Reads the stream's schema. Raises BadData, SourceFailed or MissingExtra."""
        reader = safely(lambda: stream(X), "X")
        empty = without_rows(reader.schema)
        layout, labels, own = opened_layout(setting, empty, y, budgets, drop=drop)
        passes = math.inf if is_batch(X) else 1
        return cls(X, layout, labels, own, blocks, reader, passes)

    @property
    def repeatable(self) -> bool:  # type: ignore[override]
        """Tables of pyarrow are never written to."""
        return is_batch(self.data)

    @property
    def reuses_memory(self) -> bool:
        """A stream may be a generator's; tables of pyarrow are whole."""
        return not is_batch(self.data)

    def batches(self) -> Iterator[Any]:
        """The stream that opening has begun; in later passes others. Raises SourceFailed."""
        reader, self.reader = self.reader, None
        if reader is None and self.passes == 1:
            raise SourceFailed("X again", "a stream is read once", self.again)
        for batch in stream(self.data) if reader is None else reader:
            yield batch if self.layout.schema is None else batch.select(self.layout.needed)


@attrs.define(eq=False, repr=False)
class LazySource(StreamSource):
    """A lazy frame of Polars, collected batch by batch, of the columns that are read: once, since
    its query might give the records in another order when it is run again.
    """

    again: ClassVar[str] = "X.collect() reads it into memory."
    passes: float = attrs.field(default=1, init=False)
    _read: bool = attrs.field(default=False, init=False)

    @classmethod
    def of(
        cls, setting: Setting, X: Any, y: Any, budgets: Any = None, *, drop: bool, blocks: int
    ) -> LazySource:
        """Resolves the lazy frame's schema. Raises BadData or SourceFailed."""
        if not hasattr(X, "collect_batches"):
            got, way_out = Plain("another one"), "X.collect() reads it into memory."
            raise BadData("X", "a lazy frame of Polars 1.34 or later", got, way_out)
        empty = safely(lambda: X.collect_schema().to_frame(), "X")
        return cls(X, *opened_layout(setting, empty, y, budgets, drop=drop), blocks)

    def batches(self) -> Iterator[Any]:
        """The lazy frame's batches, in its order. Raises SourceFailed in a second pass."""
        if self._read:
            raise SourceFailed("X again", "a lazy frame is read once", self.again)
        self._read = True
        lazy = self.data
        if self.layout.schema is not None:
            lazy = lazy.select(self.layout.needed)
        size = self.blocks * block_rows(self.columns)
        return iter(lazy.collect_batches(chunk_size=size, maintain_order=True))


def opened_layout(
    setting: Setting, empty: Any, y: Any, budgets: Any, *, drop: bool
) -> tuple[Layout, ColumnData | None, ColumnData | None]:
    """The layout that a table without rows shows, and the labels and the budgets that stand beside
    it, if any. Raises BadData.
    """
    layout = Table.of(
        setting, empty, without_entries(y), without_entries(budgets), drop=drop
    ).layout
    labels = None if names_column(y) else labels_beside(y, drop=drop, classes=layout.classes)
    if names_column(budgets):
        return layout, labels, None
    layout, own = with_budget_kind(layout, None, budgets)
    return layout, labels, all_budgets(layout, None, own)


def without_entries(y: Any) -> Any:
    """y beside a table without rows."""
    return y if names_column(y) else []


def names_column(y: Any) -> bool:
    """Whether these are no labels or budgets beside a table: none, or the name of a column."""
    return y is None or isinstance(y, str)


def _cut(name: str, column: ColumnData | None, start: int, stop: int) -> Any:
    """Entries start to stop of labels or budgets. Raises BadData."""
    if column is None:
        return None
    if stop > len(column):
        raise _uneven(name)
    return column.window(start, stop).values


def _uneven(name: str) -> BadData:
    return BadData(name, "as long as X", Plain("another length"), "A record is a row of both.")


def stream(X: Any) -> Any:
    """A reader of Arrow batches. Raises MissingExtra and errors of the library."""
    return arrow().RecordBatchReader.from_stream(X)


END = object()  # after the last block
PAIRS = (
    "Each block is a pair (X, y) of arrays or frames, or X alone with its labels as a column; "
    "list(rows) makes X of rows in a tuple."
)
TRIPLES = "Each block is a triple (X, y, budgets), or has its budgets as a column."


@attrs.define(eq=False, repr=False)
class IteratorSource(Source):
    """Blocks from an iterator, each a pair (X, y), a triple (X, y, budgets), or X alone; a part
    each. Read once.

    Opening takes the first block, to see its columns.
    """

    data: Iterator[Any]
    layout: Layout
    first: tuple[Any, ...]
    record_may_refuse: bool = False
    """Whether the first block is a list, whose rows say how many columns there are."""
    passes: float = attrs.field(default=1, init=False)

    @classmethod
    def of(
        cls, setting: Setting, X: Any, y: Any, budgets: Any = None, *, drop: bool
    ) -> IteratorSource:
        """Takes the first block; reads no entry of it. Raises BadData or SourceFailed."""
        if not (y is None or isinstance(y, str)):
            raise BadData("y", "left out, or a name", Plain(type(y).__name__), PAIRS)
        if not (budgets is None or isinstance(budgets, str)):
            got = Plain(type(budgets).__name__)
            raise BadData("budgets", "left out, or a name", got, TRIPLES)
        first = safely(lambda: next(X, END), "block 1")
        if first is END:
            wanted = "an iterator of at least one block"
            raise BadData("X", wanted, Plain("none"), "It may be empty, but has columns.")
        rows, labels, own = block_parts(first)
        named = labels if y is None else y, own if budgets is None else budgets
        layout = Table.of(setting, rows, *named, drop=drop).layout
        return cls(X, layout, (first,), layout.schema is None and isinstance(rows, (list, tuple)))

    @property
    def reuses_memory(self) -> bool:
        """Generators often fill one array again and again."""
        return True

    @property
    def identity(self) -> object:
        """The iterator."""
        return self.data

    def parts(self) -> Iterator[TablePart]:
        """A block each. Raises SourceFailed in a second pass."""
        first, self.first = self.first, ()
        if not first:
            raise SourceFailed("X again", "an iterator is read once", "Give a table or a file.")
        rest = numbered_blocks(self.data, 2)
        for number, block in chain([(1, first[0])], rest):
            rows, labels, own = block_parts(block)
            yield RawPart(self.layout, rows, labels, f"block {number}", own)


def block_parts(block: Any) -> tuple[Any, Any, Any]:
    """Features, labels and budgets of a block, None for those that are a column of it or absent.

    A tuple is always a pair or a triple; rows stand in a list. Raises BadData.
    """
    if not isinstance(block, tuple):
        return block, None, None
    if len(block) not in (2, 3):
        raise BadData("X", "blocks of two or three in a tuple", Plain("another tuple"), PAIRS)
    X, y, budgets = block if len(block) == 3 else (*block, None)
    check_no_labels(y, budgets)
    return X, y, budgets


def numbered_blocks(blocks: Iterator[Any], start: int) -> Iterator[tuple[int, Any]]:
    """Blocks with their numbers, from `start`. Raises SourceFailed where the iterator raises."""
    for number in count(start):
        block = safely(lambda: next(blocks, END), f"block {number}")
        if block is END:
            return
        yield number, block
