"""The penalty of logistic output perturbation, and what noise does to log-odds, by hand."""

import math
import operator

import attrs
import numpy as np
import pytest
from scipy.special import expit

import dpframe as dp
from dpframe.regressions.of_classes import best_penalty, two_digits

CLASSES = dp.Column("c", levels=[0, 1])


def asked(n=500, d=10, epsilon=2, **more):
    """What is recommended for columns in [-1, 1] and an intercept."""
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(d)]
    given = {"X": dp.Rows(columns=columns, intercept=True), "y": CLASSES} | more
    setting = dp.Setting(**({"relation": dp.ADD_REMOVE} | given))
    size = {} if setting.X.columns is not None else {"d": d}
    return dp.recommend(n=n, epsilon=epsilon, delta="1e-6", setting=setting, **size)


def penalty(**given):
    """Of the recommended output perturbation."""
    return float(asked(**given).at_once.penalty.value)


@pytest.mark.parametrize("noise", [1e-6, 0.3, 1e9])
@pytest.mark.parametrize("curvature", [1e-3, 1.0, 1e5])
def test_no_penalty_errs_less(noise, curvature):
    """noise/a^2 + (a/(curvature + a))^2, on a fine grid."""
    found = best_penalty(noise, curvature)
    near = found * np.exp(np.linspace(-2, 2, 4001))
    less_one = -curvature * (2 * near + curvature) / (curvature + near) ** 2
    errors = noise / near**2 + less_one  # the second square less 1, of which no digit cancels
    assert near[np.argmin(errors)] == pytest.approx(found, rel=2e-3)


def test_the_penalty_is_that_of_the_rule_by_hand():
    """Of 500 records, 10 columns and an intercept at (2, 1e-6)."""
    mu = dp.gaussian_mu(epsilon=2, delta=1e-6)
    noise, curvature = 0.3 * (11 / float(mu)) ** 2, 500 * 0.3 * 0.05
    assert penalty() == pytest.approx(best_penalty(noise, curvature), rel=0.05)


def test_it_follows_budget_columns_records_and_the_bound_on_rows():
    """As n/200 did not: more noise, a larger penalty; rows twice as long, one four times."""
    assert penalty(epsilon="0.2") > 3 * penalty()
    assert penalty(d=30) > 2 * penalty()
    assert 2 * penalty(n=5_000) < penalty(n=50_000) < 4 * penalty(n=5_000)  # at most sqrt(10)
    near, far = (penalty(X=dp.Rows(norm=norm), d=3) for norm in (1, 2))
    assert far == pytest.approx(4 * near, rel=0.06)
    assert penalty(relation=dp.REPLACE_ONE) > 1.3 * penalty()


def spread_of_log_odds(regression, filled, setting, n, epsilon):
    """The std of log-odds of typical rows over fits of one table, whose log-odds have std 1."""
    rng, d = np.random.default_rng(1), len(setting.X.columns)
    X = filled * rng.uniform(-1, 1, (n, d))
    slopes = rng.standard_normal(d)
    y = (rng.random(n) < expit(X @ slopes / np.std(X @ slopes))).astype(int)
    given = {"epsilon": epsilon, "delta": "1e-6", "setting": setting}
    odds = [
        dp.PrivateClassifier(regression, **given, rng=seed).fit(X, y).decision_function(X[:100])
        for seed in range(12)
    ]
    return math.sqrt(np.mean(np.var(odds, axis=0, ddof=1)))


@pytest.mark.parametrize(
    ("n", "d", "epsilon"), [(500, 10, "0.3"), (500, 4, 8), (3000, 1, 8), (3000, 4, 1)]
)
def test_the_predicted_noise_in_log_odds_is_what_simulations_give(n, d, epsilon):
    """Within a factor of 1.5, for columns that fill their range and a quarter of it; and that of
    output perturbation is a bound.
    """
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(d)]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, intercept=True), y=CLASSES, relation=dp.ADD_REMOVE
    )
    advice = dp.recommend(n=n, epsilon=epsilon, delta="1e-6", setting=setting)
    predicted = {1.0: advice.log_odds.noise, 0.25: advice.log_odds.noise_if_narrow}
    for filled, std in predicted.items():
        drawn = spread_of_log_odds(None, filled, setting, n, epsilon)
        assert abs(math.log(drawn / std)) < math.log(1.5)
    run = dp.certify(advice.at_once, target=dp.ApproxDP(epsilon, "1e-6"), setting=setting)
    drawn = spread_of_log_odds(advice.at_once, 1.0, setting, n, epsilon)
    assert drawn < run.preview(n=n).lines[0].moved < 3 * drawn


