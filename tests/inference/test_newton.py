"""The remainder of a Newton step, against what the step leaves."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit

from dpframe.inference.evidence import Evidence, Meat, NoisySum
from dpframe.inference.inference import Specification, infer
from dpframe.inference.newton import FARTHEST, excess
from dpframe.inference.row_set import RowSet


@pytest.mark.parametrize("z", [0.0, 1e-9, 1e-4, 1e-3, 0.1, 1.0, 2.0, 30.0, 800.0])
def test_the_factor(z):
    """(e^z - 1 - z)/z^2, never below it but for rounding."""
    with mpmath.workdps(40):
        exact = (mpmath.expm1(z) - z) / mpmath.mpf(z) ** 2 if z else mpmath.mpf(1) / 2
    if z < 700:
        assert excess(z) == pytest.approx(float(exact), rel=1e-3)
        assert excess(z) >= float(exact) * (1 - 4e-4)


def step(X, y, bend, theta, *, noise=0.0, rng=None):
    """The evidence of a step without noise, or with some, for labels -bend and bend."""
    p = expit(-bend * y * (X @ theta))
    slopes, curvatures = -bend * y * p, bend**2 * p * (1 - p)
    meat = (X.T * slopes**2) @ X
    gram, score = (X.T * curvatures) @ X, X.T @ slopes
    if rng is not None:
        score = score + noise * rng.normal(size=score.shape)
    moment = NoisySum(-score, noise, theta, math.inf)
    sizes = {"squares": 0.0, "squares_std": math.inf, "count": 0.0, "count_std": math.inf}
    released = Evidence(gram, noise * 1e-9, (moment,), meat=Meat(meat, 0.0, 1.0), **sizes)
    return Evidence(gram, 0.0, (moment,), meat=released.meat, bend=bend, **sizes)


def minimiser(X, y, bend):
    """Of the loss, by Newton's method."""
    theta = np.zeros(X.shape[1])
    for _ in range(50):
        p = expit(-bend * y * (X @ theta))
        hessian = (X.T * (bend**2 * p * (1 - p))) @ X
        theta = theta - np.linalg.solve(hessian, X.T @ (-bend * y * p))
    return theta


@pytest.mark.parametrize("bend", [1.0, 2.0, 0.25])
@pytest.mark.parametrize("size", [0.01, 0.1, 0.5, 1.0])
def test_what_a_step_leaves_is_within_the_bound(bend, size):
    """For every direction: the minimiser is no farther from the step than the bias that counts."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, (2000, 2)), np.ones(2000)])
    y = np.where(rng.random(2000) < expit(2 * X[:, 0] - 1), 1.0, -1.0)
    best = minimiser(X, y, bend)
    rows = RowSet(math.sqrt(3), math.sqrt(2), (np.array([[-1.0], [1.0]]),) * 2, 1.0)
    for _ in range(20):
        theta = best + size / bend * rng.normal(size=3) / 3
        law = infer(step(X, y, bend, theta), Specification(bound=bend, rows=rows))
        if not law.settled:
            assert bend * rows.farthest((law.centre - theta)[None])[0] > FARTHEST
            continue
        contrasts = rng.normal(size=(50, 3))
        off = np.abs(contrasts @ (law.centre - best))
        assert np.all(off <= law.of(contrasts).bias * (1 + 1e-9) + 1e-12)


@pytest.mark.parametrize(("positive", "settled"), [(0, False), (3, False), (60, True)])
@pytest.mark.parametrize("start", [-7.0, -5.0])
def test_few_events_in_a_group_have_no_interval(positive, settled, start):
    """Of 2,500 records of a group so many are positive: without any, every step is of size 1."""
    group, half = np.repeat([1.0, -1.0], 2500), np.arange(2500) % 2 * 2 - 1.0
    X = np.column_stack([group, np.ones(5000)])
    y = np.concatenate([np.where(np.arange(2500) < positive, 1.0, -1.0), half])
    begin = math.log(max(positive, 1) / 2500) if settled else start
    theta = np.array([begin / 2, begin / 2])
    rows = RowSet(math.sqrt(2), 1.0, (np.array([[-1.0], [1.0]]),), 1.0)
    law = infer(step(X, y, 1.0, theta), Specification(bound=1.0, rows=rows))
    assert law.settled is settled


def test_the_bound_holds_where_all_remainders_add_up():
    """Rows of one kind: the remainder is the bound, but for the factor of the farthest row."""
    X, y = np.ones((1000, 1)), np.where(np.arange(1000) < 900, 1.0, -1.0)
    best, rows = minimiser(X, y, 1.0), RowSet(1.0)
    theta = best - 0.1
    law = infer(step(X, y, 1.0, theta), Specification(bound=1.0, rows=rows))
    off, bias = abs(float(law.centre[0] - best[0])), float(law.of(np.eye(1)).bias[0])
    assert 0.6 * bias < off <= bias


def test_long_steps_have_no_interval():
    """However clear the sums are."""
    X, y = np.ones((1000, 1)), np.where(np.arange(1000) < 900, 1.0, -1.0)
    law = infer(step(X, y, 1.0, np.array([-3.0])), Specification(bound=1.0, rows=RowSet(1.0)))
    assert not law.settled
    assert np.all(np.isinf(law.conf_int()))


def test_without_a_bound_on_rows_nothing_is_claimed():
    """A remainder needs one."""
    X, y = np.ones((100, 1)), np.where(np.arange(100) < 50, 1.0, -1.0)
    law = infer(step(X, y, 1.0, np.array([0.1])), Specification(bound=1.0))
    assert np.all(np.isinf(law.conf_int()))
