"""Cells of narrow columns; a verdict of `refuted` is a counterexample; what was spent is kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import Graph, Release
from dpframe.prover import examine
from dpframe.prover.problem import REFUTED
from tests.support.checking import check
from tests.support.samples import declared

APPROX = dp.ApproxDP(1, Fraction(1, 10**6))


def setting(relation: dp.Relation = dp.ADD_REMOVE, **rows: Any) -> dp.Setting:
    """Rows of norm 1 where nothing else bounds them, labels of bound 1."""
    return dp.Setting(X=dp.Rows(**(rows or {"norm": 1})), y=dp.Column(bound=1), relation=relation)


def moment(X: Any, y: Any, budget: Any) -> Any:
    """X'y for the whole budget."""
    return dp.release(X.T @ y, dp.Gaussian.analytic, budget)


def certified(build: Callable[[Any, Any, Any], Any], **more: Any) -> dp.Certificate:
    """Its certificate for APPROX."""
    return dp.certify(declared(build), **{"target": APPROX, "setting": setting(), **more})


class TwoFaced(Graph):
    """A graph that shows its first release only, except to execution."""

    @property
    def releases(self) -> Any:
        """One of them."""
        return tuple(node for node in self.nodes if isinstance(node, Release))[:1]


class Forging(dp.Regression):
    """A regression that makes its graph itself."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        """X'y."""
        return moment(X, y, budget)

    def graph(self, setting: Any, budget: Any) -> Any:
        """With a second release that the proof never sees."""
        X, y = setting.nodes()
        bare = dp.release(X.T @ y, dp.Gaussian(std=Fraction(1, 10**6)))
        whole = Graph.of((moment(X, y, budget), bare))
        return TwoFaced(whole.output, whole.nodes)


def test_subclasses_of_graphs_are_not_believed() -> None:
    """A graph that hides a release is refused."""
    with pytest.raises(dp.DPFrameError):
        dp.certify(Forging(), target=APPROX, setting=setting())


@pytest.mark.parametrize("value", [0.0, 5e-311, 1.0])
def test_narrow_codebooks_release_numbers(value: float) -> None:
    """A value in the middle of an interval of width 1e-310 does not turn the release into nan."""
    try:
        run = certified(moment, setting=setting(columns=[dp.Numeric("a", 0, "1e-310")]))
    except dp.DPFrameError:
        return
    result = dp.execute(run, np.array([[value], [0.0]]), np.ones(2), rng=0)
    assert np.isfinite(result.output).all()


@pytest.mark.parametrize("target", [dp.PureDP(1), dp.PureDP(dp.EPSILON)])
def test_bounds_that_cancel_leave_a_verdict(target: dp.Guarantee) -> None:
    """Laplace noise 9/10 of what is needed, in units of a symbolic bound, is refused by name."""
    bound = dp.parameter("B", 0)
    table = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=bound), relation=dp.ADD_REMOVE)

    def build(_: Any, y: Any, budget: Any) -> Any:
        scale = bound * Fraction(9, 10) / budget.epsilon
        return dp.release(dp.total(y), dp.Laplace(scale=scale), budget)

    with pytest.raises(dp.Uncertified):
        dp.certify(declared(build), target=target, setting=table)


def test_a_claim_that_delta_saves_is_not_refuted() -> None:
    """Loss 1.0000001 on a count is (1, 5e-8)-private: a share of (1, 1e-6) is not refuted."""

    def build(X: Any, _: Any, budget: Any) -> Any:
        return dp.release(dp.count(X), dp.Laplace(scale=Fraction(9999999, 10**7)), budget)

    report = examine(declared(build), target=APPROX, setting=setting())
    assert all(obligation.verdict is not REFUTED for obligation in report.open_obligations)


def test_an_unknown_sensitivity_is_not_a_refutation() -> None:
    """max_abs of rows of norm 1 moves by at most 1: a std of 1e6 is unproved, and not refuted."""

    def build(X: Any, _y: Any, _b: Any) -> Any:
        return dp.release(dp.graph.aggregate("max_abs", X), dp.Gaussian(std=10**6))

    found = dp.audit(declared(build), target=APPROX, setting=setting())
    assert str(found.verdict) != "refuted"


@pytest.mark.parametrize("target", [APPROX, dp.GaussianDP(2)])
@pytest.mark.parametrize("shift", [0, 1])
def test_prover_and_checker_agree_on_coefficients_with_a_zero(target: Any, shift: int) -> None:
    """(gamma - 1/2) X'y has no noise at gamma = 1/2; with another statistic added, it has."""
    gamma = dp.parameter("gamma", 0, 1)

    def build(X: Any, y: Any, budget: Any) -> Any:
        queried = (gamma - Fraction(1, 2)) * (X.T @ y)
        queried = queried + dp.total(X) if shift else queried
        return dp.release(queried, dp.Gaussian.analytic, budget)

    try:
        found = dp.certify(declared(build), target=target, setting=setting())
    except dp.Uncertified:
        return
    assert check(json.loads(json.dumps(found.document))).accepted


def test_a_fit_that_was_spent_is_kept() -> None:
    """An intercept that reads the public n does not lose a fit after its budget was spent."""
    pytest.importorskip("sklearn")

    class Shrinking(dp.Regression):
        def declare(self, X: Any, y: Any, budget: Any) -> Any:
            return moment(X.with_intercept(1 / (1 + X.rows)), y, budget)

    table = setting(dp.REPLACE_ONE)
    model = dp.PrivateRegressor(Shrinking(), epsilon=1, delta="1e-6", setting=table, rng=0)
    X, y = np.ones((5, 2)), np.ones(5)
    assert model.fit(X, y).predict(X).shape == (5,)
