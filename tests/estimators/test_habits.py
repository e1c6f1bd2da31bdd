"""What scikit-learn's users write out of habit: it works, or a sentence says what to write."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV

import dpframe as dp
from dpframe.errors import BadData, DataWarning, InvalidArgument

ROWS = dp.Rows(columns=[dp.Numeric("age", 18, 64), dp.Categorical("smoker", ["no", "yes"])])
LABELS = dp.Column("charges", lower=0, upper=10_000)
SETTING = dp.Setting(X=ROWS, y=LABELS, relation=dp.ADD_REMOVE)


def table(n=500):
    """Features and labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.uniform(18, 64, n), "smoker": rng.choice(["no", "yes"], n)})
    return X, 100 * X["age"] + rng.normal(0, 100, n)


def model(regression=None, **more):
    """With noise of a seed."""
    given = {"epsilon": 1, "delta": "1e-6", "setting": SETTING, "rng": 0} | more
    return dp.PrivateRegressor(regression, **given)


def classifier(delta="1e-6"):
    """Of two classes."""
    setting = dp.Setting(X=ROWS, y=dp.Column("s", levels=["a", "b"]), relation=dp.ADD_REMOVE)
    declared = dp.regressions.LogisticOutputPerturbation(penalty=50)
    return dp.PrivateClassifier(declared, epsilon=1, delta=delta, setting=setting, rng=0)


def test_parameters_of_the_regression_have_names():
    """Nested, as of a pipeline's steps, also of a declaration inside another."""
    inside = model(dp.regressions.Jointly(of=dp.SSP(ridge=3)))
    found = inside.get_params()
    assert str(found["regression__of__ridge"]) == "3"
    assert "regression__of" not in inside.get_params(deep=False)
    again = clone(inside).set_params(regression__of__ridge=7, epsilon=2)
    assert again.regression == dp.regressions.Jointly(of=dp.SSP(ridge=7))
    assert again.epsilon == 2
    assert inside.regression.of == dp.SSP(ridge=3)  # a declaration is never changed
    other = model(dp.SSP()).set_params(regression=dp.JointSSP(), regression__rounds=2)
    assert other.regression == dp.JointSSP(rounds=2)


@pytest.mark.parametrize(
    ("regression", "name", "said"),
    [
        (dp.SSP(), "regression__rigde", "Did you mean 'ridge'?"),
        (dp.SSP(), "regression__ridge__more", "a declaration that has 'more'"),
        (None, "regression__ridge", "regression=dp.JointSSP"),
    ],
)
def test_parameters_that_are_none_are_refused(regression, name, said):
    """By what there is."""
    with pytest.raises(InvalidArgument, match=said):
        model(regression).set_params(**{name: -1}).fit(*table(20))


@pytest.mark.filterwarnings("ignore::dpframe.errors.PrivacyWarning")
def test_grid_searches_vary_the_regression():
    """Each fit of which costs, and is warned about elsewhere."""
    search = GridSearchCV(model(dp.SSP()), {"regression__ridge": [1, 10**6]}, cv=2)
    assert search.fit(*table()).best_params_ == {"regression__ridge": 1}


def test_a_column_of_labels_is_flattened_and_several_are_refused():
    """With scikit-learn's warning; several need several budgets."""
    X, y = table()
    plain = model().fit(X, y).coef_
    for column in (y.to_numpy()[:, None], y.to_frame()):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert np.array_equal(model().fit(X, column).coef_, plain)
    for several in (np.column_stack([y, y]), pd.DataFrame({"a": y, "b": y})):
        with pytest.raises(BadData, match="its own share of the budget"):
            model().fit(X, several)


def test_weights_are_refused_with_the_way_out():
    """And are no parameter of fit: ensembles draw their own samples instead."""
    X, y = table(20)
    for one, labels in ((model(), y), (classifier(), ["a", "b"] * 10)):
        with pytest.raises(InvalidArgument, match="square root of a public weight"):
            one.fit(X, labels, sample_weight=np.ones(20))
        with pytest.raises(InvalidArgument, match="X, y, epsilon and executor"):
            one.fit(X, labels, weights=np.ones(20))


