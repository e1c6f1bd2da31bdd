"""Ridge regression with personalised budgets on the medical costs of [Acharya24], and on its
synthetic rows: test losses of the declarations themselves. NOT PRIVATE.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import dpframe as dp

from . import NOT_PRIVATE
from .drawn_budgets import MEAN, budgets, members
from .medical_costs import Costs, View, synthetic, views
from .methods import Standing
from .personal_methods import (
    DELTA,
    Draw,
    Method,
    coded,
    joined,
    least_squares,
    mean_alone,
    personalised,
    sampled,
    uniform,
    zero,
)

Array = NDArray[Any]

SIZES = (100, 1000, 10000)
COLUMNS, TESTS = 30, 2000

PURE = dp.PersonalizedDP(dp.each("epsilon"))
APPROXIMATE = dp.PersonalizedDP(dp.each("epsilon"), DELTA)
OWN, OWN_DELTA = "epsilon_i, replaced", "same, and 1e-6"
LEAST, NONE, JOINS = "smallest, replaced", "nothing", "epsilon_i, joins"
PAPER, SEVEN, BOOK = "|x|^2 <= d", "|x|^2 <= 7", "codebook"
CLAIMED, BASELINE = Standing.CLAIMED, Standing.BASELINE

PRINTED, TIGHT = (
    personalised(one, PURE)
    for one in (dp.literature.PersonalizedRidgePrinted(), dp.PersonalizedRidge())
)
SSP, ADASSP = (
    personalised(one, APPROXIMATE)
    for one in (dp.regressions.PersonalizedSSP(), dp.regressions.PersonalizedAdaSSP())
)
OBJECTIVE = personalised(dp.regressions.PersonalizedObjective(), PURE)
LARGEST, AVERAGE = sampled(Fraction(1)), sampled(MEAN)
JOINED = joined(MEAN)
METHODS = (
    Method("least squares", PAPER, NONE, least_squares, 0.009434, BASELINE),
    Method("mean alone", PAPER, NONE, mean_alone, None, BASELINE),
    Method("PDP-OP, printed", PAPER, OWN, PRINTED, 0.2154),
    Method("PDP-OP, printed", SEVEN, OWN, PRINTED),
    Method("PDP-OP, printed", BOOK, OWN, PRINTED),
    Method("PersonalizedRidge", PAPER, OWN, TIGHT),
    Method("PersonalizedRidge", SEVEN, OWN, TIGHT),
    Method("PersonalizedRidge", BOOK, OWN, TIGHT),
    Method("PersonalizedObjective", PAPER, OWN, OBJECTIVE),
    Method("PersonalizedObjective", SEVEN, OWN, OBJECTIVE),
    Method("PersonalizedObjective", BOOK, OWN, OBJECTIVE),
    Method(
        "uniform, printed", PAPER, LEAST, uniform(dp.literature.PersonalizedRidgePrinted()), 344.6
    ),
    Method("uniform, least noise", BOOK, LEAST, uniform(dp.PersonalizedRidge())),
    Method("PersonalizedRidge", PAPER, JOINS, JOINED),
    Method("PersonalizedRidge", BOOK, JOINS, JOINED),
    Method("sample, largest, coded", PAPER, JOINS, coded("largest"), 0.2607, CLAIMED),
    Method("sample, average, coded", PAPER, JOINS, coded("average"), 0.4762, CLAIMED),
    Method("SampledRidge, largest", PAPER, JOINS, LARGEST),
    Method("SampledRidge, largest", BOOK, JOINS, LARGEST),
    Method("SampledRidge, average", PAPER, JOINS, AVERAGE),
    Method("SampledRidge, average", BOOK, JOINS, AVERAGE),
    Method("PersonalizedSSP", SEVEN, OWN_DELTA, SSP),
    Method("PersonalizedSSP", BOOK, OWN_DELTA, SSP),
    Method("PersonalizedAdaSSP", SEVEN, OWN_DELTA, ADASSP),
    Method("PersonalizedAdaSSP", BOOK, OWN_DELTA, ADASSP),
)
RULES: dict[str, tuple[dp.Regression, dp.PersonalizedDP, str]] = {
    "PDP-OP, printed, |x|^2 <= d": (dp.literature.PersonalizedRidgePrinted(), PURE, PAPER),
    "PDP-OP, printed, |x|^2 <= 7": (dp.literature.PersonalizedRidgePrinted(), PURE, SEVEN),
    "PersonalizedRidge, codebook": (dp.PersonalizedRidge(), PURE, BOOK),
    "PersonalizedObjective, codebook": (dp.regressions.PersonalizedObjective(), PURE, BOOK),
    "PersonalizedSSP, codebook, at 1e-6": (dp.regressions.PersonalizedSSP(), APPROXIMATE, BOOK),
}
SYNTHETIC = (
    Method("zero", PAPER, NONE, zero, None, BASELINE),
    *(Method(one.name, PAPER, one.promise, one.fit, None, one.standing) for one in METHODS[2:3]),
    Method("PersonalizedRidge", PAPER, OWN, TIGHT),
    Method("PersonalizedObjective", PAPER, OWN, OBJECTIVE),
    Method("PersonalizedRidge", PAPER, JOINS, JOINED),
    Method("sample, largest, coded", PAPER, JOINS, coded("largest"), None, CLAIMED),
    Method("SampledRidge, largest", PAPER, JOINS, LARGEST),
    Method("uniform, printed", PAPER, LEAST, uniform(dp.literature.PersonalizedRidgePrinted())),
    Method("PersonalizedSSP", PAPER, OWN_DELTA, SSP),
    Method("PersonalizedAdaSSP", PAPER, OWN_DELTA, ADASSP),
)


@attrs.frozen
class Experiment:
    """Draws of split and budgets, draws of noise for each, the seed of all; and whether methods run
    that claim privacy and have no proof.
    """

    repeats: int = 20
    draws: int = 10
    seed: int = 0
    claimed: bool = False

    def chosen(self, methods: Sequence[Method]) -> tuple[Method, ...]:
        """Those that may run."""
        return tuple(one for one in methods if self.claimed or one.standing is not CLAIMED)


@attrs.frozen(eq=False)
class Entry:
    """Test losses of one method, (repeats, draws), for labels in [0, 1]; `n` people in training."""

    n: int
    method: Method
    losses: Array

    @property
    def loss(self) -> float:
        """Their mean."""
        return float(self.losses.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean, by draws of split and budgets; nan of a single one."""
        means = self.losses.mean(axis=1)
        return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")

    @property
    def spreads(self) -> tuple[float, float]:
        """Stds over draws of split and budgets (of means over the noise), and over noise alone."""
        across, within = self.losses.mean(axis=1).std(), self.losses.var(axis=1).mean()
        return float(across), float(np.sqrt(within))

    def record(self, experiment: Experiment) -> dict[str, Any]:
        """As JSON."""
        across, within = self.spreads
        return {
            "label": NOT_PRIVATE,
            "n": self.n,
            "method": self.method.name,
            "rows": self.method.view,
            "promise": self.method.promise,
            "standing": str(self.method.standing),
            "published": self.method.published,
            "loss": self.loss,
            "error_of_mean": None if np.isnan(self.error) else self.error,
            "spread_over_budgets": across,
            "spread_over_noise": within,
            **attrs.asdict(experiment),
        }


