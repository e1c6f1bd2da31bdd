"""Weights and inclusion probabilities of records.

Rows and labels may be multiplied by a public factor of each record, a formula of the record's
budget. Bounds then become formulas of the budget too, and the sensitivity to one record gives the
privacy loss of that record. Proof page: proofs/personalized.

A sample of the records may include each with a probability of its own; a release of the sample at
one threshold then gives every record its own budget. Proof page: proofs/thinning.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import ApproxDP, Guarantee, PureDP, Share, Unit
from dpframe.symbols import PUBLIC, RECORD, Expression, Scope, exp, minimum

from ..known import OfBudgets
from ..node import Array, DataNode, Node, Numbers, Reading, Values, np, positive, reads, titled
from ..procedure import Objective
from ..rows import UNKNOWN, ColumnNode, Occurring, RowsNode
from .base import ColumnMap, OfRecord, RecordColumn, RecordMap, each
from .grid import OnGrid, RowsOnGrid

NORMAL = 2.0**-960  # of a step, and so of products with it, rounding is relative


@attrs.frozen(cache_hash=True)
class BudgetSource(DataNode):
    """The budgets of the records: public, aligned with the rows. Its blocks hold positions in the
    list of distinct budgets, whole numbers, shape (m,).
    """

    kind: ClassVar[str] = "budgets"
    label: ClassVar[str] = "budgets"
    unit: Unit


def _weight(value: object) -> Expression:
    return positive(value, "weight")


@attrs.frozen(cache_hash=True)
class Weight(Node):
    """A positive public factor of each record, a formula of its budget. Its value is one double per
    distinct budget, shape (k,), at most the formula's; shape (1,) if the formula does not depend on
    the budget.
    """

    kind: ClassVar[str] = "weight"
    label = titled("weight {0.factor}")
    factor: Expression = attrs.field(converter=_weight, metadata=reads(may=RECORD, positive=True))

    @property
    def scope(self) -> Scope:  # type: ignore[override]  # as its formula says
        """Its formula's."""
        return self.factor.scope

    @property
    def differs(self) -> bool:
        """Whether it differs between records."""
        return RECORD in self.factor.scope

    def of(self, values: Values, budgets: BudgetSource, count: int) -> Array:
        """The factors of `count` records, shape (m,)."""
        each: Array = values[self]
        return each[values[budgets]] if self.differs else np.repeat(each, count)

    def largest(self, unit: Unit) -> Expression:
        """The largest factor over all records."""
        if not self.differs:
            return self.factor
        return OfBudgets("largest", self.factor, unit).symbol


@attrs.frozen(cache_hash=True)
class Weighing(OfRecord):
    """Abstract: a map that reads the weight of each record."""

    label = titled("times {0.weight.factor}")
    source: Any
    weight: Weight

    @property
    def words(self) -> str:
        """The label, after what it means where records have weights of their own."""
        by = "weighting by each record's budget"
        return f"{by} ({self.label})" if self.weight.differs else self.label

    @property
    def budgets(self) -> BudgetSource:
        """The budgets of the table."""
        return BudgetSource(self.source.unit)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The weighted rows or labels, the budgets if they are read, and the weight."""
        budgets = (self.budgets,) if self.weight.differs else ()
        return (self.source, *budgets, self.weight)

    def factors(self, values: Values) -> Array:
        """The factor of each record, shape (m,)."""
        return self.weight.of(values, self.budgets, len(values[self.source]))

    def records(self, values: Values, number: Numbers) -> Array:
        """Multiply rows, or labels."""
        block = values[self.source]
        return block * each(self.factors(values), block)

    def occurs(self) -> Occurring:
        """The record's own ball, for weighted records."""
        return Occurring(ball=self.source.ball, extreme=getattr(self.source, "extreme", False))


@attrs.frozen(cache_hash=True)
class WeightedRows(Weighing, RecordMap):
    """Rows multiplied by the record's factor, with norm bounds alike."""

    kind: ClassVar[str] = "weighted_rows"

    def on_grid(self, bits: int) -> WeightedGrid:
        """Rows in whole steps."""
        return WeightedGrid(self, bits)


@attrs.frozen(cache_hash=True)
class WeightedColumn(Weighing, RecordColumn):
    """Labels multiplied by the record's factor, with the bound alike."""

    kind: ClassVar[str] = "weighted_column"

    def on_grid(self, bits: int) -> WeightedGridColumn:
        """Labels in whole steps."""
        return WeightedGridColumn(self, bits)


@attrs.frozen(cache_hash=True)
class RecordWeights(Weighing, RecordColumn):
    """The factor of each record, as a label."""

    kind: ClassVar[str] = "record_weights"

    @property
    def bound(self) -> Expression:  # type: ignore[override]
        """The factor."""
        return self.weight.factor

    def occurs(self) -> Occurring:
        """Nothing: the factor is one number."""
        return UNKNOWN

    def records(self, values: Values, number: Numbers) -> Array:
        """One number a record."""
        return self.factors(values)


class WeightedLosses(Node):
    """Abstract: reads a sum of losses of records, each times its weight (None: 1)."""

    __slots__ = ()
    rows: RowsNode
    column: ColumnNode
    objective: Objective
    weight: Expression | None

    @property
    def weights(self) -> RecordWeights | None:
        """The weight of each record as labels; None if all are 1."""
        return None if self.weight is None else RecordWeights(self.rows, Weight(self.weight))

    @property
    def reads(self) -> tuple[Node, ...]:
        """X, y, and the weights if there are any."""
        weights = () if self.weights is None else (self.weights,)
        return (self.rows, self.column, *weights)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """X, y, the loss, and the weights if there are any."""
        rows, column, *weights = self.reads
        return (rows, column, self.objective, *weights)


