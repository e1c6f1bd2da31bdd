"""Coefficients leave in the units of labels and codebook: of numbers, and of log-odds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import dpframe as dp
from dpframe.estimators.links import link

MUCH = 10**12  # an epsilon at which noise is far below every tolerance here
CODEBOOK = dp.Rows(
    columns=[dp.Numeric("age", 18, 90, "years"), dp.Numeric("dose", 0, 250, "mg")], intercept=True
)
N = 4000


def patients() -> tuple[np.ndarray, np.ndarray]:
    """Ages and doses, and who recovers."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.uniform(18, 90, N), rng.uniform(0, 250, N)])
    return X, rng.random(N) < 1 / (1 + np.exp(1 - 0.04 * (X[:, 0] - 50) - 0.01 * X[:, 1]))


def scaled(X: np.ndarray) -> np.ndarray:
    """By the codebook onto [-1, 1], and a constant."""
    return np.column_stack([(X[:, 0] - 54) / 36, (X[:, 1] - 125) / 125, np.ones(len(X))])


def unscaled(theta: np.ndarray) -> np.ndarray:
    """Coefficients of scaled rows in years and mg, the intercept last."""
    slopes = theta[:2] / [36, 125]
    return np.array([*slopes, theta[2] - slopes @ [54, 125]])


def logistic(y: dp.Column, rows: dp.Rows = CODEBOOK, **changes: Any) -> Any:
    """A classifier with a negligible simulation of noise."""
    given = {"epsilon": MUCH, "delta": "1e-6", "rng": 0, **changes}
    regression = given.pop("regression", dp.regressions.LogisticOutputPerturbation(penalty=2))
    setting = dp.Setting(X=rows, y=y, relation=dp.ADD_REMOVE)
    return dp.PrivateClassifier(regression, setting=setting, **given)


CODINGS = {
    "0 and 1": (dp.Column(lower=0, upper=1), [0, 1]),
    "-1 and 1": (dp.Column(bound=1), [-1, 1]),
    "texts": (dp.Column("recovers", levels=["no", "yes"]), ["no", "yes"]),
    "texts, the other first": (dp.Column("recovers", levels=["yes", "no"]), ["no", "yes"]),
    "truth values": (dp.Column(levels=[False, True]), [False, True]),
    "-2 and 2": (dp.Column(bound=2), [-2, 2]),
}


@pytest.mark.parametrize("coding", CODINGS)
def test_log_odds_are_those_of_scikit_learn(coding: str) -> None:
    """Of the same data and penalty: in years and mg, whatever the labels are called."""
    X, recovers = patients()
    column, classes = CODINGS[coding]
    y = np.array(classes)[recovers.astype(int)]
    model = logistic(column).fit(X, y)
    other = LogisticRegression(C=1 / 2, fit_intercept=False, tol=1e-10).fit(scaled(X), y)
    expected = unscaled(other.coef_[0])
    assert model.classes_.tolist() == other.classes_.tolist()
    assert [*model.coef_[0], *model.intercept_] == pytest.approx(expected, rel=1e-4)
    assert model.predict_proba(X) == pytest.approx(other.predict_proba(scaled(X)), abs=1e-5)
    assert (model.predict(X) == other.predict(scaled(X))).all()


@pytest.mark.parametrize("coding", CODINGS)
def test_rows_without_a_codebook(coding: str) -> None:
    """Rows of a ball: scikit-learn's own coefficients."""
    X, recovers = patients()
    rows, (column, classes) = scaled(X) / 2, CODINGS[coding]
    y = np.array(classes)[recovers.astype(int)]
    model = logistic(column, dp.Rows(norm=1)).fit(rows, y)
    other = LogisticRegression(C=1 / 2, fit_intercept=False, tol=1e-10).fit(rows, y)
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-4)


def test_huber_fits_are_in_the_units_of_the_label() -> None:
    """The knee is in halves of the label's range, as the penalty is of scaled rows."""
    X, _ = patients()
    y = 20 + 0.3 * X[:, 0] + np.random.default_rng(1).standard_t(2, N)
    setting = dp.Setting(X=CODEBOOK, y=dp.Column("y", lower=0, upper=60), relation=dp.ADD_REMOVE)
    regression = dp.regressions.HuberOutputPerturbation(penalty=1, knee="1/10")
    model = dp.PrivateRegressor(regression, epsilon=MUCH, delta="1e-6", setting=setting, rng=0)
    model.fit(X, y)
    rows, labels = scaled(X), (np.clip(y, 0, 60) - 30) / 30

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        residuals = rows @ theta - labels
        slopes = np.clip(residuals, -0.1, 0.1)
        loss = np.sum(slopes * (residuals - slopes / 2)) + theta @ theta / 2
        return float(loss), rows.T @ slopes + theta

    theta = minimize(objective, np.zeros(3), jac=True, method="BFGS", options={"gtol": 1e-8}).x
    expected = unscaled(30 * theta) + np.array([0, 0, 30])
    assert [*model.coef_, model.intercept_] == pytest.approx(expected, rel=1e-3, abs=1e-4)


# declarations of one's own -------------------------------------------------------------------


class Tilted(dp.Regression):
    """Objective perturbation of the logistic loss, without a delta."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.graph.tilted_minimum(
            X, y, dp.graph.Logistic(), penalty=2, share=budget, name="theta"
        )


class Descent(dp.Regression):
    """Gradient descent on the logistic loss."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        point = dp.iterate(X.columns)
        noise = dp.Gaussian(std="1/1000000")
        gradients = dp.graph.gradient(X, y, at=point, loss=dp.graph.Logistic())
        step = dp.release(gradients, noise, times=200, name="gradients")
        return dp.post(last, dp.loop(point, step, down))


