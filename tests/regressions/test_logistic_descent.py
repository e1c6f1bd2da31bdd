"""Logistic descent: its noise by hand, its certificates, and what it fits."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import dpframe as dp
from dpframe.regressions.logistic_descent import descend, principal

APPROX = dp.ApproxDP(dp.EPSILON, dp.DELTA)


def world(n=3000, intercept=-2.0):
    """X in [-1, 1], and classes of which one is rare."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 3))
    return X, (rng.random(n) < expit(X @ [3.0, -2.0, 0.0] + intercept)).astype(int)


def fitted(X, y, **given):
    """At much budget, unless told otherwise."""
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(3)]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, intercept=True),
        y=dp.Column("c", levels=[0, 1]),
        relation=dp.ADD_REMOVE,
    )
    declared = given.pop("regression", dp.regressions.LogisticDescent())
    given = {"epsilon": 10**9, "delta": "1e-6", "rng": 0} | given
    return dp.PrivateClassifier(declared, setting=setting, **given).fit(X, y)


def test_without_noise_it_is_the_fit_without_penalty():
    """Of scikit-learn, in the default number of rounds."""
    X, y = world()
    found, expected = fitted(X, y), LogisticRegression(C=np.inf).fit(X, y)
    assert found.coef_ == pytest.approx(expected.coef_, abs=0.01)
    assert found.intercept_ == pytest.approx(expected.intercept_, abs=0.01)


def relative_errors(intercept, **given):
    """Of all coefficients, and of the mean probability, against the fit without noise at 20,000
    records and epsilon 50.
    """
    X, y = world(20_000, intercept)
    model = fitted(X, y, epsilon=50, **given)
    exact = LogisticRegression(C=np.inf, tol=1e-8).fit(X, y)
    own, right = (np.append(one.coef_, one.intercept_) for one in (model, exact))
    mean = float(model.predict_proba(X)[:, 1].mean())
    return np.linalg.norm(own - right) / np.linalg.norm(right), abs(mean / y.mean() - 1)


@pytest.mark.parametrize(
    ("share", "intercept"), [(0.03, -5.05), (0.1, -3.55), (0.2, -2.25), (0.5, 0.0)]
)
def test_the_default_is_not_biased_for_rare_outcomes(share, intercept):
    """Coefficients within 5% and mean probabilities within 2% of the fit without noise."""
    assert world(20_000, intercept)[1].mean() == pytest.approx(share, rel=0.1)
    of_coefficients, of_mean = relative_errors(intercept)
    assert of_coefficients < 0.05
    assert of_mean < 0.02


@pytest.mark.parametrize("given", [{"clip": "0.5"}, {"rounds": 16}], ids=["clip", "rounds"])
def test_a_narrow_clip_and_few_rounds_are_biased_for_rare_outcomes(given):
    """So the test above can fail."""
    declared = dp.regressions.LogisticDescent(**given)
    of_coefficients, of_mean = relative_errors(-5.05, regression=declared)
    assert max(of_coefficients - 0.05, of_mean - 0.02) > 0


def test_steps_are_stable_where_one_group_has_all_events():
    """Curvature in the direction of the group exceeds the mean curvature several times."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.where(rng.random(20_000) < 0.2, 1.0, -1.0), *np.zeros((2, 20_000))])
    y = (rng.random(20_000) < np.where(X[:, 0] > 0, 0.4, 0.02)).astype(int)
    odds = fitted(X, y, epsilon=50).decision_function([[1.0, 0, 0], [-1.0, 0, 0]])
    rates = [y[X[:, 0] == side].mean() for side in (1, -1)]
    assert expit(odds) == pytest.approx(rates, rel=0.05)


def test_a_recommendation_states_the_share_of_log_odds_that_is_kept():
    """Of the mean over fits with noise, within 10%."""
    X, y = world(10_000, -2.25)
    models = [fitted(X, y, epsilon=2, rng=seed) for seed in range(3)]
    exact = LogisticRegression(C=np.inf).fit(X, y).coef_[0]
    kept = np.mean([model.coef_[0] @ exact for model in models]) / (exact @ exact)
    setting = models[0].certificate_.setting
    advice = dp.recommend(n=10_000, epsilon=2, delta="1e-6", setting=setting)
    assert advice.log_odds.kept[0] > 0.95
    assert kept == pytest.approx(advice.log_odds.kept[0], rel=0.1)


def test_the_predicted_noise_is_that_of_repeated_fits():
    """Within a factor of 2.5 for each coefficient: a rule of thumb."""
    X, y = world(1500)
    models = [fitted(X, y, epsilon=2, rng=seed) for seed in range(20)]
    drawn = np.std([np.append(one.coef_, one.intercept_) for one in models], axis=0, ddof=1)
    summary = models[0].summary()
    assert np.all(np.abs(np.log(drawn / summary.noise)) < np.log(2.5))
    assert "predicted noise std" in str(summary)
    assert "by a rule of thumb" in " ".join(str(summary).split())


def test_the_predicted_noise_counts_directions_that_noise_hides():
    """Within a factor of 2 where two columns are equal; by the eigenvalues of the noisy X'X it was
    3.5 times too small.
    """
    X, y = world(1500)
    X[:, 1] = X[:, 0]
    models = [fitted(X, y, epsilon=2, rng=seed) for seed in range(12)]
    drawn = np.std([one.coef_[0, :2] for one in models], axis=0, ddof=1)
    predicted = np.median([one.summary().noise[:2] for one in models], axis=0)
    assert np.all(np.abs(np.log(drawn / predicted)) < np.log(2))


def test_at_small_budgets_it_beats_output_perturbation_at_its_best():
    """By log loss, at 500 records and epsilon 1, against every penalty of a grid."""
    X, y = world(2500)

    def loss(regression):
        return np.mean(
            [
                -np.mean(model.predict_log_proba(X[500:])[np.arange(2000), y[500:]])
                for model in (
                    fitted(X[:500], y[:500], regression=regression, epsilon=1, rng=seed)
                    for seed in range(5)
                )
            ]
        )

    other = dp.regressions.LogisticOutputPerturbation
    best = min(loss(other(penalty=4**k)) for k in range(1, 6))
    assert loss(dp.regressions.LogisticDescent()) < best - 0.02


def test_post_processing_is_finite_whatever_is_released():
    """Noise of any size, and a matrix of none."""
    for gram in (np.zeros((2, 2)), np.diag([-1e9, 1e-9])):
        for intercept in (0.0, 1.0):
            along = principal(gram, 1.0, 1.0, 3.0, 1.0, intercept)
            assert np.isfinite(along.penalties).all()
            assert (along.values > 0).all()
            for turn in (0, 1):
                moved = descend(np.array([1e300, 0.0]), np.array([1e308, 1e308]), turn, along)
                assert np.isfinite(moved).all()
