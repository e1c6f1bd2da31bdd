"""The Newton step of logistic descent: what a record moves, its certificates, its intervals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import expit

import dpframe as dp
from benchmarks.log_odds import scored
from dpframe.graph.maps.residuals import GradientAt
from tests.support import checking as check
from tests.support import samples
from tests.support.oracles import sigma_of, value

DECLARED = dp.regressions.LogisticDescent.for_intervals()
APPROX = dp.ApproxDP(dp.EPSILON, dp.DELTA)
STEP = ("score", "hessian", "meat")
relations = pytest.mark.parametrize("relation", samples.RELATIONS, ids=lambda one: one.value)


def releases(relation):
    """By name, at B = 3/2 and Y = 2."""
    graph = DECLARED.graph(samples.setting(relation), dp.ApproxDP(1, "1e-6").budget)
    return {one.name: one for one in graph.releases}


def moved(name, x, y, theta):
    """What one record adds to each sum, by the formulas of the loss log(1 + exp(-y x'theta))."""
    slope = -y * expit(-y * (x @ theta))
    if name == "score":
        return slope * x
    curvature = y**2 * expit(y * (x @ theta)) * expit(-y * (x @ theta))
    return (curvature if name == "hessian" else slope**2) * np.outer(x, x)


def records(rng):
    """Rows on the sphere of radius 3/2, some shorter ones, and labels up to 2 in size."""
    for scale in (1, 1, 1, 0.5):
        x = rng.normal(size=3)
        yield 1.5 * scale * x / np.linalg.norm(x), rng.choice([-2.0, 2.0, 2.0, -1.0])


@relations
@pytest.mark.parametrize("name", STEP)
def test_sensitivities_are_those_of_the_worst_pair_of_records(relation, name):
    """By search over records and coefficients: never more than is declared, and nearly as much."""
    sensitivity = releases(relation)[name].statistic.sensitivity(dp.Gaussian.norm)
    declared = float(value(sensitivity.value, {"d": 3}))
    rng, most = np.random.default_rng(0), 0.0
    for _ in range(400):
        theta = rng.normal(size=3) * rng.choice([0, 1e-3, 1, 10])
        x = 1.5 * np.array([1.0, 0, 0])
        planted = [(x, 2.0), (-x, -2.0), (1.5 * np.array([0, 1.0, 0]), -2.0)]
        planted += [(-1.5 * theta / (np.linalg.norm(theta) or 1), 2.0)]
        planted += [(1.5 * theta / (np.linalg.norm(theta) or 1), -2.0)]
        moves = [moved(name, *one, theta) for one in (*records(rng), *planted)]
        pairs = itertools.combinations(moves, 2) if relation.replaced else ((m, 0) for m in moves)
        most = max(most, *(float(np.linalg.norm(a - b)) for a, b in pairs))
    assert most <= declared * (1 + 1e-12)
    attained = {"score": 0.5, "meat": 0.5} if relation.replaced else {}
    assert most >= declared * attained.get(name, 0.99)


def test_clips_cut_nothing():
    """The bounds of slope and curvature are those of the clips."""
    X, y = samples.setting().nodes()
    theta = dp.release(dp.total(X), dp.Gaussian(std=1))
    loss, rng = dp.graph.Logistic(), np.random.default_rng(1)
    rows = rng.normal(size=(1000, 3))
    rows *= 1.5 / np.linalg.norm(rows, axis=1)[:, None]
    labels = rng.choice([-2.0, 2.0], 1000)
    for at, curved in itertools.product((0, 1, 100), (None, True)):
        node = GradientAt(X, y, theta, loss, curved)
        given = {X: rows, y: labels, theta: at * np.ones(3)}
        made = node.records(given, float)
        name = "hessian" if curved else "score"
        expected = [moved(name, x, z, at * np.ones(3)) for x, z in zip(rows, labels, strict=True)]
        squares = [np.outer(row, row) for row in made] if curved else made
        assert np.array(squares) == pytest.approx(np.array(expected), rel=1e-12, abs=1e-300)
        assert np.linalg.norm(made, axis=1).max() <= (1.5 if curved else 3) * (1 + 1e-12)
        assert not node.records(given | {X: 0 * rows}, float).any()


def test_its_noise_by_hand():
    """65% of the squared mu, of which score, Hessian and meat have 5, 7 and 1 parts of 13."""
    sigma, unit = float(sigma_of(1, "1e-6")), {"score": 3, "hessian": 9 / 4, "meat": 9}
    found = releases(dp.ADD_REMOVE)
    for name, part in zip(STEP, (0.25, 0.35, 0.05), strict=True):
        std = float(value(found[name].mechanism.formula, {"d": 3}))
        assert std == pytest.approx(unit[name] * sigma / math.sqrt(part))
    gradients = float(value(found["gradients"].mechanism.formula, {"d": 3}))
    assert gradients == pytest.approx(3 * sigma * math.sqrt(48 / (0.35 * 0.85)))


@relations
def test_the_kernel_accepts_it(relation):
    """For all parameters, and at numbers; less noise on the step is refused."""
    for setting in (samples.setting(relation), samples.wide(relation)):
        assert check.check(check.document(DECLARED, APPROX, setting)).accepted
    for epsilon, newton in (("1/10", "1/2"), (8, "9/10")):
        declared = dp.regressions.LogisticDescent(newton=newton)
        target = dp.ApproxDP(epsilon, "1e-8")
        found = check.document(declared, target, samples.setting(relation))
        assert check.check(found).accepted
        nodes = found["graph"]["nodes"]
        (score,) = [one for one in nodes if one.get("name") == "score"]
        score["size"] = ["*", "99/100", score["size"]]
        assert not check.check(check.sealed(found)).accepted


def test_the_default_is_what_it_was():
    """Without the step nothing else is released, and no declaration changes."""
    budget, setting = dp.ApproxDP(1, "1e-6").budget, samples.setting()
    graph = dp.regressions.LogisticDescent().graph(setting, budget)
    assert [one.name for one in graph.releases] == ["gram", "gradients"]
    assert dp.regressions.LogisticDescent(newton=0) == dp.regressions.LogisticDescent()
    assert DECLARED.full_name == "LogisticDescent.for_intervals"
    for declared, newer in ((dp.regressions.LogisticDescent(), False), (DECLARED, True)):
        proof = dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=setting)
        assert ("newton" in proof.claim["declaration"]["fields"]) == newer
        assert dp.load(proof.claim).regression == declared


@pytest.mark.parametrize("newton", [1, "3/2", -1])
def test_the_step_has_a_part_below_one(newton):
    """Beside X'X and gradients."""
    declared = dp.regressions.LogisticDescent(newton=newton)
    with pytest.raises(dp.InvalidArgument, match="newton"):
        dp.certify(declared, target=dp.ApproxDP(1, "1e-6"), setting=samples.setting())


def test_an_attack_finds_nothing():
    """On the releases as they are executed."""
    proof = dp.certify(DECLARED, target=dp.ApproxDP(1, "1e-6"), setting=samples.setting())
    found = dp.attack(proof, draws=4000, seed=0)
    assert not found.flagged, found


# ------------------------------------------------------------------------------------- intervals
def world(n=4000, levels=("no", "yes")):
    """Two columns, whose log-odds are not linear, and classes."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(18, 90, n), rng.uniform(0, 10, n)])
    odds = (50 - X[:, 0]) / 20 + 0.1 * X[:, 1] + (X[:, 0] / 50 - 1) ** 2
    y = np.where(rng.random(n) < expit(odds), "yes", "no")
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("age", 18, 90), dp.Numeric("coffee", 0, 10)], intercept=True),
        y=dp.Column("smoker", levels=levels),
        relation=dp.ADD_REMOVE,
    )
    return X, y, setting


def fitted(X, y, setting, epsilon):
    """The variant for intervals."""
    given = {"epsilon": epsilon, "delta": "1e-6", "setting": setting, "rng": 0}
    return dp.PrivateClassifier(DECLARED, **given).fit(X, y)


@pytest.mark.parametrize("levels", [("no", "yes"), ("yes", "no")], ids=["sorted", "turned"])
def test_without_noise_standard_errors_are_those_of_statsmodels(levels):
    """HC0, in units of the codebook and for the declared order of levels, whatever classes_ are."""
    X, y, setting = world(levels=levels)
    model = fitted(X, y, setting, 10**4)
    law, chosen = model.inference(), y == levels[1]
    exact = sm.Logit(chosen * 1.0, np.column_stack([X, np.ones(len(X))])).fit(
        disp=0, cov_type="HC0"
    )
    assert law.names == ("age", "coffee", "intercept")
    assert law.params / exact.bse == pytest.approx(exact.params / exact.bse, abs=0.02)
    assert law.bse == pytest.approx(exact.bse, rel=2e-3)
    assert law.cov_params() == pytest.approx(exact.cov_params(), rel=5e-3)
    assert law.conf_int(0.1) == pytest.approx(exact.conf_int(0.1), rel=2e-2)
    ten = law.t_test({"age": 10, "coffee": 1})
    assert ten.sd == pytest.approx(exact.t_test([10, 1, 0]).sd.ravel(), rel=5e-3)
    wald = exact.wald_test(np.eye(3)[:2], scalar=True).statistic
    assert law.wald_test(["age", "coffee"]).statistic == pytest.approx(wald, rel=2e-2)
    odds = law.get_prediction(X[:5])
    assert odds.predicted_mean == pytest.approx(
        (1 if levels == ("no", "yes") else -1) * model.decision_function(X[:5]), rel=1e-3
    )
    assert np.isnan(law.scale)


def test_a_summary_has_intervals_and_odds_ratios():
    """In every format; an odds ratio's ends are exp of those of the coefficient."""
    X, y, setting = world()
    model = fitted(X, y, setting, 8)
    found = model.summary(0.1)
    frame, ends = found.summary_frame(), model.inference().conf_int(0.1)
    assert frame[["lower", "upper"]].to_numpy() == pytest.approx(ends)
    steps = np.array([10, 10, 1])
    assert frame[["odds_lower", "odds_upper"]].to_numpy() == pytest.approx(
        np.exp(ends * steps[:, None])
    )
    assert list(frame["per"]) == ["10 more", "10 more", ""]
    for text in (str(found), found.as_html(), found.as_latex()):
        assert all(title in text for title in ("std err", "odds ratio", "0.05", "P"))
    assert found.to_dict()["coefficients"][0]["odds_ratio"] == frame["odds_ratio"].iloc[0]
    assert "largest expected likelihood" in " ".join(found.notes)
    assert found.plot() is not None
    longer = model.summary(0.1, simultaneous="bonferroni").intervals
    assert np.all(np.diff(longer) > np.diff(found.intervals))


def test_where_noise_hides_a_direction_nothing_is_claimed():
    """Whatever the other coefficients are."""
    X, y, setting = world(300)
    model = fitted(X, y, setting, "0.2")
    law, found = model.inference(), model.summary()
    assert law.identified < 3
    assert np.all(np.isinf(law.conf_int()))
    assert found.summary_frame()["coef"].isna().all()
    assert "no coefficient has an interval" in " ".join(found.notes)
    assert {line.split()[-1] for line in str(found).splitlines() if "age" in line[:8]} == {"more"}


def test_dependent_rows_of_a_person_count():
    """Sampling counts k times, noise grows k times."""
    X, y, setting = world()
    alone = fitted(X, y, setting, 10**4).inference()
    pairs = dp.Setting(X=setting.X, y=setting.y, relation=dp.ADD_REMOVE, rows_per_person=2)
    model = fitted(X, y, pairs, 10**4)
    assert model.inference().bse == pytest.approx(math.sqrt(2) * alone.bse, rel=1e-2)
    assert "up to 2" in " ".join(model.summary().notes)


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["product:5000:2:2", "probit:10000:2:2"])
def test_intervals_hold_as_executed(cell):
    """In 100 tables: no fewer than 92%, the least that 96% would give by chance in 1,000."""
    found = scored(cell, 100, as_executed=True)
    assert found.finite == 100
    assert found.coverage >= 0.92
    assert found.half < 4 * found.error
