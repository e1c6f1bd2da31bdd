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

ENTRIES = 2**18  # of a block: 2 MiB of doubles
FEWEST, MOST = 1024, 16_384  # rows of a block
TOGETHER = 4  # blocks whose columns are put side by side at once
NUMERIC = "The codebook says dp.Numeric: give numbers, not texts, truth values or dates."


@attrs.frozen(eq=False, repr=False)
class Block:
    """Finite rows, shape (m, d), and their labels, (m,), or None where none are declared.

    Doubles; objects where a codebook has levels, with finite numbers in its columns of numbers.
    """

    rows: Array
    labels: Array | None


@attrs.frozen(eq=False, repr=False)
class Table:
    """Features and labels of one length, as a layout says that they are read."""

    features: Features
    labels: Column | None
    layout: Layout

    @classmethod
    def of(cls, setting: Setting, X: object, y: object = None, *, drop: bool) -> Table:
        """The table that the setting describes; reads no entry. Raises BadData.

        Where the number of rows is public (replace-one), dropped rows become rows of zeros, so that
        it stays what it is.
        """
        data = opening.given(X)
        names = opening.header(data)
        width = data.shape[1] if names is None else len(names)
        layout = Layout.of(setting, names, width, y, drop=drop)
        return cls.laid(layout, X if layout.mixed else data, y)

    @classmethod
    def laid(cls, layout: Layout, X: object, y: object = None) -> Table:
        """A table of a known layout: the table itself, or a later block of it. Raises BadData."""
        data = opening.given(X, mixed=layout.mixed)
        features, labels = opening.features(layout, data), opening.labels(layout, data, y)
        if labels is not None and len(labels) != len(features):
            raise BadData(
                "y", "as long as X", Plain("another length"), "A record is a row of both."
            )
        return cls(features, labels, layout)

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
        return Table(self.features.window(start, stop), labels, self.layout)

    def blocks(self, size: int | None = None) -> Iterator[Block]:
        """Every row once, `size` at a time; one empty block for an empty table. Raises BadData."""
        step = self.block_rows if size is None else size
        for first in range(0, max(len(self), 1), TOGETHER * step):
            last = min(first + TOGETHER * step, len(self))
            rows = self.features.read(first, last)
            labels = None if self.labels is None else self.labels.read(first, last)
            for start in range(0, max(last - first, 1), step):
                window = slice(start, start + step)
                yield self._finite(rows[window], None if labels is None else labels[window])

    def _finite(self, rows: Array, labels: Array | None) -> Block:
        """A block of finite rows. Entries are looked at only where a sum does not prove it."""
        if (
            rows.dtype == float
            and sums_finitely(rows)
            and (labels is None or sums_finitely(labels))
        ):
            return Block(rows, labels)
        finite = self._finite_entries(rows)
        kept: Array = np.logical_and.reduce(finite, axis=1)
        if labels is not None:
            kept &= np.isfinite(labels)
        if kept.all():
            return Block(rows, labels)
        if not self.layout.drop:
            raise self._not_finite(finite, labels)
        kept_rows = self._zeroed if self.layout.keep_count else _only
        return kept_rows(kept, rows, labels)

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
        got = Plain("missing or infinite values")
        way_out = 'missing="drop" leaves those rows out, at no cost.'
        return BadData(", ".join(names), "finite", got, way_out)

    def _zeroed(self, kept: Array, rows: Array, labels: Array | None) -> Block:
        """The block with rows of zeros (of no level, in categories) for those not kept."""
        blank = np.zeros(rows.shape[1], dtype=rows.dtype)
        others = [j for j in range(self.columns) if j not in self.layout.real]
        blank[others] = None if rows.dtype == object else np.nan
        zeroed = np.where(kept[:, None], rows, blank)
        return Block(zeroed, None if labels is None else np.where(kept, labels, 0.0))


def block_rows(columns: int) -> int:
    """Rows of a block that stays in the cache while it is used."""
    return max(FEWEST, min(MOST, ENTRIES // columns))


def sums_finitely(numbers: Array) -> bool:
    """True proves every entry finite: nan and inf survive addition."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def _only(kept: Array, rows: Array, labels: Array | None) -> Block:
    return Block(rows[kept], None if labels is None else labels[kept])