def down(theta: Any, gradient: Any, turn: int) -> Any:
    """A step."""
    return theta - 5e-4 * (gradient + 2 * theta)


def last(path: Any) -> Any:
    """The last point."""
    return path[-1]


class Halved(dp.Regression):
    """Output perturbation of labels at a half of where they were."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        found = dp.graph.argmin(X, y.clip("-1/2", "1/2"), dp.graph.Logistic(), 2)
        return dp.release(found, dp.Gaussian.analytic, budget)


@pytest.mark.parametrize("regression", [Tilted(), Descent(), Halved()], ids=str)
def test_every_way_to_a_logistic_fit_has_the_same_units(regression: Any) -> None:
    """Wherever the loss stands in the graph; labels that the declaration shrinks count as such."""
    X, recovers = patients()
    delta = 0 if isinstance(regression, Tilted) else "1e-6"
    model = logistic(dp.Column(bound=1), regression=regression, delta=delta, epsilon=10**15)
    model.fit(X, 2 * recovers - 1)
    factor = 2 if isinstance(regression, Halved) else 1  # log(1 + exp(-t/2)) + |theta|^2
    penalty = 2 * factor**2
    other = LogisticRegression(C=1 / penalty, fit_intercept=False, tol=1e-10)
    expected = unscaled(other.fit(scaled(X), recovers).coef_[0])
    assert [*model.coef_[0], *model.intercept_] == pytest.approx(expected, rel=2e-3)


class Shifted(dp.Regression):
    """A logistic loss of labels that are both positive."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        found = dp.graph.argmin(X, y.clip(0, 1), dp.graph.Logistic(), 2)
        return dp.release(found, dp.Gaussian.analytic, budget)


class Both(dp.Regression):
    """Two losses."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        shares = budget.split_evenly(2)
        losses = dp.graph.Logistic(), dp.graph.Huber(1)
        found = [
            dp.release(dp.graph.argmin(X, y, loss, 2), dp.Gaussian.analytic, share)
            for loss, share in zip(losses, shares, strict=True)
        ]
        return dp.post(first, *found)


class Stated(Both):
    """Two losses, of which the first counts."""

    link: ClassVar[str] = "logit"


def first(theta: Any, other: Any) -> Any:
    """The first."""
    del other
    return theta


def test_what_a_loss_leaves_open_is_refused_before_data_is_read() -> None:
    """Labels that are no classes -a and a; losses of two links; and the way out is taken."""
    column = dp.Column(bound=1)
    with pytest.raises(dp.InvalidArgument, match="both classes as -a and a"):
        logistic(column, regression=Shifted()).fit(None, None)
    with pytest.raises(dp.InvalidArgument, match="one link"):
        logistic(column, regression=Both()).fit(None, None)
    X, recovers = patients()
    y = 2 * recovers - 1
    assert logistic(column, regression=Stated()).fit(X, y).score(X, y) > 0.6


DESCRIPTION = """
title = "normal equations"
relation = "add-remove"
[claim]
epsilon = 1
delta = 1e-6
[rows]
norm = 1
[labels]
bound = 1
[[release]]
name = "moment"
statistic = "X'y"
mechanism = "gaussian"
std = 40
[output]
reads = ["moment"]
"""


@pytest.mark.parametrize("estimator", [dp.PrivateRegressor, dp.PrivateClassifier])
def test_a_description_has_no_coefficients(estimator: Any) -> None:
    """It names releases alone; an estimator refuses it before data is read."""
    described = dp.audits.parse_description(DESCRIPTION)
    levels = {} if estimator is dp.PrivateRegressor else {"classes": (-1, 1)}
    given = {"epsilon": 1, "delta": "1e-6", "setting": described.setting, **levels}
    with pytest.raises(dp.InvalidArgument, match="write both in `declare`"):
        estimator(described.regression, **given).fit(None, None)


class Own(dp.graph.Logistic):
    """A loss of one's own that does not say its link."""

    link: ClassVar[str] = ""


class OfOwn(dp.Regression):
    """Its minimiser."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        return dp.release(dp.graph.argmin(X, y, Own(), 2), dp.Gaussian.analytic, budget)


def test_a_loss_that_does_not_say_its_link_is_fitted_by_no_estimator() -> None:
    """Nobody guesses what its coefficients mean."""
    setting = dp.Setting(X=CODEBOOK, y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    declared = OfOwn().graph(setting, dp.ApproxDP(1, "1e-6").budget)
    with pytest.raises(dp.InvalidArgument, match="whose link is 'identity' or 'logit'"):
        link(OfOwn(), declared)


def test_each_estimator_refuses_the_other_kind_and_names_it() -> None:
    """Nothing in between: before data is read."""
    setting = dp.Setting(X=CODEBOOK, y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    given = {"epsilon": 1, "delta": "1e-6", "setting": setting}
    with pytest.raises(dp.InvalidArgument, match=r"dp\.PrivateClassifier"):
        dp.PrivateRegressor(dp.regressions.LogisticDescent(), **given).fit(None, None)
    with pytest.raises(dp.InvalidArgument, match=r"dp\.PrivateRegressor"):
        dp.PrivateClassifier(dp.SSP(), **given).fit(None, None)
