"""Filters and odometers: exact totals of adaptively chosen queries, charged atomically. A filter is
a budget that they cannot exceed; an odometer says what they have cost so far, with no ceiling.
"""

from __future__ import annotations

import math
import secrets
from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, Self, TypeAlias

from dpframe.accountants.conversions import epsilon_of
from dpframe.errors import BudgetExceeded, InvalidArgument, OutsideTheorem
from dpframe.numbers import Exact, given, open_unit, positive
from dpframe.numerics import Interval, arb_float, ball, to_float, working
from dpframe.privacy import (
    ApproxDP,
    Guarantee,
    PureDP,
    Share,
    Unit,
    ZeroConcentratedDP,
    as_kind,
    number,
)
from dpframe.prover import Certificate
from dpframe.prover.mixture import joint_gaussian

from ..saved_ledger import (
    Document,
    SavedLedger,
    bad_ledger,
    check_same_unit,
    exact_amounts,
    header_of,
    identity_and_count,
    of_unit,
    unit_of,
)
from .prices import (
    KINDS,
    Amounts,
    Kind,
    Total,
    exactly,
    is_inside,
    kind_names,
    kind_of,
    largest_inside,
    price,
    share_of,
    short,
    target_of,
)

SCHEMA = "dpframe-ledger/1"


Cost: TypeAlias = Guarantee | Share | Certificate


def in_kind(cost: Cost, kind: Kind) -> Guarantee | Share:
    """The cost of one execution of a certificate in `kind`; any other cost itself."""
    if not isinstance(cost, Certificate):
        return cost
    joint = joint_gaussian(cost)
    return target_of(cost) if joint is None or as_kind(joint, kind) is None else joint


class Meter(SavedLedger):
    """Abstract: exact totals of adaptively chosen queries, in the currency of one kind."""

    __slots__ = ("_identity", "_target", "_total", "_unit")
    count_name, most = "queries", 1 << 16
    endless: ClassVar[bool]
    """Whether it has no ceiling."""

    def _open(self, total: Total, target: ApproxDP | None, identity: str | None = None) -> None:
        self._total, self._target = total, target
        self._unit: Unit | None = None
        self._identity = secrets.token_hex(16) if identity is None else identity
        self._start()

    @property
    def kind(self) -> Kind:
        """The class of guarantees that it adds up."""
        return self._total.kind

    @property
    def spent(self) -> Share:
        """The exact cost of the queries so far."""
        return share_of(self.kind, self._total.spent)

    @property
    def unit(self) -> Unit | None:
        """The unit of privacy of its certificates; None before the first one."""
        return self._unit

    @property
    def queries(self) -> int:
        """How many queries were charged."""
        return self._total.queries

    def _priced(self, cost: Cost) -> tuple[Guarantee | Share, Amounts, Unit | None]:
        """The cost in `kind`, its amounts and its unit of privacy. Raises InvalidArgument."""
        unit = cost.setting.unit if isinstance(cost, Certificate) else None
        own = in_kind(cost, self.kind)
        return own, price(own, self.kind), unit

    def spend(self, cost: Cost) -> None:
        """Charge one query, before it is answered.

        `cost` holds for any earlier releases; it may depend on them. Of a certificate it is the
        Gaussian DP of all its releases where `kind` follows from that, else its target; the first
        one determines the unit of privacy. Raises InvalidArgument, also for a certificate of
        another unit, and in a filter BudgetExceeded; then nothing is charged.
        """
        cost, amounts, unit = self._priced(cost)
        self._check_process()
        with self._lock:
            check_same_unit(self._unit, unit)
            total = self._total.plus(amounts)
            if total is not None:
                self._total, self._unit = total, unit or self._unit
                return
        self._refuse(cost)

    @abstractmethod
    def _refuse(self, cost: Cost) -> NoReturn:
        """Raise the reason why `cost` was not charged."""

    def _document(self) -> Document:
        with self._lock:
            total, target, unit = self._total, self._target, self._unit
        inside = None if target is None else [str(number("target", one)) for one in target.amounts]
        body = {
            **header_of(SCHEMA, self._identity, total.kind),
            **({} if unit is None else {"unit": of_unit(unit)}),
            "ceiling": None if total.most is None else list(map(str, total.most)),
            "target": inside,
            "queries": total.queries,
            "spent": list(map(str, total.spent)),
        }
        return Document(body, (total.kind, total.most, target), total.queries)

    @classmethod
    def _read(cls, body: dict[str, Any], _: Mapping[str, str]) -> Self:
        kind, (identity, queries) = KINDS[body["kind"]], identity_and_count(body, "queries")
        most = None if body["ceiling"] is None else _amounts(body["ceiling"], kind)
        target = None if body["target"] is None else ApproxDP(*_amounts(body["target"], ApproxDP))
        if (most is None) != cls.endless:
            raise bad_ledger(f"that of a {cls.__name__}", "another class")
        if target is not None and not (most and is_inside(kind, most, target)):
            raise InvalidArgument("ceiling", f"inside {target}", most)
        total = Total.of(kind, most, _amounts(body["spent"], kind), queries)
        meter = cls.__new__(cls)
        meter._open(total, target, identity)  # noqa: SLF001  # its own class
        meter._unit = unit_of(body["unit"]) if "unit" in body else None  # noqa: SLF001
        return meter


