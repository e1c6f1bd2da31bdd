"""Worlds: the same folds for all, public maps, a generator that is what it says."""

import gzip
import inspect
import pickle

import numpy as np
import pytest

import dpframe as dp
from benchmarks.contest import codebooks, drawn
from benchmarks.contest import stated as stated_module
from benchmarks.contest.stated import Stated, stated
from benchmarks.contest.synthetic import SyntheticWorld
from benchmarks.contest.uci_worlds import UciWorld, uci_worlds
from dpframe.experiments.data import DataSet, prepared

RNG = np.random.default_rng


@pytest.fixture
def folder(tmp_path):
    """A set with the name and the columns of one whose bounds are stated, and one without."""
    rng = RNG(0)
    for name in ("servo", "unheard"):
        values = rng.normal(size=(41, 5))
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            np.savetxt(file, values, delimiter=",")
    return tmp_path


def test_every_row_is_tested_on_once_and_never_fitted(folder):
    """A cross-validation; the same generator, the same folds."""
    world = UciWorld(folder, "servo")
    splits = list(world.splits(RNG(1), 4))
    labels = np.concatenate([split.test_labels for split in splits])
    assert len(splits) == 4
    assert len(np.unique(labels)) == len(labels) == 41
    for split in splits:
        assert not set(split.labels) & set(split.test_labels)
        assert len(split.labels) + len(split.test_labels) == 41
    again = next(iter(pickle.loads(pickle.dumps(world)).splits(RNG(1), 4)))
    np.testing.assert_array_equal(again.test_rows, splits[0].test_rows)
    other = next(iter(world.splits(RNG(2), 4)))
    assert not np.array_equal(other.test_labels, splits[0].test_labels)


def test_paper_bounds_are_the_papers(folder):
    """uci.prepared, word for word."""
    (world,) = uci_worlds(folder, "paper", ("servo",))
    split = next(iter(world.splits(RNG(1), 2)))
    rows = np.vstack([split.rows, split.test_rows])
    from dpframe.experiments import data as uci

    wanted = prepared(uci.load(folder, "servo")).X
    assert world.size == (41, 4)
    np.testing.assert_array_equal(np.sort(rows[:, 0]), np.sort(wanted[:, 0]))


def test_stated_bounds_map_a_row_by_itself():
    """By hand: over the bounds, clipped, an intercept, over the norm, into the ball."""
    bounds = Stated((10.0, 0.5), 4.0, 2.0)
    table = DataSet(
        "made up", np.array([[5.0, -0.25], [1000.0, 0.1], [0.0, 0.0]]), np.array([1, 2, 8])
    )
    mapped = bounds.applied(table)
    np.testing.assert_allclose(mapped.X[0], [0.25, -0.25, 0.5])
    np.testing.assert_allclose(mapped.X[1], [0.5, 0.1, 0.5])
    np.testing.assert_allclose(mapped.X[2], [0, 0, 0.5])
    np.testing.assert_allclose(mapped.y, [0.25, 0.5, 2])
    alone = bounds.applied(DataSet("one", table.X[1:2], table.y[1:2]))
    np.testing.assert_array_equal(alone.X, mapped.X[1:2])
    tight = Stated((10.0, 0.5), 4.0, 0.5).applied(table)
    np.testing.assert_allclose(np.linalg.norm(tight.X, axis=1), 1)
    with pytest.raises(dp.InvalidArgument, match="3 columns"):
        Stated((1, 1, 1), 1, 1).applied(table)


def test_stated_bounds_are_round_numbers():
    """1, 2 or 5 times a power of ten, and nothing that looks like a maximum of data."""
    found = [b for one in stated().values() for b in (*one.X, one.y)]
    digits = {f"{bound:e}".split("e")[0].rstrip("0").rstrip(".") for bound in found}
    assert len(stated()) == 31
    assert digits == {"1", "2", "5"}
    assert {one.norm for one in stated().values()} == {2, 5}
    assert {name for name, one in stated().items() if one.norm == 5} == {"gas", "pumadyn32nm"}
    assert "looking at the ranges" in inspect.getdoc(stated_module)


def test_a_set_without_stated_bounds_is_refused(folder):
    """And a set that is not there, and no folder at all: each says the way out."""
    (world,) = uci_worlds(folder, "stated", ("unheard",))
    with pytest.raises(dp.InvalidArgument, match="bounds=paper"):
        next(iter(world.splits(RNG(0), 2)))
    (servo,) = uci_worlds(folder, "stated", ("servo",))
    assert servo.size == (41, 5)
    with pytest.raises(dp.InvalidArgument, match="The folder has servo, unheard"):
        uci_worlds(folder, "paper", ("airfoil",))
    with pytest.raises(dp.InvalidArgument, match="DPFRAME_DATA"):
        uci_worlds(None, "paper")
    with pytest.raises(dp.InvalidArgument, match="bounds must be one of paper, stated"):
        uci_worlds(folder, "guessed")
    with pytest.raises(dp.BadData, match="at least 42 rows"):
        next(iter(servo.splits(RNG(0), 42)))


