"""PrivateClassifier means what scikit-learn's classifiers mean, of classes that are declared."""

from __future__ import annotations

import pickle
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_score

import dpframe as dp
from tests.support.sklearn_checks import OTHERWISE, checks

MUCH = 10**12  # an epsilon at which noise is far below every tolerance here
BALL = dp.Setting(X=dp.Rows(norm=10, intercept=True), relation=dp.ADD_REMOVE)
LOGISTIC = dp.regressions.LogisticOutputPerturbation(penalty=1)


def classifier(classes: Any = (0, 1), setting: dp.Setting = BALL, **changes: Any) -> Any:
    """An estimator whose noise is a negligible simulation."""
    given = {"epsilon": MUCH, "delta": "1e-6", "rng": 0, "classes": classes, **changes}
    regression = given.pop("regression", LOGISTIC)
    return dp.PrivateClassifier(regression, setting=setting, **given)


def two_groups(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Points, and truth values that are more often true to the right."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, 2))
    return X, rng.random(n) < 1 / (1 + np.exp(-2 * X[:, 0]))


# scikit-learn's own checks -------------------------------------------------------------------

DECLARED = "classes are declared: other labels are refused, also all of one kind of them"
OTHERWISE_HERE = {
    "check_classifiers_classes": DECLARED,
    "check_classifiers_regression_target": DECLARED,
    "check_estimators_dtypes": DECLARED,
    "check_classifier_data_not_an_array": DECLARED,
    "check_classifier_not_supporting_multiclass": DECLARED,
    "check_fit2d_1feature": DECLARED,
}


@pytest.mark.parametrize(
    ("estimator", "check"), [*checks(classifier(), otherwise=OTHERWISE | OTHERWISE_HERE)]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    """scikit-learn's checks hold, but for the listed exceptions, each with its reason."""
    check(estimator)


# what predictions mean -----------------------------------------------------------------------


def test_predictions_are_classes_and_scores_are_accuracy() -> None:
    """As scikit-learn's metrics read them, with scorers that know no dpframe."""
    X, right = two_groups()
    y = np.where(right, "right", "left")
    model = classifier(("right", "left")).fit(X, y)
    assert is_classifier(model)
    assert model.classes_.tolist() == ["left", "right"]  # in order, whichever was named first
    assert set(model.predict(X)) == {"left", "right"}
    assert model.score(X, y) == accuracy_score(y, model.predict(X)) > 0.75
    probabilities = model.predict_proba(X)
    assert probabilities.sum(axis=1) == pytest.approx(1)
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(probabilities)
    assert roc_auc_score(y, probabilities[:, 1]) > 0.8
    assert log_loss(y, probabilities) < 0.6
    odds = model.decision_function(X)
    assert odds == pytest.approx((X @ model.coef_.T + model.intercept_)[:, 0])
    assert odds == pytest.approx(np.log(probabilities[:, 1] / probabilities[:, 0]))
    assert ((odds > 0) == (model.predict(X) == "right")).all()


def test_a_summary_has_odds_ratios_and_says_why_it_has_no_intervals() -> None:
    """In every format, whatever the size of the coefficients."""
    X, right = two_groups()
    found = classifier().fit(X, right.astype(int)).summary()
    frame = found.summary_frame()
    assert list(frame.index) == ["x0", "x1", "intercept"]
    assert frame["odds_ratio"].to_numpy() == pytest.approx(np.exp(frame["coef"].to_numpy()))
    assert found.header["log-odds"] == "of 1 against 0"
    assert "no intervals" in found.to_dict()["notes"][-1]
    for text in (str(found), found._repr_html_(), found.as_latex()):
        assert "odds ratio" in text
    huge = attrs.evolve(found, coefficients=np.array([800.0, 0.0, -800.0]))
    assert huge.records()[0]["odds_ratio"] is None
    assert [line.split("  ")[-1].strip() for line in str(huge).splitlines() if "x0" in line] == [
        "> 100"
    ]
    fitted = classifier().fit(X, right.astype(int))
    for refused in (lambda: found.conf_int, fitted.inference):
        with pytest.raises(dp.errors.NotAvailable, match=r"no intervals.*linear probability model"):
            refused()


def test_the_noise_of_a_summary_is_that_of_repeated_fits() -> None:
    """In the units of the codebook; and a summary of mostly noise says what to do."""
    rows = dp.Rows(columns=[dp.Numeric("a", 0, 8), dp.Numeric("b", -1, 1)], intercept=True)
    setting = dp.Setting(X=rows, y=dp.Column("s", levels=[0, 1]), relation=dp.ADD_REMOVE)
    rng = np.random.default_rng(3)
    X, y = rng.uniform(0, 1, (300, 2)) * [8, 1], rng.integers(0, 2, 300)
    given = {"setting": setting, "classes": None, "epsilon": 1}
    fits = [classifier(rng=seed, **given).fit(X, y) for seed in range(40)]
    drawn = np.std([np.append(one.coef_, one.intercept_) for one in fits], axis=0, ddof=1)
    found = fits[0].summary()
    assert np.all(np.abs(np.log(drawn / found.noise)) < np.log(1.5))  # 40 draws: 4 stds of 11%
    text = " ".join(str(found).split())
    assert "dp.regressions.LogisticDescent(), more records" in text
    assert "larger penalty" not in text
    assert "The penalty may shrink coefficients towards zero and odds ratios towards 1" in text


def test_an_odds_ratio_is_printed_with_its_noise_only() -> None:
    """As the range of two stds; beyond 100 and 0.01 not as a number, and not in noise alone."""
    X, right = two_groups()
    found = classifier().fit(X, right.astype(int)).summary()
    for coefficient, noise, printed in (
        (0.5, 0.1, "1.6 (1.3 to 2.0)"),
        (8.9, 1.6, "> 100"),
        (6.0, 1.6, "> 100 (16 to > 100)"),
        (-6.0, 0.1, "< 0.01"),
        (1.0, 3.0, "lost in noise"),
    ):
        one = attrs.evolve(
            found, coefficients=np.full(3, coefficient), noise=np.array([noise, 0.1, 0.1])
        )
        assert str(one).split("x0")[1].splitlines()[0].endswith(f"  {printed}")
    unknown = attrs.evolve(found, noise=np.full(3, np.nan))
    assert "odds ratio" not in str(unknown).partition("\n\n")[2].partition("\n\n")[0]
    assert unknown.records()[0]["odds_lower"] is None


def test_an_odds_ratio_is_for_a_power_of_ten_within_the_declared_range():
    """In words; tables without a codebook do not have the column."""
    rows = dp.Rows(
        columns=[dp.Numeric("age", 18, 90), dp.Numeric("dose", "0.04", "0.18")], intercept=True
    )
    setting = dp.Setting(X=rows, y=dp.Column("s", levels=[0, 1]), relation=dp.ADD_REMOVE)
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 1, (500, 2)) * [72, 0.14] + [18, 0.04]
    model = classifier(None, setting).fit(X, (X[:, 1] > 0.1).astype(int))
    found = model.summary()
    age, dose, intercept = found.records()
    assert dose["odds_ratio"] == pytest.approx(np.exp(0.1 * dose["coef"]))
    assert age["odds_ratio"] == pytest.approx(np.exp(10 * age["coef"]))
    assert (age["per"], dose["per"], intercept["per"]) == ("10 more", "0.1 more", "")
    assert "0.1 more" in str(found)
    X, right = two_groups()
    assert " per" not in str(classifier().fit(X, right.astype(int)).summary())


def test_the_default_is_the_descent_and_its_summary_predicts_the_noise():
    """Nothing to choose; at a small budget the summary says that noise dominates."""
    X, right = two_groups()
    model = classifier(regression=None, epsilon=1).fit(X, right.astype(int))
    assert model.certificate_.regression == dp.regressions.LogisticDescent()
    assert "predicted noise std" in str(model.summary())
    small = classifier(regression=None, epsilon="0.1").fit(X, right.astype(int)).summary()
    assert "Most coefficients are within two stds of the noise. More records" in " ".join(
        str(small).split()
    )
    assert model.score(X, right.astype(int)) > 0.7


def test_a_summary_says_how_much_strong_effects_are_shrunk():
    """By a figure near that of the fit without noise and penalty; weak effects have none."""
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric(f"c{j}", -1, 1) for j in range(3)], intercept=True),
        y=dp.Column("s", levels=[0, 1]),
        relation=dp.ADD_REMOVE,
    )
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 3))
    for size, low, high in ((8.0, 0.4, 0.9), (0.5, 0.95, 1.0)):
        odds = X @ [size, -size, 0.0]
        y = (rng.random(2000) < 1 / (1 + np.exp(-odds))).astype(int)
        model = classifier(None, setting, regression=None, epsilon=1).fit(X, y)
        drawn = float(np.polyfit(odds, model.decision_function(X), 1)[0])
        kept = model.result_.output.kept
        assert low < kept < high
        assert kept == pytest.approx(drawn, abs=0.2)
        text = " ".join(str(model.summary(notes=True)).split())
        assert (f"log-odds to about {kept:.0%} of their size" in text) == (kept < 0.95)
        assert "Do not form intervals from it." in text


