"""Advice from public quantities."""

import itertools

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.estimators.typical import table
from dpframe.regressions.advice import default_regression

EASY = {"n": 10_000, "d": 10, "epsilon": 1, "delta": "1e-6"}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({}, "JointSSP"),
        ({"delta": 0}, "ObjPertPure"),
        ({"d": 5000}, "NoisyGradientDescent"),
        ({"each": True}, "PersonalizedSSP"),
        ({"each": True, "delta": 0}, "PersonalizedObjective"),
    ],
)
def test_what_is_recommended(asked, name):
    """By delta, columns, and whose budgets."""
    assert type(dp.recommend(**(EASY | asked)).regression).__name__ == name


NUMBER, LEVEL = dp.Numeric("a", 0, 9), dp.Categorical("c", ["u", "v"], baseline=None)
ROWS = {"norm": 1}, {"box": 1}, {"columns": [NUMBER], "intercept": True}, {"columns": [LEVEL]}
ASKED = {
    "a few records": {"n": 100, "epsilon": "0.01"},
    "many": {"n": 10**7, "delta": "1e-9"},
    "without delta": {"delta": 0},
    "budgets of their own": {"each": True},
    "and no delta": {"each": True, "delta": 0},
}


@pytest.mark.parametrize("rows", ROWS, ids=lambda one: next(iter(one)))
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("person", [1, 3])
def test_what_is_recommended_is_certified_in_its_setting(rows, asked, person):
    """Under both relations, each regression that is named; or nothing is recommended, by name."""
    asked = EASY | {"d": None if "columns" in rows else 3} | asked
    for relation, y in itertools.product(dp.Relation, [{"bound": 1}, {"lower": 0, "upper": 9}]):
        setting = dp.Setting(
            X=dp.Rows(**rows), y=dp.Column(**y), relation=relation, rows_per_person=person
        )
        joining = relation is dp.ADD_REMOVE and not asked["delta"]
        if "each" in asked and (person > 1 or joining):
            with pytest.raises(dp.InvalidArgument, match="own"):
                dp.recommend(**asked, setting=setting)
            continue
        advice = dp.recommend(**asked, setting=setting)
        kinds = {True: dp.PureDP, False: dp.ApproxDP}
        amounts = [asked["epsilon"], asked["delta"]]
        target = kinds[not asked["delta"]](*amounts[: 1 + bool(asked["delta"])])
        if "each" in asked:
            more = {"delta": asked["delta"]} if asked["delta"] else {}
            target = dp.PersonalizedDP({"few": 1, "all": 2}, **more)
        named = (advice.regression, advice.instead, advice.of_even_rows)
        for advised in named:
            if advised is not None:
                assert dp.certify(advised, target=target, setting=setting).derivation


def test_classes_with_budgets_of_their_own_have_no_regression():
    """In a sentence."""
    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column("k", levels=["a", "b"]), relation=dp.ADD_REMOVE
    )
    with pytest.raises(dp.InvalidArgument, match="labels that are numbers"):
        dp.recommend(**EASY, each=True, setting=setting)


def test_without_labels_nothing_is_recommended():
    """In a sentence."""
    setting = dp.Setting(X=dp.Rows(norm=1), relation=dp.ADD_REMOVE)
    with pytest.raises(dp.InvalidArgument, match="setting must be one with labels"):
        dp.recommend(**EASY, setting=setting)


def test_one_look_is_enough_where_sampling_takes_far_more():
    """A hundred times 4 (d/(n mu))^2/R^2 against d/n."""
    at_once = dp.recommend(n=2_000_000, d=50, epsilon=1, delta="1e-8").regression
    assert (str(at_once.rounds), str(at_once.levels)) == ("0", "0")
    assert str(dp.recommend(n=100_000, d=50, epsilon=1, delta="1e-6").regression.rounds) == "6"


