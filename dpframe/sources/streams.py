"""Blocks that come one after the other: of iterators, Arrow streams and lazy frames of Polars. They
are read in order, once, in constant memory: another reading might give other records, or the same
in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import Any

import attrs

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Setting

from .column_values import without_rows
from .layout import Layout, check_no_labels
from .reading import Plain
from .safe_errors import arrow, safely
from .source import Source
from .table import Table, TableWindow, block_rows, with_layout

END = object()  # after the last block
PAIRS = (
    "Each block is a pair (X, y) of arrays or frames, or X alone with its labels as a column; "
    "list(rows) makes X of rows in a tuple."
)
TRIPLES = "Each block is a triple (X, y, budgets), or has its budgets as a column."
POLARS = "a lazy frame of Polars 1.34 or later"


@attrs.frozen
class Stream:
    """The first block, which shows the columns, with its number; the blocks after it, once the
    layout is known; and an alternative that can be read again.
    """

    first: Any
    number: int
    rest: Callable[[Layout], Iterator[Any]]
    again: str

    @classmethod
    def of(cls, X: Any, blocks: int) -> Stream:
        """Begins to read X; batches are cut into pieces of at most so many `blocks`. Raises
        BadData, SourceFailed or MissingExtra.
        """
        if is_lazy(X):
            again = "X.collect() reads it into memory."
            if not hasattr(X, "collect_batches"):
                raise BadData("X", POLARS, Plain("another one"), again)

            def collected(layout: Layout) -> Iterator[Any]:
                lazy = X if layout.schema is None else X.select(layout.needed)
                size = blocks * block_rows(len(layout.names))
                return iter(lazy.collect_batches(chunk_size=size, maintain_order=True))

            return cls(X.collect_schema().to_frame(), 0, collected, again)
        if not hasattr(X, "__arrow_c_stream__"):
            first = safely(lambda: next(X, END), "block 1")
            if first is END:
                wanted = "an iterator of at least one block"
                raise BadData("X", wanted, Plain("none"), "It may be empty, but has columns.")
            return cls(first, 1, lambda _: X, "Give an array or a file.")
        reader = arrow().RecordBatchReader.from_stream(X)

        def batches(layout: Layout) -> Iterator[Any]:
            size = blocks * block_rows(len(layout.names))
            for batch in reader:
                read = batch if layout.schema is None else batch.select(layout.needed)
                for place in range(0, len(read), size):
                    yield read.slice(place, size)

        again = "pyarrow.table(X) reads it into memory."
        return cls(without_rows(reader.schema), 0, batches, again)


def is_lazy(X: Any) -> bool:
    """Whether X is a lazy frame of Polars."""
    return hasattr(type(X), "collect_schema") and hasattr(type(X), "collect")


@attrs.define(eq=False, repr=False)
class StreamSource(Source):
    """Blocks in order, each a pair (X, y), a triple (X, y, budgets), or X alone; a part each."""

    data: Any
    layout: Layout
    stream: Stream
    again: str
    record_may_refuse: bool = False
    """Whether the first block is a list, whose rows say how many columns there are."""
    passes: float = attrs.field(default=1, init=False)
    _read: bool = attrs.field(default=False, init=False)

    @classmethod
    def of(
        cls, setting: Setting, X: Any, y: Any, budgets: Any, blocks: int, *, drop: bool
    ) -> StreamSource:
        """Takes the first block; reads no entry of it. Raises BadData or SourceFailed."""
        if not (y is None or isinstance(y, str)):
            raise BadData("y", "left out, or a name", Plain(type(y).__name__), PAIRS)
        if not (budgets is None or isinstance(budgets, str)):
            got = Plain(type(budgets).__name__)
            raise BadData("budgets", "left out, or a name", got, TRIPLES)
        stream = safely(lambda: Stream.of(X, blocks), "X")
        rows, labels, own = block_parts(stream.first)
        named = labels if y is None else y, own if budgets is None else budgets
        layout = Table.of(setting, rows, *named, drop=drop).layout
        listed = layout.schema is None and isinstance(rows, (list, tuple))
        return cls(X, layout, stream, stream.again, listed)

    @property
    def reuses_memory(self) -> bool:
        """Generators often fill one array again and again."""
        return True

    @property
    def identity(self) -> object:
        """What was given."""
        return self.data

    def parts(self) -> Iterator[TableWindow]:
        """A block each. Raises SourceFailed in a second pass."""
        if self._read:
            raise SourceFailed("X again", "a stream is read once", self.again)
        self._read, first = True, self.stream.number
        rest = numbered_blocks(self.stream.rest(self.layout), first + 1)
        for number, block in chain([(first, self.stream.first)], rest):
            X, y, budgets = block_parts(block)
            name = f"block {number}"
            yield TableWindow(with_layout(self.layout, X, y, name, budgets), name)


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
