"""Logistic descent: its noise by hand, its certificates, and what it fits."""

from __future__ import annotations

import math

import attrs
import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import dpframe as dp
from dpframe.regressions.logistic_descent import descend, principal
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import sigma_of, value

APPROX = dp.ApproxDP(dp.EPSILON, dp.DELTA)
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)


@relations
def test_it_is_proved_for_every_parameter_and_the_checker_agrees(relation):
    """The penalty is free in every certificate: it is post-processing."""
    free = {"shrinkage": dp.parameter("a", 0), "clip": dp.parameter("c", 0)}
    declared = dp.regressions.LogisticDescent(**free)
    found = check.file_of(dp.certify(declared, target=APPROX, setting=samples.wide(relation)))
    assert check.check(found).accepted
    size = next(node for node in found["graph"]["nodes"] if node["kind"] == "release")["size"]
    assert not check.check(check.bent(found, "release", size=["*", "9/10", size])).accepted


def test_its_noise_by_hand():
    """At B = 3/2, Y = 2 under add/remove: X'X moves by B^2, a gradient by B Y/2."""
    declared = dp.regressions.LogisticDescent()
    graph = declared.graph(samples.setting(dp.ADD_REMOVE), dp.ApproxDP(1, "1e-6").budget)
    gram, gradients = graph.releases
    sigma = float(sigma_of(1, "1e-6"))
    assert float(value(gram.mechanism.formula, {"d": 3})) == pytest.approx(
        1.5**2 * sigma / math.sqrt(0.1)
    )
    assert float(value(gradients.mechanism.formula, {"d": 3})) == pytest.approx(
        0.5 * 1.5 * 2 * sigma * math.sqrt(16 / 0.9)
    )


@relations
def test_no_noise_depends_on_the_penalty(relation):
    """Ten times the penalty has the same releases."""
    graphs = [
        dp.regressions.LogisticDescent(shrinkage=size).graph(
            samples.setting(relation), dp.ApproxDP(1, "1e-6").budget
        )
        for size in (3, 30)
    ]
    first, second = ([str(one.mechanism.formula) for one in g.releases] for g in graphs)
    assert first == second


def world(n=3000):
    """X in [-1, 1], and classes of which one is rare."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 3))
    return X, (rng.random(n) < expit(X @ [3.0, -2.0, 0.0] - 2)).astype(int)


def fitted(X, y, **given):
    """At much budget, unless told otherwise."""
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(3)]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, intercept=True),
        y=dp.Column("c", levels=[0, 1]),
        relation=dp.ADD_REMOVE,
    )
    declared = given.pop("regression", dp.regressions.LogisticDescent())
    given = {"epsilon": 10**9, "delta": "1e-6", "rng": 0} | given
    return dp.PrivateClassifier(declared, setting=setting, **given).fit(X, y)


def test_without_noise_it_is_the_fit_without_penalty():
    """Of scikit-learn, with enough rounds and no clip."""
    X, y = world()
    declared = dp.regressions.LogisticDescent(rounds=200, clip=1)
    found, expected = fitted(X, y, regression=declared), LogisticRegression(C=np.inf).fit(X, y)
    assert found.coef_ == pytest.approx(expected.coef_, abs=0.02)
    assert found.intercept_ == pytest.approx(expected.intercept_, abs=0.02)


def test_the_default_rounds_and_clip_cost_little():
    """In log loss, at much budget."""
    X, y = world()
    expected = LogisticRegression(C=np.inf).fit(X, y).predict_log_proba(X)
    found = fitted(X, y).predict_log_proba(X)
    picked = np.arange(len(y)), y
    assert np.mean(expected[picked]) - np.mean(found[picked]) < 0.01


def test_at_small_budgets_it_beats_output_perturbation_at_its_best():
    """By log loss, at 500 records and epsilon 1, against every penalty of a grid."""
    X, y = world(2500)

    def loss(regression):
        return np.mean(
            [
                -np.mean(model.predict_log_proba(X[500:])[np.arange(2000), y[500:]])
                for model in (
                    fitted(X[:500], y[:500], regression=regression, epsilon=1, rng=seed)
                    for seed in range(5)
                )
            ]
        )

    other = dp.regressions.LogisticOutputPerturbation
    best = min(loss(other(penalty=4**k)) for k in range(1, 6))
    assert loss(dp.regressions.LogisticDescent()) < best - 0.02


def test_post_processing_is_finite_whatever_is_released():
    """Noise of any size, and a matrix of none."""
    for gram in (np.zeros((2, 2)), np.diag([-1e9, 1e-9])):
        along = principal(gram, 1.0, 1.0, 3.0)
        assert np.isfinite(attrs.astuple(along)[1]).all()
        assert (along.curvatures > 0).all()
        moved = descend(np.array([1e300, 0.0]), np.array([1e308, 1e308]), 0, along)
        assert np.isfinite(moved).all()
