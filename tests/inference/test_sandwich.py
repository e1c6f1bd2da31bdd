"""Robust standard errors from a released X' diag(r^2) X, on sums and noise that numpy makes."""

import attrs
import numpy as np
import pytest
from scipy.stats import chi2, norm

import dpframe as dp
from dpframe.inference.evidence import Evidence, Meat, NoisySum
from dpframe.inference.row_set import RowSet
from dpframe.inference.sandwich import Sandwich
from dpframe.inference.spread import Spread
from dpframe.inference.words import sentences
from tests.support.inferring import infer

BALL = RowSet(1.0)
N, D = 4_000, 3
CONSTANT = np.array([np.sqrt(D), 0, 0])
TRUTH = np.array([0.1, 0.3, 0.0])


def table(rng, n=N):
    """An intercept and columns u; the variance of residuals grows with u_1^2."""
    X = np.c_[np.ones(n), rng.uniform(-1, 1, (n, D - 1))] / np.sqrt(D)
    return X, X @ TRUTH + 0.25 * np.abs(X[:, 1]) * rng.standard_normal(n)


def symmetric(rng, std):
    """Noise of `std` on the diagonal and std/sqrt 2 off it."""
    full = rng.standard_normal((D, D))
    return std * (full + full.T) / 2


def released(rng, std):
    """Evidence whose parts have noise of about std, residuals those of coefficients nearby."""
    X, y = table(rng)
    gram, moment = X.T @ X + symmetric(rng, std), X.T @ y + std * rng.standard_normal(D)
    left = y - X @ (TRUTH + 0.01 * rng.standard_normal(D))
    meat = (X.T * left**2) @ X + symmetric(rng, std / 4)
    squares = float(y @ y + std * rng.standard_normal())
    first = NoisySum(moment, std, np.zeros(D), 1.0)
    observed = Evidence(gram, std, (first,), squares, std, float(N), 0.0)
    return attrs.evolve(observed, meat=Meat(meat, std / 4, 1.0))


def coverage(std, **given):
    """The share of 95% intervals that hold, of each coefficient in 400 tables."""
    found = []
    for repeat in range(400):
        law = infer(
            released(np.random.default_rng(repeat), std),
            **{"bound": 1.0, "rows": BALL, "constant": CONSTANT} | given,
        )
        ends = law.conf_int()
        found.append((ends[:, 0] <= TRUTH) & (TRUTH <= ends[:, 1]))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("std", [0.01, 1.0, 3.0])
def test_intervals_hold_where_the_variance_changes_and_not_too_often(std):
    """Within four standard errors of 95%, without noise and with as much as sampling makes."""
    assert np.all(np.abs(coverage(std) - 0.95) <= 4 * 0.011)


def test_with_one_variance_assumed_they_do_not():
    """Of the coefficient along which the variance changes."""
    assert coverage(0.01, equal_variance=True)[1] < 0.9


def test_where_noise_hides_it_the_norm_of_rows_bounds_it():
    """Intervals are those by the bound alone."""
    for repeat in range(20):
        observed = released(np.random.default_rng(repeat), 8.0)
        noisy = attrs.evolve(observed, meat=Meat(observed.meat.observed, 1e6, 1.0))
        given = {"bound": 1.0, "rows": BALL, "constant": CONSTANT}
        plain = infer(attrs.evolve(observed, meat=None), **given)
        assert infer(noisy, **given).conf_int() == pytest.approx(plain.conf_int())


@pytest.mark.parametrize("ratio", [1.0, 1.5, 3.0])
def test_a_bound_that_is_attained_does_not_make_intervals_false(ratio):
    """Of variances r, at most r times the ratio, that were observed with noise of std 1, by
    quadrature: 95% intervals hold in 94.7% at least. The smaller of what was observed and the
    bound: 92.4%.
    """
    noise = np.linspace(-6, 6, 241)
    chances = norm.pdf(noise) / np.sum(norm.pdf(noise))
    row, nothing = np.ones((1, 1)), np.zeros(1)
    for r in np.geomspace(0.1, 30, 10):
        most = np.array([ratio * r])
        limit, held = Spread(most, nothing, most, nothing), []
        for one in noise:
            sandwich = Sandwich(row, Meat(np.array([[r + one]]), 1.0, 0.0), BALL, None)
            half = sandwich.spread(row, most, nothing, limit).half(norm.ppf(0.975))[0]
            held.append(1 - 2 * norm.sf(half / np.sqrt(r)))
        assert chances @ held >= 0.947


def test_intervals_hold_where_few_records_make_all_of_the_variance():
    """Labels are 1 in about five of 2,000 records, else 0: of 400 tables without noise, 95%
    intervals of their mean hold in 91% at least, which is 95% less four standard errors, and in
    fewer than that where what the sample makes of the variance is taken for known.
    """
    n, held = 2_000, []
    for repeat in range(400):
        ones = np.random.default_rng(repeat).binomial(n, 5 / n)
        gram, mean = n * np.eye(1), ones / n
        meat = np.array([[ones * (1 - mean) ** 2 + (n - ones) * mean**2]])
        first = NoisySum(np.array([float(ones)]), 0.01, np.zeros(1), 1.0)
        observed = Evidence(gram, 0.01, (first,), float(ones), 0.01, float(n), 0.0)
        laws = [
            infer(attrs.evolve(observed, meat=Meat(meat, 0.01, largest)), bound=1.0)
            for largest in (1.0, 0.0)
        ]
        ends = np.concatenate([law.conf_int() for law in laws])
        held.append((ends[:, 0] <= 5 / n) & (5 / n <= ends[:, 1]))
    counted, known = np.mean(held, axis=0)
    assert counted >= 0.95 - 4 * 0.011
    assert known < 0.95 - 4 * 0.011


