"""A choice before it is certified, what several searches share, and what `best_split` returns: the
split, why it is the best, what part of the budget each release has, and the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.exact.interval import Interval
from dpframe.graph import Joint, Regression, Release
from dpframe.privacy import GaussianDP
from dpframe.prover import Certificate
from dpframe.prover.algebra import number
from dpframe.symbols import Expression, Number

from .criterion import Criterion
from .resplit import Family

Evaluate = Callable[[Mapping[str, Fraction]], float]
COST = 1 + 1e-6  # of having few digits
ALONG = 33  # points of a curve


@attrs.frozen
class Point:
    """The criterion at one split, rounded up: `at` are the numbers of the fields, or of the shares
    by release.
    """

    at: Mapping[str, Fraction]
    value: float
    label: str = ""


@attrs.frozen(kw_only=True, eq=False)
class Choice:
    """The declaration with its split, and what is known of it; see Split for its fields."""

    regression: Regression
    chosen: Mapping[str, Expression]
    value: float | None
    exact: bool = False
    law: str = ""
    least: Expression | None = None
    curve: Mapping[str, tuple[Point, ...]] = attrs.field(factory=dict)
    against: tuple[Point, ...] = ()


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
    """The splits of each curve: by one field, the others as chosen; or by the share of each
    release, the others in proportion.
    """
    if not family.labels:
        return {
            name: [{**chosen, name: point} for point in sorted({*spread(*pair), chosen[name]})]
            for (name, pair) in zip(chosen, ends, strict=True)
        }
    whole = whole_of(chosen)
    shares = spread(Fraction(0), Fraction(1))
    return {
        label: [tilted(whole, label, share) for share in sorted({*shares, whole[label]})]
        for label in family.labels
    }


def equal_parts(
    family: Family, releases: int, ends: Sequence[Interval]
) -> tuple[str, dict[str, Fraction]] | None:
    """What the choice is compared with: equal shares; fields at 1 over the number of releases
    (adaSSP's own for adaSSPbudget), if that is in their range.
    """
    if family.labels:
        return "equal shares", dict.fromkeys(family.labels, Fraction(1, len(family.labels)))
    part, fields = Fraction(1, releases), list(zip(family.symbols, ends, strict=True))
    inside = all(low <= part <= high and part in symbol.domain for symbol, (low, high) in fields)
    if releases < 2 or not inside:
        return None
    names = [symbol.name for symbol in family.symbols]
    return f"{' = '.join(names)} = {part}", dict.fromkeys(names, part)


def as_point(family: Family, split: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The numbers of the family's symbols at a split."""
    return family.point(split) if family.labels else dict(split)


EPSILON, MU = "epsilon", "squared mu"


def parts_of(certificate: Certificate) -> tuple[dict[str, float], str]:
    """The parts, by release, and what they are parts of: of epsilon (or rho) where shares add up,
    else of squared mu. No parts where they are formulas.
    """
    releases = certificate.graph.releases
    if certificate.derivation == "basic":
        shares = [one.share for one in releases if one.share is not None]
        found = [share.weights[0] * one.times for share, one in zip(shares, releases, strict=False)]
        return _numbers(releases, found), shares[0].currency[0] if shares else EPSILON
    if any(one.gives is not GaussianDP for one in releases):
        return {}, MU
    joint = Joint.of([one.statistic for one in releases], certificate.setting.relation)
    if joint is None:
        return {}, MU
    moves = [
        one.guarantee(size).amounts[0] * one.times
        for one, size in zip(releases, joint.sizes, strict=True)
    ]
    return _numbers(releases, moves), MU


def _numbers(releases: Sequence[Release], formulas: Sequence[Expression]) -> dict[str, float]:
    """Each over the sum of all; nothing where one is not a number."""
    known = [one for one in formulas if not one.symbols()]
    if len(known) < len(releases):
        return {}
    values = [number(one, {}, up=True) for one in known]
    labels = [one.label for one in releases]
    return {label: value / sum(values) for label, value in zip(labels, values, strict=True)}


@attrs.frozen(kw_only=True, eq=False, repr=False, str=False)
class Split(Choice):
    """The split of a budget that makes a public criterion small, and its certificate.

    `regression` has the split filled in and is what `certificate` proves; `chosen` are the numbers,
    by field or by release, formulas where the setting was symbolic. `value` is the criterion
    there, rounded up (None where it is a formula). `exact` says that the best split is known in
    closed form, by the rule `law`, with the least value `least`; else a search found it. `shares`
    has the part of each release of what adds up: of
    epsilon, or of squared mu. `curve` has points by what varies; `against` are splits to compare
    with.
    """

    certificate: Certificate
    criterion: Criterion
    over: str
    shares: Mapping[str, float]
    currency: str

    @property
    def gain(self) -> float | None:
        """By what factor the first of `against` is larger; None where there is none."""
        if not self.against or self.value is None:
            return None
        return self.against[0].value / self.value

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed of the choice, besides what the certificate assumes."""
        return ("the split follows from public numbers only", *self.criterion.assumptions)

    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "regression": str(self.regression),
            "criterion": self.criterion.sentence,
            "over": self.over,
            "chosen": {name: _plain(one) for name, one in self.chosen.items()},
            "value": self.value,
            "exact": self.exact,
            "law": self.law or None,
            "shares": dict(self.shares),
            "currency": self.currency,
            "gain": _finite(self.gain),
            "against": [_point(one) for one in self.against],
            "curve": {name: [_point(one) for one in line] for name, line in self.curve.items()},
            "derivation": self.certificate.derivation,
            "certificate": self.certificate.hash,
            "assumptions": list(self.assumptions),
        }

    def plot(self, ax: Any = None) -> Any:
        """The curve on matplotlib axes, which are returned. Needs the extra `plots`."""
        from .split_page import draw

        return draw(self, ax)

    def __str__(self) -> str:
        """A page."""
        from .split_page import page

        return page(self)

    __repr__ = __str__


def _plain(formula: Expression) -> str:
    return str(formula.value) if isinstance(formula, Number) else str(formula)


def _finite(value: float | None) -> float | None:
    return None if value is None or value in (float("inf"), float("-inf")) else value


def _point(point: Point) -> dict[str, Any]:
    at = {name: float(number) for name, number in point.at.items()}
    label = {"label": point.label} if point.label else {}
    return {"at": at, "value": _finite(point.value), **label}