def test_a_fit_survives_cloning_pickling_and_cross_validation() -> None:
    """Classes are a parameter; what was fitted travels."""
    X, y = two_groups()
    model = classifier((False, True)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert clone(model).get_params()["classes"] == (False, True)
    assert cross_val_score(model, X, y, cv=3, scoring="roc_auc").min() > 0.8
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


# which classes there are ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (dp.Column(lower=0, upper=1), [0, 1]),
        (dp.Column(bound=1), [-1, 1]),
        (dp.Column(bound="5/2"), [-2.5, 2.5]),
        (dp.Column(levels=["no", "yes"]), ["no", "yes"]),
        (dp.Column(levels=[True, False]), [False, True]),
        (dp.Column(levels=np.array([3, 1])), [1, 3]),
    ],
    ids=str,
)
def test_the_setting_declares_classes(y: Any, classes: list[Any]) -> None:
    """By a list, or by both ends of the labels' bounds."""
    setting = dp.Setting(X=BALL.X, y=y, relation=dp.ADD_REMOVE)
    X, right = two_groups()
    model = classifier(None, setting).fit(X, np.array(classes)[right.astype(int)])
    assert model.classes_.tolist() == classes
    assert model.coef_[0, 0] > 0
    if y.levels is None:
        return
    with pytest.raises(dp.InvalidArgument, match="those of the setting"):
        classifier(("a", "b"), setting).fit(X, right)


