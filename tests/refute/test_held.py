"""Attacks that were refused, or broke once and are repaired: kept so that they stay refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import dpframe as dp

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


PURE = dp.PureDP(1)
Case = tuple[Callable[[Any, Any, Any], Any], Any, dp.Setting]
CASES: dict[str, Case] = {
    "share in rho": (
        lambda X, _, __: analytic(gram(X), dp.ZeroConcentratedDP(10**12).budget),
        APPROX,
        setting(),
    ),
    "share in epsilon alone": (
        lambda X, _, __: dp.release(gram(X), dp.Gaussian(std=1), dp.PureDP(1).budget),
        APPROX,
        setting(),
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
    "norm reads n": (
        lambda X, _, budget: analytic(gram(X.clip(norm=1 + X.rows)), budget),
        APPROX,
        setting(),
    ),
    "intercept reads n": (
        lambda X, _, budget: analytic(gram(X.with_intercept(1 + X.rows)), budget),
        APPROX,
        setting(),
    ),
    "count of another setting": (
        lambda *_: dp.count(other(dp.REPLACE_ONE)),
        APPROX,
        setting(),
    ),
    "unit of another setting": (
        lambda _, __, budget: analytic(gram(other(dp.ADD_REMOVE)), budget),
        APPROX,
        setting(k=1000),
    ),
    "two parameters of one name": (twice, APPROX, setting()),
    "a parameter named analytic_sigma_": (confused, APPROX, setting()),
    "fractional draws": (
        lambda _, y, budget: analytic(dp.total(y), budget, times=T * Fraction(3, 5)),
        APPROX,
        setting(),
    ),
    "negative draws": (
        lambda _, y, budget: (
            analytic(dp.total(y), budget.split(T)[0]),
            analytic(dp.total(y), budget, times=1 - T),
        ),
        APPROX,
        setting(),
    ),
    "negative weight": (
        lambda _, y, budget: tuple(analytic(dp.total(y), share) for share in budget.split(2, -1)),
        APPROX,
        setting(),
    ),
    "zCDP a hair below": (
        lambda X, y, _: (
            dp.release(gram(X), dp.Gaussian(std=4)),
            dp.release(dp.total(y), dp.Laplace(scale=2)),
        ),
        dp.ZeroConcentratedDP(Fraction(5, 32) - TINY),
        setting(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_is_refused(name: str) -> None:
    """None of these is private as it is declared."""
    build, target, table = CASES[name]

    class Declared(dp.Regression):
        def declare(self, X: Any, y: Any, budget: Any) -> Any:
            return build(X, y, budget)

    with pytest.raises(dp.DPFrameError):
        dp.certify(Declared(), target=target, setting=table)
