"""A table in memory, or a piece of one: finite numbers, proved as they are read."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Setting

from . import opening
from .layout import Layout
from .reading import Array, Column, Features, Plain, coerced, doubles, strange

ENTRIES = 2**19  # of a block: 4 MiB of doubles
FEWEST, MOST = 1024, 8192  # rows of a block: whose products are exact on a grid of 20 bits
TOGETHER = 4  # blocks whose columns are put side by side at once
EACH = "Each record has a budget of its own."
NUMERIC = "The codebook says dp.Numeric: give numbers, not texts, truth values or dates."


@attrs.frozen(eq=False, repr=False)
class Block:
    """Finite rows, shape (m, d), their labels, (m,), or None where none are declared, and their
    budgets, (m,), or None where the source has none.

    Doubles; objects where a codebook has levels, with finite numbers in its columns of numbers.
    Budgets are public: positive, finite doubles; objects, texts, where they are names of groups.
    """

    rows: Array
    labels: Array | None
    budgets: Array | None = None


@attrs.frozen(eq=False, repr=False)
class Table:
    """Features, labels and budgets of one length, as a layout says that they are read."""

    features: Features
    labels: Column | None
    layout: Layout
    budgets: Column | None = None

    @classmethod
    def of(
        cls, setting: Setting, X: object, y: object = None, budgets: object = None, *, drop: bool
    ) -> Table:
        """The table that the setting describes; reads no entry. Raises BadData.

        Where the number of rows is public (replace-one), dropped rows become rows of zeros, so that
        it stays what it is.
        """
        data = opening.given(X)
        names = opening.header(data)
        width = data.shape[1] if names is None else len(names)
        layout = Layout.of(setting, names, width, y, budgets, drop=drop)
        layout, own = opening.budgeted(layout, data, budgets)
        return cls.laid(layout, X if layout.mixed else data, y, own)

    @classmethod
    def laid(cls, layout: Layout, X: object, y: object = None, budgets: object = None) -> Table:
        """A table of a known layout: the table itself, or a later block of it. Raises BadData."""
        data = opening.given(X, mixed=layout.mixed)
        features, labels = opening.features(layout, data), opening.labels(layout, data, y)
        if labels is not None and len(labels) != len(features):
            raise BadData(
                "y", "as long as X", Plain("another length"), "A record is a row of both."
            )
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
                yield self._finite(_only(slice(start, start + step), read))

    def _read(self, start: int, stop: int) -> Block:
        """Rows start to stop as they are; budgets first, since nothing is done without them."""
        budgets = None if self.budgets is None else self.budgets.read(start, stop)
        rows = self.features.read(start, stop)
        labels = None if self.labels is None else self.labels.read(start, stop)
        return Block(rows, labels, budgets)

    def _finite(self, block: Block) -> Block:
        """A block of finite rows. Entries are looked at only where a sum does not prove it."""
        rows, labels = block.rows, block.labels
        if (
            rows.dtype == float
            and sums_finitely(rows)
            and (labels is None or sums_finitely(labels))
        ):
            return block
        finite = self._finite_entries(rows)
        kept: Array = np.logical_and.reduce(finite, axis=1)
        if labels is not None:
            kept &= np.isfinite(labels)
        if kept.all():
            return block
        if not self.layout.drop:
            raise self._not_finite(finite, labels)
        kept_rows = self._zeroed if self.layout.keep_count else _only
        return kept_rows(kept, block)

    def _finite_entries(self, rows: Array) -> Array:
        """Which entries of the columns of numbers are finite, shape (m, len(real))."""
        finite = np.empty((len(rows), len(self.layout.real)), dtype=bool)
        for place, j in enumerate(self.layout.real):
            finite[:, place] = np.isfinite(self._numbers(rows, j))
        return finite

    def _numbers(self, rows: Array, j: int) -> Array:
        """A column of a block as doubles; among objects, written back as such. Raises BadData."""
        column = rows[:, j]
        if rows.dtype == float:
            return column
        numbers = doubles(column) if set(map(type, column)) <= {float} else coerced(column)
        if not self.layout.drop and strange(column[np.isnan(numbers)]):
            raise BadData(self.features.names[j], "real numbers", Plain("other values"), NUMERIC)
        rows[:, j] = numbers
        return numbers

    def _not_finite(self, finite: Array, labels: Array | None) -> BadData:
        """The refusal, with the columns' names; never a row, never a value."""
        bad = [j for place, j in enumerate(self.layout.real) if not finite[:, place].all()]
        names = [self.features.names[j] for j in bad]
        if labels is not None and not np.isfinite(labels).all():
            names.append(self.layout.label_title)
            if not bad and self.layout.classes is not None:
                return self._no_class()
        got = Plain("missing or infinite values")
        way_out = 'missing="drop" leaves those rows out, at no cost.'
        return BadData(", ".join(names), "finite", got, way_out)

    def _no_class(self) -> BadData:
        """The refusal of labels that are none of the declared classes."""
        first, second = self.layout.classes or ("", "")
        got = Plain("other labels, or missing ones")
        way_out = 'missing="drop" leaves those rows out; dp.Column(levels=[...]) declares classes.'
        return BadData(self.layout.label_title, f"{first!r} or {second!r}", got, way_out)

    def _zeroed(self, kept: Array, block: Block) -> Block:
        """The block with rows of zeros (of no level, in categories) for those not kept, who stay
        with their budgets.
        """
        rows, labels = block.rows, block.labels
        blank = np.zeros(rows.shape[1], dtype=rows.dtype)
        others = [j for j in range(self.columns) if j not in self.layout.real]
        blank[others] = None if rows.dtype == object else np.nan
        zeroed = np.where(kept[:, None], rows, blank)
        neutral = 0.0 if self.layout.classes is None else 0.5  # of classes, between both
        filled = None if labels is None else np.where(kept, labels, neutral)
        return Block(zeroed, filled, block.budgets)


def block_rows(columns: int) -> int:
    """Rows of a block that stays in the cache while it is used."""
    return max(FEWEST, min(MOST, ENTRIES // columns))


def sums_finitely(numbers: Array) -> bool:
    """True proves every entry finite: nan and inf survive addition."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def _only(kept: Array | slice, block: Block) -> Block:
    labels, budgets = block.labels, block.budgets
    return Block(
        block.rows[kept],
        None if labels is None else labels[kept],
        None if budgets is None else budgets[kept],
    )
