"""Sums that can wait for a pass that reads the same rows anyway: which do, which do not, and that
results are the same function of the table.
"""

from __future__ import annotations

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution.rehearsal import rehearsed
from dpframe.execution.stages import Stages
from dpframe.graph import known, post, release
from dpframe.graph.maps import bounds, grid
from dpframe.regressions import JointSSP

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
REPLACED = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)
TARGET = dp.GaussianDP(1)
LITTLE = dp.Gaussian(std=3)


def half(squares, *_):
    """A width from a released number."""
    return 0.5 if squares >= 0 else 0.25


def together(*released):
    """Everything that was released."""
    return released


class LabelsFirst(dp.Regression):
    """Squares of labels say where labels are clipped; X'X waits, unless the width reads it."""

    early: bool = False

    def declare(self, X, y, budget):
        """Three releases in two stages."""
        squares = release(y @ y, LITTLE, name="squares")
        gram = release(X.T @ X, LITTLE, name="gram")
        seen = (squares, gram) if self.early else (squares,)
        width = known(post(width_of, *seen), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), LITTLE, name="moment")
        return post(together, squares, gram, moment)


def width_of(squares, gram=None):
    """A width from what was released."""
    return half(squares, gram)


class OtherRows(dp.Regression):
    """The second pass reads other rows: X'X would make it dearer by as much as the first cheaper,
    and is left where it is.
    """

    def declare(self, X, y, budget):
        """X'X of rows, X'y of shorter ones."""
        squares = release(y @ y, LITTLE, name="squares")
        gram = release(X.T @ X, LITTLE, name="gram")
        width = known(post(half, squares), "1/10", 1, name="width")
        moment = release(X.scaled(by=width).clip(norm=1).T @ y, LITTLE, name="moment")
        return post(together, squares, gram, moment)


class NoCheaper(dp.Regression):
    """The first pass reads rows for its own sake: nothing is gained by waiting."""

    def declare(self, X, y, budget):
        """X'X could wait, but the width reads a sum over the same rows."""
        trace = release(dp.trace(X.T @ X), LITTLE, name="trace")
        gram = release(X.T @ X, LITTLE, name="gram")
        width = known(post(half, trace), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), LITTLE, name="moment")
        return post(together, trace, gram, moment)


class Eigenvalue(dp.Regression):
    """What is derived from a sum waits with it; a sum that something early reads does not."""

    shared: bool = False

    def declare(self, X, y, budget):
        """The smallest eigenvalue and X'X, of one sum."""
        squares = release(y @ y, LITTLE, name="squares")
        gram = release(X.T @ X, LITTLE, name="gram")
        smallest = release(dp.lambda_min(X.T @ X), LITTLE, name="smallest")
        seen = (squares, smallest) if self.shared else (squares,)
        width = known(post(width_of, *seen), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), LITTLE, name="moment")
        return post(together, squares, gram, smallest, moment)


class Counted(dp.Regression):
    """A formula reads n, public under replace-one; three stages, of rows in the last two."""

    def declare(self, X, y, budget):
        """X'X is due at the second stage, sums at the third."""
        squares = release(y @ y, LITTLE, name="squares")
        gram = release(X.T @ X, LITTLE, name="gram")
        total = release(dp.total(X), LITTLE, name="total")
        width = known(post(half, squares), "1/10", 1, name="width")
        labels = y.scaled(by=width).clip(-1, 1)
        moment = release(X.T @ labels, LITTLE, name="moment")
        theta = post(solved, gram, moment, X.rows)
        left = y.residuals(X, theta).clip(-1, 1)
        return post(together, total, release(X.T @ left, LITTLE, name="left"))


def solved(gram, moment, n):
    """Ridge."""
    return np.linalg.solve(np.asarray(gram) + n * np.eye(len(moment)), moment)


def stages(regression, setting=SETTING):
    """The names of what every stage releases."""
    found = Stages(dp.certify(regression, target=dp.GaussianDP(3), setting=setting).graph)
    return [[one.label for one in found.charged(stage)] for stage in range(found.count)]


def test_a_sum_that_nothing_early_reads_waits():
    """And the first pass reads labels only."""
    assert stages(LabelsFirst()) == [["squares"], ["gram", "moment"]]


def test_a_sum_that_is_read_early_does_not_wait():
    """It is on time."""
    assert stages(LabelsFirst(early=True)) == [["squares", "gram"], ["moment"]]


def test_a_pass_over_other_rows_gets_nothing_more():
    """No pass maps rows that it did not map before."""
    assert stages(OtherRows()) == [["squares", "gram"], ["moment"]]


def test_nothing_waits_where_no_pass_gets_cheaper():
    """The rows are on their grid already."""
    assert stages(NoCheaper()) == [["trace", "gram"], ["moment"]]


def test_what_is_derived_waits_with_its_sum():
    """All of it, or nothing."""
    assert stages(Eigenvalue()) == [["squares"], ["gram", "smallest", "moment"]]
    assert stages(Eigenvalue(shared=True)) == [["squares", "gram", "smallest"], ["moment"]]