def test_the_synthetic_generator_is_what_it_says():
    """R^2 = 0.8, the condition number of X, norms near 2/3, labels of std 1/3, all in bounds."""
    for condition in (1, 10):
        world = SyntheticWorld(20_000, 5, condition)
        (split,) = world.splits(RNG(3), 10)
        X, y = split.rows, split.labels
        theta = np.linalg.lstsq(X, y, rcond=None)[0]
        assert 1 - np.mean((y - X @ theta) ** 2) / np.var(y) == pytest.approx(0.8, abs=0.02)
        assert np.linalg.cond(X) == pytest.approx(condition, rel=0.1)
        assert np.sqrt(np.mean(X**2) * 5) == pytest.approx(2 / 3, rel=0.1)
        assert np.std(y) == pytest.approx(1 / 3, rel=0.03)
        assert np.linalg.norm(X, axis=1).max() <= 1 + 1e-12
        assert np.abs(y).max() <= 1
        assert split.test_rows is split.rows
        coefficients = np.abs(theta * X.std(axis=0))
        assert coefficients.max() < 1.25 * coefficients.min()


def test_drawn_worlds_lie_in_their_bounds():
    """60 and more, of names of their own; another draw every time, the same by the same seed."""
    worlds = drawn.worlds()
    assert len({world.name for world in worlds}) == len(worlds) >= 57
    for world in (one for one in worlds if one.n <= 2_000):
        (split,) = world.splits(RNG(1), 10)
        assert split.rows.shape == world.size
        assert np.linalg.norm(split.rows, axis=1).max() <= 1 + 1e-12
        assert np.abs(split.labels).max() <= 1
        (again,) = pickle.loads(pickle.dumps(world)).splits(RNG(1), 10)
        np.testing.assert_array_equal(again.rows, split.rows)
        np.testing.assert_array_equal(again.labels, split.labels)


def test_three_columns_matter():
    """The std of predictions is 0.25 with all columns and with three."""
    for about in ("columns all", "columns 3"):
        X, y = drawn.DrawnWorld(about, 20_000, 6).table(RNG(2))
        theta = np.linalg.lstsq(X, y, rcond=None)[0]
        assert np.std(X @ theta) == pytest.approx(0.25, rel=0.05)
        assert np.sum(np.abs(theta) > 0.1) == (6 if about.endswith("all") else 3)


def test_a_codebook_maps_a_row_by_itself(tmp_path):
    """By hand: ends to -1 and 1, beyond them clipped, levels but the baseline, an intercept."""
    book = codebooks.Codebook({"age": (20, 60)}, {"sex": ("f", "m")}, "cost", (0, 10))
    lines = [{"age": "40", "sex": "m", "cost": "10"}, {"age": "99", "sex": "f", "cost": "-1"}]
    rows, labels = book.mapped(lines)
    np.testing.assert_allclose(rows * np.sqrt(3), [[0, 1, 1], [1, 0, 1]])
    np.testing.assert_allclose(labels, [1, -1])
    np.testing.assert_array_equal(book.mapped(lines[1:])[0], rows[1:])
    header = "educ,exper,expersq,lweekinc"
    (tmp_path / "census2000.csv").write_text(f"{header}\n20,0,0,5\n0,60,3600,0\n10,30,900,10\n")
    (world,) = codebooks.worlds(tmp_path)
    assert (world.name, world.size) == ("census2000", (3, 4))
    assert len(list(world.splits(RNG(0), 3))) == 3
    (tmp_path / "fair.csv").write_text("age\n20\n")
    with pytest.raises(dp.BadData, match="columns of its codebook"):
        _ = codebooks.worlds(tmp_path, ("fair",))[0].size
    with pytest.raises(dp.InvalidArgument, match="codebooks of insurance"):
        codebooks.worlds(tmp_path, ("unheard",))
    with pytest.raises(dp.InvalidArgument, match="--data"):
        codebooks.worlds(None)


def test_every_codebook_has_room():
    """Ends in order, more than one level, labels apart from columns."""
    for book in codebooks.CODEBOOKS.values():
        assert all(low < high for low, high in (*book.numbers.values(), book.ends))
        assert all(len(set(levels)) == len(levels) > 1 for levels in book.classes.values())
        assert book.label not in {*book.numbers, *book.classes}
