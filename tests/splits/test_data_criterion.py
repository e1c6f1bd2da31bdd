"""Simulated errors: against numpy written anew, with common noise, on tables that are public."""

from fractions import Fraction

import numpy as np
import pytest

import dpframe as dp
from dpframe.audits.splits.data import coefficients
from tests.support import oracles

N, D = 3000, 4
SIGMA = float(oracles.sigma_of(1, Fraction(1, 10**6)))


def numpy_curve(gammas, repeats, seed):
    """adaSSPbudget, calibrated jointly, on rows of length 1: mean excess error and its error."""
    rng = np.random.default_rng(seed)
    found = np.empty((len(gammas), repeats))
    for repeat in range(repeats):
        X = rng.normal(size=(N, D))
        X /= np.linalg.norm(X, axis=1)[:, None]
        theta = rng.normal(size=D)
        theta /= np.linalg.norm(theta)
        y = np.clip(X @ theta + rng.normal(0, 0.1, N), -1, 1)
        gram, moment = X.T @ X, X.T @ y
        best = np.linalg.solve(gram, moment)
        for place, gamma in enumerate(gammas):
            rest = (1 - gamma) / 2
            std, std_floor = SIGMA / np.sqrt(rest), SIGMA / np.sqrt(gamma)
            A = rng.normal(0, std, (D, D))
            floor = np.linalg.eigvalsh(gram)[0] + rng.normal(0, std_floor)
            lowest = max(0, floor - 1.645 * std_floor)
            ridge = max(0, np.sqrt(D * np.log(2 * D * D / 0.05)) * std - lowest)
            system = gram + (A + A.T) / 2 + ridge * np.eye(D)
            fit = np.linalg.solve(system, moment + rng.normal(0, std, D))
            found[place, repeat] = (fit - best) @ gram @ (fit - best) / N
    return found.mean(1), found.std(1, ddof=1) / np.sqrt(repeats)


def draft_of(regression, setting, target):
    """A declaration to be simulated."""
    return dp.audits.unproved(regression, target=target, setting=setting, label="NOT PRIVATE")


def test_against_numpy(ball, one):
    """The curve agrees within Monte Carlo error, at every gamma."""
    gammas = [Fraction(g, 100) for g in (2, 10, 33, 60, 90)]
    criterion = dp.audits.DataCriterion(
        table=dp.audits.SyntheticTable(n=N, d=D), repeats=250, seed=3
    )
    draft = draft_of(dp.regressions.AdaSSPBudgetTight(), ball, one)
    errors = criterion.errors(draft, [{"gamma": gamma} for gamma in gammas])
    assert errors.shape == (5, 250)
    means, deviations = errors.mean(1), errors.std(1, ddof=1) / np.sqrt(250)
    wanted, theirs = numpy_curve([float(g) for g in gammas], 250, 8)
    assert (np.abs(means - wanted) < 4 * np.hypot(deviations, theirs)).all()


def test_common_noise(ball, one):
    """Neighbouring splits differ by far less than either is known."""
    criterion = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=N, d=D), repeats=60)
    draft = draft_of(dp.regressions.AdaSSPBudgetTight(), ball, one)
    near = [{"gamma": Fraction(g, 1000)} for g in (100, 101)]
    first, second = criterion.errors(draft, near)
    assert np.std(first - second) < 0.02 * np.std(first)
    again = criterion.errors(draft, near)
    assert np.array_equal(again, [first, second])
    other = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=N, d=D), repeats=60, seed=1)
    assert not np.array_equal(other.errors(draft, near)[0], first)