def _amounts(values: Any, kind: Kind) -> Amounts:
    if not isinstance(values, list) or len(values) != len(kind.currency):
        raise InvalidArgument("amounts", f"a list of {', '.join(kind.currency)}", values)
    return exact_amounts(values)


class Filter(Meter):
    """Admits queries while their exact total is at most `ceiling`; each query, its cost and the end
    may depend on everything released before.

    All releases together satisfy `ceiling`: epsilons and deltas add [RogersRUV16], rhos
    add [WhitehouseRRW23, Thm 1], squares of mu add [KoskelaTH23]. A cost in another kind counts by
    a cited implication. With `by`, zCDP or Gaussian DP, the ceiling is the largest one inside the
    given (epsilon, delta), rounded down.

    >>> import dpframe as dp
    >>> filter = dp.Filter(dp.PureDP(1))
    >>> for _ in range(10):
    ...     filter.spend(dp.PureDP(0.1))
    >>> filter.fits(dp.PureDP("1e-300")), filter
    (False, Filter(1-differential privacy: epsilon 1 of 1 in 10 queries))
    """

    __slots__ = ()
    endless = False

    def __init__(self, ceiling: Guarantee, *, by: type[Guarantee] | None = None) -> None:
        """Begin with nothing spent. Raises InvalidArgument for a ceiling that is no number."""
        target = None
        if by is not None:
            ceiling, target = largest_inside(ceiling, by), ceiling
        if type(ceiling) not in KINDS.values():
            raise InvalidArgument("ceiling", f"one of {kind_names()}", ceiling)
        self._open(Total.within(ceiling), target if type(target) is ApproxDP else None)

    @property
    def ceiling(self) -> Guarantee:
        """The guarantee of all releases through this filter together."""
        return self._total.ceiling

    @property
    def target(self) -> ApproxDP | None:
        """The (epsilon, delta) that the ceiling was chosen inside, where it was."""
        return self._target

    @property
    def remaining(self) -> Share:
        """The rest of the ceiling, exactly; it can be split, and spent."""
        return share_of(self.kind, self._total.remaining)

    def fits(self, cost: Cost) -> bool:
        """Whether `spend` would admit it now. Raises InvalidArgument as `spend` does."""
        _, amounts, unit = self._priced(cost)
        check_same_unit(self._unit, unit)
        return self._total.plus(amounts) is not None

    def _refuse(self, cost: Cost) -> NoReturn:
        pairs = zip(self.kind.currency, self._total.remaining, strict=True)
        left = ", ".join(f"{name} {short(amount)}" for name, amount in pairs)
        whole = self.target or self.ceiling
        text = f"{cost} does not fit: {left} is left of {whole}. Nothing was charged; spend less."
        raise BudgetExceeded(cost, self.remaining, text)

    def __repr__(self) -> str:
        """`Filter(1-zCDP: rho 1/2 of 1 in 3 queries)`."""
        total = self._total
        inside = f"inside {self.target}" if self.target else self.ceiling
        spent = total.of_ceiling(total.spent, up=True)
        return f"Filter({inside}: {spent} in {total.queries} queries)"