def test_without_a_setting_it_says_what_one_is():
    """Not Python's own error."""
    with pytest.raises(InvalidArgument, match=r"setting must be a dp.Setting.*Such as dp.Setting"):
        model(setting=None).fit(*table(20))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dp.Setting(X=dp.Rows(norm=1)), "relation must be dp.ADD_REMOVE or dp.REPLACE_ONE"),
        (
            lambda: dp.PrivateRegressor(epsilon=1, setting=SETTING).fit(*table(20)),
            "delta must be g",
        ),
        (
            lambda: dp.PrivateRegressor(delta=0, setting=SETTING).fit(*table(20)),
            "epsilon must be g",
        ),
        (lambda: model(dp.SSP(), delta=0).fit(*table(20)), "delta must be above 0 for Gaussian"),
        (
            lambda: classifier(delta=0).fit(*table(20)),
            "delta must be above 0 for two classes",
        ),
        (lambda: model(Needless(), delta=0).fit(*table(20)), "share must be given to Gaussian.ana"),
    ],
)
def test_what_is_left_out_is_named(make, said):
    """A relation, a budget; and a delta where Gaussian noise needs one, but for other mistakes."""
    with pytest.raises(InvalidArgument, match=said):
        make()


class Needless(dp.Regression):
    """A release without a share."""

    def declare(self, X, y, budget):
        return dp.release(X.T @ y, dp.Gaussian.analytic)


@pytest.mark.parametrize("kind", [bool, int, float, "boolean"])
def test_a_category_of_texts_is_no_column_of_numbers(kind):
    """`True` is not `yes`: where all levels are texts no number is one, which once was silent."""
    X, y = table()
    wrong = X.assign(smoker=(X["smoker"] == "yes").astype(kind))
    fitted = model().fit(X, y)
    for ask in (lambda: model().fit(wrong, y), lambda: fitted.predict(wrong)):
        with pytest.raises(BadData, match=r"smoker of X must be text, as its levels are"):
            ask()
    with pytest.warns(DataWarning, match="is left out, by missing='drop'"):
        model(missing="drop").fit(wrong, y)


def test_a_column_of_nearly_that_name_is_named():
    """Names are public."""
    with pytest.raises(BadData, match="Did you mean 'smokr'"):
        model().fit(table()[0].rename(columns={"smoker": "smokr"}), table()[1])


def test_a_text_that_is_no_epsilon_is_shown():
    """It would be the name of a column, under replace-one."""
    with pytest.raises(InvalidArgument, match=r"got 'three'\. A text is a number"):
        model(epsilon="three").fit(*table())


def test_a_fitted_model_is_printed_as_it_was_written():
    """Without Fractions, and without what is as by default."""
    said = repr(SETTING_AS_WRITTEN)
    assert "Fraction" not in said
    assert "None" not in said
    names = {name: getattr(dp, name) for name in dir(dp) if name in WRITTEN}
    assert eval(said, names) == SETTING_AS_WRITTEN


WRITTEN = {"Setting", "Rows", "Column", "Numeric", "Categorical", "ADD_REMOVE", "REPLACE_ONE"}
SETTING_AS_WRITTEN = dp.Setting(
    X=dp.Rows(
        columns=[dp.Numeric("age", 18, 64), dp.Categorical("smoker", ["no", "yes"])], intercept=True
    ),
    y=dp.Column("costs", lower=0, upper=40_000),
    relation=dp.ADD_REMOVE,
    rows_per_person=3,
)


@pytest.mark.parametrize("record", [{"age": 40}, [40, "yes"], [{"age": 40}], [[40]]], ids=repr)
def test_one_record_is_a_table_of_one_row(record):
    """Neither a dict nor the cells alone are one; the error says what is, and blames no column."""
    with pytest.raises(BadData, match=r"a table of one row: pandas\.DataFrame") as refusal:
        model().fit(*table()).predict(record)
    assert "column age" not in str(refusal.value)


@pytest.mark.parametrize("spoilt", [["b", "a"], ["a", "b", "c"]])
def test_a_fit_that_fails_keeps_the_names_of_the_fit_before(spoilt):
    """Rows to predict are those of the coefficients, not of the table that was refused."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, (500, 2)), columns=["a", "b"])
    ball = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    fitted = model(dp.SSP(), setting=ball, epsilon=100).fit(X, X["a"] / 2)
    before = fitted.predict(X)
    with pytest.raises(BadData, match="finite"):
        fitted.fit(pd.DataFrame(np.nan, index=X.index, columns=spoilt), X["a"] / 2)
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(fitted.predict(X), before)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X[["b", "a"]])


def test_a_first_fit_that_fails_leaves_no_names():
    """As before the fit."""
    X, y = table()
    unfitted = model()
    with pytest.raises(BadData, match="finite"):
        unfitted.fit(X.assign(age=np.nan), y)
    assert "n_features_in_" not in vars(unfitted)
