"""The data of one execution: checked before it is read and, for finite numbers, as it is read."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Numeric, Setting
from dpframe.graph.clipping import squared_norms
from dpframe.guarantees import REPLACE_ONE

from . import opening
from .reading import Array, Column, Features, Plain, coerced, doubles

ENTRIES = 2**18  # of a block: 2 MiB of doubles
FEWEST, MOST = 1024, 4096  # rows of a block


@attrs.frozen(eq=False)
class Block:
    """Finite rows, shape (m, d), their labels, (m,), and their squared 2-norms, (m,), if known."""

    rows: Array
    labels: Array | None
    squares: Array | None


@attrs.frozen(eq=False)
class Table:
    """Features and labels of one length. `real` are the positions of the columns of numbers."""

    features: Features
    labels: Column | None
    real: tuple[int, ...]
    drop: bool
    keep_count: bool

    @classmethod
    def of(cls, setting: Setting, X: object, y: object, *, drop: bool) -> Table:
        """The table that the setting describes; reads no entry. Raises BadData.

        Where the number of rows is public (replace-one), dropped rows become rows of zeros, so that
        it stays what it is.
        """
        schema = setting.X.columns
        features = opening.features(X, schema, drop=drop)
        labels = opening.labels(y, declared=setting.y is not None, drop=drop)
        if labels is not None and len(labels) != len(features):
            raise BadData(
                "y", "as long as X", Plain("another length"), "A record is a row of both."
            )
        columns = range(len(features.names))
        real = tuple(j for j in columns if schema is None or isinstance(schema[j], Numeric))
        return cls(features, labels, real, drop, setting.relation is REPLACE_ONE)

    def __len__(self) -> int:
        """The number of rows: private under add/remove."""
        return len(self.features)

    @property
    def columns(self) -> int:
        """The public number of columns."""
        return len(self.features.names)

    @property
    def block_rows(self) -> int:
        """Rows of a block that stays in the cache while it is used."""
        return max(FEWEST, min(MOST, ENTRIES // self.columns))

    def blocks(self, size: int) -> Iterator[Block]:
        """Every row once, `size` at a time; one empty block for an empty table. Raises BadData."""
        for start in range(0, max(len(self), 1), size):
            stop = min(start + size, len(self))
            labels = None if self.labels is None else self.labels.read(start, stop)
            yield self._finite(self.features.read(start, stop), labels)

    def _finite(self, rows: Array, labels: Array | None) -> Block:
        """A block of finite rows. Entries are looked at only where squares do not prove it."""
        squares = squared_norms(rows) if len(self.real) == self.columns else None
        proved = squares is not None and np.isfinite(squares).all()
        if proved and (labels is None or np.isfinite(labels).all()):
            return Block(rows, labels, squares)
        finite = self._finite_entries(rows)
        kept: Array = np.logical_and.reduce(finite, axis=1)
        if labels is not None:
            kept &= np.isfinite(labels)
        if kept.all():
            return Block(rows, labels, squares)
        if not self.drop:
            raise self._not_finite(finite, labels)
        return self._zeroed(kept, rows, labels) if self.keep_count else _only(kept, rows, labels)

    def _finite_entries(self, rows: Array) -> Array:
        """Which entries of the columns of numbers are finite, shape (m, len(real))."""
        finite = np.empty((len(rows), len(self.real)), dtype=bool)
        for place, j in enumerate(self.real):
            finite[:, place] = np.isfinite(self._numbers(rows, j))
        return finite

    def _numbers(self, rows: Array, j: int) -> Array:
        """A column of a block as doubles; where rows may be dropped, written back as such."""
        if not self.drop:
            return _numbers(rows[:, j], self.features.names[j])
        numbers = coerced(rows[:, j]) if rows.dtype == object else doubles(rows[:, j])
        if rows.dtype == object:
            rows[:, j] = numbers
        return numbers

    def _not_finite(self, finite: Array, labels: Array | None) -> BadData:
        """The refusal, with the columns' names; never a row, never a value."""
        bad = [j for place, j in enumerate(self.real) if not finite[:, place].all()]
        names = [self.features.names[j] for j in bad]
        if labels is not None and not np.isfinite(labels).all():
            names.append("y")
        got = Plain("missing or infinite values")
        way_out = 'missing="drop" leaves those rows out, at no cost.'
        return BadData(", ".join(names), "finite", got, way_out)

    def _zeroed(self, kept: Array, rows: Array, labels: Array | None) -> Block:
        """The block with rows of zeros (of no level, in categories) for those not kept."""
        blank = np.zeros(rows.shape[1], dtype=rows.dtype)
        blank[[j for j in range(self.columns) if j not in self.real]] = _no_level(rows)
        zeroed = np.where(kept[:, None], rows, blank)
        return Block(zeroed, None if labels is None else np.where(kept, labels, 0.0), None)


def _only(kept: Array, rows: Array, labels: Array | None) -> Block:
    return Block(rows[kept], None if labels is None else labels[kept], None)


def _no_level(rows: Array) -> float | None:
    return None if rows.dtype == object else np.nan


def _numbers(column: Array, name: str) -> Array:
    """A column of a block as doubles. Raises BadData."""
    try:
        return doubles(column)
    except (TypeError, ValueError, OverflowError):
        got = Plain("other values")
        raise BadData(name, "real numbers", got, "The codebook says dp.Numeric.") from None
