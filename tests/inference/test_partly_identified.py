"""Where noise hides a direction: what is claimed of the others, and that it holds, simulated."""

import math
from functools import partial

import numpy as np
import pytest

from benchmarks.coverage import released
from dpframe.inference.spectrum import Unidentified
from dpframe.inference.words import assumed_change, sentences
from tests.support.inferring import infer as inferred

infer = partial(inferred, normal_residuals=True)
D, REPEATS, LEVEL = 5, 80, 0.9
NORM = math.sqrt(D)
BESIDE = np.array([0.3, -0.2, 0.1, 0.1, -0.1])  # coefficients of four columns and an intercept


def same(n, rng):
    """Columns 2 and 3 are the same."""
    rows = even(n, rng)
    rows[:, 3] = rows[:, 2]
    return rows


def twins(n, rng):
    """They are nearly the same."""
    rows = even(n, rng)
    rows[:, 3] = 0.97 * rows[:, 2] + 0.03 * rows[:, 3]
    return rows


def leaning(n, rng):
    """Column 2 hardly varies beside a fifth of column 1."""
    rows = even(n, rng)
    rows[:, 2] = 0.1 * rows[:, 2] + 0.2 * rows[:, 1]
    return rows


def off_centre(n, rng):
    """Column 2 fills a tenth of its range, off the middle."""
    rows = even(n, rng)
    rows[:, 2] = 0.2 + 0.1 * rows[:, 2]
    return rows


def even(n, rng):
    """Uniform columns and an intercept."""
    return np.column_stack([rng.uniform(-1, 1, (n, D - 1)), np.ones(n)])


def falling(n, rng):
    """Columns whose spreads fall off."""
    return even(n, rng) * [1, 0.8, 0.6, 0.45, 1]


def near_an_end(n, rng):
    """Column 2 varies little, near the upper end."""
    rows = even(n, rng)
    rows[:, 2] = 0.6 + 0.2 * rows[:, 2]
    return rows


HIDDEN = {
    same: np.array([0, 0, 1, -1, 0]) / math.sqrt(2),
    twins: np.array([0, 0, 1, -1, 0]) / math.sqrt(2),
    leaning: np.array([0, -0.2, 1, 0, 0]) / math.hypot(1, 0.2),
}


def along(make, weak):
    """Coefficients of which that of the hidden direction is `weak`; 1 is what is believed."""
    direction = HIDDEN[make]
    return BESIDE + (weak - BESIDE @ direction) * direction


def runs(make, theta, *, n=3000, mu=0.5, corrections=0, repeats=REPEATS, believed=NORM, **wanted):
    """Inferences for labels x'theta plus noise in [-1, 1], and the coefficients that they are of.

    Rows are divided by NORM, so that they lie in the unit ball.
    """
    rng = np.random.default_rng(0)
    for _ in range(repeats):
        rows = make(n, rng)
        labels = np.clip(rows @ theta + 0.1 * rng.standard_normal(n), -1, 1)
        observed = released(rows / NORM, labels, mu, rng, bound=1.0, corrections=corrections)
        yield infer(observed, bound=1.0, believed=believed, **wanted), theta * NORM


def covered(found, truth):
    """Which coefficients have an interval, and whether those hold."""
    ends = found.conf_int(1 - LEVEL)
    given = np.isfinite(ends).all(axis=1)
    return given, ((ends[:, 0] <= truth) & (truth <= ends[:, 1]))[given]


@pytest.mark.parametrize("corrections", [0, 3])
@pytest.mark.parametrize("weak", [-1.0, 0.3, 1.0])
@pytest.mark.parametrize("make", HIDDEN)
def test_what_is_claimed_beside_a_hidden_direction_holds(make, weak, corrections):
    """At least as often as it says, over the tables in which it is claimed; and it is claimed."""
    inside, claimed = [], []
    for found, truth in runs(make, along(make, weak), corrections=corrections):
        given, right = covered(found, truth)
        assert found.identified == D - 1
        claimed.append(given[[0, 4]])  # where the iteration settles, in nearly all tables
        inside += right.tolist()
    assert np.mean(claimed) > 0.95
    assert np.mean(inside) >= LEVEL - 3 * math.sqrt(LEVEL * (1 - LEVEL) / REPEATS / 2)


