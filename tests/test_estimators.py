"""PrivateRegressor keeps scikit-learn's habits where privacy allows, and says where it does not."""

import pickle
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import dpframe as dp
from dpframe.graph.maps.bounds import ToUnitInterval
from tests.support.sklearn_checks import checks

BALL = dp.Setting(X=dp.Rows(norm=10), y=dp.Column(bound=10), relation=dp.ADD_REMOVE)
CODEBOOK = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("age", 20, 60), dp.Numeric("years", 0, 30)], intercept=True),
    y=dp.Column("rating", lower=1, upper=5),
    relation=dp.ADD_REMOVE,
)
MUCH = 10**12  # an epsilon at which noise is far below every tolerance here


def simulated(regression: Any = None, *, setting: dp.Setting = CODEBOOK, **changes: Any) -> Any:
    """An estimator whose noise is a negligible simulation."""
    given = {"epsilon": MUCH, "delta": "1e-6", "rng": 0, **changes}
    return dp.PrivateRegressor(
        dp.SSP(ridge=0) if regression is None else regression, setting=setting, **given
    )


def people(n: int = 400) -> tuple[pd.DataFrame, pd.Series]:
    """Ages, years and an exactly linear rating."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, n), "years": rng.uniform(0, 30, n)})
    return frame, 1.5 + 0.03 * frame["age"] + 0.02 * frame["years"]


class Untouchable:
    """Data that no one may look at."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"the data was asked for its {name}")


# scikit-learn's own checks -------------------------------------------------------------------

# With rng=None three more fail, since each fit draws fresh noise: check_fit_idempotent,
# check_regressors_int and check_regressor_data_not_an_array.


def scikit_learn_checks() -> Iterator[Any]:
    """Of a family under each relation."""
    exact = simulated(dp.SSP(), setting=BALL, epsilon=10**6)
    replaced = attrs.evolve(BALL, X=dp.Rows(norm=10, intercept=True), relation=dp.REPLACE_ONE)
    for estimator in (exact, simulated(dp.AdaSSP(), setting=replaced)):
        yield from checks(estimator, f"{type(estimator.regression).__name__}-")


