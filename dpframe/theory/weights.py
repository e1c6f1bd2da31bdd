"""Weights and samples of records with budgets of their own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpframe.exact.formula import Formula
from dpframe.exact.limits import Json

from .at import At
from .book import BY_RECORD, OF_BUDGETS, PLAIN, SAMPLE, kind
from .facts import Budgets, Column, OfBudgets, RecordWeights, Rows, Thinning, Weight
from .personal import apart, one_for_all


@kind("budgets", answers=PLAIN)
def _budgets(c: At) -> Budgets:
    """Everybody's budgets, which are no data."""
    c.require(c.personal.own, "the target has no budgets of each record")
    return Budgets()


@kind("of_budgets", answers=OF_BUDGETS)
def _of_budgets(c: At, *, what: Json, formula: Json, noise: Json = None) -> OfBudgets:
    """The total, largest, smallest or average of a positive formula of each record's budget, or a
    cap for it: all that is used of it is that it is positive.
    """
    kinds = ("total", "largest", "smallest", "average", "cap")
    c.require(what in kinds and (noise is not None) == (what == "cap"), f"what: one of {kinds}")
    found = c.positive(formula, "what is counted of each budget")
    c.require(c.ring.depends(found) & c.personal.own, "its formula must read each record's budget")
    if noise is not None:
        one_for_all(c, c.positive(noise, "noise"))
    return OfBudgets(what, found)


@kind("weight", answers=OF_BUDGETS)
def _weight(c: At, *, factor: Json) -> Weight:
    """A public factor of each record."""
    return Weight(c.positive(factor, "a weight"))


def weighing(c: At, takes: type, inputs: Sequence[Any]) -> tuple[Any, Weight]:
    """Rows or labels and a weight; and everybody's budgets, where it reads them. Raises Refused."""
    fits = bool(inputs) and type(inputs[-1]) is Weight
    differs = fits and bool(c.ring.depends(inputs[-1].factor) & c.personal.own)
    wanted = [takes, Budgets, Weight] if differs else [takes, Weight]
    c.require(fits and [*map(type, inputs)] == wanted, "what is weighed, budgets, and a weight")
    return inputs[0], inputs[-1]


@kind("weighted_rows", Rows, Budgets, Weight, many=True, answers=PLAIN)
def _weighted_rows(c: At, *inputs: Any) -> Rows:
    """w x, of a record whose w is known: every bound is w times what it was."""
    rows, weight = weighing(c, Rows, inputs)
    norms = [None if one is None else one * weight.factor for one in (rows.norm, rows.norm1)]
    fact = Rows(rows.columns, norms[0], norms[1])
    c.personal.weighed[fact] = weight.factor, rows.norm
    return fact


@kind("weighted_column", Column, Budgets, Weight, many=True, answers=PLAIN)
def _weighted_column(c: At, *inputs: Any) -> Column:
    """w y."""
    column, weight = weighing(c, Column, inputs)
    fact = Column(None if column.bound is None else column.bound * weight.factor)
    c.personal.weighed[fact] = weight.factor, column.bound
    return fact


@kind("record_weights", Rows, Budgets, Weight, many=True, answers=PLAIN)
def _record_weights(c: At, *inputs: Any) -> RecordWeights:
    """w itself."""
    rows, weight = weighing(c, Rows, inputs)
    return RecordWeights(weight.factor, rows)


def common(c: At, own: Rows | Column, bits: Json) -> Formula:
    """The step that all weighed records share, of the largest: each row or label is drawn in and
    rounded towards zero, inside its record's own bounds. Raises Refused.
    """
    c.require(type(bits) is int and 4 <= bits <= 24, "bits: a whole number from 4 to 24")
    factor, bound = c.personal.weighed.get(own, (c.ring.lift(1), None))
    fits = own.step is None and bound is not None
    c.require(fits, "its input must be weighed, bounded, and on no grid")
    largest = c.personal.largest.get(factor.key) if apart(c, own) else factor
    c.require(largest is not None, "the largest weight must be a symbol")
    return c.ring.lift(largest or 0) * (bound or 0) * Fraction(1, 2**bits)


@kind("weighted_grid", Rows, answers=BY_RECORD)
def _weighted_grid(c: At, rows: Rows, *, bits: Json) -> Rows:
    """Rows on the common grid; eigenvalues of such X'X are computed in floating point."""
    fact = Rows(rows.columns, rows.norm, rows.norm1, step=common(c, rows, bits))
    c.personal.weighed[fact] = c.personal.weighed[rows]
    return fact


@kind("weighted_grid_column", Column, answers=BY_RECORD)
def _weighted_grid_column(c: At, column: Column, *, bits: Json) -> Column:
    """Labels on the common grid."""
    fact = Column(column.bound, common(c, column, bits))
    c.personal.weighed[fact] = c.personal.weighed[column]
    return fact


@kind("thinning", answers=OF_BUDGETS)
def _thinning(c: At, *, threshold: Json, epsilon: Json, delta: Json = None) -> Thinning:
    """One coin a record, in secret; once."""
    once = c.personal.own and not any(isinstance(fact, Thinning) for fact in c.facts)
    c.require(once, "one sample, where every record has an epsilon of its own")
    last = None if delta is None else c.positive(delta, "delta")
    return Thinning(c.positive(threshold, "threshold"), c.positive(epsilon, "epsilon"), last)


@kind("sampled_rows", Rows, Budgets, Thinning, answers=SAMPLE)
def _sampled_rows(_: At, rows: Rows, __: Budgets, ___: Thinning) -> Rows:
    """The rows of kept records: as bounded as all."""
    return Rows(rows.columns, rows.norm, rows.norm1)


@kind("sampled_column", Column, Budgets, Thinning, answers=SAMPLE)
def _sampled_column(_: At, column: Column, __: Budgets, ___: Thinning) -> Column:
    """The labels of kept records."""
    return Column(column.bound)