@pytest.mark.slow
def test_the_noise_of_an_execution(ball, one):
    """It has the law of dp.execute: means agree within Monte Carlo error."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 3))
    X /= np.linalg.norm(X, axis=1)[:, None]
    y = np.clip(X @ [0.5, -0.5, 0.1], -1, 1)
    table = dp.audits.public(X, y, because="made for this test")
    draft = draft_of(dp.regressions.ConstSSPFull(), ball, one)
    simulated = dp.audits.DataCriterion(table=table, repeats=400).errors(draft, [{}])[0]
    certificate = dp.certify(dp.regressions.ConstSSPFull(), target=one, setting=ball)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    executed = []
    for seed in range(400):
        fit = dp.execute(certificate, X, y, rng=seed).output.coefficients
        executed.append(np.mean((X @ (fit - best)) ** 2))
    deviation = np.hypot(np.std(simulated), np.std(executed)) / 20
    assert abs(np.mean(simulated) - np.mean(executed)) < 4 * deviation


@pytest.mark.slow
def test_shares_agree_with_the_bound(ball, one):
    """SSP on many rows: what is simulated to be best is near what the bound says."""
    by_data = dp.best_split(
        dp.SSP(),
        target=one,
        setting=ball,
        criterion=dp.audits.DataCriterion(
            table=dp.audits.SyntheticTable(n=20_000, d=5), repeats=60
        ),
    )
    low, high = by_data.optimal["gram"]
    by_bound = dp.best_split(
        dp.SSP(), target=one, setting=ball, criterion=dp.audits.ErrorCriterion(n=20_000, d=5)
    )
    share = by_bound.shares["gram"]
    assert low - 0.05 <= share <= high + 0.05
    assert by_data.lower == 0
    assert by_data.within == np.inf
    assert by_data.error > 0


def test_a_public_table(ball, one):
    """Its reason is printed with the choice, and it is clipped as the declaration clips it."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(800, 3)) * 5
    y = rng.normal(size=800) * 5
    table = dp.audits.public(X, y, because="wine quality, UCI repository")
    found = dp.best_split(
        dp.regressions.AdaSSPBudgetTight(),
        target=one,
        setting=ball,
        criterion=dp.audits.DataCriterion(table=table, repeats=20),
    )
    assert "wine quality, UCI repository" in str(found)
    assert any("is public: wine" in line for line in found.assumptions)
    long = np.linalg.norm(X, axis=1) > 1
    clipped = X.copy()
    clipped[long] /= np.linalg.norm(X[long], axis=1)[:, None]
    same = dp.audits.public(clipped, np.clip(y, -1, 1), because="the same")
    draft = draft_of(dp.SSP(), ball, one)
    first, second = (
        dp.audits.DataCriterion(table=one_, repeats=5).errors(draft, [{}]) for one_ in (table, same)
    )
    assert first == pytest.approx(second, rel=1e-3)


def test_a_codebook(one):
    """Columns with public bounds, an intercept: the table is read as the declaration reads it."""
    columns = [dp.Numeric("age", 0, 100), dp.Categorical("smoker", ["no", "yes"])]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, intercept=True),
        y=dp.Column(lower=0, upper=10),
        relation=dp.REPLACE_ONE,
    )
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0, 100, 400), rng.choice(["no", "yes"], 400)]).astype(object)
    X[:, 0] = X[:, 0].astype(float)
    y = rng.uniform(0, 10, 400)
    table = dp.audits.public(X, y, because="made for this test")
    criterion = dp.audits.DataCriterion(table=table, repeats=5)
    found = dp.best_split(dp.SSP(), target=one, setting=setting, criterion=criterion)
    assert found.value > 0
    synthetic = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=100, d=2), repeats=5)
    with pytest.raises(dp.InvalidArgument, match="codebook"):
        dp.best_split(dp.SSP(), target=one, setting=setting, criterion=synthetic)


def test_a_box_and_pure_noise():
    """Rows in a box, Laplace noise, a field that is no share."""
    setting = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    table = dp.audits.SyntheticTable(n=2000, d=2, condition=4)
    found = dp.best_split(
        dp.regressions.FunctionalRidge(lam=dp.parameter("lam", 0, 1000)),
        target=dp.PureDP(1),
        setting=setting,
        criterion=dp.audits.DataCriterion(table=table, repeats=10),
    )
    assert found.over == "lam"
    assert 0 < found.chosen["lam"].value < 1000
    assert found.certificate.derivation == "basic"


