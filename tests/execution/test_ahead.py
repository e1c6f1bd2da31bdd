"""Sums that are taken along with the first pass: when they are used; nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.execution.ahead import NO_GUESS, guess_of
from dpframe.execution.stages import Stages
from dpframe.graph import rounding
from dpframe.graph.statistics.gram import Gram

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
LITTLE = dp.Gaussian(std=2)


def half(*_: Any) -> float:
    """A width."""
    return 0.5


def together(*released: Any) -> Any:
    """Everything that was released."""
    return released


class LabelsFirst(dp.Regression):
    """A look at the labels says where they are clipped."""

    likely: Any = None
    least: Any = "1/4"

    def declare(self, X, y, budget):
        """X'X and X'y of clipped labels, after y'y."""
        squares = dp.release(y @ y, LITTLE)
        width = dp.known(dp.post(half, squares), self.least, 1, name="width", likely=self.likely)
        gram = dp.release(X.T @ X, LITTLE)
        moment = dp.release(X.T @ y.clip(-width, width), LITTLE)
        return dp.post(together, squares, gram, moment)


class Adaptive(dp.Regression):
    """The second sum reads a released vector too."""

    def declare(self, X, y, budget):
        """X'y, then X'r."""
        moment = dp.release(X.T @ y, LITTLE)
        width = dp.known(dp.post(half, moment), "1/4", 1, name="width", likely="1/2")
        left = y.residuals(X, moment).clip(-width, width)
        return dp.post(together, dp.release(X.T @ left, LITTLE))


def certified(regression: Any, setting: Any = SETTING) -> Any:
    """At one budget."""
    return dp.certify(regression, target=dp.GaussianDP(2), setting=setting)


def table(rows: int = 9000) -> tuple[Any, Any]:
    """Some rows outside of the ball."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(rows, 4)) * 0.6
    return X, np.clip(X @ np.linspace(-1, 1, 4) / 2, -1.2, 1.2)


def counted(monkeypatch: Any, owner: Any, name: str) -> list[int]:
    """The rows that go through a function or method, call by call."""
    seen: list[int] = []
    real = getattr(owner, name)

    def watched(first: Any, second: Any, *rest: Any) -> Any:
        block = second[first.rows] if isinstance(first, Gram) else first
        seen.append(len(block))
        return real(first, second, *rest)

    monkeypatch.setattr(owner, name, watched)
    return seen


@pytest.mark.parametrize("likely", ["1/2", "1/3", 1])
@pytest.mark.parametrize("relation", [dp.ADD_REMOVE, dp.REPLACE_ONE], ids=str)
@pytest.mark.parametrize("grid", [20, None])
def test_releases_are_the_same_to_the_last_bit(likely, relation, grid):
    """Whether the guess is right or wrong."""
    setting = dp.Setting(X=SETTING.X, y=SETTING.y, relation=relation, grid=grid)
    plain = dp.execute(certified(LabelsFirst(), setting), *table(), rng=4).released
    found = dp.execute(certified(LabelsFirst(likely=likely), setting), *table(), rng=4).released
    assert plain.keys() == found.keys()
    assert all(np.array_equal(value, found[name]) for name, value in plain.items())


@pytest.mark.parametrize(("likely", "times"), [("1/2", 1), (1, 2), (None, 1)])
def test_rows_are_read_once_where_the_guess_is_right(likely, times, monkeypatch):
    """And again where it is wrong; without one the first pass reads labels only."""
    run, seen = certified(LabelsFirst(likely=likely)), counted(monkeypatch, rounding, "onto_grid")
    dp.execute(run, *table(), rng=1)
    assert sum(seen) == times * 9000


@pytest.mark.parametrize("likely", ["1/2", 1])
def test_what_reads_no_number_is_never_summed_twice(likely, monkeypatch):
    """X'X."""
    run, seen = certified(LabelsFirst(likely=likely)), counted(monkeypatch, Gram, "block")
    dp.execute(run, *table(), rng=1)
    assert sum(seen) == 9000


def test_a_table_that_can_be_read_once_is_refused_as_before():
    """A guess may be wrong."""
    X, y = table()
    blocks = ((X[i : i + 3000], y[i : i + 3000]) for i in (0, 3000, 6000))
    with pytest.raises(dp.BadData, match="several times"):
        dp.execute(certified(LabelsFirst(likely="1/2")), blocks, rng=1)


def test_a_guess_that_cannot_be_computed_refuses_nothing():
    """The number that is learned can be."""
    run = certified(LabelsFirst(likely="1e-307", least="1e-307"))
    plain = certified(LabelsFirst(least="1e-307"))
    mine, its = (dp.execute(one, *table(), rng=1).output for one in (run, plain))
    assert all(np.array_equal(one, other) for one, other in zip(mine, its, strict=True))


def test_nothing_is_guessed_without_a_likely_number_or_of_released_vectors():
    """Nor where a loop reads the table."""
    for regression in (LabelsFirst(), Adaptive(), dp.BoostedAdaSSP()):
        assert guess_of(Stages(certified(regression).graph)) is NO_GUESS or not (
            guess_of(Stages(certified(regression).graph)).sums
        )


def test_a_guess_is_no_part_of_the_certificate():
    """Its hash says what is released, not how it is computed."""
    run, plain = certified(LabelsFirst(likely="1/2")), certified(LabelsFirst())
    assert run.graph.hash == plain.graph.hash


@pytest.mark.parametrize("likely", [2, "1/5", -1])
def test_a_guess_lies_in_the_range(likely):
    """Or is refused by name."""
    with pytest.raises(InvalidArgument, match=r"likely must be .*range of width"):
        certified(LabelsFirst(likely=likely))
