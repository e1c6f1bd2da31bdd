"""Residuals at coefficients of zero are labels: their sum is not taken twice."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.errors import NotExecutable
from dpframe.execution.execution import simulate
from dpframe.execution.rehearsal import rehearsed
from dpframe.execution.stages import EqualSums
from dpframe.graph.maps.base import ColumnMap
from dpframe.graph.maps.residuals import ResidualLabels
from dpframe.graph.statistics.sums import Moment

LITTLE = dp.Gaussian(std=2)


def zeros(moment: Any) -> Any:
    """Coefficients."""
    return np.zeros(len(moment))


def once(moment: Any) -> Any:
    """Coefficients of which one is not zero."""
    return np.eye(len(moment))[0] / 7


def listed(moment: Any) -> Any:
    """Zeros that are no array."""
    return [0.0] * len(moment)


def longer(moment: Any) -> Any:
    """Zeros of another length."""
    return np.zeros(len(moment) + 1)


def half(*_: Any) -> float:
    """A width."""
    return 0.5


def together(*released: Any) -> Any:
    """Everything that was released."""
    return released


AT = {"zeros": zeros, "once": once, "listed": listed, "longer": longer}


class Twice(dp.Regression):
    """X'y of clipped labels, then X'r of residuals clipped at a released width."""

    clip: Any = 1
    by: Any = 1
    shorter: Any = False
    at: Any = "zeros"

    def declare(self, X, y, budget):
        """Three releases in three stages."""
        squares = dp.release(y @ y, LITTLE, name="squares")
        level = dp.known(dp.post(half, squares), "1/4", 1, name="level")
        moment = dp.release(X.T @ y.scaled(by=level).clip(-1, 1), LITTLE, name="moment")
        width = dp.known(dp.post(half, moment), "1/4", 1, name="width")
        left = y.residuals(X, dp.post(AT[self.at], moment)).scaled(by=width * self.by)
        rows = X.clip(norm="1/2") if self.shorter else X
        again = dp.release(rows.T @ left.clip(-self.clip, self.clip), LITTLE, name="again")
        return dp.post(together, moment, again)


def executed(regression: Any, monkeypatch: Any, **setting: Any) -> tuple[Any, int]:
    """What was released, and over how many rows sums X'y went."""
    given = {"X": dp.Rows(norm=1), "y": dp.Column(bound=1), "relation": dp.ADD_REMOVE} | setting
    run = dp.certify(regression, target=dp.GaussianDP(4), setting=dp.Setting(**given))
    rng, seen = np.random.default_rng(5), []
    X = rng.normal(size=(9000, 4)) * 0.6
    sizes = {"d": 4} | ({"n": 9000} if run.setting.relation is dp.REPLACE_ONE else {})
    rehearsed(run, sizes)  # which reads tables of its own
    real = Moment.block

    def watched(self: Any, values: Any) -> Any:
        seen.append(len(values[self.rows]))
        return real(self, values)

    with monkeypatch.context() as patch:
        patch.setattr(Moment, "block", watched)
        released = dp.execute(run, X, X[:, 0] * 1.5, rng=2).released
    return released, sum(seen)