@pytest.mark.some(1)
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
def test_three_shares(relation, one):
    """A lattice, then two finer ones; the choice is certified."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
    criterion = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=2000, d=3), repeats=4)
    found = dp.best_split(dp.AdaSSP(), target=one, setting=setting, criterion=criterion)
    assert sum(one.value for one in found.chosen.values()) == 1
    assert found.certificate.derivation == "gaussian"
    assert {point.label for point in found.against} == {
        "equal shares",
        "AdaSSP(rho=1/20) as declared",
    }
    least = min(point.value for line in found.curve.values() for point in line)
    assert found.value == least


def test_inside_its_theorem(ball):
    """Kamath and Ullman's noise is a theorem up to 4 log 2: only such gammas are tried."""
    criterion = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=20_000, d=3), repeats=4)
    found = dp.best_split(
        dp.literature.AdaSSPBudget(),
        target=dp.ApproxDP(6, "1e-6"),
        setting=ball,
        criterion=criterion,
    )
    tried = [float(point.at["gamma"]) for point in found.curve["gamma"]]
    assert max(max((1 - gamma) / 2, gamma) * 6 for gamma in tried) <= 4 * np.log(2)
    with pytest.raises(dp.InvalidArgument, match="where the theorems of its noise hold"):
        dp.best_split(
            dp.literature.AdaSSPBudget(),
            target=dp.ApproxDP(10, "1e-6"),
            setting=ball,
            criterion=criterion,
        )


def test_synthetic_tables(ball):
    """Rows of length B; the condition of their second moments; labels without noise."""
    table = dp.audits.SyntheticTable(n=60_000, d=3, condition=9, noise=0)
    X, y = table.table(ball, np.random.default_rng(1))
    assert np.linalg.norm(X, axis=1) == pytest.approx(1)
    assert np.abs(y).max() <= 1
    fit = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.linalg.norm(fit) == pytest.approx(1)
    spectrum = np.linalg.eigvalsh(X.T @ X)
    assert 3 < spectrum[-1] / spectrum[0] < 9
    alike = dp.audits.SyntheticTable(n=60_000, d=3).table(ball, np.random.default_rng(1))[0]
    spectrum = np.linalg.eigvalsh(alike.T @ alike)
    assert spectrum[-1] / spectrum[0] < 1.1


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: dp.audits.DataCriterion(table=np.ones((3, 2))), "dp.audits.SyntheticTable"),
        (lambda: dp.audits.DataCriterion(table=(np.ones((3, 2)), np.ones(3))), "declared public"),
        (lambda: dp.audits.DataCriterion(table="data.csv"), "not covered by the proof"),
        (lambda: dp.audits.public(np.ones((3, 2)), np.ones(3), because=""), "a reason"),
        (lambda: dp.audits.public(np.ones((3, 2)), np.ones(3), because=True), "a reason"),
        (
            lambda: dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=9, d=2), repeats=1),
            "repeats",
        ),
        (
            lambda: dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=9, d=2), seed=-1),
            "seed",
        ),
        (lambda: dp.audits.SyntheticTable(n=9, d=2, condition="1/2"), "condition"),
        (lambda: dp.audits.SyntheticTable(n=9, d=2, noise=-1), "noise"),
        (lambda: dp.audits.SyntheticTable(n=0, d=2), "n must"),
    ],
)
def test_what_is_not_public_is_refused(make, says):
    """Arrays that are merely passed in, and numbers out of range."""
    with pytest.raises(dp.InvalidArgument, match=says):
        make()


def test_because_is_keyword_only():
    """Nobody says it in passing."""
    with pytest.raises(TypeError):
        dp.audits.public(np.ones((3, 2)), np.ones(3))


def test_declarations_that_cannot_be_simulated_so(ball, one):
    """Loops, and procedures: a way out is said."""
    criterion = dp.audits.DataCriterion(table=dp.audits.SyntheticTable(n=100, d=2), repeats=3)
    for regression in (dp.regressions.NoisyGradientDescent(), dp.regressions.ObjPert()):
        draft = draft_of(regression, ball, one)
        with pytest.raises(dp.InvalidArgument, match=r"dp\.execute\(\.\.\., rng=seed\)"):
            criterion.errors(draft, [{}])


def test_coefficients():
    """A fit, or an array of the right length."""
    assert coefficients(dp.regressions.Fit(np.ones(2)), 2).tolist() == [1, 1]
    assert coefficients([np.nan, 1], 2).tolist() == [0, 1]
    with pytest.raises(dp.InvalidArgument, match="3 coefficients"):
        coefficients(np.ones(2), 3)
