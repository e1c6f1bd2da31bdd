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
    with pytest.warns(
        dp.errors.DataWarning, match=r"nearer bound: rows of X beyond age \[18, 64\]"
    ):
        outside = fitted.predict(rows.assign(age=[90, 10]))
    assert np.array_equal(inside, outside)
