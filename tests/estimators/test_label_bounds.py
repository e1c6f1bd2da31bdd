"""Wrong bounds of labels are questioned by released sums; bounds of ordinary labels are not."""

import numpy as np
import pytest

import dpframe as dp

ORDINARY = {
    "uniform": (0, 100, lambda rng, n: rng.uniform(0, 100, n)),
    "normal": (0, 100, lambda rng, n: rng.normal(50, 15, n)),
    "high": (0, 100, lambda rng, n: rng.normal(70, 12, n)),
    "exponential": (0, 100, lambda rng, n: rng.exponential(10, n)),
    "incomes": (0, 200, lambda rng, n: np.exp(rng.normal(np.log(40), 0.6, n))),
    "marks": (0, 100, lambda rng, n: 100 * rng.beta(5, 1, n)),
    "half zeros": (0, 100, lambda rng, n: (rng.random(n) < 0.5) * rng.exponential(20, n)),
    "ratings": (1, 5, lambda rng, n: rng.integers(1, 6, n)),
    "student": (-10, 10, lambda rng, n: rng.standard_t(3, n)),
}
CLIPPED = {
    "incomes": (50, lambda rng, n: np.exp(rng.normal(np.log(60), 0.45, n))),
    "fewer": (50, lambda rng, n: np.exp(rng.normal(np.log(40), 0.45, n))),
    "uniform": (65, lambda rng, n: rng.uniform(0, 100, n)),
}


def notes(law, lower, upper, **given):
    """The notes on bounds."""
    return [note for note in all_notes(law, lower, upper, **given) if "are these bounds" in note]


def all_notes(law, lower, upper, *, relation=dp.ADD_REMOVE, n=8000, regression=None):
    """The notes of a summary."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 1, (n, 1))
    setting = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("x", 0, 1)], intercept=True),
        y=dp.Column("label", lower=lower, upper=upper),
        relation=relation,
    )
    model = dp.PrivateRegressor(regression, epsilon=1, delta="1e-6", setting=setting, rng=0)
    return model.fit(X, law(rng, n).astype(float)).summary().notes


@pytest.mark.parametrize("name", ORDINARY)
def test_bounds_of_ordinary_labels_are_not_questioned(name):
    """Skewed, ceilinged, zero-inflated and discrete ones among them."""
    lower, upper, law = ORDINARY[name]
    assert notes(law, lower, upper) == []


@pytest.mark.parametrize("name", CLIPPED)
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_a_third_of_labels_beyond_an_end_is_questioned(name, relation):
    """The share is close to the true one, and the way out is named."""
    upper, law = CLIPPED[name]
    beyond = np.mean(law(np.random.default_rng(1), 100_000) > upper)
    (note,) = notes(law, 0, upper, relation=relation)
    share = float(note.split("about ")[1].split("%")[0]) / 100
    assert beyond - 0.1 < share < beyond + 0.05
    assert f"the upper end of [0, {upper}]" in note
    assert "too narrow" in note
    tighter = [
        any("a tighter public bound" in note for note in all_notes(law, 0, end, relation=relation))
        for end in (4 * upper, upper)
    ]
    assert tighter == [True, False]  # advice against the question would contradict it


@pytest.mark.parametrize(("lower", "where"), [(0, "the lower end"), (-200_000, "its centre")])
def test_labels_in_a_small_part_of_their_range_are_questioned(lower, where):
    """Of 9 to 12 in bounds of 200,000."""
    (note,) = notes(lambda rng, n: rng.uniform(9, 12, n), lower, 200_000, n=40_000)
    assert "nearly all labels lie within 1/64 of the range" in note
    assert where in note


def test_without_counts_the_released_squares_suffice():
    """Where one pass releases no counts of sizes."""
    (note,) = notes(CLIPPED["incomes"][1], 0, 20, regression=dp.JointSSP(levels=0, rounds=0))
    assert "the upper end of [0, 20]" in note or "upper end" in note
