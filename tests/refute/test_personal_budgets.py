"""Budgets of each record and of groups: regions, samples, names, long tables."""

import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.budgets.roster import roster_of
from dpframe.execution.numbers import PublicNumbers
from dpframe.graph.maps.weighted import Weight, WeightedRows
from dpframe.graph.statistics import Argmin
from tests.support.samples import declared

# --------------------------------------------------------------------------- Budgets of each record
EACH = dp.each("epsilon")
ONES = np.ones((2, 1))


def setting(relation=dp.REPLACE_ONE, **kwargs):
    """The unit ball, labels in [-1, 1]."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **kwargs)


@pytest.mark.parametrize(
    "noise",
    [
        dp.Gaussian.kamath_ullman,
        dp.Gaussian(2 * dp.sqrt(2 * dp.log(2 / dp.constant("1e-6"))) / EACH),
    ],
    ids=["kamath_ullman", "rule E1"],
)
def test_the_region_of_a_proof_holds_for_every_budget(noise):
    """Theorems up to 4 log 2 were certified for all epsilons, and executed beyond."""
    target = dp.PersonalizedDP(EACH, "1e-6")
    body = declared(lambda X, y, b: dp.release(X.T @ y, noise, b))
    proof = dp.certify(body, target=target, setting=setting())
    assert proof.region
    assert dp.execute(proof, ONES, ONES[:, 0], rng=0, budgets=[1.0, 2.5]).released
    with pytest.raises(dp.NotExecutable, match="4\\*log"):
        dp.execute(proof, ONES, ONES[:, 0], rng=0, budgets=[1.0, 20.0])


def test_a_sample_is_not_sampled_again():
    """Amplification was certified, and the second sample never drawn."""

    def body(X, y, budget):
        rows, column, whole = dp.graph.thinned(X, y, budget, 1)
        point = dp.iterate(X.columns)
        query = dp.graph.gradient(rows, column, at=point, clip=1)
        step = dp.release(query, dp.Gaussian(std=1), sampled="1/50", name="g")
        del whole
        return dp.loop(point, step, moved)

    target = dp.PersonalizedDP({"a": "1/10", "b": 1}, "1e-5")
    with pytest.raises(dp.Uncertified, match="not sampled again"):
        dp.certify(
            declared(body), target=target, setting=setting(dp.ADD_REMOVE), accountant="numeric"
        )


def moved(theta, answer, turn):
    """A step."""
    del turn
    return theta - answer


@pytest.mark.parametrize(
    "scale",
    [
        lambda X, b: 2 / b.epsilon * (1 + X.smallest(b.epsilon - 1)),
        lambda X, b: (1 + X.cap(b.epsilon, noise=-5)) * 2 / b.epsilon,
    ],
    ids=["smallest of a difference", "cap for negative noise"],
)
def test_numbers_of_all_budgets_are_positive(scale):
    """Proofs take them so; nothing had made them so."""
    body = declared(lambda X, y, b: dp.release(X.T @ y, dp.L2Laplace(scale(X, b)), b))
    with pytest.raises(dp.DPFrameError, match="positive"):
        dp.certify(body, target=dp.PersonalizedDP(EACH), setting=setting())


def test_a_search_stops_at_what_the_smallest_weight_pays_for():
    """It stopped at the largest: a record of weight 1e-3 moved the value 133 times as far as it had
    paid for. Two neighbours, brute force.
    """
    body = declared(
        lambda X, y, b: dp.release(
            Argmin(X, y, dp.graph.Huber(1), 1, 1, "1/2", b.epsilon),
            dp.L2Laplace.pure,
            b,
            name="theta",
        )
    )
    proof = dp.certify(body, target=dp.PersonalizedDP(EACH), setting=setting(grid=None))
    statistic = proof.graph.releases[0].statistic
    assert "smallest" in statistic.least.origin.label
    budgets = np.array([1.0, 1e-3])
    rows = np.array([[0.5], [1.0]])
    scale = 0.003 / 1e-3
    found = [
        dp.execute(proof, rows, np.array([1.0, label]), rng=0, budgets=budgets).released["theta"]
        for label in (-1.0, 1.0)
    ]
    assert abs(found[0] - found[1]).item() <= scale * 1e-3


def test_coins_of_tiny_budgets_never_fall_for_certain():
    """A chance that interval arithmetic puts below 0 was read as 1."""
    groups = {f"g{k}": 1e-18 * (1 + k) for k in range(100)}

    def body(X, y, budget):
        rows, _, whole = dp.graph.thinned(X, y, budget, 100)
        return dp.release(dp.count(rows), dp.DiscreteLaplace.pure, whole, name="n")

    target = dp.PersonalizedDP(groups)
    proof = dp.certify(declared(body), target=target, setting=setting(dp.ADD_REMOVE))
    names = np.repeat(list(groups), 20)
    rows = np.ones((2000, 1))
    assert dp.execute(proof, rows, rows[:, 0], rng=0, budgets=names).released["n"] == 0


def test_weights_are_never_negative():
    """A lower end below 0 was larger in size than the weight that was proved."""

    def power(e):
        return (1 + e) ** 4 - 1 - 4 * e - 6 * e**2 - 4 * e**3  # e^4, badly

    def body(X, y, budget):
        del y
        rows = WeightedRows(X, Weight(power(budget.epsilon)))
        return dp.release(dp.total(rows), dp.L2Laplace(2 * budget.epsilon**3), budget)

    budgets = 1e-5 * (1 + np.arange(100) / 1000)
    target = dp.PersonalizedDP(budgets)
    proof = dp.certify(declared(body), target=target, setting=setting(grid=None))
    numbers = PublicNumbers.of(proof, {"d": 1}, roster_of(target))
    found = numbers.each(power(target.each.epsilon))
    assert (found >= 0).all()
    assert (found <= np.sort(budgets) ** 4 * (1 + 1e-9)).all()


@pytest.mark.parametrize(
    "groups",
    [{"x": dp.parameter("a", 0, 2) - 1, "b": 1}, {"x": EACH, "b": 1}, {"x": 2 * dp.EPSILON}],
    ids=str,
)
def test_groups_have_numbers_or_parameters(groups):
    """A formula may be negative somewhere."""
    with pytest.raises(dp.InvalidArgument, match="parameter"):
        dp.PersonalizedDP(groups)


def test_steps_of_a_weighted_grid_are_ordinary_numbers():
    """Where they are subnormal, rounding is not relative, and rows left their ball."""
    mu = dp.each("mu")
    body = declared(
        lambda X, y, b: dp.release(
            dp.total(WeightedRows(X, Weight(b.mu * dp.constant("1e-305")))),
            dp.Gaussian(dp.constant("2e-305")),
        )
    )
    proof = dp.certify(body, target=dp.PersonalizedDP(mu=mu), setting=setting())
    with pytest.raises(dp.DPFrameError):
        dp.execute(proof, ONES, ONES[:, 0], rng=0, budgets=[1e-15, 1e-12])


# ---------------------------------------------------------------------- Names and orders of budgets
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
TARGET_OF_EACH = dp.PersonalizedDP(dp.each("epsilon"))


@pytest.mark.parametrize("name", ["a\0", "\0", "a\n", "a\x7f"])
def test_names_of_groups_are_printable(name):
    """Arrays of texts lose NULs at their ends: two groups became one."""
    with pytest.raises(dp.InvalidArgument):
        dp.PersonalizedDP({"a": 1, name: "1/100"})
    with pytest.raises(dp.InvalidArgument):
        dp.RecordLedger({"a": 1, name: 0.01}, ["a", "a"], kind=dp.PureDP)


def test_entries_that_would_lose_a_nul_are_refused():
    """They are no name that was declared."""
    target = dp.PersonalizedDP({"a": 1, "b": "1/100"})
    proof = dp.certify(dp.PersonalizedRidge(), target=target, setting=SETTING)
    names = np.array(["a", "b", "a\0"], dtype=object)
    with pytest.raises(dp.BadData):
        dp.execute(proof, np.ones((3, 1)), np.ones(3), rng=0, budgets=names)


def test_budgets_in_another_order_are_refused():
    """A Series is read by position: its index must be that of the rows."""
    X = pd.DataFrame({"u": [1.0, 0.5, 0.2]}, index=["p", "q", "r"])
    y = pd.Series([1.0, 0.5, 0.2], index=X.index)
    good = pd.Series({"p": 0.01, "q": 2.0, "r": 2.0})
    proof = dp.certify(dp.PersonalizedRidge(), target=TARGET_OF_EACH, setting=SETTING)
    assert dp.execute(proof, X, y, rng=0, budgets=good).released
    with pytest.raises(dp.BadData, match="order of X"):
        dp.execute(proof, X, y, rng=0, budgets=good[["r", "q", "p"]])
    model = dp.PrivateRegressor(
        dp.PersonalizedRidge(), epsilon=None, delta=None, setting=SETTING, rng=0
    )
    assert model.fit(X, y, epsilon=good).coef_.shape == (1,)
    with pytest.raises(dp.BadData, match="order of X"):
        model.fit(X, y, epsilon=good[["r", "q", "p"]])


@pytest.mark.parametrize(("n", "epsilon"), [(100_000, 1.0), (100_000, 10.0), (1_000, 100.0)])
def test_objective_perturbation_ends_where_doubles_end(n, epsilon):
    """Its tolerance was below what rounding shows, and long tables were refused after the draw."""
    rng = np.random.default_rng(n)
    X = rng.uniform(-1, 1, (n, 5)) / np.sqrt(5)
    y = X @ np.array([0.5, -0.4, 0.3, 0.2, -0.1])
    budgets = np.where(np.arange(n) % 2, epsilon, 3 * epsilon)
    declaration = dp.regressions.PersonalizedObjective(penalty="0.001")
    proof = dp.certify(declaration, target=TARGET_OF_EACH, setting=SETTING)
    for seed in range(3):
        found = dp.execute(proof, X, y, rng=seed, budgets=budgets).output.coefficients
        np.testing.assert_allclose(found, [0.5, -0.4, 0.3, 0.2, -0.1], atol=0.02)