def test_a_sum_waits_no_longer_than_it_must():
    """X'X is due at the second stage; the total, at the last, goes where rows are read first."""
    assert stages(Counted(), REPLACED) == [["squares"], ["total", "gram", "moment"], ["left"]]


def test_no_stage_is_added():
    """In as many passes as before, each release in one of them, none earlier than it was."""
    cases = [LabelsFirst(), OtherRows(), NoCheaper(), Eigenvalue(), JointSSP()]
    for regression in cases:
        graph = dp.certify(regression, target=dp.GaussianDP(3), setting=SETTING).graph
        late, early = Stages(graph), Stages(graph, at_once=True)
        assert late.count == early.count
        charged = [one for stage in range(late.count) for one in late.charged(stage)]
        assert sorted(map(id, charged)) == sorted(map(id, graph.charged))
        assert all(late.of[node] >= early.of[node] for node in graph.nodes)


@pytest.mark.parametrize("regression", [LabelsFirst(), Eigenvalue(), Counted()])
def test_what_waits_is_of_the_same_table(regression, monkeypatch):
    """Raw values of all statistics are those of the earliest passes, bit by bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.uniform(-1, 1, 500)
    proof = dp.certify(regression, target=dp.GaussianDP(3), setting=REPLACED)
    quiet = lambda *arguments, **options: np.zeros(arguments[1], dtype=np.int64)  # noqa: E731
    monkeypatch.setattr(dp.Gaussian, "on_grid", quiet)
    late = dp.execute(proof, X, y, rng=0)
    monkeypatch.setattr("dpframe.execution.stages.postponed", lambda *_: {})
    early = dp.execute(proof, X, y, rng=0)
    assert list(late.released) == list(early.released)
    for name, value in late.released.items():
        np.testing.assert_array_equal(value, early.released[name])


def test_a_pass_over_labels_leaves_rows_alone(monkeypatch):
    """It neither projects them nor puts them on the grid."""
    proof = dp.certify(LabelsFirst(), target=dp.GaussianDP(3), setting=SETTING)
    rehearsed(proof, {"d": 3})  # which reads tables of its own
    seen = []
    original = grid.Grid.apply
    proof = dp.certify(LabelsFirst(), target=dp.GaussianDP(3), setting=SETTING)
    monkeypatch.setattr(
        grid.Grid, "apply", lambda *one: seen.append(("grid", len(one[1]))) or original(*one)
    )
    monkeypatch.setattr(bounds.ClipNorm, "apply", lambda *_: seen.append(("projected", 1)))
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.uniform(-1, 1, 500)
    dp.execute(proof, X, y, rng=0)
    of_rows = [one for one in seen if one[1]]
    assert of_rows == [("grid", 500)]  # beside blocks without rows, where numbers are refused


def test_all_can_be_had_at_once():
    """As runs of a random number need it, which share the first look."""
    graph = dp.certify(LabelsFirst(), target=dp.GaussianDP(3), setting=SETTING).graph
    found = Stages(graph, at_once=True)
    assert [one.label for one in found.charged(0)] == ["squares", "gram"]


class LateNoise(dp.Regression):
    """X'y is read early; its noise reads a released number, so that it is released late."""

    def declare(self, X, y, budget):
        """The second stage looks at nothing."""
        squares = release(y @ y, LITTLE, name="squares")
        gram = release(X.T @ X, LITTLE, name="gram")
        width = known(post(half, squares), "1/10", 1, name="width")
        moment = release(X.T @ y, dp.Gaussian(std=3 + width), name="moment")
        return post(together, squares, gram, moment)


def test_a_stage_that_reads_nothing_gets_no_pass():
    """What is released late is not always read late: one pass stays one, of a table read once."""
    assert stages(LateNoise()) == [["squares", "gram"], ["moment"]]
    proof = dp.certify(LateNoise(), target=dp.GaussianDP(3), setting=SETTING)
    rows = (np.full((5, 2), 0.5) for _ in range(3))
    blocks = ((block, np.ones(5)) for block in rows)
    assert len(dp.execute(proof, blocks, rng=0).output) == 3


class Stacked(dp.Regression):
    """One release of two sums, one of which could wait longer than the release."""

    def declare(self, X, y, budget):
        """X'X and y'y together, due at the second stage."""
        counts = release(dp.count(X), LITTLE, name="counts")
        both = release(dp.graph.stack(X.T @ X, y @ y), LITTLE, name="both")
        width = known(post(half, counts), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), LITTLE, name="moment")
        return post(together, counts, both, moment)


def test_a_release_waits_for_its_last_sum():
    """y'y is read where it was: no later pass reads those labels."""
    assert stages(Stacked()) == [["counts"], ["both", "moment"]]
    graph = dp.certify(Stacked(), target=dp.GaussianDP(3), setting=SETTING).graph
    found = [[one.label for one in Stages(graph).statistics(stage)] for stage in range(2)]
    assert found[0] == ["n", "y'y"]
    assert "X'X" in found[1]
