"""The data of one execution, checked before it is read and again, for finite values, as it is read."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from dpframe.errors import BadData
from dpframe.graph import Numeric, Setting
from dpframe.graph.clipping import squared_norms
from dpframe.guarantees import REPLACE_ONE

from . import opening
from .reading import Array, Column, Features, Plain

BLOCK = 2**19  # entries a block aims at: 4 MiB of doubles
FEWEST, MOST = 1024, 8192  # rows a block


@attrs.frozen(eq=False)
class Block:
    """Rows without a missing or infinite number: shape (m, d), labels (m,), squared 2-norms (m,) where they are known."""

    rows: Array
    labels: Array | None
    squares: Array | None


@attrs.frozen(eq=False)
class Table:
    """Features and labels of equal length. `real` names the columns that must hold numbers, by position."""

    features: Features
    labels: Column | None
    real: tuple[int, ...]
    drop: bool
    keep_count: bool

    @classmethod
    def of(cls, setting: Setting, X: object, y: object, *, drop: bool) -> Table:
        """The table as the setting describes it; reads no entry. Raises BadData.

        Rows that are dropped become rows of zeros where the number of rows is public (replace-one), so that it stays what it is.
        """
        schema = setting.X.columns
        features = opening.features(X, schema)
        labels = opening.labels(y, declared=setting.y is not None)
        if labels is not None and len(labels) != len(features):
            raise BadData("y", "as long as X", Plain("another number of rows"), "A record is a row of both.")
        real = tuple(j for j in range(len(features.names)) if schema is None or isinstance(schema[j], Numeric))
        return cls(features, labels, real, drop, setting.relation is REPLACE_ONE)

    @property
    def columns(self) -> int:
        """The public number of columns."""
        return len(self.features.names)

    def __len__(self) -> int:
        """The number of rows: private under add/remove."""
        return len(self.features)

    def blocks(self, size: int | None = None) -> Iterator[Block]:
        """Every row once, `size` rows at a time; one empty block for an empty table. Raises BadData for a number that is not finite."""
        step = size or max(FEWEST, min(MOST, BLOCK // self.columns))
        for start in range(0, max(len(self), 1), step):
            stop = min(start + step, len(self))
            labels = None if self.labels is None else self.labels.read(start, stop)
            yield self._finite(self.features.read(start, stop), labels)

    def _finite(self, rows: Array, labels: Array | None) -> Block:
        """A block of finite rows. Finite squares are proof enough; only without it are entries looked at one by one."""
        squares = squared_norms(rows) if len(self.real) == self.columns else None
        proved = squares is not None and bool(np.isfinite(squares).all())
        if proved and (labels is None or np.isfinite(labels).all()):
            return Block(rows, labels, squares)
        finite = self._finite_entries(rows)
        kept = finite.all(axis=1) if labels is None else finite.all(axis=1) & np.isfinite(labels)
        if kept.all():
            return Block(rows, labels, squares)
        if not self.drop:
            raise self._not_finite(finite, labels)
        return self._without(~kept, rows, labels)

    def _finite_entries(self, rows: Array) -> Array:
        """Which entries of the real columns are finite, shape (m, number of real columns)."""
        finite = np.empty((len(rows), len(self.real)), dtype=bool)
        for place, j in enumerate(self.real):
            finite[:, place] = np.isfinite(_numbers(rows[:, j], self.features.names[j]))
        return finite

    def _not_finite(self, finite: Array, labels: Array | None) -> BadData:
        """The refusal that names the columns; never a row, never a value."""
        names = [self.features.names[j] for place, j in enumerate(self.real) if not finite[:, place].all()]
        if labels is not None and not np.isfinite(labels).all():
            names.append("y")
        got = Plain("missing or infinite values")
        return BadData(", ".join(names), "finite", got, 'missing="drop" leaves those rows out, at no cost.')

    def _without(self, dropped: Array, rows: Array, labels: Array | None) -> Block:
        if not self.keep_count:
            return Block(rows[~dropped], None if labels is None else labels[~dropped], None)
        blank = None if rows.dtype == object else 0.0
        rows = np.where(dropped[:, None], blank, rows)
        if blank is None:
            rows[np.ix_(dropped, self.real)] = 0.0
        return Block(rows, None if labels is None else np.where(dropped, 0.0, labels), None)


def _numbers(column: Array, name: str) -> Array:
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        raise BadData(name, "real numbers", Plain("values that are not"), "Its codebook says dp.Numeric.") from None
