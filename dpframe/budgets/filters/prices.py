"""The price of a query: exact amounts in the currency of the ledger, each added by a theorem; their
exact totals; the largest ceiling of zCDP or Gaussian DP that implies an (epsilon, delta) target.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from operator import add, gt, sub
from typing import NamedTuple

from flint import arb

from dpframe.errors import InvalidArgument, Plain, listed_words
from dpframe.numbers import shortest
from dpframe.numerics import (
    analytic_mu,
    ball,
    boundary,
    certainly_at_most,
    holds,
    next_down,
    to_float,
    working,
)
from dpframe.privacy import (
    IMPLICATIONS,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    Share,
    ZeroConcentratedDP,
    as_kind,
    number,
)
from dpframe.privacy.guarantees import CONVERTS, GUARANTEES
from dpframe.prover import Certificate
from dpframe.symbols import Expression, Number

Kind = type[Guarantee]
Amounts = tuple[Fraction, ...]

KINDS = GUARANTEES
PRICED = {*KINDS.values(), *(rule.source for rule in IMPLICATIONS)}
ONE = Number(Fraction(1))
NOTHING = Fraction(0)
IN_WORDS = 16  # characters of an exact number in a sentence
DIGITS = 6
MAX_BITS = 4096  # floats have 1100, their squares 2200; a ledger must be printable, and fast
ROUND_UP = "Round it up to a decimal, such as Fraction(math.ceil(x * 10**12), 10**12)."


def kind_names() -> str:
    """`dp.PureDP, dp.ApproxDP, ...`: the kinds that ledgers add."""
    return ", ".join(f"dp.{kind.__name__}" for kind in KINDS.values())


def kind_of(value: object, name: str = "kind") -> Kind:
    """`value` as a kind of guarantee that ledgers add. Raises InvalidArgument."""
    for kind in KINDS.values():
        if value is kind:
            return kind
    raise InvalidArgument(name, f"one of {kind_names()}", value, "Give the class itself.")


def price(cost: object, kind: Kind) -> Amounts:
    """The amounts of `cost`, a guarantee or a share of a budget, in a ledger of `kind`.

    Only dpframe's own classes are accepted, never subclasses: amounts of others are unproved.
    Raises InvalidArgument.
    """
    if type(cost) in PRICED:
        return _of_guarantee(cost, kind)
    if type(cost) is Share:
        return _of_share(cost, kind)
    way_out = (
        "Of a mechanism take mechanism.guarantee(sensitivity); of a class of your own state the "
        "dpframe guarantee that it implies."
    )
    raise InvalidArgument(
        "cost", "a guarantee of a class of dpframe, or a share of a budget", cost, way_out
    )


@lru_cache(maxsize=4096)
def _of_guarantee(cost: Guarantee, kind: Kind) -> Amounts:
    return checked("cost", kind.currency, amounts_of(cost, kind))


@lru_cache(maxsize=4096)
def _of_share(cost: Share, kind: Kind) -> Amounts:
    amounts = tuple(map(_number, cost.currency, cost.amounts))
    if kind is ApproxDP and cost.currency == PureDP.currency:
        amounts = (*amounts, NOTHING)
    elif cost.currency != kind.currency:
        way_out = "Make it a guarantee first, such as dp.PureDP(share.epsilon)."
        raise InvalidArgument(
            "cost", f"a share of {', '.join(kind.currency)}", listed_words(cost.currency), way_out
        )
    if kind is ApproxDP and amounts[1] > 0 == amounts[0]:
        raise InvalidArgument("epsilon of the cost", "above 0 where delta is", 0, "Give it some.")
    return checked("cost", kind.currency, amounts)


def short(value: Fraction, *, up: bool = False) -> str:
    """An exact number as it is where that is short, else 6 digits rounded to one side."""
    text = str(Number(value))
    if len(text) <= IN_WORDS:
        return text
    context = Context(prec=DIGITS, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    ratio = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{ratio.normalize(context):g}"


def exactly(kind: Kind, amounts: Sequence[Fraction]) -> Guarantee:
    """The guarantee of `kind` with these amounts. Raises InvalidArgument for any out of range."""
    return kind.of(*amounts)


def share_of(kind: Kind, amounts: Sequence[Fraction]) -> Share:
    """These amounts as a share, exact; it can be split, and spent."""
    wholes = tuple(map(Number, amounts))
    return Share(kind.currency, wholes, (ONE,) * len(wholes))


def amounts_of(cost: Guarantee, kind: Kind) -> Amounts:
    """The amounts of `cost` as a guarantee of `kind`, by a cited implication where it is another.

    Pure epsilon is (epsilon, 0). Raises InvalidArgument where no theorem leads there, and for
    amounts that are symbols or irrational.
    """
    if kind is ApproxDP and type(cost) is PureDP:
        return (_number("epsilon", cost.epsilon), NOTHING)
    converted = as_kind(cost, kind)
    if converted is None:
        own = [k.__name__ for k in KINDS.values() if k is kind or (k, kind) in _LEADS]
        way_out = "Choose a ledger that adds it."
        if kind is ApproxDP:
            way_out = (
                f"Choose a ledger that adds it, or convert it by {CONVERTS}, rounded up in .upper."
            )
        raise InvalidArgument("cost", " or ".join(own), Plain(cost), way_out)
    return tuple(map(_number, kind.currency, converted.amounts))


_LEADS = {(PureDP, ApproxDP), *((rule.source, rule.result) for rule in IMPLICATIONS)}


def _number(name: str, value: Expression) -> Fraction:
    converted = number(name, value)
    if type(value) is not Number or type(converted) is not Fraction:
        raise InvalidArgument(name, "an exact number of dpframe", type(value).__name__)
    return converted


def checked(what: str, names: Sequence[str], amounts: Amounts, bits: int = MAX_BITS) -> Amounts:
    """`amounts`, if they are at least 0 and of at most so many bits. Raises InvalidArgument."""
    for name, amount in zip(names, amounts, strict=True):
        if amount < 0:
            raise InvalidArgument(f"{name} of the {what}", "at least 0", Plain(amount))
        if max(map(int.bit_length, amount.as_integer_ratio())) > bits:
            raise InvalidArgument(
                f"{name} of the {what}", f"of at most {bits} bits", Plain("a huge number"), ROUND_UP
            )
    return amounts


def target_of(certificate: Certificate) -> Guarantee:
    """The target with the certificate's numbers in place of its parameters."""
    values = {name: Number(value) for name, value in certificate.values.items()}
    return certificate.target.substitute(values)