@pytest.mark.parametrize("levels", [["ok", "late"], ["late", "ok"]], ids=str)
def test_a_summary_is_of_the_second_declared_class(levels: list[str]) -> None:
    """With the signs of a linear fit; `coef_` is of the last class in sorted order."""
    X, right = two_groups()
    y = np.array(levels)[right.astype(int)]
    setting = dp.Setting(X=BALL.X, y=dp.Column("day", levels=levels), relation=dp.ADD_REMOVE)
    model = classifier(None, setting).fit(X, y)
    summary = model.summary()
    assert summary.header["log-odds"] == f"of {levels[1]} against {levels[0]}"
    assert summary.header["label"] == f"day, {levels[0]} (0) or {levels[1]} (1)"
    assert summary.coefficients[0] > 0
    assert (model.coef_[0, 0] > 0) == (levels[1] == "ok")
    assert any("opposite" in note for note in summary.notes) == (levels[1] != "ok")


ONE_TOO_FEW, ONE_TOO_MANY = ["a"], ["a", "b", "c"]
BAD_CLASSES = [
    *(ONE_TOO_FEW, ONE_TOO_MANY),
    *(["a", 1], ["a", "a"], [1, True], "ab", [1, np.nan], [[1], 2], 3),
]


@pytest.mark.parametrize("classes", BAD_CLASSES, ids=repr)
def test_what_is_no_pair_of_classes_is_refused(classes: Any) -> None:
    """By the name of the argument, before data is read; and in the setting."""
    with pytest.raises(dp.InvalidArgument, match="classes must be"):
        classifier(classes).fit(None, None)
    with pytest.raises(dp.InvalidArgument, match="levels must be"):
        dp.Column(levels=classes)


def test_without_classes_there_is_no_fit() -> None:
    """They are never read from labels: a symbolic bound says none, nor does no column."""
    with pytest.raises(dp.InvalidArgument, match="levels="):
        classifier(None).fit(None, None)
    symbolic = dp.Setting(X=BALL.X, y=dp.Column(bound=dp.parameter("Y")), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="levels="):
        classifier(None, symbolic).fit(None, None)
    with pytest.raises(dp.InvalidArgument, match="levels alone"):
        dp.Column(levels=["a", "b"], bound=1)


