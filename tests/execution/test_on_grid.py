"""Rows that several passes read are put onto their grid once, and everything stays the same to the
last bit.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import NotExecutable
from dpframe.execution import views
from dpframe.execution.execution import simulate
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.one_pass import empty_block
from dpframe.execution.stages import Stages
from dpframe.execution.totals import Pass
from dpframe.graph.statistics.combined import Linear
from dpframe.numerics.blocks import gridding
from dpframe.sources import open_source
from dpframe.sources import table as tables
from dpframe.sources.open import MemorySource

BALL = {"X": dp.Rows(norm=1), "y": dp.Column(bound=1)}
SPACES = {
    "ball": BALL,
    "box": {"X": dp.Rows(box="1/2"), "y": dp.Column(bound=1)},
    "intercept": {"X": dp.Rows(norm=1, intercept=True), "y": dp.Column(bound=1)},
}
RELATIONS = (dp.ADD_REMOVE, dp.REPLACE_ONE)
LITTLE = dp.Gaussian(std=2)


def plain(**fields: Any) -> Any:
    """JointSSP in the units of the rows as given."""
    return dp.JointSSP(scaling=0, **fields)


def certified(regression: Any, spaces: Any = BALL, relation: Any = dp.ADD_REMOVE) -> Any:
    """At one epsilon."""
    setting = dp.Setting(**spaces, relation=relation)
    return dp.certify(regression, target=dp.ApproxDP(4, "1e-6"), setting=setting)


def table(rows: int = 12_000, columns: int = 4) -> tuple[Any, Any]:
    """Some rows outside of the ball and the box."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(rows, columns)) * 0.6
    return X, np.clip(X @ np.linspace(-1, 1, columns) / 2, -1.2, 1.2)


def held(run: Any) -> Any:
    """The stages that read the rows that are held, and how."""
    return views.common_grid(Stages(run.graph))


def gridded(run: Any, X: Any, y: Any, parts: int | None = None) -> Any:
    """The table on its grid."""
    source = open_source(
        run.setting, X, y, drop=False, **({} if parts is None else {"parts": parts})
    )
    number = PublicNumbers.of(run, {"d": X.shape[1]}).towards_zero
    empty = empty_block(run.setting, X.shape[1])
    return source, views.on_grid(source, held(run), run.graph, number, empty, {})


def same(one: Any, other: Any) -> bool:
    """Whether all that was released is the same to the last bit."""
    keys = one.keys() == other.keys()
    return keys and all(np.array_equal(value, other[name]) for name, value in one.items())


def first(gram: Any) -> Any:
    """Something of the right shape, and small."""
    return np.resize(np.ravel(gram), 4) / 1e6


def half(*released: Any) -> float:
    """A width."""
    return 0.5


def together(*released: Any) -> Any:
    """Everything that was released."""
    return released


@pytest.mark.parametrize(
    ("relation", "missing"),
    [*((relation, "refuse") for relation in RELATIONS), (dp.ADD_REMOVE, "drop")],
)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(
    "regression", [plain(rounds=2), dp.JointSSP(rounds=2)], ids=["plain", "units"]
)
def test_releases_are_the_same_to_the_last_bit(regression, space, relation, missing, monkeypatch):
    """With the rows held on their grid and without, in parts of many blocks and by threads."""
    monkeypatch.setattr(tables, "FEWEST", 8)
    monkeypatch.setattr(tables, "MOST", 16)
    run, (X, y) = certified(regression, SPACES[space], relation), table(3000)
    if missing == "drop":
        X[5, 1], y[2000] = np.nan, np.inf
    mine = dp.execute(run, X, y, rng=1, missing=missing)
    monkeypatch.setattr(views, "MOST", 0)
    assert same(mine.released, dp.execute(run, X, y, rng=1, missing=missing).released)


def test_rows_are_rounded_once_for_all_later_passes(monkeypatch):
    """However many there are; once before, when sums are taken along with the first, and what is
    made of them once.
    """
    run, (X, y), seen = certified(plain()), table(), []
    real = gridding.onto_grid

    def counted(block: Any, *rest: Any) -> Any:
        seen.append(len(block))
        return real(block, *rest)

    monkeypatch.setattr(gridding, "onto_grid", counted)
    dp.execute(run, X, y, rng=1)
    assert sum(seen) == 3 * len(X)


def test_what_is_held_is_said_by_the_graph():
    """From the first later pass over rows on, where there are two."""
    assert held(certified(plain(rounds=1))).passes == (1, 2, 3), "the first reads labels only"
    assert held(certified(plain(rounds=0))).passes == (1, 2)
    assert held(certified(plain(rounds=0, sandwich=0))) is views.NOTHING
    assert held(certified(dp.JointSSP(rounds=1))).passes == (3, 4, 5, 6), "units come before"
    boosted = certified(dp.regressions.BoostedAdaSSP())
    assert held(boosted) is views.NOTHING, "a loop reads rows as they are"


class TwoWays(dp.Regression):
    """Reads rows, and rows of half the length, in two passes after the first."""

    def declare(self, X, y, budget):
        """A look at the labels, X'X, then the moment of rows and of shorter ones."""
        start = dp.known(dp.post(half, dp.release(y @ y, LITTLE)), "1/4", 1, name="start")
        gram = dp.release(X.T @ y.clip(-start, start), LITTLE)
        left = y.residuals(X, dp.post(first, gram)).clip(-1, 1)
        shorter = X.clip(norm="1/2")
        return dp.post(together, dp.release(shorter.T @ left, LITTLE))


