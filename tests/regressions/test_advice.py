"""Advice from public quantities."""

import pytest

import dpframe as dp
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


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_what_is_recommended_for_everybody_is_certified(relation):
    """Under both relations."""
    for delta, target in (("1e-6", dp.ApproxDP(1, "1e-6")), (0, dp.PureDP(1))):
        setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation)
        advised = dp.recommend(**(EASY | {"delta": delta})).regression
        assert dp.certify(advised, target=target, setting=setting).derivation


def test_one_look_is_enough_where_sampling_takes_far_more():
    """A hundred times 4 (d/(n mu))^2/R^2 against d/n."""
    at_once = dp.recommend(n=1_000_000, d=50, epsilon=1, delta="1e-6").regression
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


def test_units_are_named_where_nothing_says_the_sizes_of_columns():
    """5 sqrt(19 d/0.018)/mu = 2,170 records hide from counts at (10, 1, 1e-6), mu = 0.2367: named
    from twice as many, and never beside a codebook, which states the ends of each column.
    """
    for n, named in ((4_300, False), (4_400, True)):
        found = dp.recommend(**(EASY | {"n": n}))
        assert (found.in_units is not None) == named
        assert ("differ in scale" in str(found)) == named
    assert str(found.in_units.scaling) == "3/100"
    columns = [dp.Numeric(f"x{j}", -1, 1) for j in range(10)]
    setting = dp.Setting(X=dp.Rows(columns=columns), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    assert dp.recommend(**(EASY | {"d": None}), setting=setting).in_units is None


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


def test_of_one_column_and_few_records_the_median_of_slopes_is_named():
    """Where it was better in every world that was tried; not with an intercept beside it."""
    named = dp.recommend(n=800, d=1, epsilon=1, delta="1e-6")
    assert named.of_one_column == dp.regressions.TheilSen(pairs=400)
    assert "labels scatter evenly about a line: dp.regressions.TheilSen(pairs=400)" in str(named)
    for other in ({"n": 1000, "d": 2}, {"n": 100, "d": 1}, {"n": 5000, "d": 1}):
        assert dp.recommend(**other, epsilon=1, delta="1e-6").of_one_column is None
