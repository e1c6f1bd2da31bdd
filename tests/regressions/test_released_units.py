"""Rows in released units: what is released, what follows, and what it gains."""

import math

import numpy as np
import pytest

import dpframe as dp
from dpframe.numerics.blocks.elementwise import project, shrinking
from dpframe.prover.mixture import joint_gaussian
from dpframe.regressions.released_units import (
    LONGEST,
    NORMS,
    SIZES,
    UNSEEN,
    entries_above,
    norm_of,
    units_of,
    weight_of,
)

TARGET = dp.ApproxDP(1, "1e-6")
UNITS = dp.JointSSP(scaling="0.03")


def setting(relation=dp.ADD_REMOVE, **more):
    """Public bounds."""
    return dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=relation, **more)


def counted(columns, std=0.0, seed=0):
    """Counts of |entries| of each column between SIZES, with noise."""
    edges = [-1, *map(float, SIZES), np.inf]
    counts = [np.histogram(np.abs(one), edges)[0] for one in columns]
    return np.concatenate(counts) + std * np.random.default_rng(seed).normal(
        size=len(counts) * (len(SIZES) + 1)
    )


def world(sizes, n=20_000, seed=0):
    """Rows with columns of these sizes, coefficients that matter alike, labels with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, len(sizes))) * sizes
    X *= np.minimum(1, 1 / np.linalg.norm(X, axis=1))[:, None]
    theta = np.array([0.15, -0.1, 0.2])[: len(sizes)] / sizes
    return X, np.clip(X @ theta + 0.1 * rng.normal(size=n), -1, 1), theta


def lost(regression, X, y, theta, relation=dp.ADD_REMOVE):
    """The squared error of predictions over that of zero."""
    run = dp.certify(regression, target=TARGET, setting=setting(relation))
    fit = dp.execute(run, X, y, rng=5).output.coefficients
    return np.mean((X @ (fit - theta)) ** 2) / np.mean((X @ theta) ** 2)


@pytest.mark.parametrize("part", ["1", "-0.1", "2"])
def test_the_part_leaves_something_to_fit_with(part):
    """Refused in words."""
    with pytest.raises(dp.InvalidArgument, match="scaling must be at least 0 and below 1"):
        dp.certify(dp.JointSSP(scaling=part), target=TARGET, setting=setting())


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
@pytest.mark.parametrize("sizes", [(0.3, 0.02, 0.001), (0.008, 0.008, 0.008)])
def test_unlike_columns_and_short_rows_cost_little(sizes, relation):
    """They cost nearly everything without units."""
    X, y, theta = world(np.array(sizes))
    assert lost(dp.JointSSP(), X, y, theta, relation) < 0.01
    assert lost(dp.JointSSP(scaling=0), X, y, theta, relation) > 0.2


def names(regression, **rows):
    """What is released."""
    where = dp.Setting(X=dp.Rows(**rows), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.certify(regression, target=TARGET, setting=where)
    return {one.name for one in run.graph.releases}


def test_units_are_left_out_where_a_codebook_or_public_rows_say_them():
    """And where the table is to be read once; a part that is given is spent."""
    book = {"columns": [dp.Numeric("a", 0, 9), dp.Numeric("b", 0, 9)]}
    for regression, rows, released in (
        (dp.JointSSP(), {"norm": 1}, True),
        (dp.JointSSP(), {"norm": 1, "intercept": True}, True),
        (dp.JointSSP.for_intervals(), {"norm": 1}, True),
        (dp.JointSSP(), book, False),
        (dp.JointSSP(), book | {"intercept": True}, False),
        (UNITS, book, True),
        (dp.JointSSP(scaling=0), {"norm": 1}, False),
        (dp.JointSSP(levels=0, rounds=0), {"norm": 1}, False),
        (dp.JointSSP(public=np.eye(2)), {"norm": 1}, False),
    ):
        found = names(regression, **rows)
        assert {"n", "sizes", "norms"} <= found if released else not {"sizes", "norms"} & found


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_counts_that_n_does_not_show_spend_almost_nothing(relation):
    """What they leave is spent on the sums: the noise on X'X, over the square of the row bound."""
    X, y, _ = world(np.array([0.3, 0.02, 0.001]), n=20_000)
    stds = {}
    for part, rows in ((0, 100), (None, 100), (None, 20_000)):
        mine = dp.JointSSP(scaling=part)
        run = dp.certify(mine, target=TARGET, setting=setting(relation))
        result = dp.execute(run, X[:rows], y[:rows], rng=1)
        given = {"sizes": {"d": 3, "n": rows}, "released": result.known}
        (gram,) = (one for one in run.graph.releases if one.name == "gram")
        bound = run.number(gram.statistic.rows.norm, up=True, **given)
        std = run.number(gram.std, up=True, **given)
        stds[part, rows] = std / bound**2
        if part is None:
            assert result.known["sizes_clear"] == (1 if rows == 20_000 else UNSEEN)
    assert stds[None, 100] == pytest.approx(stds[0, 100], rel=6e-4)
    assert stds[None, 20_000] == pytest.approx(stds[0, 100] / math.sqrt(0.97), rel=1e-6)


