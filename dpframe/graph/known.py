"""Numbers that formulas read: released numbers, which make a graph adaptive, and aggregates of
public budgets (total, largest, smallest, average).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import attrs

from dpframe.errors import InvalidArgument, Plain
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
)
from dpframe.symbols.expression import Domain

from .node import DataNode, Node, reads, titled

KINDS = ("total", "largest", "smallest", "average", "cap")
POSITIVE = Domain(Fraction(0))


def _own(value: object) -> Expression:
    formula = exact(value, "formula")
    if RECORD not in formula.scope:
        way_out = "Such as X.total(budget.epsilon), for a target dp.PersonalizedDP(...)."
        raise InvalidArgument("formula", "one of each record's budget", Plain(formula), way_out)
    return formula


@attrs.frozen(cache_hash=True)
class OfBudgets(Origin, Node):
    """A positive aggregate, over all records, of a formula of each record's budget.

    Claims are proved for every positive value. The largest, smallest, average and cap are computed
    from the public list of budgets. The total counts the records present, so it reveals their
    number under add/remove. The cap t makes min(formula, t) the weights of least error at `noise`,
    the variance of the noise relative to that of a record. Proof page: proofs/personalized.
    """

    kind: ClassVar[str] = "of_budgets"
    label = titled("{0.what} of {0.formula}")
    what: str = attrs.field(validator=attrs.validators.in_(KINDS))
    formula: Expression = attrs.field(converter=_own, metadata=reads(may=RECORD, positive=True))
    unit: Unit
    noise: Expression | None = attrs.field(default=None, metadata=reads(may=RECORD, positive=True))

    @property
    def scope(self) -> Scope:  # type: ignore[override]  # as its relation says
        """DATA if it may differ between neighbours (the total, where records are added or removed),
        else PUBLIC.
        """
        return DATA if self.what == "total" and self.unit.relation is ADD_REMOVE else PUBLIC

    @property
    def symbol(self) -> Symbol:
        """The symbol in formulas, such as `total_epsilon`; a digest stands for a longer formula."""
        text = str(self.formula) + ("" if self.noise is None else f", noise {self.noise}")
        short = text if text.isidentifier() else hashlib.sha256(text.encode()).hexdigest()[:8]
        return Symbol(f"{self.what}_{short}", POSITIVE, self)


def reads_budgets(formula: Expression) -> bool:
    """Whether a formula depends on a record's budget, or on an aggregate of all budgets."""
    total = any(isinstance(symbol.origin, OfBudgets) for symbol in formula.symbols())
    return total or RECORD in formula.scope


@attrs.frozen(eq=False)
class Known(Origin, Node):
    """A released number, clipped to a public range before any formula reads it; nan becomes the end
    of the range nearest to 0. Its symbol stands for every point of the range, so claims hold for
    any released value.
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
        """Refuse a value that is not released."""
        if not isinstance(self.value, Node) or isinstance(self.value, DataNode):
            way_out = "Release it first: dp.release(...)."
            raise InvalidArgument("value", "a release or a dp.post(...)", self.value, way_out)

    @property
    def symbol(self) -> Symbol:
        """The symbol in formulas."""
        plain = parameter(self.name, self.lower, self.upper, closed="both")
        return attrs.evolve(plain, origin=self)

    def learned(self, released: Any, number: Callable[[Expression], float]) -> Fraction:
        """The number that formulas read, from the released value; `number` evaluates a formula,
        rounded up.
        """
        return self.inside(released)

    def inside(self, released: Any) -> Fraction:
        """The released value clipped to the range; infinities and nan are mapped into it."""
        value = float(released)
        if math.isnan(value):
            value = 0.0
        if math.isinf(value):
            value = math.copysign(1e300, value)
        return self.within(Fraction(value))

    def within(self, value: Fraction) -> Fraction:
        """The point of the range nearest to a number."""
        above = value if self.lower is None else max(value, self.lower)
        return above if self.upper is None else min(above, self.upper)


def known(
    value: Node, lower: object, upper: object, *, name: str, likely: object = None
) -> Expression:
    """A released number as a symbol of formulas: bounds, stds and penalties may depend on it.

    `value` is a release or a dp.post(...) of one number. It is clipped to [lower, upper], exact
    numbers (None: unbounded), and every claim is proved for the whole range. `likely` is a guess of
    the value: if it is right, execution saves a pass over the table. It has no effect on privacy.
    Raises InvalidArgument.
    """
    _check_one(value)
    domain = parameter(name, lower, upper, closed="both").domain
    guess = None if likely is None else rational(likely, "likely")
    if guess is not None and guess not in domain:
        raise InvalidArgument("likely", f"in the range of {name}, {domain}", Plain(likely))
    return Known(value, name, domain.lower, domain.upper, likely=guess).symbol


def _check_one(value: Node) -> None:
    """Refuse a release of several numbers. Raises InvalidArgument."""
    from .release import Release

    if isinstance(value, Release):
        several = any(size != ONE for size in value.statistic.shape) and not value.noise.selects
        if several or value.times != ONE:
            way_out = "dp.post(function, release) makes one number of several."
            raise InvalidArgument("value", "a release of one number, drawn once", value, way_out)