def test_without_noise_wald_tests_are_those_of_white():
    """p values of true coefficients, from the definition, which takes the variance for known."""
    for repeat in range(20):
        X, y = table(np.random.default_rng(repeat))
        observed = released(np.random.default_rng(repeat), 1e-4)
        observed = attrs.evolve(observed, meat=attrs.evolve(observed.meat, largest=0.0))
        law = infer(observed, bound=1.0, rows=BALL)
        inverse = np.linalg.inv(X.T @ X)
        best = inverse @ X.T @ y
        white = inverse @ (X.T * (y - X @ best) ** 2) @ X @ inverse
        known = chi2.sf((best - TRUTH) @ np.linalg.inv(white) @ (best - TRUTH), D)
        assert law.wald_test(np.eye(D), TRUTH).pvalue == pytest.approx(known, rel=0.05)


def test_wald_tests_count_the_noise_on_it():
    """Of true hypotheses at most about 5% are rejected."""
    laws = [
        infer(released(np.random.default_rng(repeat), 3.0), bound=1.0, rows=BALL)
        for repeat in range(200)
    ]
    rejected = np.mean([law.wald_test(np.eye(D), TRUTH).pvalue < 0.05 for law in laws])
    assert rejected <= 0.05 + 4 * 0.0154


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_what_is_released_is_the_sum_of_squared_residuals(relation):
    """Of labels clipped as those of X'y, at the fitted coefficients: nothing is clipped."""
    setting = dp.Setting(X=dp.Rows(norm=2), y=dp.Column(bound=3), relation=relation)
    run = dp.certify(dp.JointSSP(), target=dp.ApproxDP(100, "1e-6"), setting=setting)
    rng = np.random.default_rng(0)
    X, y = table(rng, 20_000)
    output = dp.execute(run, 2 * X, 3 * y, rng=1).output
    width, meat = output.evidence.moments[0].width, output.evidence.meat
    left = np.clip(3 * y, -width, width) - 2 * X @ output.coefficients
    known = (4 * X.T * left**2) @ X
    assert meat.std < 0.1 * known[1, 1]
    assert np.abs(meat.observed - known).max() < 6 * meat.std


def test_without_its_part_of_the_budget_there_is_none():
    """Then the norm of rows bounds it."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(dp.JointSSP(sandwich=0), target=dp.ApproxDP(8, "1e-6"), setting=setting)
    evidence = dp.execute(run, *table(np.random.default_rng(0)), rng=1).output.evidence
    assert evidence.meat is None
    law = infer(evidence, bound=1.0, rows=BALL)
    assert not law.equal_variance
    assert np.all(law.bse > infer(evidence, bound=1.0, rows=BALL, equal_variance=True).bse)


# records of one person -----------------------------------------------------------------------


def test_intervals_hold_where_rows_of_one_person_are_alike():
    """Five rows each of 1,000 persons, with one age and nearly one residual: of 60 tables the
    intervals of both coefficients hold in 95%, but for four standard errors; of independent rows
    about half would.
    """
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("age", 0, 1)], intercept=True),
        y=dp.Column("y", lower=0, upper=1),
        relation=dp.ADD_REMOVE,
        rows_per_person=5,
    )
    model, truth, held = None, np.array([0.1, 0.4]), []
    for repeat in range(60):
        rng = np.random.default_rng(repeat)
        ages, persons = rng.uniform(0, 1, 1_000), rng.normal(0, 0.15, 1_000)
        X = np.repeat(ages, 5)[:, None]
        y = np.repeat(0.4 + 0.1 * ages + persons, 5) + rng.normal(0, 0.03, 5_000)
        if model is None:
            given = {"epsilon": 100, "delta": "1e-6", "setting": setting, "rng": 0}
            model = dp.PrivateRegressor(dp.JointSSP(), **given).fit(X, y)
        model.result_ = dp.execute(model.certificate_, X, y, rng=repeat)
        laws = (model.inference(), model.inference(equal_variance=True))
        ends = np.stack([law.conf_int() for law in laws])
        held.append((ends[..., 0] <= truth) & (truth <= ends[..., 1]))
    anyhow, independent = np.mean(held, axis=0)
    assert anyhow.min() >= 0.95 - 4 * 0.028
    assert independent.max() < 0.8
    assert "up to 5, may depend on each other" in " ".join(sentences(laws[0]))
    assert "independent" in " ".join(sentences(laws[1]))


def test_rows_that_may_depend_make_sampling_count_more():
    """As often as there may be of them, of each kind of standard error; noise counts as before."""
    observed = released(np.random.default_rng(0), 1.0)
    for one in (
        observed,
        attrs.evolve(observed, meat=None),
        attrs.evolve(observed, squares_std=np.inf),
    ):
        given = {"bound": 1.0, "rows": BALL, "constant": CONSTANT}
        plain, three = (infer(one, **given, dependent=k) for k in (1.0, 3.0))
        of_sample = plain.covariance - plain.private
        assert three.private == pytest.approx(plain.private, rel=0.02, abs=1e-7)
        assert three.covariance - three.private == pytest.approx(3 * of_sample, rel=0.02, abs=1e-7)
        for law in (plain, three):
            assert law.rsquared == pytest.approx(plain.rsquared, rel=0.02, nan_ok=True)
        lengths = [np.diff(law.scale_conf_int())[0] for law in (plain, three)]
        assert lengths[0] <= lengths[1]
        equal = infer(one, **given, dependent=3.0, equal_variance=True)
        alone = infer(one, **given, equal_variance=True)
        assert equal.conf_int() == pytest.approx(alone.conf_int())
    sample = [infer(observed, **given, target="sample", dependent=k).conf_int() for k in (1.0, 3.0)]
    assert np.array_equal(*sample)