class LearnsLate(dp.Regression):
    """A stage derives from sums that are known; the number that the grid reads is learned after
    it.
    """

    def declare(self, X, y, budget):
        """n, n again, X'X and a moment of rows whose norm is learned."""
        one, two, three, four = budget.split_evenly(4)
        count, exact = dp.count(X), dp.Gaussian.analytic
        k = dp.known(dp.post(half, dp.release(count, exact, one)), "1/4", 1, name="k")
        again = dp.release(Linear((k,), (count,)), exact, two)
        shorter = X.clip(norm=dp.known(dp.post(half, again), "1/4", 1, name="w"))
        gram = dp.release(shorter.T @ shorter, exact, three, name="gram")
        left = y.residuals(shorter, dp.post(first, gram)).clip(-1, 1)
        return dp.post(together, gram, dp.release(shorter.T @ left, exact, four, name="moment"))


class LabelsBetween(dp.Regression):
    """Labels that nothing bounds are summed in doubles between two passes over rows."""

    def declare(self, X, y, budget):
        """X'y, X'r, y'y of scaled labels, X'r."""
        gram = dp.release(X.T @ y, LITTLE, name="gram")
        moment = dp.release(X.T @ y.residuals(X, dp.post(first, gram)).clip(-1, 1), LITTLE)
        width = dp.known(dp.post(half, moment), "1/4", 1, name="width")
        labels = y.scaled(by=X.rows).scaled(by=width)
        squares = dp.release(labels @ labels, LITTLE)
        left = y.residuals(X, dp.post(first, squares)).clip(-1, 1)
        return dp.post(together, dp.release(X.T @ left, LITTLE, name="last"))


def test_other_readers_of_rows_keep_them_as_they_are():
    """A second way to the rows."""
    assert held(certified(TwoWays())) is views.NOTHING


def test_a_pass_waits_for_what_its_grid_reads(monkeypatch):
    """Statistics that are derived are no look at the rows."""
    run, (X, y) = certified(LearnsLate(), {**BALL, "X": dp.Rows(norm=8)}), table(500)
    mine = dp.execute(run, X, y, rng=1)
    assert held(run).passes[0] == 2
    monkeypatch.setattr(views, "MOST", 0)
    assert same(mine.released, dp.execute(run, X, y, rng=1).released)


def test_a_pass_over_labels_sees_no_rows(monkeypatch):
    """Also where it sums doubles."""
    setting = dp.Setting(**BALL, relation=dp.ADD_REMOVE)
    run = dp.audits.unproved(
        LabelsBetween(), target=dp.ApproxDP(1, "1e-6"), setting=setting, label="NOT PRIVATE"
    )
    X, y = table(500)
    mine = simulate(run, X, y, rng=1)
    assert held(run).passes[0] == 1
    monkeypatch.setattr(views, "MOST", 0)
    assert same(mine.released, simulate(run, X, y, rng=1).released)


def test_a_pass_that_reads_rows_as_they_were_is_refused():
    """They are gone."""
    run, other = certified(plain()), certified(dp.regressions.NoisyGradientDescent())
    number = PublicNumbers.of(run, {"d": 4}).towards_zero
    asked = [one for one in other.graph.statistics if one.label == "n"]
    with pytest.raises(NotExecutable, match="is read, and rows are"):
        Pass.of(other.graph, number, empty_block(run.setting, 4), asked, rows=held(run).rows)


def test_the_limit_is_on_what_is_held(monkeypatch):
    """Columns after an intercept, and nothing is put anywhere where they are too many."""
    run, (X, y) = certified(plain(), SPACES["intercept"]), table()
    monkeypatch.setattr(views, "MOST", 8 * X.shape[0] * (X.shape[1] + 1))
    assert isinstance(gridded(run, X, y)[1], views.SourceOnGrid)
    monkeypatch.setattr(views, "MOST", views.MOST - 1)
    source, found = gridded(run, X, y)
    assert found is source


def test_wide_tables_are_not_held():
    """Their matrices are what takes memory and time."""
    run = certified(plain())
    generator = np.random.default_rng(0)
    for columns, kind in ((256, views.SourceOnGrid), (257, MemorySource)):
        found = gridded(run, generator.normal(size=(9, columns)), np.ones(9))[1]
        assert isinstance(found, kind)


def test_parts_are_those_of_the_table(monkeypatch):
    """So that sums of doubles are added in the same order."""
    monkeypatch.setattr(tables, "FEWEST", 8)
    monkeypatch.setattr(tables, "MOST", 16)
    source, found = gridded(certified(plain()), *table())
    assert found.steps == source.steps > 4
    assert found.rows == source.rows
    pairs = zip(source.parts(), found.parts(), strict=True)
    for before, after in pairs:
        assert [len(b.rows) for b in before.blocks()] == [len(b.rows) for b in after.blocks()]


def test_formulas_are_evaluated_in_one_thread(monkeypatch):
    """What becomes of a row does not depend on the thread that reads it."""
    monkeypatch.setattr(tables, "FEWEST", 8)
    monkeypatch.setattr(tables, "MOST", 16)
    seen = set()
    real = PublicNumbers.towards_zero

    def noted(self: Any, formula: Any) -> float:
        seen.add(threading.current_thread().name)
        return real(self, formula)

    monkeypatch.setattr(PublicNumbers, "towards_zero", noted)
    dp.execute(certified(dp.JointSSP()), *table(), rng=1)
    assert seen == {threading.current_thread().name}


def test_an_executor_of_others_reads_the_table_as_it_is(monkeypatch):
    """Rows are held here only, and never sent."""
    run, (X, y) = certified(dp.JointSSP()), table()
    alone = dp.execute(run, X, y, rng=1).released
    monkeypatch.setattr(views, "GridWork", None)
    with ThreadPoolExecutor(2) as executor:
        assert same(alone, dp.execute(run, X, y, rng=1, executor=executor).released)
