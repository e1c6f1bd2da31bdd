"""Every statistic: how its sensitivity scales, and that its value is numpy's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import dpframe as dp
from dpframe.graph import statistics as st
from dpframe.sensitivity import L1, L2, OPERATOR
from tests.support import samples
from tests.support.oracles import value

NORMS = (L1, L2, OPERATOR)
LEFT_OUT = samples.UNBOUNDED | samples.CONDITIONAL
BOUNDED = [cls for cls in samples.STATISTICS if cls not in LEFT_OUT]
every = pytest.mark.parametrize("cls", BOUNDED, ids=lambda cls: cls.__name__)
# degree of the sensitivity in (|x| bound, |y| bound); those that mix degrees are left out
DEGREES = {
    st.Gram: (2, 0),
    st.Moment: (1, 1),
    st.Squares: (0, 2),
    st.LambdaMin: (2, 0),
    st.Trace: (2, 0),
    st.Count: (0, 0),
    st.RowSum: (1, 0),
    st.LabelSum: (0, 1),
    st.ColumnSquares: (2, 0),
    st.BinCounts: (0, 0),
    st.BinnedSums: (1, 0),
    st.Factored: (1, 0),
    st.MedianDistance: (0, 0),
    st.SufficientStatistics: (0, 0),
    st.Monomials: (0, 0),
    st.Histogram: (0, 0),
    st.CellCount: (0, 0),
    st.CellSums: (0, 0),
    st.BlockEstimates: (0, 0),
}


def moved(cls, in_norm=L2, relation=dp.ADD_REMOVE, **more):
    """The sensitivity in numbers, at d = 3."""
    X, y = samples.setting(relation, **more).nodes()
    found = samples.STATISTICS[cls](X, y).sensitivity(in_norm)
    return value(found.value, {"d": 3})


@every
@pytest.mark.parametrize("norm", NORMS, ids=str)
def test_replacing_costs_between_once_and_twice(cls, norm):
    """Replace-one is remove and add: at most twice; and what is constant then is n or the like."""
    once, replaced = (moved(cls, norm, relation) for relation in samples.RELATIONS)
    assert replaced <= 2 * once + 1e-12
    assert cls is st.Count or once <= replaced


@every
@pytest.mark.parametrize("relation", samples.RELATIONS, ids=str)
def test_k_rows_a_person_cost_k_times(cls, relation):
    """The triangle inequality along k one-row steps."""
    for norm in NORMS:
        one, five = (moved(cls, norm, relation, rows_per_person=k) for k in (1, 5))
        assert abs(five - 5 * one) < 1e-12


@every
def test_norms_are_ordered(cls):
    """Operator at most L2 (Frobenius), L2 at most sqrt 2 times L1 of the upper triangle."""
    for relation in samples.RELATIONS:
        one, two, operator = (moved(cls, norm, relation) for norm in NORMS)
        assert operator <= two + 1e-12
        assert two <= one * 1.5


@pytest.mark.parametrize("cls", DEGREES, ids=lambda cls: cls.__name__)
def test_the_sensitivity_scales_with_the_bounds(cls):
    """Twice the bound of x or y multiplies by 2 to its degree."""
    in_x, in_y = DEGREES[cls]
    for norm in NORMS:
        for relation in samples.RELATIONS:
            base = moved(cls, norm, relation)
            wider = moved(cls, norm, relation, norm=2 * samples.NORM)
            taller = moved(cls, norm, relation, bound=2 * samples.BOUND)
            assert abs(wider - 2**in_x * base) < 1e-12
            assert abs(taller - 2**in_y * base) < 1e-12


@pytest.mark.some(len(BOUNDED))
@every
def test_a_statistic_conforms(cls):
    """As one from outside must: neighbours stay inside its bounds, and blocks add up."""
    dp.audits.check_statistic(samples.STATISTICS[cls], samples.setting())


@pytest.mark.some(len(BOUNDED))
@every
def test_the_sensitivity_names_its_rule_norm_and_unit(cls):
    """A sensitivity is a value with its reason."""
    setting = samples.setting(rows_per_person=2)
    found = samples.STATISTICS[cls](*setting.nodes()).sensitivity(L2)
    assert found.rule
    assert found.norm is L2
    assert found.unit == setting.unit
    assert str(found.value) in str(found)


@pytest.mark.parametrize("cls", sorted(samples.UNBOUNDED, key=lambda c: c.__name__))
def test_what_no_rule_bounds_has_no_sensitivity(cls):
    """Raw aggregates and raw rows are unbounded in every norm under every relation."""
    for relation in samples.RELATIONS:
        statistic = samples.STATISTICS[cls](*samples.setting(relation).nodes())
        assert all(statistic.sensitivity(norm) is None for norm in NORMS)


def between(values):
    """How many are at most -1/2, then at most 0, then at most 1, then above."""
    ends = (-np.inf, -0.5, 0, 1, np.inf)
    return [sum(low < v <= high for v in values) for low, high in pairwise(ends)]


def by_sign(X, y):
    """The upper triangle of X'X, and X'y, of the records with y < 0, then of the others."""
    found = []
    for inside in (y < 0, y >= 0):
        gram, d = X[inside].T @ X[inside], X.shape[1]
        upper = (gram[i, j] for i in range(d) for j in range(i, d))
        found.append([*upper, *X[inside].T @ y[inside]])
    return np.array(found)


def estimated(X, y):
    """The mean of two ridge regressions of x/B and y/Y, in their own units, inside the ball."""
    B, Y = float(samples.NORM), float(samples.BOUND)
    found = []
    for inside in (y < 0, y >= 0):
        gram = X[inside].T @ X[inside] + np.eye(X.shape[1]) / B**2
        theta = Y / B * np.linalg.solve(gram, X[inside].T @ y[inside])
        found.append(theta * min(1, 0.5 / max(0.5, np.linalg.norm(theta))))
    return np.mean(found, axis=0)


def log_of_residuals(gram, moment):
    """log(Y + B |theta|), theta of a ridge regression with penalty 4."""
    theta = np.linalg.solve(gram + 4 * np.eye(len(moment)), moment)
    return np.log(float(samples.BOUND) + float(samples.NORM) * np.sqrt(theta @ theta))


def parted(X, y):
    """The sums of the rows of each bin of the label."""
    ends = (-np.inf, -1, 0, 0.5, np.inf)
    return np.array(
        [
            sum((x for x, t in zip(X, y, strict=True) if low < t <= high), np.zeros(X.shape[1]))
            for low, high in pairwise(ends)
        ]
    )


def halves(X, y):
    """The sums with the square-root factor: 1, 1/2, 3/8, 5/16."""
    first = np.array([1, 1 / 2, 3 / 8, 5 / 16])
    return np.array([[first[t - s] * (s <= t) for s in range(4)] for t in range(4)]) @ parted(X, y)


def far(y):
    """Records that come or go until two neighbouring ends of bins, at -1, 0 and 1/2, balance."""
    low, middle, high = ([sum(y <= end), sum(y > end)] for end in (-1, 0, 0.5))
    inside = [middle[0] - low[0], high[0] - middle[0]]
    ends = [(low, middle), (middle, high)]
    return min(
        k + abs((a[0] - a[1] + b[0] - b[1]) // 2) for k, (a, b) in zip(inside, ends, strict=True)
    )


def brute(cls, X, y):
    """The value by its definition, one record at a time."""
    grams = sum((np.outer(x, x) for x in X), np.zeros((X.shape[1],) * 2))
    moments = sum((x * t for x, t in zip(X, y, strict=True)), np.zeros(X.shape[1]))
    rows = sum(X, np.zeros(X.shape[1]))
    d = X.shape[1]
    once = [grams[i, j] for i in range(d) for j in range(i, d)]
    twice = [grams[i, j] * (1 if i == j else 2) for i in range(d) for j in range(i, d)]
    cells = np.zeros(16)  # the tests give whole steps: what is at most -1 is in the lower cell
    for x, t in zip(X, y, strict=True):
        cells[sum(2 ** (3 - j) for j, v in enumerate((*x, t)) if v > -1)] += 1
    flat = [grams[i, j] * (1 if i == j else 2**0.5) for i in range(d) for j in range(i, d)]
    return {
        st.Gram: grams,
        st.Moment: moments,
        st.Squares: sum(t * t for t in y),
        st.LambdaMin: np.linalg.eigvalsh(grams)[0],
        st.Argmin: np.linalg.solve(grams + 4 * np.eye(d), moments),
        st.LogResidual: log_of_residuals(grams, moments),
        st.Trace: sum(x @ x for x in X),
        st.Count: len(X),
        st.RowSum: rows,
        st.LabelSum: sum(y),
        st.ColumnSquares: np.diag(grams),
        st.BinCounts: np.array([between(x) for x in X.T]).ravel(),
        st.BinnedSums: parted(X, y).ravel(),
        st.Factored: halves(X, y).ravel(),
        st.MedianDistance: far(y),
        st.Linear: 2 * moments - rows / 2,
        st.NormCounts: [sum(a < np.sqrt(x @ x) <= b for x in X) for a, b in ((0.5, 1), (1, 9))],
        st.Stack: np.array([*flat, *moments]),
        st.SufficientStatistics: np.array([*once, *moments, sum(t * t for t in y)]),
        st.Monomials: np.array([*twice, *(-2 * moments), sum(t * t for t in y)]),
        st.Histogram: cells,
        st.CellCount: sum(t >= 0 for t in y),
        st.CellSums: by_sign(X, y).ravel(),
        st.BlockEstimates: estimated(X, y),
    }[cls]


@pytest.mark.some(len(BOUNDED) * 3)
@every
@pytest.mark.parametrize("n", [0, 1, 7])
def test_the_value_is_numpys(cls, n):
    """compute and block agree with the definition, also on no rows."""
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 3)), rng.normal(size=n)
    got = samples.evaluate(samples.STATISTICS[cls](*samples.setting(grid=None).nodes()), X, y)
    want = np.asarray(brute(cls, X, y))
    assert got.shape == want.shape
    assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_an_unflattened_stack_is_its_matrix():
    """The upper triangle of a stack, times sqrt 2 off the diagonal, leads back to the matrix."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6, 4))
    X_node = samples.setting(grid=None).nodes()[0]
    flat = samples.evaluate(dp.graph.stack(X_node.T @ X_node), X, np.zeros(6))
    assert np.allclose(st.unflatten(flat, 4), X.T @ X)
    assert np.isclose(np.linalg.norm(flat), np.linalg.norm(X.T @ X))