class Odometer(Meter):
    """Adds up what queries cost, in the currency of `kind`, and never refuses for lack of budget.

    `total` is the guarantee of the queries where it does not depend on releases: costs and end were
    fixed beforehand, or bounded by a total that was. Where costs were chosen adaptively,
    `epsilon_at_all_times` holds. [RogersRUV16] [WhitehouseRRW23]

    >>> import dpframe as dp
    >>> odometer = dp.Odometer(dp.ZeroConcentratedDP)
    >>> odometer.spend(dp.ZeroConcentratedDP("1/10"))
    >>> odometer.spend(dp.PureDP("1/2"))
    >>> odometer.total
    ZeroConcentratedDP(rho=9/40)
    """

    __slots__ = ()
    endless = True

    def __init__(self, kind: type[Guarantee]) -> None:
        """Begin with nothing spent. `kind` is a class, such as dp.PureDP."""
        self._open(Total.of(kind_of(kind), None), None)

    @property
    def total(self) -> Guarantee | None:
        """The sum as a guarantee: None where nothing was spent. Raises InvalidArgument where the
        deltas have reached 1, which guarantees nothing.
        """
        kind, spent = self.kind, self._total.spent
        if not any(spent):
            return None
        return PureDP(spent[0]) if kind is ApproxDP and not spent[1] else exactly(kind, spent)

    def epsilon(self, delta: Exact) -> Interval:
        """The epsilon that `total` implies at this delta, as for a total fixed beforehand.

        0 < delta < 1. This is no guarantee at a time, or for costs, chosen by releases: fix a
        ceiling (a Filter), or take `epsilon_at_all_times`.
        """
        at, total = open_unit("delta", given("delta", delta)), self.total
        return Interval(0.0, 0.0) if total is None else epsilon_of(total, at)

    def epsilon_at_all_times(self, delta: Exact, *, aim: Exact) -> float:
        """A bound on the privacy loss that holds at all times together, rounded up.

        For every pair of neighbours: with probability at least 1 - delta, the loss of all
        releases never exceeds this number, read at any and every time with the same delta and
        aim, both fixed before the first query. In zCDP it is rho (1 + s) + log(1/delta)/s with s
        = sqrt(log(1/delta)/aim), least at rho = aim > 0; mu-Gaussian DP counts as rho = mu^2/2; in
        pure DP it is epsilon itself, with certainty. Raises OutsideTheorem for approximate DP.
        """
        at = open_unit("delta", given("delta", delta))
        wanted, spent = positive("aim", given("aim", aim)), self._total.spent[0]
        if self.kind is ApproxDP:
            way_out = "Fix a ceiling beforehand: dp.Filter."
            raise OutsideTheorem(f"sums of (epsilon, delta) bound no loss at all times. {way_out}")
        if self.kind is PureDP or not spent:
            return to_float(spent, up=True)
        rho = spent if self.kind is ZeroConcentratedDP else spent / 2
        return _line(rho, at, _slope(at, wanted))

    def _refuse(self, cost: Cost) -> NoReturn:
        raise TypeError(cost)  # there is no ceiling to exceed

    def __repr__(self) -> str:
        """`Odometer(zcdp: rho 1/2 in 3 queries)`."""
        pairs = zip(self.kind.currency, self._total.spent, strict=True)
        totals = ", ".join(f"{name} {total}" for name, total in pairs)
        return f"Odometer({self.kind.kind}: {totals} in {self.queries} queries)"


def _slope(delta: Fraction, aim: Fraction) -> Fraction:
    """Near sqrt(log(1/delta)/aim), as one exact positive number, the same at every call.

    Any positive number would do; it is fixed by delta and aim alone, so all times share it.
    """
    surprise = math.log(delta.denominator) - math.log(delta.numerator)
    most = min(max(to_float(aim, up=False), 1e-300), 1e300)
    return Fraction(max(math.sqrt(surprise / most), 1e-150))


def _line(rho: Fraction, delta: Fraction, slope: Fraction) -> float:
    with working(128):
        s = ball(slope)
        return arb_float(ball(rho) * (1 + s) - ball(delta).log() / s, up=True)
