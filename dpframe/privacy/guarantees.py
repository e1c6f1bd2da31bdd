"""Guarantees, as frozen statements about every pair of neighbouring tables; exact shares of a
budget in the currency of composition; and cited implications between guarantees.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import attrs

from dpframe.errors import SHORT, InvalidArgument, Plain, check_kind, listed_words, nearest
from dpframe.numbers import Exact, whole
from dpframe.operators import Operation, Symbolic
from dpframe.pld import losses
from dpframe.symbols import ONE, Expression, Number, exact, log, multiply, power, sqrt
from dpframe.theory.guarantees import GUARANTEES as BOOK

if TYPE_CHECKING:
    from dpframe.pld.losses import PrivacyLoss

DIVIDE = (
    "budget.split_evenly(2) gives two halves, budget.split('1/3', '2/3') shares by weights; "
    "budget.epsilon, .delta, .rho and .mu are formulas."
)


CONVERTS = "dp.compose(guarantee, accountant='rdp').epsilon(delta), its epsilon at a delta"
IN_EPSILON = (
    " A proof in another currency costs certificate.as_composition().epsilon(delta) at a delta."
)


def _budget(operand: object) -> str:
    return "budget" if isinstance(operand, Symbolic) else "..."


@attrs.frozen(slots=False, cache_hash=True)
class Share(Symbolic):
    """Amounts of a currency: (epsilon, delta), (epsilon), (rho) or (mu squared), each a weight
    times a whole. The verifier checks that shares do not exceed their budget.
    """

    currency: tuple[str, ...]
    wholes: tuple[Expression, ...]
    weights: tuple[Expression, ...]

    def __bool__(self) -> bool:
        """True: an absent share is None."""
        return True

    def refuse(self, operation: Operation) -> NoReturn:
        """Raises InvalidArgument."""
        wanted = "divided by its methods"
        raise InvalidArgument("the budget", wanted, Plain(operation.spelled(_budget)), DIVIDE)

    def unknown(self, name: str) -> str:
        """The likely intended name, or how to divide a budget."""
        return f"a budget has no {name!r}.{nearest(name, dir(type(self)))} {DIVIDE}"

    @cached_property
    def amounts(self) -> tuple[Expression, ...]:
        """weight times whole, in the order of the currency."""
        return tuple(
            whole if weight is ONE else multiply(weight, whole)
            for weight, whole in zip(self.weights, self.wholes, strict=True)
        )

    def amount(self, name: str) -> Expression:
        """The amount called `name`. Raises InvalidArgument where the currency has none."""
        check_kind("name", name, str)
        if name not in self.currency:
            raise InvalidArgument(
                "share",
                f"in a currency with {name}" if len(name) <= SHORT else "in another currency",
                listed_words(self.currency),
                _having(name),
            )
        index = self.currency.index(name)
        weight = self.weights[index]
        return self.wholes[index] if weight is ONE else multiply(weight, self.wholes[index])

    @cached_property
    def epsilon(self) -> Expression:
        """The share of epsilon."""
        return self.amount("epsilon")

    @property
    def delta(self) -> Expression:
        """The share of delta; 0 in a pure budget."""
        return Number(Fraction(0)) if self.currency == ("epsilon",) else self.amount("delta")

    @property
    def rho(self) -> Expression:
        """The share of rho (zCDP)."""
        return self.amount("rho")

    @property
    def mu(self) -> Expression:
        """The mu that this share of mu squared affords (Gaussian DP)."""
        return sqrt(self.amount("mu^2"))

    def split(self, *weights: object, **apart: tuple[object, ...]) -> tuple[Share, ...]:
        """One share for each weight, which multiplies every amount; or weights for each amount:
        split(epsilon=(...), delta=(...)).

        Weights are exact (Fraction, int, text, expressions; a float is its shortest decimal). The
        verifier proves that they are nonnegative and sum to at most 1, for all parameter values.
        """
        if weights and not apart:
            width = len(self.currency)
            return tuple(self._part((exact(weight, "weight"),) * width) for weight in weights)
        equal = len({len(part) for part in apart.values()}) == 1
        if weights or set(apart) != set(self.currency) or not equal:
            names = ", ".join(f"{name}=(...)" for name in self.currency)
            got = listed_words([*weights, *(f"{name}=(...)" for name in apart)])
            wanted = f"split(w1, w2, ...) or split({names}) of equal lengths"
            raise InvalidArgument("split", wanted, got, "")
        columns = [[exact(weight, name) for weight in apart[name]] for name in self.currency]
        return tuple(self._part(row) for row in zip(*columns, strict=True))

    def _part(self, weights: tuple[Expression, ...]) -> Share:
        pairs = zip(self.weights, weights, strict=True)
        products = tuple(w if own is ONE else multiply(own, w) for own, w in pairs)
        return Share(self.currency, self.wholes, products)

    def split_evenly(self, k: int) -> tuple[Share, ...]:
        """k equal shares, exactly 1/k each. Domain: k >= 1."""
        parts = whole("k", k, 1)
        return (self.split(Fraction(1, parts))[0],) * parts

    def __str__(self) -> str:
        """`epsilon/3, delta/3`."""
        return ", ".join(map(str, self.amounts))


class Guarantee(ABC):
    """Abstract: a notion of privacy with its parameters, exact and perhaps symbolic."""

    __slots__ = ()
    kind: ClassVar[str]
    currency: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        """The currency is that of the entry of this kind in the rule book, if there is one."""
        if vars(cls).get("kind") in BOOK:
            cls.currency = BOOK[cls.kind].currency

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """The terms of composition, in the order of `currency`; by default the parameters."""
        return tuple(getattr(self, name) for name in self.parameters)

    @classmethod
    def of(cls, *amounts: Exact | Expression) -> Self:
        """The guarantee with these amounts. Raises InvalidArgument for any out of range."""
        return cls(*amounts)

    @property
    def budget(self) -> Share:
        """The whole budget, to be split among releases."""
        return Share(self.currency, self.amounts, (ONE,) * len(self.currency))

    def substitute(self, values: Mapping[str, Expression]) -> Self:
        """The guarantee with formulas in place of its parameters."""
        fields = {name: getattr(self, name).substitute(values) for name in self.parameters}
        return attrs.evolve(self, **fields)  # type: ignore[misc]  # every guarantee is of attrs

    @property
    def loss(self) -> PrivacyLoss | None:
        """The privacy loss of the worst mechanism with this guarantee; None where there is no worst
        mechanism. Raises InvalidArgument while a parameter is a symbol or irrational.
        """
        return None


def number(name: str, value: Expression) -> Fraction:
    """`value` as an exact number."""
    if not isinstance(value, Number):
        way_out = "Give symbols numbers; round what is irrational to the safe side."
        raise InvalidArgument(name, "an exact number", Plain(value), way_out)
    return value.value


def in_range(
    name: str, value: object, upper: int | None = None, *, zero: bool = False
) -> Expression:
    """An exact formula; a number must lie in (0, upper), or in [0, upper) where `zero` is allowed.
    Raises InvalidArgument.
    """
    formula = exact(value, name)
    if not isinstance(formula, Number):
        return formula
    value = formula.value
    if value < 0 or (value == 0 and not zero) or (upper is not None and value >= upper):
        low = "[0" if zero else "(0"
        ceiling = "inf" if upper is None else str(upper)
        pure = "dp.PureDP(epsilon) has no delta." if name == "delta" and value == 0 else ""
        raise InvalidArgument(name, f"in {low}, {ceiling})", Plain(value), pure)
    return formula


def _epsilon(value: Any) -> Expression:
    return in_range("epsilon", value)


def _delta(value: Any) -> Expression:
    return in_range("delta", value, 1)


def _rho(value: Any) -> Expression:
    return in_range("rho", value, zero=True)


def _mu(value: Any) -> Expression:
    return in_range("mu", value, zero=True)


@attrs.frozen(cache_hash=True)
class PureDP(Guarantee):
    """P[M(D) in S] <= e^epsilon P[M(D') in S]. Domain: epsilon > 0. [DworkR14, Def 2.4]"""

    kind: ClassVar[str] = "pure"
    parameters: ClassVar[tuple[str, ...]] = ("epsilon",)
    epsilon: Expression = attrs.field(converter=_epsilon)

    @property
    def loss(self) -> losses.ResponseLoss:
        """That of randomised response. [KairouzOV15, Thm 3.2]"""
        return losses.ResponseLoss(number("epsilon", self.epsilon))

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.epsilon}-differential privacy"


@attrs.frozen(cache_hash=True)
class ApproxDP(Guarantee):
    """P[M(D) in S] <= e^epsilon P[M(D') in S] + delta. Domain: epsilon > 0, 0 < delta < 1.
    [DworkR14, Def 2.4]
    """

    kind: ClassVar[str] = "approx"
    parameters: ClassVar[tuple[str, ...]] = ("epsilon", "delta")
    epsilon: Expression = attrs.field(converter=_epsilon)
    delta: Expression = attrs.field(converter=_delta)

    @property
    def loss(self) -> losses.ResponseLoss:
        """That of randomised response with probability delta of infinite loss. [KairouzOV15]"""
        return losses.ResponseLoss(number("epsilon", self.epsilon), number("delta", self.delta))

    def __str__(self) -> str:
        """As papers write it."""
        return f"({self.epsilon}, {self.delta})-differential privacy"


@attrs.frozen(cache_hash=True)
class ZeroConcentratedDP(Guarantee):
    """Renyi divergence of order a <= rho a for all a > 1. Domain: rho > 0. [BunS16, Def 1.1]"""

    kind: ClassVar[str] = "zcdp"
    parameters: ClassVar[tuple[str, ...]] = ("rho",)
    rho: Expression = attrs.field(converter=_rho)

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.rho}-zCDP"


