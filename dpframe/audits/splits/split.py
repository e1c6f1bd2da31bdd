"""What `best_split` returns: the split, why it is the best, what part of the budget each release
has, and the proof; as a value, as JSON and as a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from dpframe.graph import Joint, Regression, Release
from dpframe.privacy import GaussianDP
from dpframe.prover import Certificate
from dpframe.prover.algebra import number
from dpframe.prover.text import argument, sentence
from dpframe.symbols import Expression, Number

from ..figures import figure, formula
from .criterion import Criterion
from .family import symbols_of

LITTLE = 0.01  # of the budget


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
    law: str = ""
    least: Expression | None = None
    against: tuple[Point, ...] = ()

    @property
    def exact(self) -> bool:
        """The best split is known in closed form, by the rule `law`; else a search found it."""
        return bool(self.law)


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
    has the part of each release of what adds up: of epsilon, or of squared mu. `against` are splits
    to compare with.
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
            "derivation": self.certificate.derivation,
            "certificate": self.certificate.hash,
            "assumptions": list(self.assumptions),
        }

    def __str__(self) -> str:
        """A page: the criterion, the choice, why it is best, what else costs, the proof."""
        return "\n".join(
            [
                f"Split of {self.regression}",
                "",
                *_choice(self),
                "",
                f"Proved: {argument(self.certificate.derivation)}",
                *(f"  {line}" for line in sentence(self.certificate)),
                "Assumed of the choice",
                *(f"  {one}" for one in self.assumptions),
            ]
        )

    __repr__ = __str__


def _plain(formula: Expression) -> str:
    return str(formula.value) if isinstance(formula, Number) else str(formula)


def _finite(value: float | None) -> float | None:
    return None if value is None or value in (float("inf"), float("-inf")) else value


def _point(point: Point) -> dict[str, Any]:
    at = {name: float(number) for name, number in point.at.items()}
    label = {"label": point.label} if point.label else {}
    return {"at": at, "value": _finite(point.value), **label}


def _choice(split: Split) -> Iterator[str]:
    yield f"  criterion   {split.criterion.sentence}"
    chosen = ", ".join(f"{name} = {formula(one)}" for name, one in split.chosen.items())
    yield f"  chosen      {chosen}"
    if split.exact:
        yield f"  because     {split.law}: in closed form"
    worth = split.least if split.value is None else figure(split.value, "up", 4)
    yield f"  worth       {worth}"
    if split.shares:
        parts = ", ".join(f"{name} {100 * share:.3g}%" for name, share in split.shares.items())
        yield f"  shares      {parts} of {split.currency}"
    for place, point in enumerate(split.against):
        head = "instead of" if place == 0 else ""
        times = f", {point.value / split.value:.3g} times as much" if split.value else ""
        yield f"  {head:<10}  {figure(point.value, 'up', 4)} for {point.label}{times}"
    for name, share in split.shares.items():
        if share < LITTLE:
            yield f"  note        {name} is hardly worth its price here: is it needed at all?"
    for name in _unread(split):
        yield f"  note        no noise reads {name}; the last step does, and needs its number"


def _unread(split: Split) -> list[str]:
    """Fields that are still symbols and have no part in what is proved."""
    problem = split.certificate.report.problem
    formulas = [*problem.target.amounts, problem.rows]
    formulas += [one.mechanism.formula for one in problem.graph.releases]
    read = frozenset().union(*(formula.symbols() for formula in formulas))
    fields = symbols_of(split.regression)
    return [one.name for one in fields if one in problem.symbols and one not in read]
