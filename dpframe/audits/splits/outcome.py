"""A choice before it is certified, and what several searches share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import attrs

from dpframe.exact.interval import Interval
from dpframe.graph import Regression
from dpframe.symbols import Expression

from .family import Family

Evaluate = Callable[[Mapping[str, Fraction]], float]
COST = 1 + 1e-6  # of having few digits
ALONG = 33  # points of a curve


@attrs.frozen
class Point:
    """The criterion at one split: `at` are the numbers of the parameter, or of the shares by
    release. `error` is the standard error of a simulated value, 0 of a computed one, whose `value`
    is rounded up.
    """

    at: Mapping[str, Fraction]
    value: float
    error: float = 0.0
    label: str = ""


@attrs.frozen(kw_only=True, eq=False)
class Outcome:
    """The declaration with its split, and what is known of it: its fields are told with Split."""

    regression: Regression
    chosen: Mapping[str, Expression]
    value: float | None
    lower: float = 0.0
    exact: bool = False
    law: str = ""
    least: Expression | None = None
    optimal: Mapping[str, tuple[float, float]] = attrs.field(factory=dict)
    curve: Mapping[str, tuple[Point, ...]] = attrs.field(factory=dict)
    against: tuple[Point, ...] = ()
    error: float = 0.0


def short(values: Mapping[str, float], evaluate: Evaluate, goal: float) -> dict[str, Fraction]:
    """The values with as few digits as keep the criterion within a part in a million of `goal`."""
    for digits in range(1, 16):
        found = {name: Fraction(f"{value:.{digits}g}") for name, value in values.items()}
        if evaluate(found) <= goal * COST:
            return found
    return {name: Fraction(value) for name, value in values.items()}


def spread(low: Fraction, high: Fraction, count: int = ALONG) -> list[Fraction]:
    """Points between two numbers, denser towards both, in three digits of the range."""
    parts = [(1 - math.cos(math.pi * (i + 0.5) / count)) / 2 for i in range(count)]
    found = [low + (high - low) * Fraction(round(part * 1000), 1000) for part in parts]
    return [one for one in dict.fromkeys(found) if low < one < high]


def tilted(weights: Mapping[str, Fraction], label: str, share: Fraction) -> dict[str, Fraction]:
    """Weights where one release has `share`, and the others the rest, in proportion as before."""
    rest = sum((one for name, one in weights.items() if name != label), Fraction(0))
    return {
        name: share if name == label else (1 - share) * one / rest for name, one in weights.items()
    }


def whole_of(weights: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The same proportions, with sum 1."""
    total = sum(weights.values(), Fraction(0))
    return {name: one / total for name, one in weights.items()}


def splits_along(
    family: Family, chosen: Mapping[str, Fraction], ends: Sequence[Interval]
) -> dict[str, list[dict[str, Fraction]]]:
    """The splits of each curve: by the parameter; or by the share of each release."""
    if not family.labels:
        (name,) = chosen
        points = sorted({*spread(*ends[0]), chosen[name]})
        return {name: [{name: point} for point in points]}
    whole = whole_of(chosen)
    shares = spread(Fraction(0), Fraction(1))
    return {
        label: [tilted(whole, label, share) for share in sorted({*shares, whole[label]})]
        for label in family.labels
    }


def equal_parts(
    family: Family, releases: int, ends: Sequence[Interval]
) -> tuple[str, dict[str, Fraction]] | None:
    """What the choice is compared with: equal shares; a parameter at 1 over the number of releases
    (adaSSP's own for adaSSPbudget), if that is in its range.
    """
    if family.labels:
        return "equal shares", dict.fromkeys(family.labels, Fraction(1, len(family.labels)))
    part, (low, high), symbol = Fraction(1, releases), ends[0], family.symbols[0]
    if releases < 2 or not (low <= part <= high and part in symbol.domain):
        return None
    return f"{symbol.name} = {part}", {symbol.name: part}


def as_point(family: Family, split: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The numbers of the family's symbols at a split."""
    return family.point(split) if family.labels else dict(split)
