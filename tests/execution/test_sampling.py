"""Rounds on samples: fresh coins for each, the right law, and never all of the rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dpframe as dp
from dpframe.execution import running as module
from dpframe.execution.one_pass import InOrder, Sample
from dpframe.randomness import SimulatedBits
from dpframe.sources import source
from dpframe.sources.table import Block

ROWS = 400
TABLE = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
LAVISH = dp.GaussianDP(2000)  # so that little noise hides nothing here


def stay(theta, answer, turn):
    """The next point: back to where it was."""
    del answer, turn
    return theta


class Counted(dp.Regression):
    """Every gradient is -1 at 0 for x = y = 1: minus the answer is the size of the sample."""

    rate: str = "0.25"
    rounds: int = 300

    def declare(self, X, y, budget):
        """The answers themselves."""
        point = dp.iterate(X.columns)
        total = dp.graph.gradient(X, y, at=point, clip=1)
        how = {"times": self.rounds, "sampled": self.rate or None}
        step = dp.release(total, dp.Gaussian(std="0.01"), name="step", **how)
        return dp.loop(point, step, stay), step


def answers(rate, seed=0, n=ROWS, rounds=300):
    """Minus the answers."""
    proof = dp.certify(Counted(rate, rounds), target=LAVISH, setting=TABLE)
    return -dp.execute(proof, np.ones((n, 1)), np.ones(n), rng=seed).output[1][:, 0]


def test_sizes_are_binomial_and_fresh():
    """Mean, variance and independence of 300 rounds; no round reads all rows."""
    found = answers("0.25")
    assert found.max() < 0.6 * ROWS
    assert np.allclose(found, np.round(found), atol=0.06)
    assert abs(found.mean() - 100) < 5 * np.sqrt(75 / 300)
    assert 0.7 < found.var() / 75 < 1.4
    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 5 / np.sqrt(300)
    assert np.array_equal(found, answers("0.25"))
    assert not np.array_equal(found, answers("0.25", seed=1))


def test_without_a_rate_all_rows_are_read():
    """And at the rate 1."""
    assert np.allclose(answers(""), ROWS, atol=0.06)
    assert np.allclose(answers("1"), ROWS, atol=0.06)


def test_every_pass_is_of_a_sample(monkeypatch):
    """Whatever reads the point reads through coins, in every round."""
    seen = []
    original = module.Pass.of

    def noted(*arguments, **how):
        found = original(*arguments, **how)
        seen.append((found, how.get("sample")))
        return found

    monkeypatch.setattr(module.Pass, "of", noted)
    answers("0.25")
    reading = [sample for found, sample in seen if found.sums]
    assert len(reading) == 300
    assert all(isinstance(sample, Sample) and sample.rate == 1 / 4 for sample in reading)


def test_large_tables_are_read_in_order(monkeypatch):
    """Threads read a large table, but not its samples: one simulation, one result."""
    threaded, n = [], 30_000
    answers("0.5", n=n, rounds=3)  # its rehearsal reads tables of its own
    monkeypatch.setattr(source, "FEW", 0)  # parts that are not worth a thread
    original = source.own_threads
    monkeypatch.setattr(source, "own_threads", lambda: threaded.append(1) or original())
    first, second = (answers("0.5", n=n, rounds=3) for _ in range(2))
    assert len(threaded) == 2  # to check the table, once an execution
    assert np.array_equal(first, second)
    assert np.all(np.abs(first - n / 2) < 6 * np.sqrt(n / 4))


def test_tables_without_rows():
    """Nothing to sample, nothing to see."""
    assert np.allclose(answers("0.25", n=0), 0, atol=0.06)
    assert set(np.round(answers("0.25", n=1))) == {0.0, 1.0}


def test_refused():
    """Executors, which would take the coins elsewhere, and tables that are read once."""
    proof = dp.certify(Counted(), target=LAVISH, setting=TABLE)
    X, y = np.ones((9, 1)), np.ones(9)
    with ThreadPoolExecutor(1) as threads, pytest.raises(dp.NotExecutable, match="secret sample"):
        dp.execute(proof, X, y, rng=0, executor=threads)
    with pytest.raises(dp.BadData, match="read several times"):
        dp.execute(proof, iter([(X, y)]), rng=0)


def test_labels_stay_with_their_rows():
    """Rows are kept whole, each by a coin of the rate."""
    rows = np.arange(40_000.0)[:, None]
    kept = Sample(dp.constant("1/3").value, SimulatedBits(np.random.default_rng(5)))(
        Block(rows, 2 * rows[:, 0])
    )
    assert np.array_equal(2 * kept.rows[:, 0], kept.labels)
    assert np.all(np.diff(kept.labels) > 0)
    assert abs(len(kept.labels) - 40_000 / 3) < 5 * np.sqrt(40_000 * 2 / 9)


def test_what_fails_in_order_fails_there():
    """An error comes out of the future."""
    future = InOrder().submit(int, "no number")
    with pytest.raises(ValueError, match="invalid literal"):
        future.result()


class Waiting(dp.Regression):
    """A loop whose update reads what is released beside it, named after its step."""

    def declare(self, X, y, budget):
        """The step comes first in the output."""
        point = dp.iterate(X.columns)
        total = dp.graph.gradient(X, y, at=point, clip=1)
        step = dp.release(total, dp.Gaussian(std="0.01"), times=3, name="step")
        n = dp.release(dp.count(X), dp.Gaussian(std="0.01"), name="n")
        return step, dp.loop(point, step, by_count, dp.post(halved, n))


class Entangled(dp.Regression):
    """Two loops, each of whose updates reads the other's answers."""

    def declare(self, X, y, budget):
        """Both paths."""
        points = [dp.iterate(X.columns, name=name) for name in ("one", "other")]
        one, other = (
            dp.release(dp.graph.gradient(X, y, at=point, clip=1), dp.Gaussian(std="0.01"), times=2)
            for point in points
        )
        return dp.loop(points[0], one, also, other), dp.loop(points[1], other, also, one)


class Paced(dp.Regression):
    """A loop whose update reads a formula of a released number."""

    def declare(self, X, y, budget):
        """The step comes first in the output."""
        point = dp.iterate(X.columns)
        total = dp.graph.gradient(X, y, at=point, clip=1)
        step = dp.release(total, dp.Gaussian(std="0.01"), times=3, name="step")
        n = dp.release(dp.count(X), dp.Gaussian(std="0.01"), name="n")
        return step, dp.loop(point, step, by_count, dp.known(n, 1, 100, name="many") / 2)


def also(theta, answer, turn, other):
    """The next point: back to where it was."""
    del answer, turn, other
    return theta


def halved(n):
    """n/2."""
    return n / 2


def by_count(theta, answer, turn, half):
    """A function of an argument and the turn alone."""
    del theta, answer
    return np.full(1, turn + half)


def test_loops_wait_for_their_arguments():
    """The released n is there before the first round, as a value or in a formula."""
    for declaration in (Waiting(), Paced()):
        proof = dp.certify(declaration, target=LAVISH, setting=TABLE)
        step, path = dp.execute(proof, np.ones((10, 1)), np.ones(10), rng=0).output
        assert step.shape == (3, 1)
        assert np.allclose(path[:, 0], [0, 5, 6, 7], atol=0.05)


def test_loops_that_wait_for_each_other_are_refused():
    """Neither can start."""
    proof = dp.certify(Entangled(), target=LAVISH, setting=TABLE)
    with pytest.raises(dp.NotExecutable, match="wait for each other"):
        dp.execute(proof, np.ones((10, 1)), np.ones(10), rng=0)
