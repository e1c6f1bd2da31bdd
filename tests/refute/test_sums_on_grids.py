"""Exact execution: sums beyond machine words, maps above a grid, stacks, own statistics."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

import dpframe as dp
from dpframe.graph.statistics import Gram
from dpframe.mechanisms import Gaussian
from dpframe.prover.certify import canonical_hash
from tests.support import checking as check
from tests.support.samples import declared

UNIT = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
FINE = attrs.evolve(UNIT, grid=24)
REPLACED = attrs.evolve(UNIT, relation=dp.REPLACE_ONE)
TARGET = dp.ApproxDP(1, "1e-6")


def certified(
    build: Callable[[Any, Any, Any], Any], setting: dp.Setting = UNIT, **options: Any
) -> dp.Certificate:
    """The certificate of a declaration whose body is `build`."""
    return dp.certify(declared(build), target=TARGET, setting=setting, **options)


def test_a_run_of_two_blocks_is_right_where_words_would_wrap():
    """The same, executed: the released number is near the truth."""
    run = certified(lambda X, y, _: dp.release((y @ y) + 2 * dp.count(X), Gaussian(std=15)), FINE)
    n = 49_152
    blocks = iter([(np.ones((n // 2, 1)), np.ones(n // 2))] * 2)
    assert abs(dp.execute(run, blocks, rng=0).output - 3 * n) < 200


@pytest.mark.parametrize("ends", [(-1e308, 1.5e308), (1, 1 + Fraction(1, 10**30)), (1, 1)])
def test_labels_need_an_interval_that_doubles_can_scale(ends):
    """The map onto [-1, 1] was nan, and nan became -2^63 steps."""
    with pytest.raises(dp.InvalidArgument, match="bounds of y must be increasing"):
        dp.Column(lower=ends[0], upper=ends[1])


class OwnGram(Gram):
    """X'X by a formula of one's own."""

    def block(self, values: Any) -> Any:
        """The same formula."""
        rows = values[self.rows]
        return rows.T @ rows


class Thirds:
    """A mixin that computes something else."""

    def block(self, values: Any) -> Any:
        """A third of X'X."""
        rows = values[self.rows]  # type: ignore[attr-defined]
        return rows.T @ rows / 3


class Mixed(Thirds, Gram):
    """A third of X'X."""


@pytest.mark.parametrize(("kind", "share"), [(OwnGram, 1.0), (Mixed, 1 / 3)])
def test_a_statistic_of_ones_own_reads_rows_not_steps(kind, share):
    """It is not exact, says so, and is in the units of the rows."""
    run = certified(lambda X, y, _: dp.release(kind(X), Gaussian(std=10)), trust=[kind])
    assert any(line.startswith("idealized numerics") for line in run.assumptions)
    released = dp.execute(run, np.eye(2) * 1.0, np.zeros(2), rng=0).output
    noise = dp.execute(run, np.zeros((0, 2)), np.zeros(0), rng=0).output
    np.testing.assert_allclose(released - noise, np.eye(2) * share, atol=1e-5)


class Ten:
    """A mixin that draws ten times the noise."""

    @staticmethod
    def sample(size: Any, shape: Any, rng: Any, *, symmetric: bool) -> Any:
        """Ten times."""
        return 10 * Gaussian.sample(size, shape, rng, symmetric=symmetric)


class TenGaussian(Ten, Gaussian):
    """Noise of ten times its std."""


def test_noise_of_ones_own_is_drawn_by_its_own_sample():
    """`on_grid` of a base says nothing about a `sample` below it."""
    assert not TenGaussian.exact
    assert Gaussian.exact


def test_a_combination_of_nothing_is_nothing():
    """y'y - y'y is 0 in whole steps, and no difference of doubles."""
    run = certified(
        lambda X, y, _: (dp.release(X.T @ y, Gaussian(std=9)), (y @ y) - (y @ y)), REPLACED
    )
    _, nothing = dp.execute(run, np.zeros((2, 1)), [1e154, 1e154], rng=0).output
    assert nothing == 0.0


FORGED = {
    "a combination of a stack": lambda X, y, _: dp.release(
        2 * dp.graph.stack(X.T @ X, X.T @ y), Gaussian(std=40)
    ),
    "the trace of scaled rows of norm 1": lambda X, y, _: dp.release(
        dp.trace(X.normalized().scaled(3).T @ X.normalized().scaled(3)), Gaussian(std=40)
    ),
    "the trace of rows of norm 1 and an intercept": lambda X, y, _: dp.release(
        dp.trace(X.normalized().with_intercept().T @ X.normalized().with_intercept()),
        Gaussian(std=40),
    ),
}


@pytest.mark.parametrize("name", FORGED)
@pytest.mark.parametrize("setting", [UNIT, REPLACED], ids=["add/remove", "replace-one"])
def test_the_checker_knows_what_is_computed_in_doubles(name, setting):
    """A file that leaves out the assumption, sealed again, is rejected; with it, accepted."""
    grid = UNIT.grid if "stack" in name else None
    run = certified(FORGED[name], attrs.evolve(setting, grid=grid))
    document = json.loads(json.dumps(run.document))
    assert check.check(document).accepted
    document["assumptions"] = [a for a in document["assumptions"] if "idealized" not in a]
    parts = (document[part] for part in ("statement", "graph", "assumptions"))
    verdict = check.check({**document, "hash": canonical_hash(*parts)})
    assert not verdict.accepted
    assert "idealized numerics" in verdict.reason


def test_stacks_of_stacks_are_laid_out():
    """(X'X, y'y) and X'y in one vector: 3 + 1 + 2 numbers near the truth."""
    run = certified(
        lambda X, y, _: dp.release(
            dp.graph.stack(dp.graph.stack(X.T @ X, y @ y), X.T @ y), Gaussian(std=20)
        )
    )
    assert not any("idealized" in line for line in run.assumptions)
    X, y = np.tile([0.6, 0.8], (100_000, 1)), np.full(100_000, 0.5)
    released = dp.execute(run, X, y, rng=0).output / 100_000
    truth = [0.36, 0.48 * 2**0.5, 0.64, 0.25, 0.3, 0.4]
    np.testing.assert_allclose(released, truth, atol=2e-3)


def squared(rows: Any) -> Any:
    """X'X of these rows."""
    return rows.T @ rows


def test_maps_above_a_grid_read_rows():
    """X.T @ X hands out its rows on the grid; halving them halves them."""
    run = certified(lambda X, y, _: dp.release(squared((X.T @ X).rows.scaled(2)), Gaussian(std=10)))
    with_row = dp.execute(run, [[0.5]], [0.0], rng=0).output
    without = dp.execute(run, np.zeros((0, 1)), [], rng=0).output
    np.testing.assert_allclose(with_row - without, [[0.0625]], atol=1e-6)