class Total(NamedTuple):
    """The exact sum of the costs of `queries`, within `most` where there is a ceiling."""

    kind: Kind
    most: Amounts | None
    spent: Amounts
    queries: int

    @classmethod
    def of(
        cls, kind: Kind, most: Amounts | None, spent: Amounts | None = None, queries: int = 0
    ) -> Total:
        """The total with these amounts, by default with nothing spent. Raises InvalidArgument where
        no such queries could have spent them.
        """
        if most is not None:
            exactly(kind, checked("ceiling", kind.currency, most))  # refuses amounts out of range
        total = cls(kind, most, spent or (NOTHING,) * len(kind.currency), queries)
        _check_denominators(checked("total", kind.currency, total.spent, 4 * MAX_BITS))
        if any(total.spent) and not queries:
            raise InvalidArgument("queries", "at least 1 where something is spent", queries)
        if any(left < 0 for left in total.remaining):
            raise InvalidArgument("spent", "within the ceiling", listed_words(total.spent))
        return total

    @classmethod
    def within(cls, ceiling: Guarantee, spent: Amounts | None = None, queries: int = 0) -> Total:
        """The same, within a guarantee. Raises InvalidArgument."""
        kind = type(ceiling)
        return cls.of(kind, amounts_of(ceiling, kind), spent, queries)

    @property
    def ceiling(self) -> Guarantee:
        """The guarantee of all queries together."""
        return exactly(self.kind, self.most or ())

    @property
    def remaining(self) -> Amounts:
        """Ceiling minus spent amounts; empty where there is no ceiling."""
        return tuple(map(sub, self.most or (), self.spent))

    def of_ceiling(self, amounts: Amounts, *, up: bool = False) -> str:
        """`epsilon 1/10 of 1, delta 1e-7 of 1e-6`: amounts, rounded to one side, of the ceiling,
        rounded down.
        """
        triples = zip(self.kind.currency, amounts, self.most or (), strict=True)
        return ", ".join(
            f"{name} {short(one, up=up)} of {short(top)}" for name, one, top in triples
        )

    def plus(self, amounts: Amounts) -> Total | None:
        """The total after one more query; None where that would exceed the ceiling.

        Raises InvalidArgument where a denominator would have more than 8192 bits.
        """
        spent = tuple(map(add, self.spent, amounts))
        _check_denominators(spent)
        if self.most is not None and any(map(gt, spent, self.most)):
            return None
        return Total(self.kind, self.most, spent, self.queries + 1)


