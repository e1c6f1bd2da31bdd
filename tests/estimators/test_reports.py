"""The contents of a summary that a reader cannot infer from its numbers: the label, the baselines
and the variant of the regression; and notes that hold for the labels at hand.
"""

import math

import attrs
import numpy as np
import pandas as pd
import pytest

import dpframe as dp

N = 6000
COLUMNS = [
    dp.Numeric("age", 18, 65),
    dp.Categorical("team", ["a", "b", "rare"]),
    dp.Numeric("years", 0, 50),
]
LEVELS = dp.Column("left", levels=["no", "yes"])


def setting(label: dp.Column) -> dp.Setting:
    """Of these columns."""
    X = dp.Rows(columns=COLUMNS, intercept=True)
    return dp.Setting(X=X, y=label, relation=dp.REPLACE_ONE)


@pytest.fixture(scope="module")
def table():
    """People, of whom the older leave less often; 3% are of the rare team."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.uniform(18, 65, N),
            "team": rng.choice(["a", "b", "rare"], N, p=[0.5, 0.47, 0.03]),
            "years": rng.gamma(2, 2, N),
        }
    )
    return frame, rng.random(N) < 0.9 - 0.012 * frame.age


def model(label, regression=None, epsilon=1):
    """Of two classes or numbers."""
    options = {"epsilon": epsilon, "delta": "1e-6", "setting": setting(label), "rng": 0}
    return dp.PrivateRegressor(regression or dp.JointSSP.for_intervals(), **options)


def test_two_levels_are_fitted_as_zero_and_one(table):
    """The linear probability model is that of labels that the user has recoded."""
    frame, left = table
    words = np.where(left, "yes", "no")
    own = model(LEVELS).fit(frame, words)
    recoded = model(dp.Column("left", lower=0, upper=1)).fit(frame, left.astype(float))
    assert own.coef_.tolist() == recoded.coef_.tolist()
    assert own.score(frame, words) == recoded.score(frame, left.astype(float))
    swapped = model(dp.Column("left", levels=["yes", "no"])).fit(frame, words)
    assert np.sign(swapped.coef_[0]) == -np.sign(own.coef_[0])


def test_the_header_names_the_label_the_baselines_and_the_variant(table):
    """In text, HTML and JSON."""
    frame, left = table
    summary = model(LEVELS).fit(frame, np.where(left, "yes", "no")).summary()
    assert summary.header["label"] == "left, no (0) or yes (1)"
    assert summary.header["baselines"] == "team a"
    assert summary.header["regression"] == "JointSSP.for_intervals"
    number = model(dp.Column("left", lower=0, upper=1), dp.JointSSP()).fit(frame, left * 1.0)
    assert number.summary().to_dict()["header"]["label"] == "left, clipped to [0, 1]"
    assert number.summary().header["regression"] == "JointSSP"
    assert "left, no (0) or yes (1)" in summary.as_html()


def test_labels_of_zero_and_one_have_no_hint_on_equal_variance_or_bounds(table):
    """Neither can hold: bounds are exact, and residuals have a variance that follows the mean."""
    frame, left = table
    binary = model(dp.Column("left", lower=0, upper=1)).fit(frame, left * 1.0)
    wide = model(dp.Column("left", lower=0, upper=2)).fit(frame, left * 1.0)
    for fitted, said in ((binary, False), (wide, True)):
        notes = " ".join(fitted.summary(notes=True).notes)
        assert ("equal_variance=True" in notes) is said
        notes = " ".join(fitted.summary(equal_variance=True).notes)
        assert ("do not have equal variance" in notes) is not said


def test_means_outside_the_bounds_of_labels_are_warned_of(table):
    """The linear fit of a step from 1 to 0 leaves [0, 1] at both ends of the range."""
    frame, _ = table
    words = np.where(frame.age < 41.5, "yes", "no")
    law = model(LEVELS, epsilon=8).fit(frame, words).inference()
    rows = {"age": [41.0, 18.0, 65.0], "team": ["a"] * 3, "years": [4.0] * 3}
    with pytest.warns(dp.DataWarning, match=r"2 of 3 predicted means are outside .*\[0, 1\]"):
        means = law.get_prediction(pd.DataFrame(rows)).predicted_mean
    assert 0 < means[0] < 1 < means[1]
    assert means[2] < 0


def test_p_values_that_cannot_reject_are_not_shown(table):
    """None where noise may hide as much as the coefficient; numbers elsewhere."""
    frame, left = table
    fitted = model(LEVELS, dp.JointSSP()).fit(frame, np.where(left, "yes", "no"))
    estimates = fitted.inference().t_test()
    hidden = ~np.isfinite(estimates.hidden) | (np.abs(estimates.effect) <= estimates.bias)
    assert hidden.any()
    assert not hidden.all()
    frame = fitted.summary().summary_frame()
    assert frame["p_value"].isna().tolist() == hidden.tolist()
    records = fitted.summary().to_dict()["coefficients"]
    assert [one["p_value"] is None for one in records] == hidden.tolist()


def test_shrunk_levels_are_named_and_odds_are_not_always_called_shrunk(table):
    """The fit of a rare level tends to the average of levels; a weak penalty may not shrink."""
    frame, left = table
    summary = model(LEVELS, epsilon=4).fit(frame, np.where(left, "yes", "no")).summary()
    assert not [*summary.shrunken_levels]
    places = [summary.names.index(name) for name in ("age", "team[rare]")]
    fitted = summary.estimates.effect.copy()
    fitted[places] -= 0.5 * summary.estimates.sd[places]
    (note,) = attrs.evolve(summary, fitted=fitted).shrunken_levels
    assert note.startswith("fitted of team[rare] is shrunk by 40% of a standard error or more")
    options = {"epsilon": 20, "delta": "1e-6", "setting": setting(LEVELS), "rng": 0}
    odds = dp.PrivateClassifier(**options).fit(frame, np.where(left, "yes", "no"))
    kept, notes = odds.result_.output.kept, " ".join(odds.summary().notes)
    assert math.isfinite(kept)
    assert ("may shrink" in notes) is not (kept < 0.95)