@pytest.mark.parametrize(
    ("column", "hidden"),
    [
        (lambda rows: 0.05 + 0 * rows[:, 0], [0, 0, 1, 0, -0.05]),
        (lambda rows: np.round((rows[:, 0] + rows[:, 1]) / 2, 4), [0.5, 0.5, -1, 0, 0]),
    ],
)
def test_collinear_columns_leave_means_and_the_shortest_coefficients_covered(column, hidden):
    """A constant column, and one that is the mean of two others up to rounding: intervals hold of
    the least squares coefficients without a part along the hidden direction. Rounded values give
    least squares enormous ones along it, which move the intercept and no mean.
    """

    def collinear(n, rng):
        rows = even(n, rng)
        rows[:, 2] = column(rows)
        return rows

    direction = np.array(hidden) / np.linalg.norm(hidden)
    theta = BESIDE - (BESIDE @ direction) * direction
    rows = collinear(40, np.random.default_rng(1)) / NORM
    coefficients, means = [], []
    for law, truth in runs(collinear, theta, n=6000):
        assert law.identified == D - 1
        given, right = covered(law, truth)
        assert given[-1]
        coefficients += right.tolist()
        low, high = law.of(rows).conf_int(1 - LEVEL).T
        for part in (0.0, 10.0):  # rounding moves means by at most 1e-4 of this
            mean = rows @ (truth + part * direction)
            means.append(np.mean(((low <= mean) & (mean <= high))[np.isfinite(low)]))
    assert np.mean(coefficients) >= LEVEL - 0.03
    assert np.mean(means) >= LEVEL - 0.03


def test_means_hold_where_a_hidden_column_is_near_an_end():
    """Labels change by their whole range as it goes from end to end, so that the coefficient of the
    hidden combination with the intercept is above the one of the column.
    """
    theta, inside = np.array([0.3, 0, 1.0, 0, -0.6]), []
    rows = near_an_end(40, np.random.default_rng(1)) / NORM
    for found, truth in runs(near_an_end, theta, constant=NORM * np.eye(D)[-1]):
        low, high = found.of(rows).conf_int(1 - LEVEL).T
        given = np.isfinite(low)
        inside.append(np.mean(((low <= rows @ truth) & (rows @ truth <= high))[given]))
        assert np.mean(given) > 0.9
    assert np.mean(inside) >= LEVEL - 0.02


def test_released_sums_refute_a_declared_length():
    """Where X'y along a hidden column is larger than its coefficient may make it, nothing is
    claimed, and a sentence says so; elsewhere hardly ever.
    """
    rng = np.random.default_rng(0)

    def tiny(n, _):
        rows = even(n, rng)
        rows[:, 2] *= 0.02
        return rows

    for weak, refuted in ((1.0, 0), (15.0, 20)):
        theta = np.array([0.1, 0, weak, 0, 0])
        laws = [law for law, _ in runs(tiny, theta, n=100_000, mu=0.5, repeats=20, largest=3)]
        assert [law.identified for law in laws] == [D - 1] * 20
        assert sum(law.open_ended for law in laws) == refuted
    said = " ".join(sentences(laws[0]))
    assert "The released X'y is larger along hidden directions" in said
    assert "No coefficient has an interval" in said


@pytest.mark.parametrize("make", [same, twins])
def test_coefficients_along_a_hidden_direction_have_no_interval(make):
    """Twins have none, and nothing is said of their signs; the others have."""
    for found, _ in runs(make, along(make, 0.3), repeats=10):
        given, _ = covered(found, np.zeros(D))
        assert given.tolist() == [True, True, False, False, True]
        apart = found.of(np.eye(D))
        assert np.isnan(apart.pvalue).tolist() == [False, False, True, True, False]
        together = found.of(np.array([[0.0, 0, 1, 1, 0]]))  # their sum is observed
        assert np.isfinite(together.sd).all()


