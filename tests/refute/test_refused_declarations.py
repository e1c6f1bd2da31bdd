"""Declarations that are not private, or hold what nobody has proved: each is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Bound, Known, Release, known
from dpframe.graph.statistics import Count, Linear
from dpframe.symbols import Number
from tests.support.samples import declared

APPROX = dp.ApproxDP(1, Fraction(1, 10**6))
TINY = Fraction(1, 10**9)
B = dp.parameter("B", 0)
T = dp.parameter("T", 1, closed="left", integer=True)


def setting(norm: Any = 1, relation: dp.Relation = dp.ADD_REMOVE, k: Any = 1) -> dp.Setting:
    """Rows of norm `norm`, labels of bound 1."""
    x, y = dp.Rows(norm=norm), dp.Column(bound=1)
    return dp.Setting(X=x, y=y, relation=relation, rows_per_person=k)


def other(relation: dp.Relation) -> Any:
    """The rows of another setting."""
    return setting(relation=relation).nodes()[0]


def gram(rows: Any) -> Any:
    """Its X'X."""
    return rows.T @ rows


def laplace(data: Any, budget: Any) -> Any:
    """A sum with next to no noise."""
    return dp.release(dp.total(data), dp.Laplace(scale=TINY), budget)


def analytic(statistic: Any, share: Any, **more: Any) -> Any:
    """A release by the analytic calibration."""
    return dp.release(statistic, dp.Gaussian.analytic, share, **more)


def confused(_: Any, y: Any, budget: Any) -> Any:
    """The parameter that the proof once used for analytic_sigma."""
    sigma = dp.analytic_sigma(budget.epsilon, budget.delta) * dp.sqrt(2)
    own = dp.parameter("analytic_sigma_", 0) * dp.sqrt(2)
    noisy = [dp.Gaussian(std=sigma), dp.Gaussian(std=own)]
    return tuple(dp.release(dp.total(y), one) for one in noisy)


def twice(X: Any, y: Any, budget: Any) -> Any:
    """Two parameters of one name."""
    small, large = dp.parameter("gamma", 0, "1/10"), dp.parameter("gamma", 0, 5)
    first, second = budget.split(small, "9/10")
    return analytic(dp.total(y), first), analytic(gram(X.clip(norm=large)), second)


class Free(dp.ApproxDP):
    """A target whose budget is larger than what it says."""

    @property
    def amounts(self) -> tuple[dp.Expression, ...]:
        """A billion."""
        return (dp.constant(10**9), dp.constant("1/2"))


class Fat(dp.graph.Share):
    """A share that is counted as its weight and spent as epsilon = 1000."""

    @property
    def epsilon(self) -> dp.Expression:
        """A thousand."""
        return dp.constant(1000)


class Loud(dp.Categorical):
    """A codebook column whose indicators are a million."""

    def encode(self, values: Any) -> Any:
        """A million everywhere."""
        return np.full((len(values), len(self.levels)), 1e6)


class Holder(str):  # noqa: SLOT000
    """Text that carries a table."""

    table = np.arange(3.0)


def peek(_: Any, text: Any = Holder("public")) -> float:  # noqa: B008
    """Read the table that the text carries."""
    return float(text.table.sum())


def forged_bound(noise: Any = dp.Gaussian.analytic, **changed: Any) -> Callable[..., Any]:
    """A bound whose fields were not made by lower_bound: its range and its noise are derived."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        share, rest = budget.split("1/4", "1/2")
        noisy = dp.release(dp.lambda_min(X.T @ X), noise, share, name="floor")
        fields = {"value": noisy, "name": "bound", "lower": Fraction(0), "upper": None}
        fields |= {"upper_side": False, "stds": dp.constant(6), "margin": dp.constant(1)}
        bound = Bound(**{**fields, "failure": budget.delta / 4, **changed}).symbol
        size = dp.graph.log_residual(X.T @ X, X.T @ y, 1, bound)
        return dp.release(size, dp.Gaussian.analytic, rest, name="size")

    return build


def forged_symbol(X: Any, _: Any, budget: Any) -> Any:
    """The proof and the run must mean one range."""
    own, rest = budget.split_evenly(2)
    honest = known(analytic(dp.trace(gram(X)), own, name="size"), 1, 10**6, name="k")
    forged = attrs.evolve(dp.parameter("k", 1, 2, closed="both"), origin=honest.origin)
    return analytic(gram(X.scaled(by=1 / forged)), rest)


def constant_statistic(name: str) -> Callable[..., Any]:
    """c n is constant over neighbours for each c; formulas read n itself or nothing."""

    def build(X: Any, y: Any, budget: Any) -> Any:
        own, rest = budget.split_evenly(2)
        number = known(analytic(dp.total(y), own), "1/2", 1, name="k")
        still = Linear((number,), (Count(X.origin),))
        (late,) = rest.split(attrs.evolve(dp.parameter(name, 0, 1), origin=still))
        return analytic(X.T @ y, late)

    return build


def stacked_sample(X: Any, y: Any, _: Any) -> Any:
    """A stack with X'y reads all rows, and would be charged for one in a hundred."""
    slope = dp.graph.gradient(X, y, at=dp.iterate(X.columns), clip="1/1000")
    both, rate = dp.graph.stack(slope, X.T @ y), Number(Fraction(1, 100))
    return Release(both, dp.Gaussian(std=2), None, Number(Fraction(3)), "s", rate)


def first(point: Any, *_: Any) -> Any:
    """The point does not move."""
    return point