@attrs.frozen(cache_hash=True)
class GaussianDP(Guarantee):
    """As hard to tell apart as N(0, 1) and N(mu, 1). Domain: mu > 0. [DongRS22, Def 2.6]"""

    kind: ClassVar[str] = "gaussian"
    parameters: ClassVar[tuple[str, ...]] = ("mu",)
    mu: Expression = attrs.field(converter=_mu)

    @property
    def amounts(self) -> tuple[Expression, ...]:
        """(mu squared,): Gaussian guarantees add as squares. [DongRS22, Cor 3.3]"""
        return (power(self.mu, 2),)

    @classmethod
    def of(cls, *amounts: Exact | Expression) -> Self:
        """mu is the root of the amount."""
        return cls(sqrt(amounts[0]))

    @property
    def loss(self) -> losses.GaussianLoss:
        """That of N(mu, 1) against N(0, 1). [DongRS22, Def 2.6]"""
        return losses.GaussianLoss(number("mu", self.mu))

    def __str__(self) -> str:
        """As papers write it."""
        return f"{self.mu}-Gaussian differential privacy"


ORDER = "divergence of order "


def _order(value: object) -> Fraction:
    order = number("order", exact(value, "order"))
    if order <= 1:
        raise InvalidArgument("order", "above 1", Plain(order), "Order 1 is the divergence of KL.")
    return order


