"""Names and orders of budgets: no two groups become one; long tables end where doubles end."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
EACH = dp.PersonalizedDP(dp.each("epsilon"))


@pytest.mark.parametrize("name", ["a\0", "\0", "a\n", "a\x7f"])
def test_names_of_groups_are_printable(name):
    """Arrays of texts lose NULs at their ends: two groups became one."""
    with pytest.raises(dp.InvalidArgument):
        dp.PersonalizedDP({"a": 1, name: "1/100"})
    with pytest.raises(dp.InvalidArgument):
        dp.RecordLedger({"a": 1, name: 0.01}, ["a", "a"], kind=dp.PureDP)


def test_entries_that_would_lose_a_nul_are_refused():
    """They are no name that was declared."""
    target = dp.PersonalizedDP({"a": 1, "b": "1/100"})
    proof = dp.certify(dp.PersonalizedRidge(), target=target, setting=SETTING)
    names = np.array(["a", "b", "a\0"], dtype=object)
    with pytest.raises(dp.BadData):
        dp.execute(proof, np.ones((3, 1)), np.ones(3), rng=0, budgets=names)


def test_budgets_in_another_order_are_refused():
    """A Series is read by position: its index must be that of the rows."""
    X = pd.DataFrame({"u": [1.0, 0.5, 0.2]}, index=["p", "q", "r"])
    y = pd.Series([1.0, 0.5, 0.2], index=X.index)
    good = pd.Series({"p": 0.01, "q": 2.0, "r": 2.0})
    proof = dp.certify(dp.PersonalizedRidge(), target=EACH, setting=SETTING)
    assert dp.execute(proof, X, y, rng=0, budgets=good).released
    with pytest.raises(dp.BadData, match="order of X"):
        dp.execute(proof, X, y, rng=0, budgets=good[["r", "q", "p"]])
    model = dp.PrivateRegressor(
        dp.PersonalizedRidge(), epsilon=None, delta=None, setting=SETTING, rng=0
    )
    assert model.fit(X, y, epsilon=good).coef_.shape == (1,)
    with pytest.raises(dp.BadData, match="order of X"):
        model.fit(X, y, epsilon=good[["r", "q", "p"]])


@pytest.mark.parametrize(("n", "epsilon"), [(100_000, 1.0), (100_000, 10.0), (1_000, 100.0)])
def test_objective_perturbation_ends_where_doubles_end(n, epsilon):
    """Its tolerance was below what rounding shows, and long tables were refused after the draw."""
    rng = np.random.default_rng(n)
    X = rng.uniform(-1, 1, (n, 5)) / np.sqrt(5)
    y = X @ np.array([0.5, -0.4, 0.3, 0.2, -0.1])
    budgets = np.where(np.arange(n) % 2, epsilon, 3 * epsilon)
    declaration = dp.regressions.PersonalizedObjective(penalty="0.001")
    proof = dp.certify(declaration, target=EACH, setting=SETTING)
    for seed in range(3):
        found = dp.execute(proof, X, y, rng=seed, budgets=budgets).output.coefficients
        np.testing.assert_allclose(found, [0.5, -0.4, 0.3, 0.2, -0.1], atol=0.02)