@pytest.mark.parametrize(("estimator", "check"), [*scikit_learn_checks()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    """scikit-learn's checks hold, but for the listed exceptions, each with its reason."""
    check(estimator)


# coefficients and predictions ----------------------------------------------------------------


def test_coefficients_come_in_the_units_of_the_codebook() -> None:
    """The public scaling of features and labels is undone: years of age, points of rating."""
    model = simulated().fit(*people())
    assert model.coef_ == pytest.approx([0.03, 0.02], abs=1e-6)
    assert model.intercept_ == pytest.approx(1.5, abs=1e-5)
    assert model.coef_names_ == ("age", "years")
    assert model.ridge_ == 0


def test_inside_the_bounds_predictions_are_linear_in_the_coefficients() -> None:
    """predict(X) is X @ coef_ + intercept_ where nothing is clipped, at any noise."""
    X, y = people()
    model = simulated(dp.AdaSSP(), epsilon=1).fit(X, y)
    assert model.predict(X) == pytest.approx(X.to_numpy() @ model.coef_ + model.intercept_)


def test_rows_outside_the_bounds_are_predicted_as_the_nearest_inside() -> None:
    """predict clips the way fit does."""
    model = simulated().fit(*people())
    with pytest.warns(dp.errors.DataWarning, match="1 of 2 rows to predict"):
        outside, nearest = model.predict([[100, -5], [60, 0]])
    assert outside == nearest


def test_a_projection_onto_a_ball_is_part_of_predict() -> None:
    """Features scaled by the codebook and projected: predict projects too, coef_ holds inside."""
    rows = attrs.evolve(CODEBOOK.X, norm=1)
    model = simulated(setting=attrs.evolve(CODEBOOK, X=rows)).fit(*people())
    centre, inside, corner, nearest = model.predict(
        [[40, 15], [44, 18], [60, 30], [40 + 20 / 2**0.5, 15 + 15 / 2**0.5]]
    )
    assert [centre, inside] == pytest.approx(
        np.array([[40, 15], [44, 18]]) @ model.coef_ + model.intercept_
    )
    assert corner == pytest.approx(nearest)


def test_without_a_codebook_coefficients_are_as_released() -> None:
    """Rows in a ball, labels in a bound: coef_ and intercept_ are the released vector."""
    X = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    plain = simulated(setting=BALL).fit(X, X[:, 0])
    assert np.array_equal(plain.coef_, plain.result_.output.coefficients)
    assert plain.intercept_ == 0
    assert plain.coef_names_ == ("x0", "x1", "x2")
    with_one = simulated(setting=attrs.evolve(BALL, X=dp.Rows(norm=10, intercept=True))).fit(
        X, 2 + X[:, 0]
    )
    assert np.array_equal(
        [*with_one.coef_, with_one.intercept_], with_one.result_.output.coefficients
    )
    assert with_one.predict(X) == pytest.approx(2 + X[:, 0], abs=1e-4)


def test_scaled_labels_come_back_in_their_units_without_a_codebook_too() -> None:
    """Column(lower, upper) is undone where the features are only bounded by a norm."""
    X = np.random.default_rng(0).uniform(-1, 1, (80, 2))
    setting = attrs.evolve(BALL, X=dp.Rows(norm=2, intercept=True), y=dp.Column(lower=0, upper=10))
    model = simulated(setting=setting).fit(X, 4 + X[:, 1])
    assert model.coef_ == pytest.approx([0, 1], abs=1e-5)
    assert model.intercept_ == pytest.approx(4, abs=1e-5)


def test_categories_have_a_coefficient_a_level() -> None:
    """Without a baseline levels are indicators; predictions refuse another."""
    setting = attrs.evolve(
        CODEBOOK,
        X=dp.Rows(columns=[dp.Categorical("town", ["A", "B"], None), dp.Numeric("age", 20, 60)]),
    )
    frame = pd.DataFrame({"town": ["A", "B"] * 50, "age": np.linspace(20, 60, 100)})
    model = simulated(setting=setting).fit(frame, np.where(frame["town"] == "A", 2.0, 4.0))
    assert model.coef_names_ == ("town[A]", "town[B]", "age")
    assert model.predict(frame[:2]) == pytest.approx([2, 4], abs=1e-5)
    assert model.n_features_in_ == 2
    for town in ("C", True):
        with pytest.raises(dp.BadData, match=r"a prediction needs every value|kind truth value"):
            model.predict(pd.DataFrame({"town": [town], "age": [40]}))


def test_a_regression_that_maps_rows_itself_is_predicted_through_its_maps() -> None:
    """Normalised rows: predictions do not change when a row is stretched."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = simulated(Normalised(), setting=attrs.evolve(BALL, y=dp.Column(bound=1))).fit(
        X, np.sign(X[:, 0])
    )
    assert model.predict(3 * X[:5]) == pytest.approx(model.predict(X[:5]))


def test_columns_scaled_by_public_numbers_come_back_in_their_units() -> None:
    """coef_ and intercept_ undo them; what is not undone is named so."""
    model = simulated(Rescaled()).fit(*people())
    assert model.coef_ == pytest.approx([0.03, 0.02], abs=1e-5)
    assert model.intercept_ == pytest.approx(1.5, abs=1e-3)
    assert model.coef_names_ == ("age", "years")
    setting = attrs.evolve(BALL, y=dp.Column(bound=1))
    mapped = simulated(Normalised(), setting=setting).fit(np.eye(2), np.ones(2))
    assert mapped.coef_names_ == ("x0 (mapped)", "x1 (mapped)")


TOWNS = [dp.Categorical("town", ["A", "B", "C"]), dp.Numeric("age", 20, 60)]
MOVED = {  # how rows and labels are mapped, and whether that may move rows under the codebook
    "below": (lambda X, y: (X.clip(norm=1), y), True),
    "at": (lambda X, y: (X.clip(norm=X.radius), y), False),
    "above": (lambda X, y: (X.clip(norm=2), y), False),
    "of scaled rows, below": (lambda X, y: ((X / 2).clip(norm="1/2"), y), True),
    "of scaled rows, at": (lambda X, y: ((X / 2).clip(norm=X.radius / 2), y), False),
    "scaled later": (lambda X, y: (X.clip(norm=1) / 2, y), True),
    "twice": (lambda X, y: (X.clip(norm=2).clip(norm=1), y), True),
    "of entries, below": (lambda X, y: (X.boxed("1/2"), y), True),
    "of entries, above": (lambda X, y: (X.boxed(2), y), False),
    "of labels": (lambda X, y: (X, y.clip("-1/2", "1/2")), False),
}


@pytest.mark.parametrize("place", MOVED)
def test_coefficients_of_rows_that_a_clip_may_move_are_named_so(place: str) -> None:
    """Plain names: predict(X) is X @ coef_ + intercept_; else it is so of the mapped rows."""
    rng, (change, moved) = np.random.default_rng(0), MOVED[place]
    table = pd.DataFrame({"town": rng.choice(list("ABC"), 200), "age": rng.uniform(20, 60, 200)})
    setting = attrs.evolve(CODEBOOK, X=dp.Rows(columns=TOWNS, intercept=True))
    labels = 1 + 0.05 * table["age"] + (table["town"] == "B")
    model = simulated(Changed(change), setting=setting).fit(table, labels)
    names = ["town[B]", "town[C]", "age"]
    plain = np.column_stack([table["town"] == "B", table["town"] == "C", table["age"]])
    if moved:
        coded = ["town[code 1]", "town[code 2]", "age", "intercept"]
        names, plain = [f"{name} (mapped)" for name in coded], model._mapped_rows(table)
    assert [*model.coef_names_] == names
    assert plain @ model.coef_ + model.intercept_ == pytest.approx(model.predict(table))


def test_a_clip_below_the_norm_of_bounded_rows_is_named_without_a_codebook_too() -> None:
    """The norm of the setting keeps the names of its columns; one below it does not."""
    for norm, names in ((1, ("x0 (mapped)", "x1 (mapped)")), (10, ("x0", "x1"))):
        changed = Changed(lambda X, y, norm=norm: (X.clip(norm=norm), y))
        assert simulated(changed, setting=BALL).fit(np.eye(2), np.ones(2)).coef_names_ == names


@pytest.mark.parametrize(
    "place", ["divided", "clipped", "counted", "there and back", "weighed alike"]
)
def test_released_numbers_that_rows_are_mapped_by_are_undone(place: str) -> None:
    """Divided by one, clipped to one; what is summed beside them scales nothing."""
    X, y = people()
    model = simulated(Scaling(place)).fit(X, y)
    assert model.coef_ == pytest.approx([0.03, 0.02], abs=1e-4)
    assert model.predict(X) == pytest.approx(y, abs=1e-3)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_sums_times_different_numbers_give_coefficients_in_units_that_nobody_knows() -> None:
    """A function may divide by them, or not; times one number, they cancel."""
    for gram, moment, names in ((2, 2, ("x0", "x1")), (1, 2, ("x0 (mapped)", "x1 (mapped)"))):
        model = simulated(Multiplied(gram, moment), setting=BALL).fit(np.eye(2), np.ones(2))
        assert model.coef_names_ == names


UNKNOWN = ["labels", "shifted", "labels by a number", "twice", "matrix"]


@pytest.mark.parametrize("place", [*UNKNOWN, "onto", "weighed", "shrunk"])
def test_what_nothing_undoes_is_refused_before_the_fit(place: str) -> None:
    """Scaled labels, a matrix that no function reads: coefficients of other units."""
    with pytest.raises(dp.InvalidArgument, match=r"got Scaling, which (does|weighs|shrinks)"):
        simulated(Scaling(place)).fit(*people())


def solved(gram: Any, moment: Any, *others: Any) -> Any:
    """Least squares."""
    return np.linalg.solve(gram, moment)


def eight(sums: Any) -> float:
    """A number that was released."""
    return 8.0


class Scaling(dp.Regression):
    """Least squares of rows and labels of which something is scaled."""

    place: str = ""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        share, *shares = budget.split_evenly(4)
        sums = dp.release(X.sum(), dp.Gaussian.analytic, share, name="sums")
        number = dp.known(dp.post(eight, sums), 7, 9, name="number")
        rows, labels, other = {
            "divided": (X / number, y, X),
            "clipped": (X.clip(norm=number), y, X),
            "counted": (X, y, X / 2),
            "labels": (X, y / 2, X),
            "shifted": (X, (y - "1/4").clip(-2, 2), X),
            "labels by a number": (X, y / number, X),
            "twice": (X, (y / 2) / number, X),
            "there and back": (X, (y / 2) * 2, X),
            "onto": (X, ToUnitInterval(y, -2, 2), X),
            "weighed": (X.weighted("1/2"), y, X),
            "weighed alike": (X.weighted("1/2"), y.weighted("1/2"), X),
            "shrunk": (X, y.shrunk_with(X, norm="1/2"), X),
            "matrix": (X.times(dp.graph.public_array(np.diag([2, 1, 1]))).clip(norm=4), y, X),
        }[self.place]
        read = (rows.T @ rows, rows.T @ labels, other.sum())
        pairs = zip(read, shares, strict=True)
        seen = [dp.release(one, dp.Gaussian.analytic, pay) for one, pay in pairs]
        return dp.post(solved, *seen, sums, number if self.place == "twice" else 8)


class Multiplied(dp.Regression):
    """Least squares of X'X and X'y, each released times a public number."""

    gram: int = 1
    moment: int = 1

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        read = (self.gram * (X.T @ X), self.moment * (X.T @ y))
        pairs = zip(read, budget.split_evenly(2), strict=True)
        return dp.post(solved, *(dp.release(a, dp.Gaussian.analytic, b) for a, b in pairs))


class Rescaled(dp.Regression):
    """Least squares on rows that public numbers shift and scale, the constant column too."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        rows = X.scaled_columns(by=[2, "1/2", 3], minus=["1/4", 1, -1]) / 2
        return dp.SSP(ridge=0).declare(rows.clip(norm=20), y, budget)


class Changed(dp.Regression):
    """Least squares on changed rows and labels."""

    change: Any

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.SSP(ridge=0).declare(*self.change(X, y), budget)


class Normalised(dp.Regression):
    """Least squares on rows of norm 1."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.SSP(ridge=0).declare(X.normalized(), y, budget)


# data frames ---------------------------------------------------------------------------------


def test_a_codebook_picks_its_columns_by_name() -> None:
    """Order and further columns of a data frame do not matter, in fit or predict."""
    X, y = people()
    wide = X.assign(name="someone")[["years", "name", "age"]]
    model, other = simulated().fit(X, y), simulated().fit(wide, y)
    assert np.array_equal(model.coef_, other.coef_)
    assert np.array_equal(model.predict(X), other.predict(wide))
    assert list(other.feature_names_in_) == ["age", "years"]
    assert other.n_features_in_ == 2


def test_without_a_codebook_names_must_agree() -> None:
    """scikit-learn's rule: the same columns in the same order."""
    X, y = people()
    model = simulated(setting=attrs.evolve(BALL, X=dp.Rows(norm=70))).fit(X, y)
    assert list(model.feature_names_in_) == list(model.coef_names_) == ["age", "years"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["years", "age"]])


def test_polars_frames_are_read_too() -> None:
    """polars and pandas give the same fit."""
    polars = pytest.importorskip("polars")
    X, y = people()
    frame = polars.DataFrame({name: X[name].to_numpy() for name in X})
    model = simulated().fit(frame, polars.Series(y.to_numpy()))
    assert np.array_equal(model.coef_, simulated().fit(X, y).coef_)
    assert len(model.predict(frame)) == len(X)


def test_missing_values_are_refused_by_name_or_dropped() -> None:
    """fit refuses, naming the column, unless missing="drop"; predict refuses."""
    X, y = people()
    X.loc[3, "age"] = np.nan
    with pytest.raises(dp.BadData, match="column age"):
        simulated().fit(X, y)
    model = simulated(missing="drop").fit(X, y)
    assert model.coef_ == pytest.approx([0.03, 0.02], abs=1e-6)
    with pytest.raises(dp.BadData, match="column age"):
        model.predict(X)


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_tables_are_fitted(n: int) -> None:
    """No rows, or fewer than columns: whether that is so is private."""
    X, y = people(n)
    model = simulated(dp.AdaSSP(), epsilon=1).fit(X, y)
    assert model.coef_.shape == (2,)
    assert np.isfinite(model.predict(people(3)[0])).all()
    assert model.predict(X).shape == (n,)


# parameters ----------------------------------------------------------------------------------

BAD = [
    *(("epsilon", value) for value in (True, 0, -1, float("nan"), float("inf"), "x", None, [1])),
    *(("delta", value) for value in (True, 1, -1e-9, float("nan"), "x", [0.1])),
    *(("regression", value) for value in (dp.SSP, "SSP", 3)),
    *(("setting", value) for value in (None, attrs.evolve(BALL, y=None))),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_bad_parameters_are_refused_by_name_before_data_is_touched(name: str, value: Any) -> None:
    """Construction accepts anything, as scikit-learn wants; fit names what is wrong."""
    model = simulated().set_params(**{name: value})
    with pytest.raises(dp.DPFrameError, match=name):
        model.fit(Untouchable(), Untouchable())


@pytest.mark.parametrize(("name", "value"), [("missing", "ignore"), ("rng", "seed"), ("rng", -1)])
def test_bad_ways_of_running_are_refused_by_name(name: str, value: Any) -> None:
    """So are rng and missing, before anything is drawn."""
    with pytest.raises(dp.InvalidArgument, match=name):
        simulated().set_params(**{name: value}).fit(*people())


def test_a_regression_that_is_not_private_is_refused_before_data_is_touched() -> None:
    """SSP as coded spends epsilon twice: no fit."""
    with pytest.raises(dp.Uncertified):
        simulated(dp.literature.SSPWangCoded(), epsilon=1).fit(Untouchable(), Untouchable())


def test_symbols_without_numbers_are_refused_by_name() -> None:
    """A bound that is a parameter needs a number."""
    setting = attrs.evolve(BALL, X=dp.Rows(norm=dp.parameter("B", 0)))
    with pytest.raises(dp.InvalidArgument, match="got free B"):
        simulated(setting=setting).fit(Untouchable(), Untouchable())


@pytest.mark.parametrize("delta", [0, None])
def test_delta_of_zero_asks_for_pure_privacy(delta: Any) -> None:
    """The certificate then says so."""
    model = simulated(PureMoment(), setting=BALL, delta=delta, epsilon=1).fit(np.eye(2), [1, 2])
    assert isinstance(model.certificate_.target, dp.PureDP)
    assert model.ridge_ is None


class PureMoment(dp.Regression):
    """X'y alone, with Laplace noise; enough where rows are orthonormal."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.release(X.T @ y, dp.Laplace.pure, budget)


def test_an_output_without_coefficients_is_refused_before_data_is_read() -> None:
    """Its shape is known from the graph."""
    model = simulated(JustCount(), setting=BALL, epsilon=1)
    with pytest.raises(dp.InvalidArgument, match=r"regression must be .*2 coefficients"):
        model.fit(np.eye(2), [1, 2])
    assert not hasattr(model, "result_")


class JustCount(dp.Regression):
    """How many records: no regression."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.release(dp.count(X), dp.Gaussian.analytic, budget)


# habits --------------------------------------------------------------------------------------


def test_the_certificate_and_the_receipt_tell_what_was_spent() -> None:
    """The receipt names the certificate; the noise is the operating system's by default."""
    model = simulated(dp.SSP(), epsilon=1, rng=None).fit(*people())
    assert model.receipt_.certificate == model.certificate_.hash
    assert model.receipt_.private
    assert "1e-6" in str(model.receipt_)


def test_parameters_changed_after_fit_do_not_change_predictions() -> None:
    """predict follows the certificate, not the parameters."""
    X, y = people()
    model = simulated().fit(X, y)
    before = model.predict(X)
    model.set_params(setting=BALL, epsilon=None)
    assert np.array_equal(model.predict(X), before)


def test_a_pickled_fit_is_proved_anew() -> None:
    """A fitted estimator travels; its certificate is verified again where it arrives."""
    X, y = people()
    model = simulated().fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    assert np.array_equal(other.predict(X), model.predict(X))
    assert other.certificate_.hash == model.certificate_.hash


def test_fitting_one_table_again_warns_once() -> None:
    """execute says it; the estimator does not repeat it."""
    X, y = people()
    model = simulated(rng=None, epsilon=1).fit(X, y)
    with pytest.warns(dp.PrivacyWarning, match=r"execution 2 on") as caught:
        model.fit(X, y)
    assert len(caught) == 1


def test_a_table_between_fits_of_another_is_in_the_sum() -> None:
    """The same object, a copy, the same object: the third fit warns of all three."""
    (X, y), model = people(), simulated(rng=None, epsilon=1)
    with pytest.warns(dp.PrivacyWarning):
        model.fit(X, y).fit(X.copy(), y)
    with pytest.warns(dp.PrivacyWarning) as caught:
        model.fit(X, y)
    assert any(
        "Fit 3 of this" in (said := str(one.message)) and ", 3e-6)-differential" in said
        for one in caught
    )


def test_cross_validation_works_and_warns_with_the_sum() -> None:
    """Folds are copies, so the estimator counts the fits of its clones."""
    model = simulated(rng=None, epsilon=1, delta="1e-6")
    with pytest.warns(dp.PrivacyWarning) as caught:
        scores = cross_val_score(model, *people(), cv=3)
    assert np.isfinite(scores).all()
    said = [str(one.message) for one in caught]
    sums = [text for text in said if "differential privacy" in text]
    assert [", 2e-6)-diff" in sums[0], ", 3e-6)-diff" in sums[-1]] == [True, True]
    assert all("(1." in text or "(0." in text for text in (sums[0], sums[-1]))  # joint costs
    assert "not private" in sums[-1]
    of_scores = "A score is computed from labels without noise: it is not private."
    assert said.count(of_scores) == 1  # for all clones


def test_with_a_ledger_the_total_is_left_to_it(tmp_path: Path) -> None:
    """It has the exact one, which a sum of (epsilon, delta) is not; what it assumes is stated."""
    ledger = dp.Ledger(tmp_path / "ledger.sqlite")
    ledger.create("t", dp.ApproxDP(10, "1e-4"), relation=dp.ADD_REMOVE, by=dp.ApproxDP)
    model = simulated(rng=None, epsilon=1, delta="1e-6", ledger=ledger, dataset="t")
    with pytest.warns(dp.PrivacyWarning) as caught:
        cross_val_score(model, *people(), cv=3)
    score, folds = (str(one.message) for one in caught)
    assert score.startswith("A score is computed from labels without noise")
    assert "Its total holds only if no person moves another" in folds
    assert "epsilon 3 of 10" in str(ledger.account("t"))


@pytest.mark.filterwarnings("default::dpframe.errors.PrivacyWarning")
def test_warnings_are_at_the_line_of_whoever_fits() -> None:
    """Of a second fit, and of a score: not at a line of dpframe."""
    model, table = simulated(rng=None), people()
    with pytest.warns(dp.PrivacyWarning) as caught:
        model.fit(*table).fit(*table).score(*table)
    assert {one.filename for one in caught} == {__file__}


def test_simulations_are_not_counted() -> None:
    """With a seed nothing private is spent, so nothing is warned about."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cross_val_score(simulated(), *people(), cv=3).min() > 0.99


def test_a_refused_fit_is_not_counted() -> None:
    """Only what was released adds up."""
    X, y = people()
    model = simulated(rng=None, epsilon=1)
    with pytest.raises(dp.BadData):
        model.fit(X, y[:-1])
    model.fit(X, y)


@pytest.mark.parametrize(
    ("epsilon", "delta", "name"), [(1, "1e-6", "JointSSP"), (1, None, "ObjPertPure")]
)
def test_with_no_regression_named_it_takes_the_one_that_is_recommended(epsilon, delta, name):
    """The flagship, and objective perturbation where there is no delta."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 2)) / 4
    y = np.clip(X @ [0.5, -0.2] + 0.1 * rng.normal(size=3000), -1, 1)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    warned = pytest.warns(UserWarning, match=r"ObjPertPure\(\): .* without standard errors")
    with nullcontext() if delta else warned:
        model = dp.PrivateRegressor(epsilon=epsilon, delta=delta, setting=setting, rng=0).fit(X, y)
    assert type(model.certificate_.regression).__name__ == name
    assert model.get_params()["regression"] is None
    if name == "JointSSP":
        assert model.coef_ == pytest.approx([0.5, -0.2], abs=0.05)
        assert name in str(model.summary())
