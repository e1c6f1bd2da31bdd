"""Iterators of blocks: what a generator yields, once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import attrs

from dpframe.errors import BadData, SourceFailed
from dpframe.graph import Setting

from .budgets import check_no_labels
from .layout import Layout
from .parts import Part, Piece
from .reading import Plain
from .source import Source
from .table import Table
from .telling import safely

NONE = object()  # after the last block
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
    refuses: bool = False
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
        first = safely(lambda: next(X, NONE), "block 1")
        if first is NONE:
            wanted = "an iterator of at least one block"
            raise BadData("X", wanted, Plain("none"), "It may be empty, but has columns.")
        rows, labels, own = triple(first)
        named = labels if y is None else y, own if budgets is None else budgets
        layout = Table.of(setting, rows, *named, drop=drop).layout
        return cls(X, layout, (first,), layout.schema is None and isinstance(rows, (list, tuple)))

    @property
    def reused(self) -> bool:
        """Generators often fill one array again and again."""
        return True

    @property
    def identity(self) -> object:
        """The iterator."""
        return self.data

    def parts(self) -> Iterator[Part]:
        """A block each. Raises SourceFailed in a second pass."""
        first, self.first = self.first, ()
        if not first:
            raise SourceFailed("X again", "an iterator is read once", "Give a table or a file.")
        rest = numbered(self.data, 2)
        for number, block in chain([(1, first[0])], rest):
            rows, labels, own = triple(block)
            yield Piece(self.layout, rows, labels, f"block {number}", own)


def triple(block: Any) -> tuple[Any, Any, Any]:
    """Features, labels and budgets of a block, None for those that are a column of it or absent.

    A tuple is a pair or a triple, whatever is in it: rows stand in a list. Raises BadData.
    """
    if not isinstance(block, tuple):
        return block, None, None
    if len(block) not in (2, 3):
        raise BadData("X", "blocks of two or three in a tuple", Plain("another tuple"), PAIRS)
    X, y, budgets = block if len(block) == 3 else (*block, None)
    check_no_labels(y, budgets)
    return X, y, budgets


def numbered(blocks: Iterator[Any], start: int) -> Iterator[tuple[int, Any]]:
    """Blocks with their numbers, from `start`. Raises SourceFailed where the iterator raises."""
    for number in count(start):
        block = safely(lambda: next(blocks, NONE), f"block {number}")
        if block is NONE:
            return
        yield number, block