def same(one: Any, other: Any) -> bool:
    """To the last bit."""
    return all(np.array_equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize(
    "setting",
    [{}, {"relation": dp.REPLACE_ONE}, {"grid": None}, {"X": dp.Rows(norm=1, intercept=True)}],
    ids=str,
)
def test_the_sum_of_labels_is_taken_again(setting, monkeypatch):
    """With noise of its own, and the same to the last bit as if it were read again."""
    regression = Twice()
    mine, read = executed(regression, monkeypatch, **setting)
    assert read == 9000
    assert not np.array_equal(mine["moment"], mine["again"])
    monkeypatch.setattr(EqualSums, "has_zero_residuals", lambda *_: False)
    its, read = executed(regression, monkeypatch, **setting)
    assert read == 18_000
    assert same(mine, its)


@pytest.mark.parametrize(
    "changes",
    [
        {"clip": dp.constant("1/2")},
        {"by": dp.constant(2)},
        {"shorter": True},
        {"at": "once"},
        {"at": "listed"},
    ],
    ids=str,
)
def test_other_sums_are_read(changes, monkeypatch):
    """Another clip, another scale, other rows, coefficients that are not zero, or no array."""
    regression = Twice(**changes)
    mine, read = executed(regression, monkeypatch)
    assert read == 18_000
    monkeypatch.setattr(EqualSums, "has_zero_residuals", lambda *_: False)
    assert same(mine, executed(regression, monkeypatch)[0])


def test_zeros_of_another_length_are_refused_as_ever(monkeypatch):
    """Though their sum would be known."""
    with pytest.raises(NotExecutable, match="coefficients of shape"):
        executed(Twice(at="longer"), monkeypatch)


def tiny(*_: Any) -> float:
    """A number whose powers are long."""
    return 2.0**-1000


def huge(*_: Any) -> float:
    """A number beyond all others."""
    return 1e308


def three(*_: Any) -> float:
    """A number of which a third is one, but not in doubles."""
    return 3.0


class Odd(dp.Regression):
    """Released numbers that formulas as such would not take, or would round in other ways."""

    kind: Any = "tiny"

    def declare(self, X, y, budget):
        """X'y twice, the second time of what looks like other labels."""
        moment = dp.release(X.T @ y.scaled(by=1).clip(-1, 1), LITTLE, name="moment")
        found = {"tiny": tiny, "huge": huge, "three": three}[self.kind]
        size = dp.known(dp.post(found, moment), "1e-302", "1e308", name="size")
        left = y.residuals(X, dp.post(zeros, moment))
        again = {
            "tiny": lambda: left.scaled(by=1 + size**32).clip(-1, 1),
            "huge": lambda: left.scaled(by=size).clip(-1, 1),
            "three": lambda: left.scaled(by=size * dp.constant("1/3")).clip(-1, 1),
        }[self.kind]()
        return dp.post(together, moment, dp.release(X.T @ again, LITTLE, name="again"))


@pytest.mark.parametrize("kind", ["tiny", "huge", "three"])
def test_equal_in_theory_is_not_the_same(kind, monkeypatch):
    """What is not written alike is read again, and nothing refuses that did not."""
    mine, read = executed(Odd(kind=kind), monkeypatch)
    assert read == 18_000
    monkeypatch.setattr(EqualSums, "has_zero_residuals", lambda *_: False)
    assert same(mine, executed(Odd(kind=kind), monkeypatch)[0])


class Unclipped(dp.Regression):
    """Residuals that nothing bounds."""

    def declare(self, X, y, budget):
        """A sum without a step, beside one that has one."""
        moment = dp.release(X.T @ y, LITTLE)
        left = y.residuals(X, dp.post(zeros, moment))
        return dp.post(together, moment, dp.release(X.T @ left, LITTLE))


def test_sums_in_steps_are_no_sums_in_doubles():
    """Not even in a simulation of what is not private."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    run = dp.audits.unproved(
        Unclipped(), target=dp.GaussianDP(4), setting=setting, label="NOT PRIVATE"
    )
    X = np.random.default_rng(5).normal(size=(500, 4)) / 4
    first, second = simulate(run, X, X[:, 0], rng=1).output
    np.testing.assert_allclose(first, second, atol=30)


@attrs.frozen(cache_hash=True)
class Tight(ResidualLabels):
    """Residuals, clipped to a tenth: by the word of who wrote it."""

    kind = "tight"
    bound = dp.constant("1/10")

    def records(self, values, number):
        """As it says."""
        return np.clip(ResidualLabels.records(self, values, number), -0.1, 0.1)


class Bare(ColumnMap):
    """A clip to a half that is no attrs class."""

    kind, label, bound = "bare", "bare clip to a half", dp.constant("1/2")

    def __init__(self, source):
        """Of some labels."""
        self.source = source

    def record(self):
        """Nothing."""
        return {}

    def apply(self, block, number):
        """As it says."""
        return np.clip(block, -0.5, 0.5)


class Elsewhere(dp.Regression):
    """Maps that dpframe knows nothing about."""

    kind: Any = "tight"

    def declare(self, X, y, budget):
        """X'y, and residuals at zero."""
        labels = Bare(y) if self.kind == "bare" else y
        moment = dp.release(X.T @ labels, LITTLE, name="moment")
        at = dp.post(zeros, moment)
        left = y.residuals(X, at).clip(-1, 1) if self.kind == "bare" else Tight(y, X, at)
        return dp.post(together, moment, dp.release(X.T @ left, LITTLE, name="again"))


@pytest.mark.parametrize("kind", ["tight", "bare"])
@pytest.mark.parametrize("grid", [20, None])
def test_maps_made_elsewhere_are_applied(kind, grid):
    """Whatever they derive from, and however they were made: their bound is what was proved."""
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE, grid=grid)
    trusted = [Tight, Bare]
    run = dp.certify(Elsewhere(kind=kind), target=dp.GaussianDP(4), setting=setting, trust=trusted)
    X, y = np.tile(np.eye(4)[:1], (9000, 1)), np.ones(9000)
    first, second = dp.execute(run, X, y, rng=1).output
    assert first[0] == pytest.approx(4500 if kind == "bare" else 9000, abs=12)
    assert second[0] == pytest.approx(9000 if kind == "bare" else 900, abs=12)


def masked(moment: Any) -> Any:
    """Ones behind a mask."""
    return np.ma.array(np.ones(len(moment)) / 7, mask=True)


def test_zeros_behind_a_mask_are_no_zeros(monkeypatch):
    """The sum is of what residuals really are taken at."""
    monkeypatch.setitem(AT, "masked", masked)
    mine, read = executed(Twice(at="masked"), monkeypatch)
    assert read == 18_000
    monkeypatch.setattr(EqualSums, "has_zero_residuals", lambda *_: False)
    assert same(mine, executed(Twice(at="masked"), monkeypatch)[0])
