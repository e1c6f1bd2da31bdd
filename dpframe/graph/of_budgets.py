"""Public numbers of everybody's budgets: a total, the largest, the smallest, the average."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Unit
from dpframe.symbols import DATA, PUBLIC, RECORD, Expression, Origin, Scope, Symbol, exact, to_json
from dpframe.symbols.expression import Domain

from .node import Node
from .reading import reads

KINDS = ("total", "largest", "smallest", "average", "cap")
POSITIVE = Domain(Fraction(0))


def _own(value: object) -> Expression:
    formula = exact(value, "formula")
    if RECORD not in formula.scope:
        way_out = "Such as X.total(budget.epsilon), for a target dp.PersonalizedDP(...)."
        raise InvalidArgument("formula", "one of each record's budget", str(formula), way_out)
    return formula


@attrs.frozen(cache_hash=True)
class OfBudgets(Origin, Node):
    """A positive number of a formula of each record's budget, over all records: read by formulas.

    What is proved holds for every positive value. The largest, smallest, average and cap are those
    of the public list of budgets; the total counts the records that are there, so that it tells of
    their number under add/remove. The cap t makes min(formula, t) the weights of least error at
    `noise`, the variance of the noise over that of a record. Proof page: proofs/personalized.
    """

    kind: ClassVar[str] = "of_budgets"
    what: str = attrs.field(validator=attrs.validators.in_(KINDS))
    formula: Expression = attrs.field(converter=_own, metadata=reads(may=RECORD, positive=True))
    unit: Unit
    noise: Expression | None = attrs.field(default=None, metadata=reads(may=RECORD, positive=True))

    @property
    def label(self) -> str:
        """`total of epsilon`."""
        return f"{self.what} of {self.formula}"

    @property
    def scope(self) -> Scope:  # type: ignore[override]  # as its relation says
        """The data where it differs between neighbours: the total, where records come and go."""
        return DATA if self.what == "total" and self.unit.relation is ADD_REMOVE else PUBLIC

    @property
    def symbol(self) -> Symbol:
        """The number in formulas, `total_epsilon`; of a longer formula, by its digest."""
        text = str(self.formula) + ("" if self.noise is None else f", noise {self.noise}")
        short = text if text.isidentifier() else hashlib.sha256(text.encode()).hexdigest()[:8]
        return Symbol(f"{self.what}_{short}", POSITIVE, self)

    def record(self) -> dict[str, object]:
        """Which number, of which formula."""
        return {"what": self.what, **{n: to_json(one) for n, one in self.formulas.items()}}


def reads_budgets(formula: Expression) -> bool:
    """Whether a formula reads a record's budget, or a number of all of them."""
    total = any(isinstance(symbol.origin, OfBudgets) for symbol in formula.symbols())
    return total or RECORD in formula.scope