def _check_denominators(amounts: Amounts) -> None:
    if any(amount.denominator.bit_length() > 2 * MAX_BITS for amount in amounts):
        requirement = f"a total over a denominator of at most {2 * MAX_BITS} bits"
        raise InvalidArgument("cost", requirement, Plain("a new denominator"), ROUND_UP)


BITS = 256


def largest_inside(target: Guarantee, kind: object) -> Guarantee:
    """The ceiling of `kind`, zCDP or Gaussian DP, that implies `target`: rounded down, proved.

    Raises InvalidArgument for another kind, and where no positive double is small enough.
    """
    if type(target) is not ApproxDP:
        way_out = "Without by=, every guarantee is its own ceiling."
        raise InvalidArgument("ceiling", "dp.ApproxDP(epsilon, delta)", Plain(target), way_out)
    if kind is not ZeroConcentratedDP and kind is not GaussianDP:
        way_out = "Without by=, epsilons and deltas are added themselves."
        raise InvalidArgument("by", "dp.ZeroConcentratedDP or dp.GaussianDP", kind, way_out)
    epsilon, delta = numbers(target)
    most = _rho(epsilon, delta) if kind is ZeroConcentratedDP else analytic_mu(epsilon, delta)
    rounded = _short(most)
    if not rounded:
        raise InvalidArgument("target", "wide enough for a positive ceiling", Plain(target))
    return kind(rounded)


def is_inside(kind: Kind, amounts: Amounts, target: ApproxDP) -> bool:
    """Whether a ceiling of zCDP or Gaussian DP with these amounts is proved to imply `target`."""
    epsilon, delta = numbers(target)
    if kind is GaussianDP:
        return holds(epsilon, delta, lambda: ball(amounts[0]).sqrt()) is True
    return kind is ZeroConcentratedDP and _rho_is_inside(amounts[0], epsilon, delta)


def numbers(target: ApproxDP) -> tuple[Fraction, Fraction]:
    """Epsilon and delta. Raises InvalidArgument while they are symbols."""
    return number("epsilon", target.epsilon), number("delta", target.delta)


def _short(value: float) -> Fraction:
    """A decimal that a person can read, at most `value` and within two doubles of it."""
    decimal = shortest(value)
    return decimal if decimal <= Fraction(value) else shortest(next_down(value))


def _rho(epsilon: Fraction, delta: Fraction) -> float:
    """The largest double that is proved to be small enough; 0 where none is."""
    log_delta = math.log(delta.denominator) - math.log(delta.numerator)
    wide = to_float(epsilon, up=False)
    guess = (wide / (math.sqrt(log_delta + wide) + math.sqrt(log_delta))) ** 2
    return boundary(lambda rho: not _rho_is_inside(Fraction(rho), epsilon, delta), guess)[0]


def _rho_is_inside(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """rho-zCDP implies (epsilon, delta)-DP where, for one order a > 1 that we may choose,
    exp((a-1)(a rho - epsilon)) (1-1/a)^(a-1) / a <= delta. [CanonneKS20, Prop 12]
    """
    order = _best_order(to_float(rho, up=True), to_float(epsilon, up=False))
    with working(BITS):
        beyond = arb(order)
        a = 1 + beyond
        exponent = beyond * (a * ball(rho) - ball(epsilon)) + beyond * (beyond / a).log()
        value = exponent.exp() / a
    return bool(value.is_finite()) and certainly_at_most(value, delta)


def _best_order(rho: float, epsilon: float) -> float:
    """Near the least of the convex logarithm of the bound: a - 1 where its slope
    (2a - 1) rho - epsilon + log(1 - 1/a) is 0. Any other order is as true.
    """
    low, high = -700.0, 700.0
    for _ in range(70):
        middle = (low + high) / 2
        t = math.exp(middle)
        last = math.log(t / (1 + t)) if t < 1 else -math.log1p(1 / t)
        slope = (2 * t + 1) * rho - epsilon + last
        low, high = (low, middle) if slope > 0 else (middle, high)
    return math.exp(low)