@attrs.frozen(cache_hash=True)
class RenyiDP(Guarantee):
    """The Renyi divergence of one order is at most epsilon. Domain: order > 1, a number; epsilon >
    0. [Mironov17, Def 4]

    For audits: certificates, ledgers and filters state the other guarantees, and dp.certify refuses
    it. Divergences of one order add up [Mironov17, Prop 1], and shares name their order.
    """

    kind: ClassVar[str] = "renyi"
    parameters: ClassVar[tuple[str, ...]] = ("epsilon",)
    order: Fraction = attrs.field(converter=_order)
    epsilon: Expression = attrs.field(converter=_epsilon)

    @property
    def currency(self) -> tuple[str, ...]:  # type: ignore[override]  # of this order
        """(divergence of order 8,)."""
        return (f"{ORDER}{self.order}",)

    def __str__(self) -> str:
        """As papers write it."""
        return f"({self.order}, {self.epsilon})-Renyi differential privacy"


def order_of(currency: Sequence[str]) -> Fraction | None:
    """The order of a currency of Renyi divergences; None of any other."""
    name = currency[0] if len(currency) == 1 else ""
    return Fraction(name.removeprefix(ORDER)) if name.startswith(ORDER) else None


GUARANTEES: dict[str, type[Guarantee]] = {
    one.kind: one
    for one in list(globals().values())
    if isinstance(one, type) and issubclass(one, Guarantee) and vars(one).get("kind") in BOOK
}
"""Guarantees of the rule book, with additive amounts, by their names in documents."""


def _having(name: str) -> str:
    """The targets whose currency has the name; for epsilon, the call that converts a proof."""
    kinds = [one for one in GUARANTEES.values() if name in one.currency]
    made = [f"dp.{one.__name__}({', '.join(one.parameters)})" for one in kinds]
    converted = IN_EPSILON if name in ApproxDP.currency else ""
    return f"A target {' or '.join(made)} has it.{converted}" if made else ""


@attrs.frozen
class Implication:
    """`source` implies `result`, by the theorem `citation`."""

    source: type[Guarantee]
    result: type[Guarantee]
    citation: str
    apply: Callable[[Guarantee], Guarantee]


def pure_is_concentrated(guarantee: Guarantee) -> ZeroConcentratedDP:
    """epsilon-DP implies (epsilon^2/2)-zCDP. [BunS16, Prop 1.4]"""
    return ZeroConcentratedDP(power(guarantee.amounts[0], 2) * Fraction(1, 2))


def gaussian_is_concentrated(guarantee: Guarantee) -> ZeroConcentratedDP:
    """mu-Gaussian DP implies (mu^2/2)-zCDP: both are sharp for the Gaussian mechanism. [BunS16,
    Prop 1.6] [DongRS22, Cor B.6]
    """
    return ZeroConcentratedDP(guarantee.amounts[0] * Fraction(1, 2))


def concentrated_epsilon(rho: Expression, delta: Expression) -> Expression:
    """rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP for every delta in (0, 1).
    [BunS16, Prop 1.3]
    """
    return rho + 2 * sqrt(rho * log(1 / delta))


_GAUSSIAN = "[BunS16, Prop 1.6] [DongRS22, Cor B.6]"
IMPLICATIONS = (
    Implication(PureDP, ZeroConcentratedDP, "[BunS16, Prop 1.4]", pure_is_concentrated),
    Implication(GaussianDP, ZeroConcentratedDP, _GAUSSIAN, gaussian_is_concentrated),
)


def as_kind(guarantee: Guarantee, kind: type[Guarantee]) -> Guarantee | None:
    """`guarantee` as a `kind`, itself or by one implication; None where no theorem implies it."""
    if isinstance(guarantee, kind):
        return guarantee
    for rule in IMPLICATIONS:
        if isinstance(guarantee, rule.source) and rule.result is kind:
            return rule.apply(guarantee)
    return None