@pytest.mark.parametrize(("d", "relation"), [(3, dp.ADD_REMOVE), (3, dp.REPLACE_ONE)])
def test_the_predicted_shares_of_log_odds_are_what_simulations_give(d, relation):
    """Slopes of private log-odds on the true ones, of columns that fill a quarter of their range
    and all of it, within a factor of 1.4; a square in place of a fourth power said 0.79 for 0.5.
    """
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(d)]
    setting = dp.Setting(X=dp.Rows(columns=columns, intercept=True), y=CLASSES, relation=relation)
    given, n = {"epsilon": 1, "delta": "1e-6", "setting": setting}, 2000
    found = dp.recommend(n=n, **given).log_odds
    for filled, predicted in ((0.25, found.kept_if_narrow), (1.0, found.kept)):
        slopes = []
        for seed in range(5):
            rng = np.random.default_rng(seed)
            X = filled * rng.uniform(-1, 1, (n, d))
            odds = X @ rng.standard_normal(d)
            odds = (odds - odds.mean()) / odds.std()
            y = (rng.random(n) < expit(odds)).astype(int)
            own = dp.PrivateClassifier(**given, rng=seed).fit(X, y).decision_function(X)
            slopes.append(odds @ own / n)
        assert abs(math.log(np.mean(slopes) / predicted[0])) < math.log(1.4)


def test_previews_say_log_odds_and_count_the_intercept():
    """Where a share of the signal said 1.30% whatever the penalty."""
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("a", 0, 9)], intercept=True),
        y=CLASSES,
        relation=dp.ADD_REMOVE,
    )
    found = []
    for size in (10, 20):
        declared = dp.regressions.LogisticOutputPerturbation(penalty=size)
        found.append(
            dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=setting).preview(n=400)
        )
    assert found[0].lines[0].moved == pytest.approx(2 * found[1].lines[0].moved)
    assert found[0].lines[0].moved == pytest.approx(found[0].lines[0].std * math.sqrt(2))
    assert "d = 1 (2 coefficients)" in str(found[0])
    assert "log-odds of a row: noise std at most" in str(found[0])
    assert "%" not in str(found[0])


def test_the_rule_loses_little_against_the_best_penalty():
    """In drawn worlds of 400 records; n/200 loses all that there is to learn."""
    lost = {"rule": [], "n/200": []}
    for seed, (d, epsilon) in enumerate([(1, 1), (5, 2), (10, 4), (10, "0.5")]):
        world = drawn(seed, d)
        advice = asked(n=400, d=d, epsilon=epsilon)
        setting = dp.Setting(
            X=dp.Rows(columns=[dp.Numeric(f"c{j}", -1, 1) for j in range(d)], intercept=True),
            y=CLASSES,
            relation=dp.ADD_REMOVE,
        )

        def loss(penalty, setting=setting, epsilon=epsilon, world=world):
            """Log loss on other records, a mean over draws of noise."""
            declared = dp.regressions.LogisticOutputPerturbation(penalty=penalty)
            given = {"epsilon": epsilon, "delta": "1e-6", "setting": setting}
            losses = []
            for draw in range(2):
                model = dp.PrivateClassifier(declared, **given, rng=draw).fit(*world[:2])
                odds = model.decision_function(world[2])
                losses.append(np.mean(np.logaddexp(0, -(2 * world[3] - 1) * odds)))
            return np.mean(losses)

        best = min(loss(3**k) for k in range(0, 9, 2))
        lost["rule"].append(loss(advice.at_once.penalty) - best)
        lost["n/200"].append(loss(2) - best)
    assert max(lost["rule"]) < 0.06
    assert min(lost["n/200"]) > max(0.06, np.mean(lost["rule"]))


def drawn(seed, d):
    """X, y to fit and to judge by."""
    rng = np.random.default_rng(seed)
    X = np.clip(rng.normal(size=(2400, d)) * 0.3, -1, 1)
    beta = rng.normal(size=d)
    odds = 2 * (X @ beta) / np.std(X @ beta)
    y = (rng.random(2400) < expit(odds)).astype(int)
    return X[:400], y[:400], X[400:], y[400:]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.3712, "0.37"), (5.24, "5.2"), (431.0, "430"), (99.6, "100"), (2e-5, "0.000020")],
)
def test_two_digits(value, text):
    """An exact number to print."""
    assert two_digits(value) == text


def test_advice_of_log_odds_is_monotone():
    """More records keep more."""
    kept = [asked(n=n).log_odds.kept for n in (100, 1000, 10_000)]
    assert kept == sorted(kept)
    odds = asked().log_odds
    assert odds.kept[1] < odds.kept[0]
    assert all(map(operator.lt, odds.kept_if_narrow, odds.kept))
    assert "a quarter of their declared range" in str(odds)
    assert attrs.astuple(asked(n=90_000).log_odds)[0] < 0.01
