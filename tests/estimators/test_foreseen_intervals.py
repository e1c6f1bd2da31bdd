"""Intervals that are foreseen from public numbers, and what becomes of them; hidden directions by
name.
"""

import attrs
import numpy as np
import pandas as pd
import pytest

import dpframe as dp
from dpframe.inference.spectrum import Unidentified, directions

N = 1500
CODEBOOK = (
    dp.Numeric("age", 18, 65, "years"),
    dp.Categorical("sex", ["female", "male"]),
    dp.Numeric("bmi", 15, 55, "kg/m2"),
    dp.Categorical("smoker", ["no", "yes"]),
    dp.Categorical("region", ["north", "east", "south", "west"]),
)
SETTING = dp.Setting(
    X=dp.Rows(columns=list(CODEBOOK), intercept=True),
    y=dp.Column("charges", lower=0, upper=65_000),
    relation=dp.ADD_REMOVE,
)
SKEWED = [dp.Numeric("a", 0, 40), dp.Numeric("b", 0, 1), dp.Numeric("y", 0, 1)]
NAMES = (
    "age", "sex[male]", "bmi", "smoker[yes]", "region[east]", "region[south]", "region[west]",
    "intercept",
)  # fmt: skip
TRUTH = np.array([260.0, -100, 340, 23_800, -350, -1000, -950, -11_500])


