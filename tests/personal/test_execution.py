"""Executions with budgets of each record: who weighs what, how much noise, what is refused."""

from functools import cache

import numpy as np
import pytest
from mpmath import mp, mpf

import dpframe as dp
from tests.support.oracles import delta_of

RNG = np.random.default_rng(20)
N, D = 200, 3
X = RNG.uniform(-1, 1, (N, D)) / np.sqrt(D)
Y = X @ np.array([0.5, -0.3, 0.2]) + RNG.uniform(-0.1, 0.1, N)
EPSILONS = RNG.choice([0.05, 0.2, 0.7, 1.5], N)
NAMES = np.array(["d", "a", "c", "b"])  # of the four budgets, in no order
GROUPS = dict(zip(NAMES.tolist(), [0.05, 0.2, 0.7, 1.5], strict=True))
GROUP_OF = NAMES[np.searchsorted([0.05, 0.2, 0.7, 1.5], EPSILONS)]
EACH = dp.each("epsilon")


def setting(relation=dp.REPLACE_ONE, **kwargs):
    """The unit ball, labels in [-1, 1]."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **kwargs)


class Weighted(dp.Regression):
    """X'WX and X'Wy, and the noise that was drawn."""

    def declare(self, X, y, budget):
        """Weights in proportion to epsilon, noise by the exact profile, half the budget each."""
        weight = budget.epsilon / X.largest(budget.epsilon)
        rows, labels = X.weighted(weight), y.weighted(weight)
        one, other = budget.split_evenly(2)
        gram = dp.release(rows.T @ rows, dp.Gaussian.analytic, one, name="gram")
        moment = dp.release(rows.T @ labels, dp.Gaussian.analytic, other, name="moment")
        return dp.post(both, gram, moment, gram.std, moment.std)


def both(gram, moment, gram_std, moment_std):
    """Everything."""
    return gram, moment, gram_std, moment_std


def run(regression, target, relation=dp.REPLACE_ONE, seed=1, **kwargs):
    """Certified and executed once, as a simulation."""
    proof = dp.certify(regression, target=target, setting=setting(relation))
    return dp.execute(proof, X, Y, rng=seed, **kwargs)


# ------------------------------------------------------------------- the ways to give budgets
def ways():
    """One table, four ways to say its budgets."""
    import pandas as pd

    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    frame["y"], frame["budget"] = Y, EPSILONS
    return frame


@pytest.mark.parametrize("delta", [None, 1e-6])
def test_every_way_to_give_budgets_is_one(delta):
    """With the target, beside the table, as a column, by groups: the same noise, the same sums."""
    regression = dp.PersonalizedRidge() if delta is None else Weighted()
    listed = run(regression, dp.PersonalizedDP(EPSILONS, delta))
    beside = run(regression, dp.PersonalizedDP(EACH, delta), budgets=EPSILONS)
    grouped = run(regression, dp.PersonalizedDP(GROUPS, delta), budgets=GROUP_OF)
    proof = dp.certify(regression, target=dp.PersonalizedDP(EACH, delta), setting=setting())
    column = dp.execute(proof, ways(), "y", rng=1, budgets="budget")
    first = numbers(listed)
    for other in (beside, grouped, column):
        np.testing.assert_allclose(numbers(other), first, rtol=1e-12)


def numbers(result):
    """Everything released, as one vector."""
    return np.concatenate([np.ravel(value) for value in result.released.values()])


def test_noise_is_the_largest_that_anybody_asks_for():
    """Against the exact profile at 50 digits: at the std that was drawn each record's own move is
    inside its own half, and tight for the record that decides.
    """
    _, _, gram_std, moment_std = run(Weighted(), dp.PersonalizedDP(EPSILONS, 1e-6)).output
    slack = []
    with mp.workdps(50):
        for epsilon in np.unique(EPSILONS).tolist():
            weight = mpf(repr(epsilon)) / mpf("1.5")
            for std, size in ((gram_std, mp.sqrt(2)), (moment_std, mpf(2))):
                mu = size * weight / mpf(std)
                delta = delta_of(mpf(repr(epsilon)) / 2, mu)
                assert delta <= mpf("5e-7")
                slack.append(delta / mpf("5e-7"))
    assert max(slack) > 1 - mpf("1e-9")


def test_records_weigh_what_their_own_budget_says():
    """At huge budgets the noise vanishes: the weighted sums are those of numpy, whatever the order
    of the records.
    """
    order = RNG.permutation(N)
    for rows in (np.arange(N), order):
        huge = EPSILONS[rows] * 1e9
        proof = dp.certify(Weighted(), target=dp.PersonalizedDP(huge, 0.5), setting=setting())
        gram, moment, *_ = dp.execute(proof, X[rows], Y[rows], rng=0).output
        weights = huge / huge.max()
        scaled = X[rows] * weights[:, None]
        np.testing.assert_allclose(gram, scaled.T @ X[rows], atol=1e-3)
        np.testing.assert_allclose(moment, scaled.T @ Y[rows], atol=1e-3)


def test_the_weighted_minimiser_is_that_of_the_normal_equations():
    """PersonalizedRidge at huge epsilons, against numpy."""
    huge = EPSILONS * 1e9
    result = run(dp.PersonalizedRidge(penalty="0.1"), dp.PersonalizedDP(huge))
    weights = huge / huge.sum()
    wanted = np.linalg.solve((X * weights[:, None]).T @ X + 0.1 * np.eye(D), X.T @ (weights * Y))
    np.testing.assert_allclose(result.output.coefficients, wanted, atol=1e-6)


# ---------------------------------------------------------------------------- what is refused
TARGETS = {
    "any": dp.PersonalizedDP(EACH, 1e-6),
    "narrow": dp.PersonalizedDP(dp.each("epsilon", upper=1), 1e-6),
    "grouped": dp.PersonalizedDP(GROUPS, 1e-6),
    "listed": dp.PersonalizedDP(EPSILONS, 1e-6),
    "plain": dp.ApproxDP(1, 1e-6),
}


@cache
def certified(name):
    """A proof whose budgets are of each record, but for the plain one."""
    regression = dp.SSP() if name == "plain" else Weighted()
    return dp.certify(regression, target=TARGETS[name], setting=setting())


@pytest.mark.parametrize(
    ("name", "budgets"),
    [
        ("any", None),
        ("any", np.where(np.arange(N) == 3, 0, EPSILONS)),  # others: sources/test_budgets.py
        ("any", np.full(N, 1e308)),
        ("any", GROUP_OF),
        ("narrow", EPSILONS),
        ("grouped", None),
        ("grouped", EPSILONS),
        ("grouped", np.where(np.arange(N) == 3, "z", GROUP_OF)),
        ("grouped", GROUP_OF[:-1]),
        ("listed", EPSILONS),
        ("plain", EPSILONS),
    ],
)
def test_bad_budgets_are_refused_before_anything_is_drawn(name, budgets, monkeypatch):
    """By name, with no row and no budget in the message."""

    def drawn(*_, **__):
        raise AssertionError("noise was drawn")

    monkeypatch.setattr("dpframe.execution.draws.ReleaseDraw.released", drawn)
    with pytest.raises(dp.DPFrameError) as refusal:
        dp.execute(certified(name), X, Y, rng=0, budgets=budgets)
    assert "0.05" not in str(refusal.value)


def test_a_list_that_does_not_fit_the_table_is_refused():
    """Budgets of the target are those of the rows."""
    with pytest.raises(dp.DPFrameError):
        dp.execute(certified("listed"), X[:-1], Y[:-1], rng=0)


def test_under_add_remove_budgets_are_groups():
    """A list of the present budgets reveals which records are present."""
    lists = dp.certify(
        dp.regressions.PersonalizedSSP(),
        target=dp.PersonalizedDP(EPSILONS, 1e-6),
        setting=setting(dp.ADD_REMOVE),
    )
    with pytest.raises(dp.NotExecutable, match="which records are present"):
        dp.execute(lists, X, Y, rng=0)


def test_under_add_remove_noise_does_not_tell_who_is_there():
    """The same noise and weights with and without the records of a group."""
    target = dp.PersonalizedDP(GROUPS, 1e-6)
    proof = dp.certify(Weighted(), target=target, setting=setting(dp.ADD_REMOVE))
    kept = GROUP_OF != "b"
    whole = dp.execute(proof, X, Y, rng=0, budgets=GROUP_OF).output
    part = dp.execute(proof, X[kept], Y[kept], rng=0, budgets=GROUP_OF[kept]).output
    assert whole[2:] == part[2:]


def test_totals_of_groups_count_the_table():
    """Under replace-one the total of epsilon is that of the rows: the scale follows."""

    class Scale(dp.Regression):
        """The noise of PDP-OP."""

        def declare(self, X, y, budget):
            total = X.total(budget.epsilon)
            weight = budget.epsilon / total
            one = dp.graph.argmin(X, y, dp.graph.Squared(), 1, radius=1, weight=weight)
            theta = dp.release(one, dp.L2Laplace(10 / total), budget)
            return dp.post(second, theta, total)

    result = run(Scale(), dp.PersonalizedDP(GROUPS), budgets=GROUP_OF)
    assert result.output == pytest.approx(EPSILONS.sum(), rel=1e-12)


def second(theta, total):
    """The total."""
    del theta
    return total


# ------------------------------------------------------------------------------------ samples
def test_everybody_at_the_threshold_is_in_the_sample():
    """Coins that are certain: the sample is the table, in every reading."""
    same = dp.PersonalizedDP({"a": 1e9})
    proof = dp.certify(
        dp.regressions.SampledRidge(penalty="0.1", records=N),
        target=same,
        setting=setting(dp.ADD_REMOVE),
    )
    theta = dp.execute(proof, X, Y, rng=0, budgets=np.full(N, "a")).output.coefficients
    wanted = np.linalg.solve(X.T @ X / N + 0.1 * np.eye(D), X.T @ Y / N)
    np.testing.assert_allclose(theta, wanted, atol=1e-6)


class Sums(dp.Regression):
    """The number of records in the sample and the sum of labels, from two stages."""

    def declare(self, X, y, budget):
        """Two releases of one sample."""
        rows, column, whole = dp.graph.thinned(X, y, budget, X.largest(budget.epsilon))
        one, other = whole.split_evenly(2)
        count = dp.release(dp.count(rows), dp.Laplace.pure, one)
        label = dp.release(dp.total(column), dp.Laplace.pure, other)
        return dp.post(pair, count, label)


def pair(first, second):
    """Both."""
    return first, second


def test_one_sample_serves_all_releases():
    """Labels of 1: their sum is the number of records, whatever coins fell; and coins fall as often
    as they should.
    """
    target = dp.PersonalizedDP({"a": 40, "b": 41})
    proof = dp.certify(Sums(), target=target, setting=setting(dp.ADD_REMOVE))
    names = np.repeat(["a", "b"], 10_000)
    ones = np.ones((20_000, 1))
    counts = []
    for seed in range(5):
        count, label = dp.execute(proof, ones, ones[:, 0], rng=seed, budgets=names).output
        assert abs(count - label) < 20
        counts.append(count - 10_000)
    share = np.expm1(40) / np.expm1(41)
    spread = np.sqrt(10_000 * share * (1 - share))
    assert all(abs(count - 10_000 * share) < 6 * spread + 20 for count in counts)
    assert np.std(counts) > spread / 10


@pytest.mark.parametrize(
    "cls",
    [
        dp.PersonalizedRidge,
        dp.regressions.PersonalizedObjective,
        dp.regressions.PersonalizedSSP,
        dp.literature.UniformRidge,
    ],
)
def test_an_empty_table_runs(cls):
    """Of declared groups, with the noise that they ask for."""
    delta = 1e-6 if cls is dp.regressions.PersonalizedSSP else None
    proof = dp.certify(cls(), target=dp.PersonalizedDP(GROUPS, delta), setting=setting())
    nobody = np.array([], dtype=str)
    result = dp.execute(proof, X[:0], Y[:0], rng=0, budgets=nobody)
    assert np.isfinite(result.output.coefficients).all()
