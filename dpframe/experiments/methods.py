"""The methods of tables and figures: declarations, their claims, and fits. NOT PRIVATE: every
declaration is simulated here, proved or not.
"""

from __future__ import annotations

import enum
import functools
import math
from collections.abc import Callable, Hashable, Mapping

import attrs
import numpy as np
from numpy.random import Generator

import dpframe as dp
from dpframe.prover.certify import NOT_PRIVATE, Unproved
from dpframe.regressions.solve import Fit

from .declared import Point, TrainTestSplit
from .worlds import LEVELS, rounded_down


class Promise(enum.Enum):
    """The claim of a declaration; its numbers are those of the point or of the split."""

    NOTHING = "nothing"
    APPROXIMATE = "(epsilon, delta)"
    PURE = "epsilon"
    LEAST = "the least of all budgets"
    OWN = "each budget"
    OWN_APPROXIMATE = "each budget, and delta"
    LEVELS = "each budget rounded down, of records that join"


EACH = dp.each("epsilon")
TARGETS: dict[Promise, dp.Guarantee] = {
    Promise.NOTHING: dp.PureDP(1),
    Promise.APPROXIMATE: dp.ApproxDP(dp.EPSILON, dp.DELTA),
    Promise.PURE: dp.PureDP(dp.EPSILON),
    Promise.LEAST: dp.PureDP(dp.EPSILON),
    Promise.OWN: dp.PersonalizedDP(EACH),
    Promise.OWN_APPROXIMATE: dp.PersonalizedDP(EACH, "1e-6"),
    Promise.LEVELS: dp.PersonalizedDP(LEVELS),
}
NUMBERS = {  # free symbols of targets
    Promise.APPROXIMATE: ("epsilon", "delta"),
    Promise.PURE: ("epsilon",),
    Promise.LEAST: ("epsilon",),
}
PERSONAL = {Promise.OWN, Promise.OWN_APPROXIMATE, Promise.LEVELS}


@attrs.frozen(eq=False)
class Method:
    """A declaration with its name in the paper.

    `fields` maps fields of the declaration to parameters of the point or of the split; `relation`
    replaces that of the split's setting. `color`, `line` and `marker` are matplotlib's. A `formula`
    of the point replaces a declaration.
    """

    name: str
    declaration: Callable[..., dp.Regression] | None
    promise: Promise = Promise.APPROXIMATE
    fields: Mapping[str, str] = attrs.Factory(dict)
    relation: dp.Relation | None = None
    formula: Callable[[Point], float] | None = None
    color: str = ""
    line: str = "-"
    marker: str = ""

    @property
    def baseline(self) -> bool:
        """Whether it makes no claim."""
        return self.promise is Promise.NOTHING

    @property
    def reads(self) -> tuple[str, ...]:
        """Parameters that a fit depends on, besides those of its split."""
        own = () if self.promise is Promise.LEAST else NUMBERS.get(self.promise, ())
        return (*own, *self.fields.values())

    def fit(self, split: TrainTestSplit, point: Point, rng: Generator) -> Fit:
        """Coefficients (d,), with whether an adaptive ridge was 0."""
        if self.formula is not None:
            return Fit(np.array([self.formula(point)]))
        values = {**point, **split.own}
        fields = tuple((field, values[name]) for field, name in self.fields.items())
        setting = split.setting
        if self.relation is not None:
            setting = attrs.evolve(setting, relation=self.relation)
        run = draft(self.declaration, fields, self.promise, setting)
        budgets = split.budgets if self.promise in PERSONAL else None
        if self.promise is Promise.LEVELS:
            budgets = rounded_down(split.budgets)
        numbers = {
            name: self.number(name, split, point)
            for name in NUMBERS.get(self.promise, ())
            if name in run.symbols
        }
        fit = dp.experiments.simulate(
            run.at(**numbers), split.X, split.y, budgets=budgets, rng=rng
        ).output
        return Fit(fit.coefficients, ridge_was_zero=getattr(fit, "ridge_was_zero", False))

    def number(self, name: str, split: TrainTestSplit, point: Point) -> float:
        """Epsilon or delta."""
        if name == "delta":
            return split.delta(point)
        if self.promise is Promise.LEAST:
            return float(np.min(split.budgets))
        return float(point["epsilon"])


@functools.lru_cache(maxsize=4096)
def draft(
    declaration: Callable[..., dp.Regression],
    fields: tuple[tuple[str, Hashable], ...],
    promise: Promise,
    setting: dp.Setting,
) -> Unproved:
    """A declaration with its fields, ready to be simulated."""
    return dp.audits.unproved(
        declaration(**dict(fields)), target=TARGETS[promise], setting=setting, label=NOT_PRIVATE
    )


def least_epsilon(point: Point, *, alpha: float, power: float) -> float:
    """The least epsilon at which the private lower bound, the smaller of Eq 5 and Eq 6, is at most
    that without privacy, Eq 4, with |X| = |Theta| = 1 and |Y| = 1/d^power. [Wang18, Sec 3.1]
    """
    n, d = float(point["n"]), float(point["d"])
    label: float = 1 / d**power
    plain = min(n * label**2, 1 + d * label**2, math.sqrt(n) * label)
    worst = math.sqrt(d) * (1 + label) / plain
    conditioned = d * (1 + label) / math.sqrt(n * alpha * plain) if alpha else math.inf
    return min(worst, conditioned)
