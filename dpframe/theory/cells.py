"""Cells of a public partition of the records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpframe.exact.documents import keys, number
from dpframe.exact.limits import HALF, Json

from .at import At
from .book import CELL, PLAIN, PLAIN_SUM, kind
from .facts import Column, Rows, Statistic


def parted(c: At, inputs: Sequence[Any], partition: Json, cell: Json = 0) -> Any:
    """A public partition of records, and one of its cells: by a hash of their numbers, or by cuts
    of one of them. Raises Refused.
    """
    fits = [*map(type, inputs)] in ([Rows], [Rows, Column])
    c.require(fits, "a partition is of rows, and perhaps of labels")
    hashed = type(partition) is dict and partition.get("assignment") == "hashed"
    own = {"cells": int, "salt": str} if hashed else {"cuts": list, "column": object}
    keys(partition, c.where, assignment=str, **own)
    c.require(hashed or partition["assignment"] == "cut", "assignment: hashed or cut")
    cuts = [number(cut, c.where) for cut in ([] if hashed else partition["cuts"])]
    c.require(sorted(set(cuts)) == cuts, "cuts must increase")
    count = partition["cells"] if hashed else len(cuts) + 1
    c.require(type(cell) is int and 0 <= cell < count <= 1000, "a cell of at most 1000")
    return *inputs, json.dumps(partition, sort_keys=True), count, cell


def within(c: At, fact: object, inputs: Iterable[object], place: Any) -> None:
    """Note the cell of a fact, if nothing that was released moves the cells."""
    if not any(node in c.past.late for node in inputs):
        c.cells[fact] = place


@kind("cell_rows", Rows, Column, many=True, answers=CELL)
def _cell_rows(c: At, *inputs: Any, partition: Json, cell: Json) -> Rows:
    """The rows of one cell, zeros elsewhere: bounds stay."""
    place = parted(c, inputs, partition, cell)
    rows = inputs[0]
    fact = Rows(rows.columns, rows.norm, rows.norm1, entry=rows.entry)
    within(c, fact, inputs, place)
    return fact


@kind("cell_column", Column, Rows, answers=CELL)
def _cell_column(c: At, column: Column, rows: Rows, *, partition: Json, cell: Json) -> Column:
    """The labels of one cell, 0 elsewhere."""
    fact = Column(column.bound)
    within(c, fact, [rows, column], parted(c, [rows, column], partition, cell))
    return fact


@kind("cell_count", Rows, Column, many=True, answers=CELL.but(sum_over_records=True))
def _cell_count(c: At, *inputs: Any, partition: Json, cell: Json) -> Statistic:
    """How many records lie in a cell: one more, one less, or as many, also where replaced."""
    one = c.ring.lift(1)
    fact = Statistic((), one, one, steps=(one,))
    within(c, fact, inputs, parted(c, inputs, partition, cell))
    return fact


@kind("cell_sums", Rows, Column, Rows, Column, answers=PLAIN_SUM)
def _cell_sums(
    c: At, own: Rows, y: Column, rows: Rows, labels: Column, *, partition: Json
) -> Statistic:
    """Upper X'X and X'y of x/B, y/Y for every cell: one record is in one cell; replaced, twice."""
    count = parted(c, [rows, labels], partition)[-2]
    shape = (own.columns * (own.columns + 3) * HALF * count,)
    side = own.norm if own.entry is None else own.entry
    if side is None or own.norm1 is None or own.step is None or y.bound is None or y.step is None:
        return Statistic(shape, None, None)
    share = y.step / y.bound
    c.equal(own.step / side, share, "rows and labels must have as many steps to their bounds")
    n1, squared = (own.norm1 / side, c.ring.lift(1)) if own.entry is None else (own.columns,) * 2
    twice, l1 = 2 if c.replaced else 1, (n1**2 + squared) * HALF + n1
    l2 = (squared * (squared + 1)) ** HALF
    table = (own, y)
    fact = Statistic(shape, l1 * twice, l2 * twice, table=table, steps=(share**2,))
    c.cells["sums", fact] = count  # of all cells: it stays in none
    return fact


@kind("block_estimates", Statistic, answers=PLAIN)
def _block_estimates(c: At, sums: Statistic, *, penalty: Json, radius: Json) -> Statistic:
    """The mean of k points of a ball, one for each cell: a cell that changes moves it by 2R/k."""
    count = c.cells.get(("sums", sums), 0)
    c.require(count, "its input must be sums of cells, bounded")
    c.formula(penalty)
    columns = (sums.table[0] or Rows(c.ring.lift(1))).columns
    changed = min(count, 2 if c.replaced else 1)
    l2 = c.positive(radius, "radius") * Fraction(2 * changed, count)
    return Statistic((columns,), columns**HALF * l2, l2)
