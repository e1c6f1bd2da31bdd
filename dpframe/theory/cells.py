"""Cells of a public partition of the records.

Also weights, and samples, of records with budgets of their own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpframe.exact.documents import HALF, ZERO, Json, keys
from dpframe.exact.formula import Formula

from .at import Context
from .book import BY_RECORD, CELL, OF_BUDGETS, PLAIN, PLAIN_SUM, SAMPLE, kind
from .facts import (
    Budgets,
    LabelFacts,
    OfBudgets,
    RecordWeights,
    RowFacts,
    StatisticFacts,
    Thinning,
    Weight,
)
from .keys import Bits, Positive, Read, increasing
from .rows import OnGrid
from .statistics import signed_sum, units


@kind("budgets", answers=PLAIN)
def _budgets(at: Context) -> Budgets:
    """Everybody's budgets, which are no data."""
    at.require(at.personal_budgets(), "the target has no budgets of each record")
    return Budgets()


@kind("of_budgets", answers=OF_BUDGETS)
def _of_budgets(
    at: Context, *, what: str, formula: Positive, noise: Positive | None = None
) -> OfBudgets:
    """The total, largest, smallest or average of a positive formula of each record's budget, or a
    cap for it: all that is used of it is that it is positive.
    """
    kinds = ("total", "largest", "smallest", "average", "cap")
    at.require(what in kinds and (noise is not None) == (what == "cap"), f"what: one of {kinds}")
    at.require(at.each(formula), "its formula must read each record's budget")
    if noise is not None:
        at.shared(noise)
    return OfBudgets(what, formula)


@kind("weight", answers=OF_BUDGETS)
def _weight(at: Context, *, factor: Positive) -> Weight:
    """A public factor of each record."""
    return Weight(factor)


def weighed(at: Context, takes: type, inputs: Sequence[Any]) -> tuple[Any, Weight]:
    """Rows or labels and a weight; and everybody's budgets, where it reads them. Raises Refused."""
    fits = bool(inputs) and type(inputs[-1]) is Weight
    differs = fits and at.each(inputs[-1].factor)
    wanted = [takes, Budgets, Weight] if differs else [takes, Weight]
    at.require(fits and [*map(type, inputs)] == wanted, "what is weighed, budgets, and a weight")
    return inputs[0], inputs[-1]


@kind("weighted_rows", RowFacts, Budgets, Weight, many=True, answers=PLAIN)
def _weighted_rows(at: Context, *inputs: Any) -> RowFacts:
    """w x, of a record whose w is known: every bound is w times what it was."""
    rows, weight = weighed(at, RowFacts, inputs)
    norm, norm1 = (None if one is None else weight.factor * one for one in (rows.norm, rows.norm1))
    return RowFacts(rows.columns, norm, norm1, weighed=(weight.factor, rows.norm))


@kind("weighted_column", LabelFacts, Budgets, Weight, many=True, answers=PLAIN)
def _weighted_column(at: Context, *inputs: Any) -> LabelFacts:
    """w y."""
    column, weight = weighed(at, LabelFacts, inputs)
    bound = None if column.bound is None else weight.factor * column.bound
    return LabelFacts(bound, weighed=(weight.factor, column.bound))


@kind("record_weights", RowFacts, Budgets, Weight, many=True, answers=PLAIN)
def _record_weights(at: Context, *inputs: Any) -> RecordWeights:
    """w itself."""
    rows, weight = weighed(at, RowFacts, inputs)
    return RecordWeights(weight.factor, rows)


def common(at: Context, own: RowFacts | LabelFacts, bits: int) -> Formula | None:
    """The step that all weighed records share, of the largest: each row or label is drawn in and
    rounded towards zero, inside its record's own bounds. None where nothing bounds them. Raises
    Refused.
    """
    factor, bound = own.weighed or (None, None)
    fits = own.step is None and bound is not None
    at.require(fits, "its input must be weighed, bounded, and on no grid")
    largest = at.largest(factor) if factor is not None else None
    at.require(largest is not None, "the largest weight must be a symbol")
    if largest is None or bound is None:
        return None
    step: Formula = largest * bound * Fraction(1, 2**bits)
    return step


@kind("weighted_grid", RowFacts, answers=BY_RECORD)
@kind("weighted_grid_column", LabelFacts, answers=BY_RECORD)
def _weighted_grid(at: Context, own: OnGrid, *, bits: Bits) -> OnGrid:
    """Rows, or labels, on the common grid; eigenvalues of such X'X are computed in floating
    point.
    """
    return replace(own, step=common(at, own, bits), share=ZERO)


@kind("thinning", answers=OF_BUDGETS)
def _thinning(
    at: Context, *, threshold: Positive, epsilon: Positive, delta: Positive | None = None
) -> Thinning:
    """One coin a record, in secret; once."""
    rule = "one sample, where every record has an epsilon of its own"
    at.require(at.personal_budgets(), rule)
    at.sole(Thinning, rule)
    return Thinning(threshold, epsilon, delta)


@kind("sampled_rows", RowFacts, Budgets, Thinning, answers=SAMPLE)
def _sampled_rows(_: Context, rows: RowFacts, __: Budgets, ___: Thinning) -> RowFacts:
    """The rows of kept records: as bounded as all."""
    return RowFacts(rows.columns, rows.norm, rows.norm1)


@kind("sampled_column", LabelFacts, Budgets, Thinning, answers=SAMPLE)
def _sampled_column(_: Context, column: LabelFacts, __: Budgets, ___: Thinning) -> LabelFacts:
    """The labels of kept records."""
    return LabelFacts(column.bound)


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
