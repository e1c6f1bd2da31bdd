"""Released numbers that formulas read: what makes a graph adaptive.

Public numbers of everybody's budgets: a total, the largest, the smallest, the average.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument
from dpframe.privacy import ADD_REMOVE, Unit
from dpframe.symbols import (
    DATA,
    ONE,
    PUBLIC,
    RECORD,
    RELEASED,
    Expression,
    Origin,
    Scope,
    Symbol,
    exact,
    parameter,
    rational,
    to_json,
)
from dpframe.symbols.expression import Domain

from .node import DataNode, Node, reads, titled

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
    label = titled("{0.what} of {0.formula}")
    what: str = attrs.field(validator=attrs.validators.in_(KINDS))
    formula: Expression = attrs.field(converter=_own, metadata=reads(may=RECORD, positive=True))
    unit: Unit
    noise: Expression | None = attrs.field(default=None, metadata=reads(may=RECORD, positive=True))

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


@attrs.frozen(eq=False)
class Known(Origin, Node):
    """A released number, put into its public range before anything reads it; not a number becomes
    the range's end that is nearest to 0. Its symbol stands for every point of the range, so that
    what is proved holds whatever is released.
    """

    kind: ClassVar[str] = "known"
    label = titled("{0.name}")
    scope: ClassVar[Scope] = RELEASED
    value: Node
    name: str
    lower: Fraction | None
    upper: Fraction | None
    likely: Fraction | None = attrs.field(default=None, kw_only=True)
    """A guess, at which the first pass takes sums along; no release depends on it."""

    def __attrs_post_init__(self) -> None:
        """Only what is released is known."""
        if not isinstance(self.value, Node) or isinstance(self.value, DataNode):
            way_out = "Release it first: dp.release(...)."
            raise InvalidArgument("value", "a release or a dp.post(...)", self.value, way_out)

    def record(self) -> dict[str, object]:
        """Its name, which formulas use; the symbol says the range."""
        return {"name": self.name}

    @property
    def symbol(self) -> Symbol:
        """The number in formulas."""
        plain = parameter(self.name, self.lower, self.upper, closed="both")
        return attrs.evolve(plain, origin=self)

    def learned(self, released: Any, number: Callable[[Expression], float]) -> Fraction:
        """The number that formulas read, from the released value; `number` rounds a formula up."""
        del number
        return self.inside(released)

    def inside(self, released: Any) -> Fraction:
        """The point of the range for a released value, which may be infinite or no number."""
        value = float(released)
        if math.isnan(value):
            value = 0.0
        if math.isinf(value):
            value = math.copysign(1e300, value)
        return self.within(Fraction(value))

    def within(self, value: Fraction) -> Fraction:
        """The point of the range that is nearest to a number."""
        above = value if self.lower is None else max(value, self.lower)
        return above if self.upper is None else min(above, self.upper)


def known(
    value: Node, lower: object, upper: object, *, name: str, likely: object = None
) -> Expression:
    """A released number as a symbol of formulas: bounds, stds and penalties may read it.

    `value` is a release or a dp.post(...) of one number. It is put into [lower, upper], exact
    numbers (None: no end), and every claim is proved for all of that range. `likely` is what it
    will often be: an execution that learns just this need not read the table again for sums that
    wait for nothing else. Raises InvalidArgument.
    """
    _check_one(value)
    domain = parameter(name, lower, upper, closed="both").domain
    guess = None if likely is None else rational(likely, "likely")
    if guess is not None and guess not in domain:
        raise InvalidArgument("likely", f"in the range of {name}, {domain}", str(likely))
    return Known(value, name, domain.lower, domain.upper, likely=guess).symbol


def _check_one(value: Node) -> None:
    """Refuse a release of several numbers. Raises InvalidArgument."""
    from .release import Release

    if isinstance(value, Release):
        several = any(size != ONE for size in value.statistic.shape) and not value.noise.selects
        if several or value.times != ONE:
            way_out = "dp.post(function, release) makes one number of several."
            raise InvalidArgument("value", "a release of one number, drawn once", value, way_out)