@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE])
def test_the_cost_of_all_releases_is_that_without_units(relation):
    """One number of Gaussian DP, whatever the released shares are."""
    runs = [
        dp.certify(dp.JointSSP(scaling=part), target=TARGET, setting=setting(relation))
        for part in (0, None)
    ]
    plain, units = (joint_gaussian(run) for run in runs)
    assert units == plain


def test_an_intercept_has_its_own_unit():
    """Coefficients are those of the rows as they were given."""
    X, y, theta = world(np.array([0.01, 0.001]))
    y = np.clip(y + 0.25, -1, 1)
    mine = dp.Setting(
        X=dp.Rows(columns=[dp.Numeric("a", -1, 1), dp.Numeric("b", -1, 1)], intercept=True),
        y=dp.Column(lower=-1, upper=1),
        relation=dp.ADD_REMOVE,
    )
    model = dp.PrivateRegressor(UNITS, epsilon=1, delta="1e-6", setting=mine, rng=2)
    model.fit(X, y)
    assert model.coef_ == pytest.approx(theta, rel=0.1)
    assert model.intercept_ == pytest.approx(0.25, abs=0.02)
    law = model.inference()
    known = np.array([*theta, 0.25])
    ends = law.conf_int(0.01)
    assert np.all((ends[:, 0] < known) & (known < ends[:, 1]))
    assert np.all(ends[:, 1] - ends[:, 0] < [4, 40, 0.05])
    assert "Records with long rows weigh less" in str(model.summary())
    with pytest.raises(dp.InvalidArgument, match="normal_residuals must be False"):
        model.inference(normal_residuals=True)


def test_units_are_root_mean_squares_where_columns_differ():
    """Nearly; and one for all where they differ little."""
    rng = np.random.default_rng(1)
    sizes = np.repeat([0.2, 0.01, 0.002], 3)
    columns = [rng.normal(size=50_000) * size for size in sizes]
    found = units_of(counted(columns, 100.0), 100.0, 50_000.0, 50.0, 9)
    assert found == pytest.approx(sizes, rel=0.4)
    alike = units_of(counted([columns[0], columns[0] / 1.5], 100.0), 100.0, 50_000.0, 50.0, 2)
    assert alike[0] == alike[1]


@pytest.mark.parametrize("share", [0.02, 0.002, 0.0005])
def test_a_rare_indicator_does_not_make_long_rows(share):
    """Whether its ones are seen or not, in any of fifty columns and with any noise."""
    rng = np.random.default_rng(2)
    columns = (rng.random((50, 20_000)) < share).astype(float)
    for seed in range(20):
        found = units_of(counted(columns, 200.0, seed), 200.0, 20_000.0, 50.0, 50)
        assert np.max(1 / found) <= math.sqrt(50) * 1.02