def moving_point(X: Any, y: Any, _: Any) -> Any:
    """An output that is made of the point of a loop has no value."""
    point = dp.iterate(X.columns)
    slope = dp.graph.gradient(X, y, at=point, clip=1)
    step = dp.release(slope, dp.Gaussian(std=100), times=2, name="slope")
    return dp.loop(point, step, first), dp.post(first, point)


def moment(X: Any, y: Any, budget: Any) -> Any:
    """X'y for the whole budget."""
    return analytic(X.T @ y, budget)


PRIVATE = setting()
PURE = dp.PureDP(1)
Build = Callable[[Any, Any, Any], Any]
Case = tuple[Build, Any, dp.Setting]
CASES: dict[str, Build | Case] = {  # refused at (1, 1e-6), in the setting above, if not said
    "share in rho": (lambda X, _, __: analytic(gram(X), dp.ZeroConcentratedDP(10**12).budget)),
    "share in epsilon alone": (
        lambda X, _, __: dp.release(gram(X), dp.Gaussian(std=1), dp.PureDP(1).budget)
    ),
    "negative norm": (lambda X, _, budget: laplace(X, budget), PURE, setting(norm=-B)),
    "negative number": (
        lambda X, _, budget: laplace(X, budget),
        PURE,
        setting(norm=1000 * dp.log("1/2")),
    ),
    "negative intercept": (
        lambda X, _, budget: laplace(X.with_intercept(-B), budget),
        PURE,
        setting(),
    ),
    "negative divisor": (lambda X, _, budget: laplace(X.scaled(-B), budget), PURE, setting()),
    "norm reads n": (lambda X, _, budget: analytic(gram(X.clip(norm=1 + X.rows)), budget)),
    "intercept reads n": (
        lambda X, _, budget: analytic(gram(X.with_intercept(1 + X.rows)), budget)
    ),
    "count of another setting": (lambda *_: dp.count(other(dp.REPLACE_ONE))),
    "unit of another setting": (
        lambda _, __, budget: analytic(gram(other(dp.ADD_REMOVE)), budget),
        APPROX,
        setting(k=1000),
    ),
    "two parameters of one name": twice,
    "a parameter named analytic_sigma_": confused,
    "fractional draws": (
        lambda _, y, budget: analytic(dp.total(y), budget, times=T * Fraction(3, 5))
    ),
    "negative draws": (
        lambda _, y, budget: (
            analytic(dp.total(y), budget.split(T)[0]),
            analytic(dp.total(y), budget, times=1 - T),
        )
    ),
    "negative weight": (
        lambda _, y, budget: tuple(analytic(dp.total(y), share) for share in budget.split(2, -1))
    ),
    "zCDP a hair below": (
        lambda X, y, _: (
            dp.release(gram(X), dp.Gaussian(std=4)),
            dp.release(dp.total(y), dp.Laplace(scale=2)),
        ),
        dp.ZeroConcentratedDP(Fraction(5, 32) - TINY),
        setting(),
    ),
    "a guarantee of one's own": (
        lambda _, y, budget: dp.release(dp.total(y), dp.Gaussian(std=Fraction(1, 1000)), budget),
        Free(1, Fraction(1, 10**6)),
        setting(),
    ),
    "a target that reads n": (
        lambda _, y, __: dp.release(dp.total(y), dp.Gaussian(std=10)),
        dp.GaussianDP(1 + PRIVATE.nodes()[0].rows),
        PRIVATE,
    ),
    "a share of one's own": (lambda X, y, b: moment(X, y, Fat(b.currency, b.wholes, b.weights))),
    "a codebook column of one's own": (
        moment,
        APPROX,
        dp.Setting(
            X=dp.Rows(columns=[Loud("a", ["u"], None)]),
            y=dp.Column(bound=1),
            relation=dp.ADD_REMOVE,
        ),
    ),
    "data in a constant of post": (
        lambda X, y, b: dp.post(peek, moment(X, y, b), Holder("public"))
    ),
    "data in a default of post": (lambda X, y, b: dp.post(peek, moment(X, y, b))),
    "a floor that is moved up": forged_bound(lower=Fraction(10**6)),
    "a ceiling for a floor": (forged_bound(upper=Fraction(-20), lower=None)),
    "a floor of other noise": forged_bound(noise=dp.Laplace.pure),
    "a symbol of another range": forged_symbol,
    "a raw number as known": (
        lambda X, _, budget: analytic(
            gram(X.scaled(by=Known(dp.count(X), "k", Fraction(1), Fraction(2)).symbol)), budget
        )
    ),
    "one draw and a half": (
        lambda X, y, b: Release(
            X.T @ y, dp.Gaussian.analytic, b.split("2/3")[0], Number(Fraction(3, 2)), "m"
        )
    ),
    "a sample of a stack": stacked_sample,
    "whole noise on what is not whole": (
        lambda X, _, __: Release(
            dp.total(X), dp.DiscreteGaussian(std=20), None, Number(Fraction(1)), "s"
        )
    ),
    "the point of a loop": moving_point,
    "a released number as a constant": (
        constant_statistic("s"),
        APPROX,
        setting(relation=dp.REPLACE_ONE),
    ),
    "a released number as n": (
        constant_statistic("n"),
        APPROX,
        setting(relation=dp.REPLACE_ONE),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_is_refused(name: str) -> None:
    """None of these is private as it is declared."""
    given = CASES[name]
    build, target, table = given if isinstance(given, tuple) else (given, APPROX, setting())
    with pytest.raises(dp.DPFrameError):
        dp.certify(declared(build), target=target, setting=table)
