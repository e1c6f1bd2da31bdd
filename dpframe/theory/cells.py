"""Cells of a public partition of the records.

Also weights, and samples, of records with budgets of their own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from dpframe.exact.documents import HALF, ZERO, Json, keys
from dpframe.exact.formula import Formula

from .at import Context
from .book import Bits, Positive, Read, increasing, kind
from .facts import (
    Budgets,
    LabelFacts,
    OfBudgets,
    RecordWeights,
    RowFacts,
    StatisticFacts,
    Thinning,
    Weight,
    times,
)
from .statistics import signed_sum, units

Fact = TypeVar("Fact", RowFacts, LabelFacts, StatisticFacts)


@kind("budgets")
def _budgets(at: Context) -> Budgets:
    """The budgets of all records, which are public."""
    at.require(at.personal_budgets(), "the target has no budgets of each record")
    return Budgets()


@kind("of_budgets", reads_own_budget=True)
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


@kind("weight", reads_own_budget=True)
def _weight(at: Context, *, factor: Positive) -> Weight:
    """A public factor of each record."""
    return Weight(factor)


def factor_of(at: Context, inputs: Sequence[Any]) -> Formula:
    """The factor of a weight, before which the budgets stand if it reads them. Raises Refused."""
    *_, weight = inputs or [None]
    differs = type(weight) is Weight and at.each(weight.factor)
    wanted = [Budgets, Weight] if differs else [Weight]
    at.require([*map(type, inputs)] == wanted, "what is weighed, budgets, and a weight")
    factor: Formula = weight.factor
    return factor


@kind("weighted_rows")
def _weighted_rows(at: Context, rows: RowFacts, *weight: Budgets | Weight) -> RowFacts:
    """w x, of a record whose w is known: every bound is w times what it was."""
    w = factor_of(at, weight)
    bounds = times(w, rows.norm), times(w, rows.norm1)
    return RowFacts(rows.columns, *bounds, weighed=(w, rows.norm))


@kind("weighted_column")
def _weighted_column(at: Context, column: LabelFacts, *weight: Budgets | Weight) -> LabelFacts:
    """w y."""
    w = factor_of(at, weight)
    return LabelFacts(times(w, column.bound), weighed=(w, column.bound))


@kind("record_weights")
def _record_weights(at: Context, rows: RowFacts, *weight: Budgets | Weight) -> RecordWeights:
    """w itself."""
    return RecordWeights(factor_of(at, weight), rows)


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
    return times(largest, bound, at.number(Fraction(1, 2**bits)))


@kind("weighted_grid", record_by_record=True)
def _weighted_grid(at: Context, rows: RowFacts, *, bits: Bits) -> RowFacts:
    """Rows on the common grid; eigenvalues of such X'X are computed in floating point."""
    return replace(rows, step=common(at, rows, bits), share=ZERO)


@kind("weighted_grid_column", record_by_record=True)
def _weighted_grid_column(at: Context, column: LabelFacts, *, bits: Bits) -> LabelFacts:
    """Labels on the common grid."""
    return replace(column, step=common(at, column, bits), share=ZERO)


@kind("thinning", reads_own_budget=True)
def _thinning(
    at: Context, *, threshold: Positive, epsilon: Positive, delta: Positive | None = None
) -> Thinning:
    """An independent, secret inclusion indicator for each record; one sample a graph."""
    rule = "one sample, where every record has an epsilon of its own"
    at.require(at.personal_budgets(), rule)
    at.sole(Thinning, rule)
    return Thinning(threshold, epsilon, delta)


@kind("sampled_rows", samples=True)
def _sampled_rows(_: Context, rows: RowFacts, __: Budgets, ___: Thinning) -> RowFacts:
    """The rows of the sample: the bounds of all rows hold."""
    return RowFacts(rows.columns, rows.norm, rows.norm1)


@kind("sampled_column", samples=True)
def _sampled_column(_: Context, column: LabelFacts, __: Budgets, ___: Thinning) -> LabelFacts:
    """The labels of the sample."""
    return LabelFacts(column.bound)


def cells_of(at: Context, partition: Json) -> int:
    """How many cells a public partition of records has: by a hash of their numbers, or by cuts of
    one of them. Raises Refused.
    """
    hashed = type(partition) is dict and partition.get("assignment") == "hashed"
    own = {"cells": int, "salt": str} if hashed else {"cuts": list, "column": object}
    keys(partition, at.where, assignment=str, **own)
    at.require(hashed or partition["assignment"] == "cut", "assignment: hashed or cut")
    count = partition["cells"] if hashed else len(increasing(at, partition["cuts"], "cuts")) + 1
    at.require(0 < count <= 1000, "at most 1000 cells")
    return int(count)


def placed(at: Context, fact: Fact, *records: Any, partition: Json, cell: Json) -> Fact:
    """A fact about one cell of a partition of these rows, and perhaps labels. Raises Refused."""
    count = cells_of(at, partition)
    at.require(type(cell) is int and 0 <= cell < count, "cell: one of the partition's")
    inputs: list[Any] = [one for one in records if one is not None]
    at.place(fact, inputs, (*inputs, json.dumps(partition, sort_keys=True), count, cell))
    return fact


@kind("cell_rows", one_cell=True)
def _cell_rows(
    at: Context, rows: RowFacts, column: LabelFacts | None = None, *, partition: Json, cell: Json
) -> RowFacts:
    """The rows of one cell, zeros elsewhere: bounds stay."""
    fact = RowFacts(rows.columns, rows.norm, rows.norm1, rows.entry)
    return placed(at, fact, rows, column, partition=partition, cell=cell)


@kind("cell_column", one_cell=True)
def _cell_column(
    at: Context, column: LabelFacts, rows: RowFacts, *, partition: Json, cell: Json
) -> LabelFacts:
    """The labels of one cell, 0 elsewhere."""
    return placed(at, LabelFacts(column.bound), rows, column, partition=partition, cell=cell)


@kind("cell_count", one_cell=True, sum_over_records=True)
def _cell_count(
    at: Context, rows: RowFacts, column: LabelFacts | None = None, *, partition: Json, cell: Json
) -> StatisticFacts:
    """How many records lie in a cell: one more, one less, or as many, also where replaced."""
    one = at.number(1)
    fact = StatisticFacts((), one, one, steps=(one,))
    return placed(at, fact, rows, column, partition=partition, cell=cell)


@kind("cell_sums", sum_over_records=True)
def _cell_sums(
    at: Context, own: RowFacts, y: LabelFacts, _: RowFacts, __: LabelFacts, *, partition: Json
) -> StatisticFacts:
    """Upper X'X and X'y of x/B, y/Y for every cell: one record is in one cell; replaced, twice."""
    count = cells_of(at, partition)
    shape, size = (own.columns * (own.columns + 3) * HALF * count,), units(at, own, y)
    if size is None:
        return StatisticFacts(shape, table=(own, y))
    n1, squared = size
    l1, l2 = (n1**2 + squared) * HALF + n1, (squared * (squared + 1)) ** HALF
    step = at.number(own.share**2)
    return signed_sum(at, shape, l1, l2, table=(own, y), cells=count, steps=(step,))


@kind("block_estimates")
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