def test_sizes_that_are_spread_over_cuts_are_seen():
    """Though no count between two cuts is clear of noise: alike columns have alike units."""
    rng = np.random.default_rng(6)
    large = rng.random((6, 20_000)) < 0.06
    columns = rng.normal(size=large.shape) * np.where(large, rng.uniform(0.1, 1, large.shape), 0.01)
    found = np.array(
        [units_of(counted(columns, 30.0, s), 30.0, 20_000.0, 50.0, 6) for s in range(20)]
    )
    assert np.max(found.max(axis=1) / found.min(axis=1)) < 4


def test_entries_above_cuts_are_counted_from_both_ends():
    """By the counts above a cut and by the records less those below: as precise as is said, and
    better than either.
    """
    rng = np.random.default_rng(11)
    true = np.repeat([[900.0, 60, 30, 10]], 60, axis=0)
    for unsure in (0.0, 15.0):
        runs = [
            entries_above(
                true + 20 * rng.normal(size=true.shape), 20.0, 1000 + unsure * rng.normal(), unsure
            )
            for _ in range(400)
        ]
        found, stds = np.concatenate([one for one, _ in runs]), runs[0][1]
        assert found.mean(axis=0) == pytest.approx([100, 40, 10], abs=0.7)
        assert found.std(axis=0) == pytest.approx(stds, rel=0.05)
        assert np.all(stds < 20 * np.sqrt([3, 2, 1]))


def test_a_column_below_the_least_cut_has_a_unit_of_its_own():
    """Four in ten entries exceed it, which the counts above all cuts alone do not show."""
    columns = (
        np.random.default_rng(12).normal(size=(5, 2000)) * np.geomspace(0.3, 0.0003, 5)[:, None]
    )
    found = [units_of(counted(columns, 48.0, s), 48.0, 2000.0, 90.0, 5) for s in range(20)]
    assert np.mean([one[-1] < 0.001 for one in found]) >= 0.8
    unsure = [units_of(counted(columns, 52.0, s), 52.0, 2000.0, 90.0, 5) for s in range(20)]
    assert all(np.ptp(one) == 0 for one in unsure), "so near to the noise, units are one for all"


def test_units_are_no_smaller_than_what_rows_are_divided_by():
    """However many columns there are, and however small."""
    tiny = np.full((400, 1000), 2.0**-11.5)
    found = units_of(counted(tiny), 0.0, 1000, 0.0, 400)
    assert np.all(found >= 2.0**-14)


def test_without_records_that_can_be_seen_nothing_is_scaled_or_shrunk():
    """Units are those of rows that fill their ball, and the norm is the longest they can have."""
    sizes = counted([np.full(100, 0.01)] * 4, 500.0)
    units = units_of(sizes, 500.0, 100.0, 50.0, 4, sizes_clear=1e-3)
    assert units == pytest.approx(np.full(4, 0.5))
    norm = norm_of(np.zeros(len(NORMS)), 500.0, 100.0, units, 4, 1e-4, clear=1e-3)
    assert norm * LONGEST * 2 == pytest.approx(2)


def test_where_nothing_is_clear_an_intercept_keeps_its_ratio_to_the_columns():
    """Rows of norm 2 beside a constant of 1: the fit is that without units."""
    units = units_of(counted([np.ones(10)] * 9, 500.0), 500.0, 10.0, 50.0, 10, 1e-3, 1e-3, 0.5)
    assert units == pytest.approx(np.full(9, 0.5))
    norm = norm_of(np.zeros(len(NORMS)), 500.0, 10.0, units, 10, 1e-4, clear=1e-3)
    assert norm * LONGEST * math.sqrt(10) == pytest.approx(math.hypot(2, 1))


def test_the_norm_leaves_few_rows_beyond():
    """7% where noise counts, fewer where n is large for it; the units cannot be exceeded."""
    rng = np.random.default_rng(3)
    lengths = np.linalg.norm(rng.normal(size=(100_000, 5)), axis=1)
    top = LONGEST * math.sqrt(5)
    edges = [*(float(cut) * top for cut in NORMS), np.inf]
    seen = np.histogram(np.minimum(lengths, top), edges)[0].astype(float)
    units = np.full(5, 1e-3)
    for strength, most in ((1e-5, 0.07), (1e-2, 0.001)):
        norm = norm_of(seen, 10.0, 100_000.0, units, 5, strength) * top
        assert np.mean(lengths > norm) <= most
    assert norm_of(seen, 10.0, 100_000.0, np.full(5, 0.9), 5, 1e-2) * top == pytest.approx(1 / 0.9)


