"""Sets are read, refused, prepared as in the paper, and folded."""

import gzip

import numpy as np
import pytest

import dpframe as dp
from dpframe.experiments.data import Data, DataSet, load, prepared, present
from dpframe.experiments.worlds import folds


def put(folder, name, text):
    """A set as a file."""
    with gzip.open(folder / f"{name}.csv.gz", "wt") as file:
        file.write(text)


def test_a_set_is_read(tmp_path):
    """The last column is the target; one row is a table too."""
    put(tmp_path, "b", "1,2,3\n4,5,6\n")
    put(tmp_path, "a", "1,2\n")
    assert present(tmp_path) == ("a", "b")
    table = load(tmp_path, "b")
    assert table.X.tolist() == [[1, 2], [4, 5]]
    assert table.y.tolist() == [3, 6]
    assert load(tmp_path, "a").X.shape == (1, 1)


@pytest.mark.parametrize("text", ["", "1,x\n", "1,nan\n", "1\n2\n", "1,2\n3\n"])
def test_a_bad_file_is_refused_by_name(tmp_path, text):
    """Empty, words, gaps, no features, ragged."""
    put(tmp_path, "bad", text)
    with pytest.raises(dp.BadData, match=r"bad\.csv\.gz"):
        load(tmp_path, "bad")


def test_what_is_not_there_is_refused(tmp_path):
    """A folder without sets, no folder, a set that is missing, a file that is not packed."""
    for folder in (tmp_path, tmp_path / "no"):
        with pytest.raises(dp.InvalidArgument, match="a folder of UCI sets"):
            present(folder)
    (tmp_path / "plain.csv.gz").write_text("1,2\n")
    for name in ("no", "plain"):
        with pytest.raises(dp.BadData, match="readable"):
            load(tmp_path, name)


def test_the_folder_above_the_sets_will_do(tmp_path, monkeypatch):
    """With the medical costs in it; two folders of sets are named, and neither is taken."""
    monkeypatch.delenv("DPFRAME_INSURANCE", raising=False)
    sets, other = tmp_path / "uci", tmp_path / "more"
    sets.mkdir()
    other.mkdir()
    put(sets, "a", "1,2\n")
    (tmp_path / "insurance.csv").write_text("age\n")
    found = Data.found(tmp_path)
    assert (found.folder, found.costs) == (sets, tmp_path / "insurance.csv")
    assert Data.found(sets) == found
    put(other, "b", "1,2\n")
    with pytest.raises(dp.InvalidArgument, match=r"more and .*uci hold sets\. Name one"):
        Data.found(tmp_path).present()
    put(tmp_path, "c", "1,2\n")
    assert Data.found(tmp_path).present() == ("c",)


def test_prepared_as_in_the_paper():
    """By hand, in numbers: z-scores, unit rows, labels over the largest."""
    X = np.array([[1.0, 10.0], [2.0, 40.0], [6.0, 10.0]])
    ready = prepared(DataSet("t", X, np.array([1.0, -4.0, 2.0])))
    z = [[-2 / np.sqrt(14 / 3), -10 / np.sqrt(200)], [-1 / np.sqrt(14 / 3), 20 / np.sqrt(200)]]
    assert ready.X[:2] == pytest.approx(np.array([row / np.linalg.norm(row) for row in z]))
    assert np.linalg.norm(ready.X, axis=1) == pytest.approx(np.ones(3))
    assert ready.y.tolist() == [0.25, -1, 0.5]


def test_what_is_constant_becomes_zeros():
    """Also where its mean is not exact in doubles, and where nothing varies at all."""
    X = np.column_stack([np.full(7, 0.1), np.full(7, 1e9 + 0.3), np.arange(7.0)])
    ready = prepared(DataSet("t", X, np.zeros(7)))
    assert np.all(ready.X[:, :2] == 0)
    assert np.all(np.isfinite(ready.X))
    assert ready.X[3].tolist() == [0, 0, 0]
    assert ready.y.tolist() == [0] * 7
    assert np.all(prepared(DataSet("t", X[:, :2], np.ones(7))).X == 0)
    assert prepared(DataSet("t", X[:0], np.zeros(0))).X.shape == (0, 3)


@pytest.mark.parametrize("n", [10, 23, 100])
def test_every_row_is_tested_on_once(n):
    """And trained on in all other folds; sizes differ by one at most."""
    parts = list(folds(n, np.random.default_rng(0)))
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(n))
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(n))
    assert np.ptp([len(test) for _, test in parts]) <= 1


def test_too_few_rows_are_refused():
    """A fold without rows has no error."""
    with pytest.raises(dp.BadData, match="at least 10 rows"):
        folds(9, np.random.default_rng(0))