@pytest.fixture(scope="module")
def people():
    """A table like one of medical costs, drawn from a linear model: features, charges."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 65, N),
            "sex": rng.choice(["female", "male"], N),
            "bmi": rng.normal(30, 6, N).clip(16, 54),
            "smoker": rng.choice(["no", "yes"], N, p=[0.8, 0.2]),
            "region": rng.choice(["north", "east", "south", "west"], N),
        }
    )
    charges = columns(table) @ TRUTH + rng.normal(0, 5000, N)
    return table, charges.clip(0, 65_000)


def columns(table):
    """What the names stand for, (n, 8)."""
    dummies = [table.region == level for level in ("east", "south", "west")]
    rows = [table.age, table.sex == "male", table.bmi, table.smoker == "yes", *dummies]
    return np.column_stack([*rows, np.ones(len(table))]).astype(float)


def fitted(people, epsilon, regression=None, seed=0, setting=SETTING):
    """A simulated fit."""
    asked = {"epsilon": epsilon, "delta": "1e-6", "setting": setting, "rng": seed}
    return dp.PrivateRegressor(regression, **asked).fit(*people)


def test_coefficients_are_those_of_least_squares_at_large_epsilon(people):
    """In dollars, by level, and the centre of each interval within a standard error."""
    model = fitted(people, 10**6)
    exact = np.linalg.lstsq(columns(people[0]), people[1], rcond=None)[0]
    summary = model.summary()
    assert summary.names == NAMES
    apart = np.abs(summary.estimates.effect - exact) / summary.estimates.sd
    assert apart.max() < 0.5
    assert np.append(model.coef_, model.intercept_) == pytest.approx(exact, rel=0.25, abs=200)


ADVICE = {"n": N, "delta": "1e-6", "setting": SETTING}


def given(model):
    """Which coefficients have an interval, by name."""
    summary = model.summary()
    known = np.isfinite(summary.intervals).all(axis=1)
    return {name for name, one in zip(summary.names, known, strict=True) if one}


def test_what_is_likely_happens(people):
    """All at epsilon 15, and each that is foreseen at 3, in every draw of the noise."""
    assert dp.recommend(epsilon=15, **ADVICE).intervals.all_likely
    for seed in range(3):
        assert given(fitted(people, 15, seed=seed)) == set(NAMES)
    advice = dp.recommend(epsilon=3, **ADVICE).intervals
    likely = {part.name for part in advice.parts if part.likely}
    assert likely == {"sex", "smoker"}
    for seed in range(3):
        assert {"sex[male]", "smoker[yes]"} <= given(fitted(people, 3, seed=seed))


def test_what_is_unlikely_does_not_happen(people):
    """No interval at epsilon 1/10."""
    advice = dp.recommend(epsilon="0.1", **ADVICE)
    assert advice.intervals.none
    assert str(advice).startswith("At this size expect no interval for any coefficient.\n")
    for seed in range(3):
        assert given(fitted(people, "0.1", seed=seed)) == set()


def test_conditions_are_of_the_table_and_decide(people):
    """At epsilon 1 the std of age is enough, that of bmi is not."""
    parts = {part.name: part for part in dp.recommend(epsilon=1, **ADVICE).intervals.parts}
    least = np.sqrt(parts["bmi"].needed) / 2
    assert parts["bmi"].least == f"{np.ceil(100 * least):.0f}%"
    assert people[0].bmi.std() / 40 < least < people[0].age.std() / 47
    found = [given(fitted(people, 1, seed=seed)) for seed in range(4)]
    assert all("age" in one for one in found)
    assert not any("bmi" in one for one in found)


def test_a_variant_that_spends_more_on_the_gram_is_named_and_has_more(people):
    """Where the default may not show everything."""
    advice = dp.recommend(epsilon=3, **ADVICE)
    assert "\nfor intervals: dp.JointSSP.for_intervals()\n" in str(advice)
    count = [
        sum("bmi" in given(fitted(people, 3, regression, seed)) for seed in range(4))
        for regression in (advice.regression, advice.instead)
    ]
    assert count[0] < count[1] == 4
    assert dp.recommend(epsilon=10, **ADVICE).instead == advice.instead  # there they are shorter


def test_what_is_enough_for_most_columns_is(people):
    """At the n that is named, of people like these; and at the epsilon that is."""
    advice = dp.recommend(epsilon="0.7", **ADVICE)
    n, epsilon = advice.enough
    table, charges = people
    rows = np.random.default_rng(0).integers(0, N, n)
    more = table.iloc[rows].reset_index(drop=True), charges[rows]
    for seed in range(3):
        assert len(given(fitted(more, "0.7", advice.instead, seed))) > 4
        assert len(given(fitted(people, epsilon, advice.instead, seed))) > 4
    assert dp.recommend(epsilon=15, **ADVICE).enough is None


def test_the_variant_for_intervals_is_the_same_regression():
    """That of the five numbers: one certificate."""
    written = dp.JointSSP(counting="0.08", gram=100, moment=46, squares=12, rounds=0)
    assert dp.JointSSP.for_intervals() == written
    hashes = [
        dp.certify(one, target=dp.ApproxDP(1, "1e-6"), setting=SETTING).hash
        for one in (dp.JointSSP.for_intervals(), written)
    ]
    assert hashes[0] == hashes[1]


def test_a_std_that_a_mean_near_an_end_hides_is_not_called_likely():
    """A tenth of the range at 6,000 people and epsilon 1: such columns had none in 9 of 30 fits."""
    setting = dp.Setting.from_formula("y ~ a + b", SKEWED, relation=dp.ADD_REMOVE)
    advice = dp.recommend(n=6000, epsilon="0.7", delta="1e-6", setting=setting)
    assert not any(part.likely for part in advice.intervals.parts)
    later = dp.recommend(n=60_000, epsilon=1, delta="1e-6", setting=setting)
    assert str(later.intervals).endswith("or have a std below 10% of their range")


def test_preview_says_the_same():
    """Of the certificate that is run; no regression without intervals speaks of them."""
    target = dp.ApproxDP(3, "1e-6")
    seen = dp.certify(dp.JointSSP(), target=target, setting=SETTING).preview(n=N)
    assert seen.intervals == dp.recommend(epsilon=3, **ADVICE).intervals
    assert f"intervals: {seen.intervals}" in str(seen)
    assert dp.certify(dp.SSP(), target=target, setting=SETTING).preview(n=N).intervals is None
    with pytest.raises(dp.InvalidArgument, match="codebook's 5 columns"):
        dp.recommend(d=7, epsilon=3, **ADVICE)


@pytest.mark.parametrize("rows", [{"norm": 1}, {"box": 1}, {"columns": list(CODEBOOK), "norm": 1}])
def test_other_bounds_are_foreseen_too(rows):
    """Likely in the end, unlikely at first, and never less with more records."""
    setting = attrs.evolve(SETTING, X=dp.Rows(**rows))
    run = dp.certify(dp.JointSSP(), target=dp.ApproxDP(1, "1e-10"), setting=setting)
    d = None if "columns" in rows else 6
    found = [run.preview(n=n, d=d).intervals for n in (0, 100, 10_000, 10**8)]
    assert found[0].none
    assert found[1].none
    assert found[-1].all_likely
    needed = [part.needed for one in found[1:] for part in one.parts[:1]]
    assert needed == sorted(needed, reverse=True)


def test_the_hidden_direction_is_named(people):
    """By its column, or by the combination that cannot be told apart."""
    notes = " ".join(fitted(people, 1).summary(notes=True).notes)
    assert "not identified: bmi" in notes
    table, charges = people
    doubled = table.assign(weight=2.5 * table.bmi + 20)
    twin = dp.Numeric("weight", 57.5, 157.5)  # the same column in other units
    rows = dp.Rows(columns=[*CODEBOOK, twin], intercept=True)
    setting = attrs.evolve(SETTING, X=rows)
    summary = fitted((doubled, charges), 1000, setting=setting).summary(notes=True)
    said = " ".join(summary.notes)
    assert "1 of 9 directions" in said
    assert "bmi - 1.0 weight" in said or "weight - 1.0 bmi" in said
    assert "no budget tells them apart" in said
    known = np.isfinite(summary.intervals).all(axis=1)
    alone = [name for name, one in zip(summary.names, known, strict=True) if not one]
    assert alone == ["bmi", "weight"]
    exact = dict(zip(NAMES, TRUTH, strict=True))
    for name, (low, high) in zip(summary.names, summary.intervals, strict=True):
        assert name not in exact or low <= exact[name] <= high


@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("n", "d", "epsilon"),
    [
        (2_000, 3, "1"),
        (2_000, 3, "0.3"),
        (2_000, 3, "0.1"),
        (5_000, 5, "0.1"),
        (10_000, 5, "0.3"),
        (5_000, 10, "0.3"),
        (15_000, 10, "0.1"),
        (50_000, 30, "0.1"),
        (200_000, 30, "0.1"),
    ],
)
def test_predicted_intervals_are_given_and_no_others(n, d, epsilon):
    """Of uniform columns, whose mean square is 1/3 of their squared bound, and an intercept of
    mean square 1: over draws of the noise on X'X.
    """
    columns = [dp.Numeric(f"x{j}", -1, 1) for j in range(1, d)]
    setting = attrs.evolve(SETTING, X=dp.Rows(columns=columns, intercept=True))
    target = dp.ApproxDP(epsilon, "1e-7")
    proved = dp.certify(dp.JointSSP(), target=target, setting=setting)
    predicted = proved.preview(n=n).intervals
    gram_release = next(one for one in proved.graph.releases if one.name == "gram")
    std = float(proved.number(gram_release.std, up=True))
    rng, slopes, intercepts = np.random.default_rng(0), [], []
    for _ in range(100):
        noise = std * rng.standard_normal((d, d))
        gram = n * np.diag([1 / 3] * (d - 1) + [1.0]) + (noise + noise.T) / 2
        off = Unidentified.of(directions(gram, std), np.inf, 1.0, np.zeros(d)).off(np.eye(d))
        slopes.append(np.mean(np.isfinite(off[:-1])))
        intercepts.append(np.isfinite(off[-1]))
    column = predicted.parts[0]
    if column.beside <= 1 / 3:
        assert np.mean(slopes) > 0.95
    else:
        assert column.needed > 1 / 3
        assert np.mean(slopes) < 0.1
    assert np.mean(intercepts) > 0.75 or not predicted.intercept


def test_without_an_intercept_none_is_predicted():
    """Neither in the sentence nor in the table."""
    columns = [dp.Numeric("a", -1, 1), dp.Numeric("b", -1, 1)]
    for intercept in (True, False):
        setting = attrs.evolve(SETTING, X=dp.Rows(columns=columns, intercept=intercept))
        advice = dp.recommend(n=2_000, epsilon="0.3", delta="1e-6", setting=setting)
        assert ("intercept" in str(advice)) == intercept
        assert ("intercept" in str(advice.intervals)) == intercept


def test_a_product_and_its_factors_are_not_likely():
    """They nearly span each other where means are away from the middle, as in most tables."""
    columns = [dp.Numeric("bmi", 15, 55), dp.Categorical("smoker", ["no", "yes"])]
    columns += [dp.Numeric("age", 18, 64)]
    terms = ["age", "bmi", "smoker", ("bmi", "smoker")]
    setting = dp.Setting(
        X=dp.Rows(columns=columns, terms=terms, intercept=True),
        y=dp.Column("charges", lower=0, upper=60_000),
        relation=dp.ADD_REMOVE,
    )
    advice = dp.recommend(n=100_000, epsilon=4, delta="1e-6", setting=setting)
    words = {part.name: part.word for part in advice.intervals.parts}
    assert words == {
        "age": "likely",
        "bmi": "possible",
        "smoker": "possible",
        "bmi:smoker": "not predicted",
    }
