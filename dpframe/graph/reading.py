"""Formulas that a node reads besides its inputs, what each may depend on and must be."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import attrs

from dpframe.errors import SHORT, InvalidArgument, Plain
from dpframe.privacy import Share
from dpframe.symbols import PUBLIC, RELEASED, Expression, Number, Scope, Symbol, exact

READS = "reads"


@attrs.frozen
class Reading:
    """A formula that a node reads. It may depend on numbers of the scopes `may` only: on public
    ones, where nothing more is said. `positive`: it must be so for every parameter value.
    """

    formula: Expression
    may: Scope = PUBLIC
    positive: bool = False


@attrs.frozen
class Reads:
    """What is said of a field that holds a formula: its name in messages, that of the field where
    it is "", and as in `Reading`.
    """

    name: str
    may: Scope
    positive: bool

    def called(self, field: str) -> Reads:
        """With the name of the field where it has none."""
        return self if self.name else attrs.evolve(self, name=field)


def reads(name: str = "", *, may: Scope = RELEASED, positive: bool = False) -> dict[Any, Any]:
    """The metadata of an attrs field that holds a formula, perhaps None, which its node reads."""
    return {READS: Reads(name, may, positive)}


def share_readings(share: Share, may: Scope = PUBLIC) -> dict[str, Reading]:
    """The weights and wholes of a share, by name. Budgets are divided before anything is released;
    `may` is RECORD where what each record pays follows from its own.
    """
    found = {
        f"share of {name}": Reading(weight, may)
        for name, weight in zip(share.currency, share.weights, strict=True)
    }
    return found | {
        f"budget of {name}": Reading(whole, may)
        for name, whole in zip(share.currency, share.wholes, strict=True)
    }


def positive(value: object, name: str = "norm") -> Expression:
    """An exact formula; a number must be positive, and a public parameter's range. The verifier
    judges everything else. Raises InvalidArgument.
    """
    bound = exact(value, name)
    wrong = isinstance(bound, Number) and bound.value <= 0
    if wrong or (isinstance(bound, Symbol) and bound.origin is None and not bound.domain.positive):
        way_out = "A bound is a public number, or dp.parameter(name) with a positive range."
        raise InvalidArgument(name, "positive", str(bound), way_out)
    return bound


def check_ends(name: str, lower: Fraction, upper: Fraction) -> None:
    """Refuse bounds between which no double is finite and positive. Raises InvalidArgument."""
    if lower >= upper or not 0 < to_float(upper) - to_float(lower) < math.inf:
        found = Plain(f"{lower} and {upper}")
        title = name if len(name) <= SHORT else "a column"
        raise InvalidArgument(f"bounds of {title}", "increasing", found, "Give lower < upper.")


def to_float(value: Fraction) -> float:
    """The nearest double, infinite beyond all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_interval(lower: Expression, upper: Expression) -> None:
    """Refuse ends that are not increasing numbers, or not -Y and Y for a positive parameter Y."""
    if isinstance(lower, Number) and isinstance(upper, Number):
        check_ends("y", lower.value, upper.value)
        return
    known = isinstance(upper, Symbol) and (upper.domain.positive or upper.origin is not None)
    if lower != -upper or not known:
        wanted = "two numbers, or bound=Y with a positive public parameter Y"
        raise InvalidArgument("bounds of y", wanted, Plain(f"{lower} and {upper}"), "")
