"""A sample of the records, each kept with a probability of its own: what is shown of the sample at
one threshold gives every record its own budget. Proof page: proofs/thinning.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import ApproxDP, Guarantee, PureDP, Share
from dpframe.symbols import PUBLIC, RECORD, Expression, exp, minimum, to_json

from ..arrays import Array, Numbers, Values
from ..columns import Column
from ..node import Node, positive, reads
from ..rows import Rows
from .base import OfRecord, RecordColumn, RecordMap
from .weighted import BudgetSource


def _threshold(value: object) -> Expression:
    return positive(value, "threshold")


@attrs.frozen(cache_hash=True)
class Thinning(Node):
    """One coin a record, kept in secret: true with probability min(1, (e^epsilon - 1)/(e^t - 1)),
    where t is the threshold and epsilon the record's own. A mechanism that is t-differentially
    private under add/remove, on the records kept, is epsilon-differentially private for each
    record. [JorgensenYC15, Thm 1]
    """

    kind: ClassVar[str] = "thinning"
    threshold: Expression = attrs.field(
        converter=_threshold,
        metadata=reads(may=PUBLIC, positive=True),
    )
    epsilon: Expression = attrs.field(metadata=reads(may=RECORD))
    delta: Expression | None = attrs.field(default=None, metadata=reads(may=PUBLIC))

    @property
    def keep(self) -> Expression:
        """The probability with which a record is kept."""
        return minimum(1, (exp(self.epsilon) - 1) / (exp(self.threshold) - 1))

    @property
    def base(self) -> Guarantee:
        """What is to be shown of the sample."""
        if self.delta is None:
            return PureDP(self.threshold)
        return ApproxDP(self.threshold, self.delta)

    @property
    def label(self) -> str:
        """`sample at threshold 1`."""
        return f"sample at threshold {self.threshold}"

    def record(self) -> dict[str, object]:
        """Its formulas."""
        return {name: to_json(formula) for name, formula in self.formulas.items()}


class Sampled(OfRecord):
    """Abstract: the rows or labels of the records that are kept."""

    __slots__ = ()
    source: Any
    thinning: Thinning

    @property
    def inputs(self) -> tuple[Node, ...]:
        """What is sampled, everybody's budgets, the coins."""
        return (self.source, BudgetSource(self.source.unit), self.thinning)

    @property
    def label(self) -> str:
        """`sample at threshold 1`."""
        return self.thinning.label

    def records(self, values: Values, number: Numbers) -> Array:
        """As they are: blocks hold the records that are kept."""
        del number
        kept: Array = values[self.source]
        return kept


@attrs.frozen(cache_hash=True)
class SampledRows(Sampled, RecordMap):
    """The rows of the records that are kept."""

    kind: ClassVar[str] = "sampled_rows"
    source: Rows
    thinning: Thinning


@attrs.frozen(cache_hash=True)
class SampledColumn(Sampled, RecordColumn):
    """The labels of the records that are kept."""

    kind: ClassVar[str] = "sampled_column"
    source: Column
    thinning: Thinning


def thinned(
    rows: Rows, column: Column, budget: Share, threshold: object
) -> tuple[Rows, Column, Share]:
    """The rows and labels of a secret sample, for which each record's coin falls by its own
    epsilon; and the budget of epsilon = `threshold`, a public positive formula, to be spent on the
    sample. Everything that is released reads the sample; add/remove only. Where all records have
    one epsilon, everything as it is. Raises InvalidArgument.
    """
    if budget.currency not in (("epsilon",), ("epsilon", "delta")):
        way_out = "Take dp.PersonalizedDP(epsilon) or dp.PersonalizedDP(epsilon, delta)."
        got = listed_words(budget.currency)
        raise InvalidArgument("budget", "of epsilon, perhaps with delta", got, way_out)
    if RECORD not in budget.epsilon.scope:
        return rows, column, budget  # everybody's coin would be certain
    delta = budget.delta if "delta" in budget.currency else None
    coins = Thinning(threshold, budget.epsilon, delta)
    return SampledRows(rows, coins), SampledColumn(column, coins), coins.base.budget
