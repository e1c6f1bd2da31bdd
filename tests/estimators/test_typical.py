"""Half lengths of intervals, predicted by simulated tables of typical variation."""

import math

import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators.typical import Typical, lengths, table

SETTING = dp.Setting(
    X=dp.Rows(
        columns=[
            dp.Numeric("age", 20, 80),
            dp.Categorical("sex", ["f", "m"]),
            dp.Categorical("region", ["a", "b", "c", "d"]),
        ],
        intercept=True,
    ),
    y=dp.Column("cost", lower=0, upper=100),
    relation=dp.ADD_REMOVE,
)
BUDGET = {"epsilon": 4, "delta": "1e-6"}


def test_tables_vary_as_they_are_described() -> None:
    """A std of 20% of the range, 20% at the rarer of two levels, 70% of an equal share."""
    rows, labels = table(SETTING, 20_000, 0.5, np.random.default_rng(0))
    age, sex, region = map(np.array, zip(*rows, strict=True))
    assert age.std() == pytest.approx(12, rel=0.03)
    assert np.mean(sex == "m") == pytest.approx(0.2, rel=0.05)
    assert np.mean(region == "d") == pytest.approx(0.7 / 4, rel=0.05)
    assert labels.std() == pytest.approx(20, rel=0.05)


def test_lengths_are_those_of_other_tables() -> None:
    """Within a factor of 1.5, by the medians of tables of other seeds."""
    regression = dp.JointSSP.for_intervals()
    found = Typical.of(regression, SETTING, n=3000, explained=0.5, **BUDGET)
    assert found is not None
    assert found.explained
    others = []
    for seed in range(10, 17):
        rows, labels = table(SETTING, 3000, 0.5, np.random.default_rng(seed))
        model = dp.PrivateRegressor(regression, setting=SETTING, rng=seed, **BUDGET)
        low, high = model.fit(rows, labels).inference().conf_int().T
        others.append((high - low) / 2)
    assert np.isfinite(found.halves).all()
    ratio = np.log(found.halves / np.median(others, axis=0))
    assert np.abs(ratio).max() < math.log(1.5)


def test_no_lengths_without_intervals_or_a_codebook() -> None:
    """Nothing is printed then; hidden columns are named."""
    ball = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    given = {"explained": 0.5, **BUDGET}
    assert lengths({"a": dp.JointSSP()}, ball, n=1000, **given) == ""
    assert lengths({"a": dp.regressions.ObjPertPure()}, SETTING, n=1000, **given) == ""
    assert lengths({"a": dp.JointSSP()}, SETTING, n=10**6, **given) == ""
    few = lengths({"a": dp.JointSSP()}, SETTING, n=60, **given)
    assert "lost in noise" in few
    assert "none" in few
