"""A statistic as a user writes one: it reads a whole table, and states how far one row moves it."""

from __future__ import annotations

import attrs
import numpy as np

import dpframe as dp
from dpframe.graph import ColumnNode, RowsNode
from dpframe.graph.statistics import OneRow, Statistic


@attrs.frozen(cache_hash=True)
class Stated(Statistic):
    """Abstract: of rows and labels, a value of public shape. `states` is its author's word."""

    rows: RowsNode
    column: ColumnNode
    inputs = property(lambda self: (self.rows, self.column))
    unit = property(lambda self: self.rows.unit)
    label = property(lambda self: self.kind.replace("_", " "))
    shape = ()

    def record(self):
        return {}

    def states(self) -> object:
        """What its author says that one row moves it by, in every norm."""
        raise NotImplementedError

    def whole(self, X: np.ndarray, y: np.ndarray) -> object:
        """Its value on a table."""
        raise NotImplementedError

    def one_row(self, norm, relation):
        return OneRow(dp.constant(0) + self.states(), "stated by its author")

    def compute(self, values, number):
        return np.asarray(self.whole(values[self.rows], values[self.column]), dtype=float)


@attrs.frozen(cache_hash=True)
class Bits(Stated):
    """Every bit by itself, shape (n,). One record changes one of them by at most 1."""

    kind = "bits"
    shape = property(lambda self: (self.rows.rows,))

    def states(self):
        return 1

    def whole(self, X, y):
        return (y > 0).astype(float)


def added_in_pairs(values: np.ndarray) -> float:
    """A sum in doubles, by pairs, then pairs of pairs, each rounded to nearest; 0 for nothing."""
    left = np.asarray(values, dtype=float)
    while len(left) > 1:
        odd = left[len(left) // 2 * 2 :]
        left = np.concatenate([left[: len(left) - len(odd) : 2] + left[1::2], odd])
    return float(left[0]) if len(left) else 0.0