class WeightedOnGrid(OnGrid):
    """Abstract: weighted rows or labels in whole steps of a common size, with `bits` bits from 0 to
    the bound of the record of largest weight. A record of smaller weight has fewer steps: its
    values are shrunk by more than rounding can add before they are rounded towards zero. Proof
    page: proofs/personalized.
    """

    __slots__ = ()

    @property
    def factor(self) -> Expression:
        """The largest factor."""
        weight: Weight = self.source.weight
        return weight.largest(self.source.unit)

    @property
    def readings(self) -> dict[str, Reading]:
        """The largest factor."""
        return {"factor": Reading(self.factor)}

    def on_grid(self, bits: int) -> Any:
        """Itself, which is on a grid."""
        return self

    def drawn_in(self, block: Array, number: Numbers, width: int) -> Array:
        """The block in steps, before rounding, inside every record's own bound."""
        step, less = number(self.step), 1 - 2.0**-40 - width * 2.0**-50
        if not (step >= NORMAL and less > 0):
            way_out = "Rows have at most 2^49 columns, bounds and weights an ordinary size."
            raise InvalidArgument("step of the grid", f"at least {NORMAL}", step, way_out)
        return block * less / step


@attrs.frozen(cache_hash=True)
class WeightedGrid(WeightedOnGrid, RowsOnGrid):
    """Weighted rows, each rounded towards zero onto the common grid."""

    kind: ClassVar[str] = "weighted_grid"

    def apply(self, block: Array, number: Numbers) -> Array:
        """The rows in steps: whole numbers in doubles, |k| <= 2^bits factor/largest."""
        from dpframe.numerics.blocks.gridding import onto_grid

        return onto_grid(self.drawn_in(block, number, block.shape[1]), 1.0, self.bits)


@attrs.frozen(cache_hash=True)
class WeightedGridColumn(WeightedOnGrid, ColumnMap):
    """Weighted labels, each rounded towards zero onto the common grid."""

    kind: ClassVar[str] = "weighted_grid_column"

    def apply(self, block: Array, number: Numbers) -> Array:
        """The labels in steps: whole numbers in doubles, |k| <= 2^bits factor/largest."""
        most = 2.0**self.bits
        steps: Array = np.trunc(self.drawn_in(block, number, 1))
        return np.asarray(np.clip(np.nan_to_num(steps), -most, most))


def _threshold(value: object) -> Expression:
    return positive(value, "threshold")


@attrs.frozen(cache_hash=True)
class Thinning(Node):
    """A secret sample: each record is included with probability min(1, (e^epsilon - 1)/(e^t - 1)),
    where t is the threshold and epsilon the record's own. A mechanism that is t-differentially
    private under add/remove on the sample is epsilon-differentially private for each record.
    [JorgensenYC15, Thm 1]
    """

    kind: ClassVar[str] = "thinning"
    label = titled("sample at threshold {0.threshold}")
    threshold: Expression = attrs.field(
        converter=_threshold, metadata=reads(may=PUBLIC, positive=True)
    )
    epsilon: Expression = attrs.field(metadata=reads(may=RECORD))
    delta: Expression | None = attrs.field(default=None, metadata=reads(may=PUBLIC))

    @property
    def keep(self) -> Expression:
        """The inclusion probability of a record."""
        return minimum(1, (exp(self.epsilon) - 1) / (exp(self.threshold) - 1))

    @property
    def base(self) -> Guarantee:
        """The privacy that releases of the sample must satisfy."""
        if self.delta is None:
            return PureDP(self.threshold)
        return ApproxDP(self.threshold, self.delta)


@attrs.frozen(cache_hash=True)
class Sampled(OfRecord):
    """Abstract: the rows or labels of the sampled records."""

    label = titled("{0.thinning.label}")
    source: Any
    thinning: Thinning

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The rows or labels, the budgets, and the sample."""
        return (self.source, BudgetSource(self.source.unit), self.thinning)

    def records(self, values: Values, number: Numbers) -> Array:
        """The same values: blocks already contain sampled records only."""
        return values[self.source]


@attrs.frozen(cache_hash=True)
class SampledRows(Sampled, RecordMap):
    """The rows of the sampled records."""

    kind: ClassVar[str] = "sampled_rows"


@attrs.frozen(cache_hash=True)
class SampledColumn(Sampled, RecordColumn):
    """The labels of the sampled records."""

    kind: ClassVar[str] = "sampled_column"


def thinned(
    rows: RowsNode, column: ColumnNode, budget: Share, threshold: object
) -> tuple[RowsNode, ColumnNode, Share]:
    """Rows and labels of a secret sample in which each record is included according to its own
    epsilon, and the budget of epsilon = `threshold`, a public positive formula, for releases of the
    sample.

    Everything that is released must read the sample; add/remove only. If all records have the same
    epsilon, the arguments are returned unchanged. Raises InvalidArgument.
    """
    if budget.currency not in (("epsilon",), ("epsilon", "delta")):
        way_out = "Take dp.PersonalizedDP(epsilon) or dp.PersonalizedDP(epsilon, delta)."
        got = listed_words(budget.currency)
        raise InvalidArgument("budget", "of epsilon, perhaps with delta", got, way_out)
    if RECORD not in budget.epsilon.scope:
        return rows, column, budget  # every record would be kept
    delta = budget.delta if "delta" in budget.currency else None
    thinning = Thinning(threshold, budget.epsilon, delta)
    return SampledRows(rows, thinning), SampledColumn(column, thinning), thinning.base.budget
