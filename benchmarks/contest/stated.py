"""Bounds that are stated before a table is read: a round number a column, from bounds.json.

Every bound is the least of 1, 2 and 5 times a power of ten that covers its centred column, so that
they were found by looking at the ranges, once; then they were written down. Nobody who knows what a
column means needs to look to state a number of this kind. Columns of zeros have 1. The norm is 2
for all sets but two, gas and pumadyn32nm, which have more spread columns and 5.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from dpframe.errors import InvalidArgument
from dpframe.experiments.data import DataSet

from .worlds import in_ball

Array = NDArray[Any]
FILE = "bounds.json"


@attrs.frozen
class Stated:
    """|X_j| <= X[j] for every column, |y| <= y, and the norm of a row in these units, its intercept
    of 1 included, beyond which it is scaled back.
    """

    X: tuple[float, ...]
    y: float
    norm: float

    def applied(self, table: DataSet) -> DataSet:
        """Columns over their bounds and clipped to [-1, 1], an intercept of 1 last, rows over the
        norm and clipped to the unit ball; labels over their bound. It reads no row but the one that
        it maps: a public map.
        """
        if table.X.shape[1] != len(self.X):
            wanted = f"a table of {len(self.X)} columns, as many as {FILE} bounds"
            raise InvalidArgument(table.name, wanted, table.X.shape[1])
        columns = np.clip(table.X / np.array(self.X), -1.0, 1.0)
        rows = np.column_stack([columns, np.ones(len(columns))])
        return DataSet(table.name, in_ball(rows / self.norm), table.y / self.y)


@functools.cache
def stated() -> Mapping[str, Stated]:
    """Bounds by the name of the set."""
    written = json.loads((resources.files(__package__) / FILE).read_text("utf-8"))
    return {name: Stated(tuple(one["X"]), one["y"], one["norm"]) for name, one in written.items()}
