"""What a first user gets wrong, and the sentence that says the way out."""

import numpy as np
import pandas as pd
import pytest

import dpframe as dp

AGE, SMOKER = dp.Numeric("age", 18, 64), dp.Categorical("smoker", ["no", "yes"])


def people(n: int = 3000) -> tuple[pd.DataFrame, pd.Series]:
    """Features and charges."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.uniform(18, 64, n), "smoker": rng.choice(["no", "yes"], n)})
    costs = 200 * table["age"] + 20_000 * (table["smoker"] == "yes") + rng.uniform(0, 9000, n)
    return table, costs


def model(upper: int = 60_000) -> dp.PrivateRegressor:
    """With charges from 0 to `upper`."""
    setting = dp.Setting(
        X=dp.Rows(columns=[AGE, SMOKER], intercept=True),
        y=dp.Column("charges", lower=0, upper=upper),
        relation=dp.ADD_REMOVE,
    )
    return dp.PrivateRegressor(epsilon=1, delta="1e-6", setting=setting, rng=0)


def test_labels_of_text_are_not_called_a_column_of_features():
    """Numbers that were read as text."""
    table, costs = people(300)
    with pytest.raises(dp.BadData, match=r"y\.astype\(float\) makes numbers of text") as found:
        model().fit(table, costs.astype(str))
    assert "dp.Rows" not in str(found.value)


def test_a_formula_says_that_its_codebook_has_the_label():
    """Beside columns without it, a setting, or nothing."""
    pytest.importorskip("formulaic")
    given = {"epsilon": 1, "delta": "1e-6", "rng": 0}
    make = dp.PrivateRegressor.from_formula
    with pytest.raises(dp.InvalidArgument, match=r"Add its public bounds: dp\.Numeric\('charges'"):
        make("charges ~ age + smoker", [AGE, SMOKER], relation=dp.ADD_REMOVE, **given)
    for others in ({"setting": model().setting}, {"y": dp.Column(bound=1)}, {}):
        with pytest.raises(dp.InvalidArgument, match="its left side too"):
            make("charges ~ age", **others, **given)


def test_a_row_to_predict_beyond_the_bounds_is_told():
    """It is predicted as the nearest row inside; on the bound nothing is said."""
    fitted = model().fit(*people())
    rows = pd.DataFrame({"age": [64, 18], "smoker": ["yes", "no"]})
    inside = fitted.predict(rows)
    with pytest.warns(dp.errors.DataWarning, match=r"2 of 2 rows to predict, in age \[18, 64\]"):
        outside = fitted.predict(rows.assign(age=[90, 10]))
    assert np.array_equal(inside, outside)


def test_a_row_of_an_array_beyond_the_bounds_is_told():
    """As of a data frame; predictions beyond the bounds of labels stay."""
    setting = dp.Setting(
        X=dp.Rows(columns=[AGE, dp.Numeric("bmi", 15, 55)], intercept=True),
        y=dp.Column("charges", lower=0, upper=200),
        relation=dp.ADD_REMOVE,
    )
    rows = np.random.default_rng(0).uniform([18, 15], [64, 55], (3000, 2))
    fitted = dp.PrivateRegressor(epsilon=3, delta="1e-6", setting=setting, rng=0)
    fitted.fit(rows, 3 * rows[:, 0] + 2 * rows[:, 1] - 40)
    assert fitted.predict([[64, 55]])[0] > 210
    with pytest.warns(dp.errors.DataWarning, match=r"1 of 1 rows to predict, in bmi \[15, 55\]"):
        outside = fitted.predict(np.array([[64.0, 99.0]]))
    assert outside == fitted.predict(np.array([[64.0, 55.0]]))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rsquared_adj", r"Did you mean 'model\.inference\(\)\.rsquared'\?"),
        ("conf_interval", r"Did you mean 'model\.inference\(\)\.conf_int\(\.\.\.\)'\?"),
        ("coeff_", "Did you mean 'coef_'"),
        ("aic", "nothing else, such as values of single records, is known after a fit"),
    ],
)
def test_the_nearest_name_is_named(name, said):
    """Of the estimator, or of its inference; or why there is none."""
    fitted = model().fit(*people(300))
    assert not hasattr(fitted, name)
    with pytest.raises(AttributeError, match=said):
        getattr(fitted, name)
    for other in (fitted.inference(), fitted.summary()):
        with pytest.raises(AttributeError, match="has no attribute"):
            getattr(other, f"{name}_of_statsmodels")


def test_a_hidden_level_is_named_below_the_summary():
    """It makes the intervals of the other columns longer: merging it makes them shorter."""
    rng = np.random.default_rng(0)
    levels = ["north", "south", "rare"]
    lengths = {}
    for merged in (False, True):
        own = levels[:2] if merged else levels
        setting = dp.Setting(
            X=dp.Rows(columns=[AGE, dp.Categorical("region", own)], intercept=True),
            y=dp.Column("charges", lower=0, upper=100),
            relation=dp.ADD_REMOVE,
        )
        table = pd.DataFrame(
            {"age": rng.uniform(18, 64, 5000), "region": rng.choice(levels[:2], 5000)}
        )
        table.loc[:9, "region"] = own[-1]
        fit = dp.PrivateRegressor(epsilon=1, delta="1e-6", setting=setting, rng=0)
        summary = fit.fit(table, table["age"]).summary()
        (low, high), *_ = summary.intervals
        lengths[merged] = high - low
        named = "mostly along region[rare]: coefficients along them have no interval."
        assert (named in " ".join(str(summary).split())) != merged
    assert 2 * lengths[True] < lengths[False]


class Halved(dp.Regression):
    """Two Gaussian releases, of which the first has a part of the budget."""

    a: dp.Expression = dp.parameter("a", 0, 1)

    def declare(self, X, y, budget):
        """Both."""
        first, last = budget.split(self.a, 1 - self.a)
        gram = dp.release(X.T @ X, dp.Gaussian.analytic, first, name="gram")
        return gram, dp.release(X.T @ y, dp.Gaussian.analytic, last, name="moment")


def test_free_parameters_are_named_where_they_are_given():
    """In the call of the declaration."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    free = dp.PrivateRegressor(Halved(), epsilon=1, delta="1e-6", setting=setting)
    with pytest.raises(dp.InvalidArgument, match=r"free a.*as in Halved\(a=\.\.\.\)"):
        free.fit(np.ones((9, 2)), np.ones(9))


def test_an_epsilon_belongs_to_a_target():
    """In every function that takes one."""
    for function in (dp.calibrate, dp.certify, dp.audit):
        with pytest.raises(dp.InvalidArgument, match=r"epsilon must .*target=dp\.ApproxDP"):
            function(dp.Gaussian(std=1), epsilon=1, delta="1e-6")


def test_declare_is_a_method_of_three_arguments_that_returns_its_output():
    """Each mistake has the way out in its message."""
    with pytest.raises(AttributeError, match="declare is a method of a class"):
        dp.declare(Halved())
    with pytest.raises(dp.InvalidArgument, match=r"must be def declare\(self, X, y, budget\)"):

        class Without(dp.Regression):
            """No budget."""

            def declare(self, X, y):
                """Nothing."""

    class Silent(dp.Regression):
        """No output."""

        def declare(self, X, y, budget):
            """A release that is not returned."""
            dp.release(X.T @ X, dp.Gaussian.analytic, budget)

    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="End declare with return"):
        dp.certify(Silent(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
