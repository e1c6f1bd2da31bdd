"""What a query costs: exact amounts in the currency of the ledger, each a theorem's sum."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from dpframe.errors import InvalidArgument, listed_words
from dpframe.privacy import (
    IMPLICATIONS,
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    Share,
    as_kind,
    number,
)
from dpframe.privacy.guarantees import GUARANTEES
from dpframe.symbols import Expression, Number, sqrt

Kind = type[Guarantee]

KINDS = GUARANTEES
BELIEVED = {*KINDS.values(), *(rule.source for rule in IMPLICATIONS)}
ONE = Number(Fraction(1))
MAX_BITS = 4096  # floats have 1100, their squares 2200; a ledger must be printable, and fast
ROUND_UP = "Round it up to a decimal, such as Fraction(math.ceil(x * 10**12), 10**12)."


class Price(NamedTuple):
    """Amounts as whole numbers over one denominator."""

    denominator: int
    numerators: tuple[int, ...]


def kind_of(value: object, name: str = "kind") -> Kind:
    """`value` as a kind of guarantee that ledgers add. Raises InvalidArgument."""
    for kind in KINDS.values():
        if value is kind:
            return kind
    known = ", ".join(f"dp.{kind.__name__}" for kind in KINDS.values())
    raise InvalidArgument(name, f"one of {known}", value, "Give the class itself.")


def price(cost: object, kind: Kind) -> Price:
    """What `cost`, a guarantee or a share of a budget, takes from a ledger of `kind`.

    Only dpframe's own classes are believed, never subclasses: amounts of others are unproved.
    Raises InvalidArgument.
    """
    if type(cost) in BELIEVED:
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
def _of_guarantee(cost: Guarantee, kind: Kind) -> Price:
    return fixed("cost", kind.currency, amounts_of(cost, kind))


@lru_cache(maxsize=4096)
def _of_share(cost: Share, kind: Kind) -> Price:
    amounts = tuple(
        _number(name, amount) for name, amount in zip(cost.currency, cost.amounts, strict=True)
    )
    if kind is ApproxDP and cost.currency == PureDP.currency:
        amounts = (*amounts, Fraction(0))
    elif cost.currency != kind.currency:
        way_out = "Make it a guarantee first, such as dp.PureDP(share.epsilon)."
        raise InvalidArgument(
            "cost", f"a share of {', '.join(kind.currency)}", listed_words(cost.currency), way_out
        )
    if kind is ApproxDP and amounts[1] > 0 == amounts[0]:
        raise InvalidArgument("epsilon of the cost", "above 0 where delta is", 0, "Give it some.")
    return fixed("cost", kind.currency, amounts)


def guarantee_of(kind: Kind, amounts: Sequence[Fraction]) -> Guarantee | None:
    """The guarantee of `kind` with these amounts, pure where delta is 0; None where all are 0.

    Raises InvalidArgument for amounts out of range.
    """
    if not any(amounts):
        return None
    if kind is ApproxDP and not amounts[1]:
        return PureDP(amounts[0])
    return exactly(kind, amounts)


def exactly(kind: Kind, amounts: Sequence[Fraction]) -> Guarantee:
    """The guarantee of `kind` with these amounts. Raises InvalidArgument for any out of range."""
    return GaussianDP(sqrt(amounts[0])) if kind is GaussianDP else kind(*amounts)


def share_of(kind: Kind, amounts: Sequence[Fraction]) -> Share:
    """These amounts as a share, exact; it can be split, and spent."""
    wholes = tuple(map(Number, amounts))
    return Share(kind.currency, wholes, (ONE,) * len(wholes))


def amounts_of(cost: Guarantee, kind: Kind) -> tuple[Fraction, ...]:
    """The amounts of `cost` as a guarantee of `kind`, by a cited implication where it is another.

    Pure epsilon is (epsilon, 0). Raises InvalidArgument where no theorem leads there, and for
    amounts that are symbols or irrational.
    """
    if kind is ApproxDP and type(cost) is PureDP:
        return (_number("epsilon", cost.epsilon), Fraction(0))
    found = as_kind(cost, kind)
    if found is None:
        own = [k.__name__ for k in KINDS.values() if k is kind or (k, kind) in _LEADS]
        raise InvalidArgument("cost", " or ".join(own), str(cost), "Choose a ledger that adds it.")
    return tuple(
        _number(name, amount) for name, amount in zip(kind.currency, found.amounts, strict=True)
    )


_LEADS = {(PureDP, ApproxDP), *((rule.source, rule.result) for rule in IMPLICATIONS)}


def _number(name: str, value: Expression) -> Fraction:
    found = number(name, value)
    if type(value) is not Number or type(found) is not Fraction:
        raise InvalidArgument(name, "an exact number of dpframe", type(value).__name__)
    return found


def fixed(
    what: str, names: Sequence[str], amounts: Sequence[Fraction], bits: int = MAX_BITS
) -> Price:
    """Exact amounts >= 0 over one denominator. Raises InvalidArgument."""
    for name, amount in zip(names, amounts, strict=True):
        if amount < 0:
            raise InvalidArgument(f"{name} of the {what}", "at least 0", str(amount))
        if max(map(int.bit_length, amount.as_integer_ratio())) > bits:
            raise InvalidArgument(
                f"{name} of the {what}", f"of at most {bits} bits", "a huge number", ROUND_UP
            )
    common = lcm(*(amount.denominator for amount in amounts))
    return Price(common, tuple(int(amount * common) for amount in amounts))
