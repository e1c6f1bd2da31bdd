"""Every statistic: how its sensitivity scales, and that its value is numpy's."""

from __future__ import annotations

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


def test_an_unflattened_stack_is_its_matrix():
    """The upper triangle of a stack, times sqrt 2 off the diagonal, leads back to the matrix."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(6, 4))
    X_node = samples.setting(grid=None).nodes()[0]
    flat = samples.evaluate(dp.graph.stack(X_node.T @ X_node), X, np.zeros(6))
    assert np.allclose(st.unflatten(flat, 4), X.T @ X)
    assert np.isclose(np.linalg.norm(flat), np.linalg.norm(X.T @ X))
