"""Coefficients of all levels of a category, as least squares has them, and of rounded values."""

import numpy as np
import pandas as pd
import pytest

import dpframe as dp

N, MUCH = 2000, 10**8
BOOK = [dp.Numeric("x", 0, 10), dp.Categorical("g", ["a", "b", "c"], baseline=None)]
UNKNOWN = [BOOK[0], dp.Categorical("g", ["a", "b", "c"], baseline=None, unknown="zeros")]
LABELS = dp.Column("y", lower=-7, upper=21)


def table():
    """A number, a category, and labels whose mean is far from the middle of their range."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.uniform(0, 10, N), "g": rng.choice(["a", "b", "c"], N)})
    return X, 0.3 * X["x"] + (X["g"] == "b") - 1 + rng.normal(0, 1, N)


def fitted(book=BOOK, labels=LABELS, regression=None, **more):
    """Almost without noise."""
    setting = dp.Setting(X=dp.Rows(columns=book), y=labels, relation=dp.ADD_REMOVE, **more)
    X, y = table()
    model = dp.PrivateRegressor(regression, epsilon=MUCH, delta="1e-6", setting=setting, rng=0)
    return model.fit(X, y)


def least_squares():
    """Of the number and an indicator for each level, with White's errors and the centred R^2."""
    X, y = table()
    rows = np.column_stack([X["x"], *(X["g"] == level for level in "abc")]).astype(float)
    inverse = np.linalg.inv(rows.T @ rows)
    theta = inverse @ rows.T @ y
    left = np.asarray(y - rows @ theta)
    errors = np.sqrt(np.diag(inverse @ (rows.T * left**2) @ rows @ inverse))
    return theta, errors, 1 - np.var(left) / np.var(y)


def test_all_levels_have_their_own_coefficients():
    """Means of labels at 0, not at the middle of the numbers and from the middle of labels."""
    model, (theta, errors, share) = fitted(), least_squares()
    law = model.inference()
    assert law.names == ("x", "g[a]", "g[b]", "g[c]") == model.coef_names_
    assert law.params == pytest.approx(theta, abs=0.01 * errors.min())
    assert law.bse == pytest.approx(errors, rel=0.02)
    assert np.all(np.abs(model.coef_ - theta) < 0.2 * errors)
    assert model.intercept_ == 0
    assert law.rsquared == pytest.approx(share, abs=0.005)
    assert law.t_test("g[b] - g[a]").effect == pytest.approx(theta[2] - theta[1], abs=0.001)
    X, _ = table()
    by_level = model.coef_[1 + X["g"].map({"a": 0, "b": 1, "c": 2}).to_numpy()]
    assert model.predict(X) == pytest.approx(model.coef_[0] * X["x"].to_numpy() + by_level)


def test_the_number_of_records_follows_from_the_levels():
    """Their counts are in X'X."""
    assert fitted(regression=dp.SSP()).summary().header["records"].startswith("2,000 released")


def test_log_odds_of_all_levels_need_no_constant():
    """The decision function is x'coef alone."""
    setting = dp.Setting(
        X=dp.Rows(columns=BOOK), y=dp.Column("y", levels=["lo", "up"]), relation=dp.ADD_REMOVE
    )
    X, y = table()
    model = dp.PrivateClassifier(epsilon=1000, delta="1e-6", setting=setting, rng=0)
    model.fit(X, np.where(y > 1, "up", "lo"))
    odds = [float(model.coef_[0] @ [5, *(float(level == "b") for level in "abc")])]
    assert model.decision_function(pd.DataFrame({"x": [5.0], "g": ["b"]})) == pytest.approx(odds)
    assert model.intercept_.tolist() == [0]


def test_unknown_levels_keep_the_constant_and_it_is_said_what_r_squared_is_about():
    """A row of none of the levels has the constant alone."""
    model = fitted(UNKNOWN)
    assert model.coef_names_ == ("x", "g[a]", "g[b]", "g[c]")
    new = pd.DataFrame({"x": [0.0], "g": ["z"]})
    assert model.predict(new) == pytest.approx([model.intercept_])
    assert model.intercept_ > 1
    assert model.summary().header["R-squared"].endswith("], about 7, not the mean: no intercept")
    assert "about" not in fitted().summary().header["R-squared"]


@pytest.mark.parametrize("bits", [4, 20, None])
def test_a_coarse_grid_is_noted(bits):
    """Rounded towards zero, coefficients are others."""
    model = fitted(grid=bits)
    assert ("grid=4 rounds" in str(model.summary())) is (bits == 4)
    off = abs(model.inference().params[0] - least_squares()[0][0]) / least_squares()[1][0]
    assert bool(off > 0.5) is (bits == 4)