def test_the_weight_is_no_more_than_that_of_the_rows():
    """With tails beyond all cuts too."""
    rng = np.random.default_rng(7)
    top = LONGEST * math.sqrt(3)
    edges = [*(float(cut) * top for cut in NORMS), np.inf]
    for power in (0.5, 1.0, 2.0):
        lengths = np.abs(rng.standard_cauchy(20_000)) ** power
        counts = np.histogram(lengths, edges)[0].astype(float)
        for share in (0.2, 1.0):
            factors = np.minimum(1, share * top / np.maximum(lengths, 1e-300)) ** 2
            for seed in range(5):
                seen = counts + 30 * np.random.default_rng(seed).normal(size=len(counts))
                weight = weight_of(seen, 30.0, 20_000.0, share, np.full(3, 1e-3), 3)
                assert weight <= factors.mean()


def test_rows_that_are_not_shrunk_have_their_whole_weight():
    """All of length 1, the longest there are; with an intercept too."""
    for units, d in ((np.full(3, 0.3), 3), (np.full(2, 0.3), 3)):
        top, length = LONGEST * math.sqrt(d), math.hypot(1 / 0.3, d - len(units))
        counts = np.histogram([length] * 1000, [*(float(cut) * top for cut in NORMS), np.inf])[0]
        share = norm_of(counts.astype(float), 1.0, 1000.0, units, d, 1e-4)
        assert share * top == pytest.approx(length)
        assert weight_of(counts, 1.0, 1000.0, share, units, d) == pytest.approx(1)


def test_a_few_columns_with_rare_large_entries_keep_the_scale_of_the_others():
    """Two of eighteen, tiny except for 80 entries that counts cannot show."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(15_000, 18)) / 5
    X[:, :2] = 0.002
    X[:80, :2] = 0.7
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    units = [units_of(counted(X.T, 50.0, seed), 50.0, 15_000.0, 50.0, 18) for seed in range(10)]
    assert all(np.ptp(one) == 0 for one in units)


@pytest.mark.parametrize("size", [1.0, 1e200, 1e-200])
def test_labels_shrink_as_their_rows_do(size):
    """Each by itself, to the last bit, and never past its own size."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)) * size
    X[0], X[1] = 0, size
    norm = size if 1e-290 < size else 1.0
    factors = shrinking(X, norm)
    assert factors[0] == 1
    assert np.all(factors <= 1)
    assert project(X, norm) == pytest.approx(X * factors[:, None], rel=1e-12)
    alone = [shrinking(row[None], norm) for row in X]
    assert [1.0 if one is None else one[0] for one in alone] == list(factors)


def test_whatever_is_released_gives_units_norms_and_weights_of_their_ranges():
    """Noise of any size, no records or many, one column or sixty."""
    rng = np.random.default_rng(8)
    for _ in range(300):
        d, std, size = (
            rng.choice([1, 2, 60]),
            10.0 ** rng.uniform(-8, 12),
            10.0 ** rng.uniform(-6, 12),
        )
        n, unsure = rng.choice([0.0, 1.0, 1e9], 2)
        sizes = rng.normal(size=d * (len(SIZES) + 1)) * size + rng.choice([0, 1e9])
        units = units_of(
            sizes, std, n, unsure, d, *rng.choice([1e-3, 1.0], 2), 10.0 ** rng.uniform(-9, 9)
        )
        assert np.all((units >= 2.0**-14) & (units <= 1))
        norms = rng.normal(size=len(NORMS)) * size
        share = norm_of(
            norms, std, n, units, d, 10.0 ** rng.uniform(-30, 30), rng.choice([1e-3, 1.0])
        )
        assert 0 < share <= 1
        assert 0 <= weight_of(norms, std, 1e3, share, units, d) <= 1
