"""What `best_split` returns: the split, why it is the best, and the proof that it is private.

What part of a budget each release has.

Bounds of a formula on boxes that reach to where it becomes infinite: 1/gamma on [0, h] is [1/h,
inf].

As `dpframe.prover.enclose_each`, which has no bound there. 0 times infinity is 0, as an end of a
product of intervals is a limit of finite ends. [MooreKC09, Introduction to Interval Analysis]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import attrs
import numpy as np

from dpframe.graph import Joint, Regression, Release
from dpframe.numerics import boxes
from dpframe.numerics.boxes import Bounds, Reals
from dpframe.privacy import GaussianDP
from dpframe.prover import Certificate
from dpframe.prover.algebra import number
from dpframe.prover.enclose_each import DOUBLES, as_pairs
from dpframe.symbols import Expression, Number
from dpframe.symbols.text import Arithmetic

from .criterion import Criterion


def ends(formula: Expression, values: Mapping[str, Bounds]) -> Bounds:
    """Lower and upper ends of `formula` on m boxes, shape (m,) each, rounded outward; -inf and inf
    where a part of it is undefined. `values` has the ends of every symbol, shape (m,) each.
    """
    size = max((len(low) for low, _ in values.values()), default=1)
    with np.errstate(all="ignore"):
        low, high = EXTENDED.value(formula, values, {})
    low, high = np.broadcast_to(low, size), np.broadcast_to(high, size)
    undefined = np.isnan(low) | np.isnan(high)
    return np.where(undefined, -np.inf, low), np.where(undefined, np.inf, high)


def _plus(one: Bounds, other: Bounds) -> Bounds:
    """The sums; what is exact in doubles stays, so that 1 - gamma is 0 at gamma = 1."""
    return _sum(one[0], other[0], -np.inf), _sum(one[1], other[1], np.inf)


def _sum(a: Reals, b: Reals, side: float) -> Reals:
    """a + b, rounded to a side unless it is exact. (What a sum loses is a double.)"""
    total = a + b
    shared = total - a
    lost = (a - (total - shared)) + (b - shared)
    return np.where(lost == 0, total, np.nextafter(total, side))


def _times(one: Bounds, other: Bounds) -> Bounds:
    """The products, at least 0 where both are."""
    pairs = [(a, b) for a in one for b in other]
    low = reduce(np.minimum, (_product(a, b, -np.inf) for a, b in pairs))
    high = reduce(np.maximum, (_product(a, b, np.inf) for a, b in pairs))
    both = (one[0] >= 0) & (other[0] >= 0)
    return np.where(both, np.maximum(low, 0), low), high


def _product(a: Reals, b: Reals, side: float) -> Reals:
    """a b, rounded to a side unless a factor is 1 or -1; 0 times infinity is 0."""
    product = a * b
    none = np.isnan(product) & ~np.isnan(a) & ~np.isnan(b)
    same = (np.abs(a) == 1) | (np.abs(b) == 1)
    return np.where(none, 0.0, np.where(same, product, np.nextafter(product, side)))


def _power(base: Bounds, exponent: Fraction) -> Bounds:
    raised = _inverse(base) if exponent < 0 else base
    size = abs(exponent)
    if size.denominator == 1:
        return boxes.whole_power(raised, int(size))
    if size.denominator == 2:
        return boxes.whole_power(boxes.root(raised), int(size.numerator))
    return boxes.exp(_times(_log(raised), as_pairs(size)))


def _inverse(pair: Bounds) -> Bounds:
    """1/x on one side of 0, which may be an end."""
    low, high = pair[0] + 0.0, pair[1] + 0.0  # without -0.0
    above, below = low >= 0, high <= 0
    first = np.where(above, 1 / high, np.where(high == 0, -np.inf, 1 / high))
    last = np.where(above, 1 / low, 1 / low)
    first, last = np.nextafter(first, -np.inf), np.nextafter(last, np.inf)
    first = np.where(above, np.maximum(first, 0), first)
    return boxes.only((first, last), above | below)


def _log(pair: Bounds) -> Bounds:
    """log, -inf at 0; undefined below."""
    low, high = boxes.log((np.maximum(pair[0], np.finfo(float).tiny), pair[1]))
    low = np.where(pair[0] < np.finfo(float).tiny, -np.inf, low)
    return boxes.only((low, high), (pair[0] >= 0) & (pair[1] > 0))


EXTENDED: Arithmetic[Bounds] = Arithmetic(
    as_pairs, _plus, _times, _power, {**DOUBLES.calls, "log": _log}
)


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


@attrs.frozen(kw_only=True, eq=False, repr=False, str=False)
class Split:
    """The split of a budget that makes a public criterion small, and its certificate.

    `regression` has the split filled in and is what `certificate` proves; `chosen` are the numbers,
    by parameter or by release, formulas where the setting was symbolic. `value` is the criterion
    there, rounded up (None where it is a formula); no split of the family has less than `lower`,
    rounded down (0 where nothing was proved: simulations). `exact` says that the best split is
    known in closed form, by the rule `law`, with the least value `least`; else every best one lies
    in `optimal`, by parameter. For simulated criteria `optimal` are the splits tried that are no
    more than 2 standard errors worse. `shares` has the part of each release of what adds up: of
    epsilon, or of squared mu. `curve` has points by what varies; `against` are splits to compare
    with.
    """

    regression: Regression
    certificate: Certificate
    criterion: Criterion
    over: str
    chosen: Mapping[str, Expression]
    value: float | None
    lower: float
    exact: bool
    law: str
    least: Expression | None
    optimal: Mapping[str, tuple[float, float]]
    shares: Mapping[str, float]
    currency: str
    curve: Mapping[str, tuple[Point, ...]]
    against: tuple[Point, ...]
    error: float = 0.0

    @property
    def within(self) -> float:
        """The criterion is at most so many times the least possible; infinite where unknown."""
        if self.value is None:
            return 1.0
        return self.value / self.lower if self.lower > 0 else float("inf")

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
            "standard_error": self.error or None,
            "lower": self.lower or None,
            "exact": self.exact,
            "law": self.law or None,
            "optimal": {name: list(ends) for name, ends in self.optimal.items()},
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
        from .text import draw

        return draw(self, ax)

    def __str__(self) -> str:
        """A page."""
        from .text import page

        return page(self)

    __repr__ = __str__


def _plain(formula: Expression) -> str:
    return str(formula.value) if isinstance(formula, Number) else str(formula)


def _finite(value: float | None) -> float | None:
    return None if value is None or value in (float("inf"), float("-inf")) else value


def _point(point: Point) -> dict[str, Any]:
    found: dict[str, Any] = {
        "at": {name: float(number) for name, number in point.at.items()},
        "value": _finite(point.value),
    }
    if point.error:
        found["standard_error"] = point.error
    return found | ({"label": point.label} if point.label else {})