@pytest.mark.parametrize("mu", [0.12, 0.18, 0.25])
def test_tables_that_pass_by_luck_are_covered_too(mu):
    """At budgets at which a direction is hidden in some tables and observed in others."""
    inside, hidden = [], set()
    for found, truth in runs(falling, np.array([0.3, -0.2, 0.2, 0.3, -0.1]), mu=mu, repeats=150):
        hidden.add(D - found.identified)
        inside += covered(found, truth)[1].tolist()
    assert len(hidden) > 1
    assert len(inside) > 50
    assert np.mean(inside) >= LEVEL - 0.03


def test_what_is_believed_widens_intervals():
    """By what a larger hidden coefficient may do; nothing is claimed where nothing is believed."""
    half = []
    for believed in (NORM, 30 * NORM, math.inf):
        (found, _), *_ = runs(twins, along(twins, 0.3), repeats=1, believed=believed)
        half.append(float(np.diff(found.conf_int()[0])[0]))
    assert half[0] < half[1] < half[2] == math.inf


@pytest.mark.parametrize("weak", [1.5, 2.0, 4.0])
def test_a_hidden_coefficient_beyond_the_range_of_labels_is_covered(weak):
    """Where released sums show it: over the range of a column that fills a tenth of it, labels
    change by more than their own range.
    """
    theta, inside = np.array([0.1, 0.0, weak, 0.1, -0.2 * weak]), []
    for found, truth in runs(off_centre, theta, n=6000):
        given, right = covered(found, truth)
        assert found.identified == D - 1
        assert given.tolist() == [True, True, False, True, True]
        inside.append(right)
    assert np.all(np.mean(inside, axis=0) >= LEVEL - 3 * math.sqrt(LEVEL * (1 - LEVEL) / REPEATS))


def test_the_assumed_change_is_what_sums_support():
    """In words: the declared range, or a multiple that is rounded down."""
    said = [
        assumed_change(Unidentified(np.eye(2), 1.0, declared=False, times=times))
        for times in (1.04, 2.57)
    ]
    assert said == ["the declared range of the label", "2.5 times the declared range of the label"]


def test_a_direction_that_is_seen_needs_no_belief():
    """Intervals do not depend on the assumed bound where nothing is hidden."""
    ends = [
        next(runs(even, BESIDE, repeats=1, believed=believed))[0].conf_int()
        for believed in (NORM, math.inf)
    ]
    assert np.isfinite(ends[0]).all()
    assert np.array_equal(*ends)


def test_sentences_name_the_direction_and_no_vain_advice():
    """What is hidden, what the others assume, and that a column which follows from others goes."""
    ((found, _),) = runs(twins, along(twins, 0.3), repeats=1)
    said = " ".join(sentences(found, ["a - 1.0 b"]))
    assert "1 of 5 directions of the coefficients are not identified: a - 1.0 b" in said
    assert "leave it out: no budget tells them apart" in said
    assert f"changes the label by at most {assumed_change(found.unseen)}" in said
    assert "summary(largest=...)" in said
    assert "No coefficient has an interval" in " ".join(sentences(found, ["a"], some=False))


def test_the_sample_is_covered_beside_a_hidden_direction():
    """The least squares coefficients of the table itself, where others vary as they should."""
    rng = np.random.default_rng(1)
    theta, inside = along(leaning, 0.5), []
    for _ in range(REPEATS):
        rows = leaning(3000, rng)
        labels = np.clip(rows @ theta + 0.1 * rng.standard_normal(3000), -1, 1)
        observed = released(rows / NORM, labels, 0.5, rng, bound=1.0, corrections=0)
        truth = np.linalg.lstsq(rows / NORM, labels, rcond=None)[0]
        found = infer(observed, target="sample", bound=1.0, believed=NORM)
        inside += covered(found, truth)[1].tolist()
    assert np.mean(inside) >= LEVEL