def tasks(costs: Costs | None, experiment: Experiment) -> list[tuple[int, Method]]:
    """How many people are trained on, and the method: on the medical costs, or on synthetic rows of
    several sizes.
    """
    if costs is None:
        return [(n, one) for n in SIZES for one in experiment.chosen(SYNTHETIC)]
    n = len(costs.charges)
    return [(n - tested(n), one) for one in experiment.chosen(METHODS)]


def entries(costs: Costs | None, experiment: Experiment) -> Iterator[Entry]:
    """Every task. All methods see the same splits, budgets and rows."""
    of = {} if costs is None else {one.name: one for one in views(costs)}
    for n, method in tasks(costs, experiment):
        cases = [_case(n, of.get(method.view), experiment, i) for i in range(experiment.repeats)]
        yield Entry(n, method, losses(method, cases, experiment))


def _case(n: int, view: View | None, experiment: Experiment, repeat: int) -> tuple[View, Draw]:
    rng = generator(experiment.seed, repeat, "case")
    return simulated(n, rng) if view is None else (view, split(len(view.labels), rng))


def paid(
    costs: Costs, experiment: Experiment
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """What an average record of each group asks for, and pays at most under each rule."""
    of = {one.name: one for one in views(costs)}
    own = split(len(costs.charges), generator(experiment.seed, 0, "case")).budgets
    groups = members(len(own))
    found = {}
    for name, (declaration, target, view) in RULES.items():
        proof = dp.certify(declaration, target=target, setting=of[view].setting(dp.REPLACE_ONE))
        report = dp.audits.budget_report(proof, own, d=of[view].rows.shape[1])
        each = report.costs[np.unique(own, return_inverse=True)[1]]
        found[name] = {group: float(each[place].mean()) for group, place in groups.items()}
    return {group: float(own[place].mean()) for group, place in groups.items()}, found


def losses(method: Method, cases: Sequence[tuple[View, Draw]], experiment: Experiment) -> Array:
    """Test losses, (repeats, draws). BLAS has one thread meanwhile."""
    with threadpool_limits(1, user_api="blas"):
        return np.array(
            [list(_losses(method, i, *cases[i], experiment)) for i in range(len(cases))]
        )


def _losses(
    method: Method, repeat: int, view: View, draw: Draw, experiment: Experiment
) -> Iterator[float]:
    rng = generator(experiment.seed, repeat, method.name, method.view)
    for _ in range(experiment.draws):
        yield view.loss(method.fit(view, draw, rng), draw.test)


def simulated(n: int, rng: np.random.Generator) -> tuple[View, Draw]:
    """n rows of the paper's synthetic kind, d = 30, and 2000 to test on."""
    view = synthetic(n + TESTS, COLUMNS, rng)
    return view, Draw(np.arange(n), np.arange(n, n + TESTS), budgets(n, rng))


def split(n: int, rng: np.random.Generator) -> Draw:
    """A fifth of n people to test on, and budgets for the others."""
    places = rng.permutation(n)
    return Draw(places[tested(n) :], places[: tested(n)], budgets(n - tested(n), rng))


def tested(n: int) -> int:
    """A fifth, rounded up."""
    return -(-n // 5)


def generator(seed: int, repeat: int, *names: str) -> np.random.Generator:
    """A generator of its own for each repeat and name."""
    return np.random.default_rng([seed, repeat, *(zlib.crc32(name.encode()) for name in names)])
