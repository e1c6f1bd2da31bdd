"""What the penalty of a personalised regression does, as its receipt states it."""

import numpy as np
import pytest

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
OPEN = dp.PersonalizedDP({"open": 10**7, "wide": 2 * 10**7})  # hardly any noise


@pytest.mark.parametrize("kind", [dp.PersonalizedRidge, dp.regressions.PersonalizedObjective])
def test_the_penalty_shrinks_by_the_stated_factor(kind):
    """Columns that do not overlap have a second moment each, weighted by the budgets."""
    n, truth, wish = 4_000, np.array([0.8, -0.4]), np.array(["open", "wide"] * 2_000)
    X = np.zeros((n, 2))
    X[: n // 4, 0], X[n // 4 :, 1] = 1.0, 0.5
    regression = kind() if kind is dp.PersonalizedRidge else kind(knee=9)
    run = dp.certify(regression, target=OPEN, setting=SETTING)
    result = dp.execute(run, X, X @ truth, budgets=wish, rng=1)
    moments = np.average(X**2, axis=0, weights=np.where(wish == "open", 1, 2))
    penalty = float(regression.penalty.value)
    expected = truth * moments / (moments + penalty)
    assert result.output.coefficients == pytest.approx(expected, abs=1e-3)
    assert "lambda/(lambda + penalty)" in str(result.receipt)
    plain = dp.certify(
        dp.regressions.PersonalizedSSP(),
        target=dp.PersonalizedDP({"a": 1}, "1e-6"),
        setting=SETTING,
    )
    assert "penalty" not in str(dp.execute(plain, X, X @ truth, budgets=["a"] * n, rng=1).receipt)