def test_the_loss_is_the_rule_of_thumb():
    """By hand, from the tabulated mu."""
    # mu = 0.2367 at (1, 1e-6) [privacy facts]; 4 (10/(10^4 mu))^2/0.5 = 1.428e-4
    assert dp.recommend(**EASY).lost == pytest.approx(1.428e-4, rel=1e-3)
    hopeless = dp.recommend(n=50, d=30, epsilon="0.1", delta="1e-6")
    assert hopeless.lost > 0.99
    assert "more records" in str(hopeless)
    assert dp.recommend(**(EASY | {"explained": 1.0})).lost == pytest.approx(0.714e-4, rel=1e-3)


def test_more_records_lose_less():
    """The loss falls with n."""
    lost = [dp.recommend(**(EASY | {"n": n})).lost for n in (100, 1000, 10_000)]
    assert lost == sorted(lost, reverse=True)


@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"n": 0}, "n must"),
        ({"d": 2.5}, "d must"),
        ({"epsilon": 0}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"explained": 0}, "explained"),
    ],
)
def test_what_is_refused(asked, word):
    """By name."""
    with pytest.raises(dp.InvalidArgument, match=word):
        dp.recommend(**(EASY | asked))


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (dp.ApproxDP(1, "1e-6"), "JointSSP"),
        (dp.PureDP(1), "ObjPertPure"),
        (dp.PersonalizedDP({"a": 1, "b": 2}), "PersonalizedObjective"),
        (dp.PersonalizedDP({"a": 1, "b": 2}, delta="1e-6"), "PersonalizedSSP"),
    ],
)
def test_the_default_of_an_estimator(target, name):
    """By the kind of target."""
    assert type(default_regression(target)).__name__ == name


CLASSES = dp.Setting(
    X=dp.Rows(columns=[dp.Numeric("a", 0, 1)], intercept=True),
    y=dp.Column("state", levels=["well", "sick"]),
    relation=dp.ADD_REMOVE,
)


def test_two_classes_have_a_regression_of_theirs():
    """One that the setting takes; without a delta none is named."""
    found = dp.recommend(n=20_000, epsilon=1, delta="1e-6", setting=CLASSES)
    assert found.regression == dp.regressions.LogisticDescent()
    for said in (
        "dp.PrivateClassifier",
        "LogisticOutputPerturbation(penalty=",
        "probability model",
    ):
        assert said in str(found)
    for regression in (found.regression, found.at_once):
        assert dp.certify(regression, target=dp.ApproxDP(1, "1e-6"), setting=CLASSES).derivation
    with pytest.raises(dp.InvalidArgument, match="above 0 for labels of two classes"):
        dp.recommend(n=20_000, epsilon=1, setting=CLASSES)
    hopeless = dp.recommend(n=50, epsilon="0.01", delta="1e-6", setting=CLASSES)
    assert "more records" in str(hopeless)


def test_classes_without_numbers_of_bounds_have_no_numbers_of_log_odds():
    """The regression is named all the same."""
    free = dp.Setting(X=dp.Rows(norm=dp.parameter("B")), y=CLASSES.y, relation=dp.ADD_REMOVE)
    found = dp.recommend(n=1000, d=3, epsilon=1, delta="1e-6", setting=free)
    assert (found.log_odds, found.at_once) == (None, None)
    assert "log-odds of std" not in str(found)


def test_of_one_column_and_few_records_the_median_of_slopes_is_named():
    """Where it was better in every world that was tried; not with an intercept beside it."""
    named = dp.recommend(n=800, d=1, epsilon=1, delta="1e-6")
    assert named.of_one_column == dp.regressions.TheilSen(pairs=400)
    assert "labels scatter evenly about a line: dp.regressions.TheilSen(pairs=400)" in str(named)
    for other in ({"n": 1000, "d": 2}, {"n": 100, "d": 1}, {"n": 5000, "d": 1}):
        assert dp.recommend(**other, epsilon=1, delta="1e-6").of_one_column is None