STRANGE = [None, np.nan, "no ", "NO", b"no", 0, 3, True, object(), [1], np.datetime64("2020-01-01")]


@pytest.mark.parametrize("cell", STRANGE, ids=lambda cell: type(cell).__name__)
def test_a_label_of_no_class_is_missing(cell: Any) -> None:
    """Refused by name; or its row is dropped, and no other."""
    X, right = two_groups(50)
    y = np.where(right, "yes", "no").astype(object)
    spoiled = y.copy()
    spoiled[7] = cell
    for labels in (spoiled, list(spoiled), pd.Series(spoiled)):
        with pytest.raises(dp.BadData, match=r"y must be 'no' or 'yes'.*dp\.PrivateClassifier"):
            classifier(("no", "yes")).fit(X, labels)
        model = classifier(("no", "yes"), missing="drop").fit(X, labels)
        others = np.arange(50) != 7
        expected = classifier(("no", "yes")).fit(X[others], y[others])
        assert model.coef_ == pytest.approx(expected.coef_)


def test_counts_are_refused() -> None:
    """They are no classes; nothing is fitted as if they were."""
    X, _ = two_groups(50)
    counts = np.random.default_rng(0).poisson(3, 50)
    setting = dp.Setting(X=BALL.X, y=dp.Column(lower=0, upper=20), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="codes of them; got numbers from 0 to 20"):
        classifier(None, setting).fit(X, counts)
    setting = dp.Setting(X=BALL.X, y=dp.Column(levels=[0, 20]), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.BadData, match="y must be 0 or 20"):
        classifier(None, setting).fit(X, counts)


def in_frames(frame: pd.DataFrame, path: Any) -> Any:
    """The same table in a file, in another library's frame, in blocks."""
    csv, parquet = str(path / "t.csv"), str(path / "t.parquet")
    frame.to_csv(csv, index=False)
    frame.to_parquet(parquet)
    arrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    yield from (csv, parquet, arrow.Table.from_pandas(frame), polars.from_pandas(frame))
    yield (frame[start : start + 50] for start in range(0, 200, 50))


@pytest.mark.parametrize("levels", [["no", "yes"], [0, 1], [False, True]], ids=repr)
def test_every_source_of_labels_gives_the_same_sums(levels: Any, tmp_path: Any) -> None:
    """To the last bit: a code is made cell by cell."""
    X, right = two_groups(200)
    y = np.array(levels)[right.astype(int)]
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    setting = dp.Setting(X=BALL.X, y=dp.Column("y", levels=levels), relation=dp.ADD_REMOVE)
    numbers = dp.Setting(X=BALL.X, y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run, plain = certified(setting), certified(numbers)
    expected = dp.execute(plain, X, 2.0 * right - 1, rng=0).output.coefficients
    for labels in (y, list(y), y.astype(object), pd.Series(y), frame["y"].astype("category")):
        found = dp.execute(run, X, labels, rng=0).output.coefficients
        assert found == pytest.approx(expected, rel=1e-12)
    first = dp.execute(run, X, y, rng=0).output.coefficients
    for source in in_frames(frame, tmp_path):
        assert np.array_equal(dp.execute(run, source, "y", rng=0).output.coefficients, first)


def certified(setting: dp.Setting) -> Any:
    """Sums of a table that one pass can read."""
    return dp.certify(dp.SSP(), target=dp.ApproxDP(MUCH, "1e-6"), setting=setting)


def test_a_summary_says_that_the_released_number_of_records_is_noise():
    """As when every row has an undeclared level and is dropped."""
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Categorical("team", ["a", "b"])], intercept=True),
        y=dp.Column("s", levels=[0, 1]),
        relation=dp.ADD_REMOVE,
    )
    teams, labels = np.array(["a", "b"] * 500)[:, None], np.array([0, 1, 1, 0] * 250)
    for rows, noted in ((teams, False), (np.char.upper(teams), True)):
        model = classifier(None, setting, regression=None, epsilon=1, missing="drop")
        summary = model.fit(rows, labels).summary()
        assert summary.header["records"] != "not released"
        assert any("hardly above its noise" in note for note in summary.notes) is noted
