"""Sums that are taken along with the first pass: when they are used; nothing else changes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import InvalidArgument
from dpframe.execution import execution
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.one_pass import empty_block
from dpframe.execution.stages import NO_GUESS, Stages, guess_of
from dpframe.execution.totals import Pass
from dpframe.graph import Reading
from dpframe.graph.maps.base import ColumnMap
from dpframe.graph.statistics.sums import Gram
from dpframe.numerics.blocks import gridding
from dpframe.symbols import RELEASED

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


@pytest.mark.parametrize(("likely", "times"), [("1/2", 1), (1, 2), (None, 2)])
def test_rows_are_read_once_where_the_guess_is_right(likely, times, monkeypatch):
    """And again where it is wrong, or where there is none."""
    run = certified(LabelsFirst(likely=likely))
    dp.execute(run, *table(10), rng=1)  # which rehearses on tables of its own
    seen = counted(monkeypatch, gridding, "onto_grid")
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


def one(*_: Any) -> float:
    """Another width."""
    return 1.0


class ClippedRows(dp.Regression):
    """Rows are clipped to a released norm: their grid looks through the map that reads it."""

    way: Any = "clip"

    def declare(self, X, y, budget):
        """Two sums that read the norm, one of them by rows only."""
        start = dp.release(dp.count(X), dp.Gaussian(std=3))
        size = dp.known(dp.post(one, start), "1/20", 1, name="size", likely="1/20")
        other = dp.known(dp.post(half, start), "1/4", 1, name="other", likely="1/2")
        rows = {
            "clip": lambda: X.clip(norm=size),
            "twice": lambda: X.clip(norm=size).clip(norm=other),
            "scaled": lambda: X.scaled(by=size).clip(norm=1),
            "boxed": lambda: X.boxed(other).clip(norm=size),
        }[self.way]()
        first = dp.release(rows.T @ y, LITTLE)
        labels = y.scaled(by=size).clip(-1, 1)
        return dp.post(together, first, dp.release(labels @ labels, LITTLE))


@pytest.mark.parametrize("way", ["clip", "twice", "scaled", "boxed"])
def test_what_a_grid_looks_through_is_waited_for(way, monkeypatch):
    """A sum is never taken at a number that was not learned: its bound is not its noise's."""
    setting = dp.Setting(X=dp.Rows(norm=2), y=SETTING.y, relation=dp.ADD_REMOVE)
    run = dp.certify(ClippedRows(way=way), target=dp.GaussianDP(50), setting=setting)
    stages = Stages(run.graph)
    for summed, at in guess_of(stages).sums.items():
        read = numbers_of(run, summed)
        assert read == set(at)
    mine = dp.execute(run, *table(), rng=1).released
    monkeypatch.setattr(execution, "guess_of", lambda _: NO_GUESS)
    its = dp.execute(run, *table(), rng=1).released
    assert all(np.array_equal(value, its[name]) for name, value in mine.items())


def numbers_of(run: Any, summed: Any) -> set[str]:
    """The released numbers that a pass for one sum really evaluates."""
    supposed = {"size": Fraction(1, 20), "other": Fraction(1, 2)}
    number = PublicNumbers.of(run, {"d": 4}).supposing(supposed).towards_zero
    reading = Pass.of(run.graph, number, empty_block(run.setting, 4), [summed])
    formulas = [*reading.numbers, summed.step]
    return {one.name for formula in formulas for one in formula.symbols() if one.origin is not None}


class Derived(dp.Regression):
    """What is derived in the first stage has no step; what is guessed has one that reads."""

    def declare(self, X, y, budget):
        """A sum of sums first."""
        total = dp.release(dp.trace(X.T @ X) + dp.sqrt(2) * (y @ y), dp.Gaussian(std=9))
        width = dp.known(dp.post(half, total), "1/4", 1, name="width", likely="1/2")
        moment = dp.release(X.T @ y.clip(-width, width), LITTLE)
        return dp.post(together, total, moment)


def test_what_is_guessed_is_no_value_of_the_first_stage():
    """Nothing that is derived there may meet it."""
    run = dp.certify(Derived(), target=dp.ApproxDP(8, "1e-6"), setting=SETTING)
    total, moment = dp.execute(run, *table(), rng=1).output
    X, y = table()
    X = X * np.minimum(1, 1 / np.linalg.norm(X, axis=1))[:, None]
    assert total == pytest.approx(
        np.sum(X**2) + np.sqrt(2) * np.sum(np.clip(y, -1, 1) ** 2), abs=40
    )
    np.testing.assert_allclose(moment, X.T @ np.clip(y, -0.5, 0.5), atol=12)


def test_sums_of_doubles_are_never_guessed():
    """Their last bits would tell in which pieces a block was summed."""
    setting = dp.Setting(X=SETTING.X, y=SETTING.y, relation=dp.ADD_REMOVE, grid=None)
    run = certified(LabelsFirst(likely="1/2"), setting)
    assert guess_of(Stages(run.graph)) is NO_GUESS


def test_a_guess_that_cannot_be_computed_refuses_nothing():
    """The number that is learned can be."""
    run = certified(LabelsFirst(likely="1e-307", least="1e-307"))
    plain = certified(LabelsFirst(least="1e-307"))
    mine, its = (dp.execute(one, *table(), rng=1).output for one in (run, plain))
    assert all(np.array_equal(one, other) for one, other in zip(mine, its, strict=True))


def test_nothing_is_guessed_without_a_likely_number_or_of_released_vectors():
    """Nor where a loop reads the table."""
    for regression in (LabelsFirst(), Adaptive(), dp.regressions.BoostedAdaSSP()):
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


@attrs.frozen(cache_hash=True)
class Inverse(ColumnMap):
    """Labels over a number, clipped: by the word of who wrote it."""

    kind = "inverse"
    label = "over a number, clipped"
    bound = dp.constant(1)
    source: Any
    by: Any

    @property
    def readings(self):
        """The number, which may be a released one."""
        return {"by": Reading(self.by, RELEASED)}

    def record(self):
        """The number."""
        return {"by": str(self.by)}

    def apply(self, block, number):
        """Not for 0."""
        return np.clip(block * (1 / number(self.by)), -1, 1)


class Elsewhere(dp.Regression):
    """Its map fails at the guess."""

    def declare(self, X, y, budget):
        """A count, then X'y."""
        start = dp.release(dp.count(X), LITTLE)
        size = dp.known(dp.post(half, start), 0, 1, name="size", likely=0)
        return dp.post(together, start, dp.release(X.T @ Inverse(y, size), LITTLE))


def test_maps_made_elsewhere_are_never_guessed_at():
    """They may fail in ways of their own."""
    target = dp.GaussianDP(50)
    run = dp.certify(Elsewhere(), target=target, setting=SETTING, trust=[Inverse])
    assert not guess_of(Stages(run.graph)).sums
    count, _ = dp.execute(run, *table(), rng=1).output
    assert count == pytest.approx(9000, abs=12)
