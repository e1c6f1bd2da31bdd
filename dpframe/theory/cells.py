"""Cells of a public partition of the records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpframe.exact.documents import HALF, Json, keys

from .at import Context
from .book import CELL, PLAIN, PLAIN_SUM, kind
from .facts import LabelFacts, RowFacts, StatisticFacts
from .keys import Positive, Read, increasing
from .statistics import signed_sum, units


def parted(at: Context, inputs: Sequence[Any], partition: Json, cell: Json = 0) -> Any:
    """A public partition of records, and one of its cells: by a hash of their numbers, or by cuts
    of one of them. Raises Refused.
    """
    fits = [*map(type, inputs)] in ([RowFacts], [RowFacts, LabelFacts])
    at.require(fits, "a partition is of rows, and perhaps of labels")
    hashed = type(partition) is dict and partition.get("assignment") == "hashed"
    own = {"cells": int, "salt": str} if hashed else {"cuts": list, "column": object}
    keys(partition, at.where, assignment=str, **own)
    at.require(hashed or partition["assignment"] == "cut", "assignment: hashed or cut")
    count = partition["cells"] if hashed else len(increasing(at, partition["cuts"], "cuts")) + 1
    at.require(type(cell) is int and 0 <= cell < count <= 1000, "a cell of at most 1000")
    return *inputs, json.dumps(partition, sort_keys=True), count, cell


@kind("cell_rows", RowFacts, LabelFacts, many=True, answers=CELL)
def _cell_rows(at: Context, *inputs: Any, partition: Json, cell: Json) -> RowFacts:
    """The rows of one cell, zeros elsewhere: bounds stay."""
    place, rows = parted(at, inputs, partition, cell), inputs[0]
    fact = RowFacts(rows.columns, rows.norm, rows.norm1, rows.entry)
    at.place(fact, inputs, place)
    return fact


@kind("cell_column", LabelFacts, RowFacts, answers=CELL)
def _cell_column(
    at: Context, column: LabelFacts, rows: RowFacts, *, partition: Json, cell: Json
) -> LabelFacts:
    """The labels of one cell, 0 elsewhere."""
    fact = LabelFacts(column.bound)
    at.place(fact, [rows, column], parted(at, [rows, column], partition, cell))
    return fact


@kind("cell_count", RowFacts, LabelFacts, many=True, answers=CELL.but(sum_over_records=True))
def _cell_count(at: Context, *inputs: Any, partition: Json, cell: Json) -> StatisticFacts:
    """How many records lie in a cell: one more, one less, or as many, also where replaced."""
    one = at.number(1)
    fact = StatisticFacts((), one, one, steps=(one,))
    at.place(fact, inputs, parted(at, inputs, partition, cell))
    return fact


@kind("cell_sums", RowFacts, LabelFacts, RowFacts, LabelFacts, answers=PLAIN_SUM)
def _cell_sums(
    at: Context,
    own: RowFacts,
    y: LabelFacts,
    rows: RowFacts,
    column: LabelFacts,
    *,
    partition: Json,
) -> StatisticFacts:
    """Upper X'X and X'y of x/B, y/Y for every cell: one record is in one cell; replaced, twice."""
    count = parted(at, [rows, column], partition)[-2]
    shape, size = (own.columns * (own.columns + 3) * HALF * count,), units(at, own, y)
    if size is None:
        return StatisticFacts(shape, table=(own, y))
    n1, squared = size
    l1, l2 = (n1**2 + squared) * HALF + n1, (squared * (squared + 1)) ** HALF
    step = at.number(own.share**2)
    return signed_sum(at, shape, l1, l2, table=(own, y), cells=count, steps=(step,))


@kind("block_estimates", StatisticFacts, answers=PLAIN)
def _block_estimates(
    at: Context, sums: StatisticFacts, *, penalty: Read, radius: Positive
) -> StatisticFacts:
    """The mean of k points of a ball, one for each cell: a cell that changes moves it by 2R/k."""
    count, table = sums.cells, sums.table[0]
    at.require(count and table is not None, "its input must be sums of cells, bounded")
    columns = at.number(1) if table is None else table.columns
    if not count:
        return StatisticFacts((columns,))
    l2 = radius * Fraction(2 * min(count, at.changes), count)
    return StatisticFacts((columns,), columns**HALF * l2, l2)