@pytest.mark.parametrize(
    ("n", "d", "epsilon", "named"),
    [
        (20_000, 100, "0.1", True),  # n mu = 550, d over it 0.18
        (2_000, 50, 1, True),  # 473, 0.11
        (6_000, 50, "0.1", True),  # 165, 0.30
        (20_000, 50, "0.1", False),  # 0.09: X'X is seen
        (500, 50, 1, False),  # 118, 0.42: gradients are lost too
        (2_000, 10, "0.1", False),  # 55, 0.18
    ],
)
def test_for_wide_tables_gradient_descent_is_named(n, d, epsilon, named):
    """Where noise hides X'X and a sum of d numbers is clear of it."""
    found = dp.recommend(n=n, d=d, epsilon=epsilon, delta="1e-6")
    assert (found.of_even_rows == dp.regressions.AdaptiveGradientDescent()) == named
    assert ("AdaptiveGradientDescent" in str(found)) == named


def test_a_delta_near_one_over_n_is_warned_of():
    """As by a fit and a preview: from the public n."""
    with pytest.warns(dp.PrivacyWarning, match=r"delta = 0\.01 is not far below 1/n = 0\.001"):
        dp.recommend(n=1000, d=3, epsilon=1, delta="0.01")


WIDE = dp.Setting(
    X=dp.Rows(
        columns=[
            *(dp.Numeric(f"x{place}", 0, 1) for place in range(1, 8)),
            dp.Categorical("town", [f"t{place}" for place in range(9)]),
        ],
        intercept=True,
    ),
    y=dp.Column("y", lower=0, upper=1),
    relation=dp.ADD_REMOVE,
)


def test_columns_that_are_predicted_alike_share_a_line():
    """The assumption on correlation, and the column to merge first, stand below."""
    text = str(dp.recommend(n=9000, epsilon=1, delta="1e-6", setting=WIDE))
    assert "  x1 to x7  " in text
    assert "x2" not in text
    assert "Columns are assumed to be uncorrelated." in text
    assert "Merge rare levels first: those of town." in text


TYPICAL = dp.Setting(
    X=dp.Rows(
        columns=[dp.Numeric("a", 0, 9), dp.Numeric("b", 0, 9), dp.Categorical("c", ["u", "v"])],
        intercept=True,
    ),
    y=dp.Column("y", lower=0, upper=100),
    relation=dp.ADD_REMOVE,
)


def test_the_loss_is_that_of_a_codebook():
    """By hand: rows of squared norm 4, mean squares 0.162 twice, 0.45 and 1 of the intercept; the
    noise of three rows a person, and of one replaced.
    """
    asked = {"n": 200, "epsilon": 1, "delta": "1e-6"}
    inverse = 2 / 0.162 + 1 / 0.45
    ratio = 4 * 4 * (inverse + 1) / (200 * 0.2367) ** 2 / 0.5
    lost = dp.recommend(**asked, setting=TYPICAL).lost
    assert lost / (1 - lost) == pytest.approx(ratio, rel=1e-3)
    for changed, more in (({"rows_per_person": 3}, 9), ({"relation": dp.REPLACE_ONE}, 2.25)):
        lost = dp.recommend(**asked, setting=attrs.evolve(TYPICAL, **changed)).lost
        assert lost / (1 - lost) == pytest.approx(more * ratio, rel=1e-3)
    short = attrs.evolve(TYPICAL, X=attrs.evolve(TYPICAL.X, norm=1))
    lost = dp.recommend(**asked, setting=short).lost
    more = 2 * (3 * inverse + 1) / (4 * (inverse + 1))
    assert lost / (1 - lost) == pytest.approx(more * ratio, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "epsilon"), [(1000, "1"), (1000, "0.3")])
def test_the_loss_is_about_that_of_simulated_tables(n, epsilon):
    """Of typical variation, beside that of sampling: within a factor of two."""
    new, _ = table(TYPICAL, 2000, 0.5, np.random.default_rng(100))
    lost = []
    for seed in range(25):
        rows, labels = table(TYPICAL, n, 0.5, np.random.default_rng(seed))
        exact, noisy = (
            dp.PrivateRegressor(epsilon=each, delta="1e-6", setting=TYPICAL, rng=seed)
            .fit(rows, labels)
            .predict(new)
            for each in (10**8, epsilon)
        )
        lost.append(np.mean((noisy - exact) ** 2) / np.var(exact))
    rule = dp.recommend(n=n, epsilon=epsilon, delta="1e-6", setting=TYPICAL).lost
    assert rule / 2 < np.mean(lost) < 2 * rule
