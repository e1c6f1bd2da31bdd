"""Executions: refusals before charges, one n and fresh noise between passes, exact sums."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import threadpoolctl

import dpframe as dp
from dpframe.audits.lower_bounds.two_tables import opened, shifted
from dpframe.errors import InvalidArgument, NotExecutable
from dpframe.graph import known, post, release
from dpframe.graph.statistics import Gram, Histogram
from dpframe.kernel.checker import hash_of as canonical_hash
from dpframe.mechanisms import Gaussian
from dpframe.randomness import Randomness
from dpframe.sources.running import own_threads
from tests.support import checking as check
from tests.support.samples import declared

# ------------------------------------------------------- Refusals come before the ledger is charged
NOISE = dp.Gaussian(std=3)
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
CLAIM = dp.GaussianDP(3)


def half(number):
    """A width."""
    return 0.5 if number >= 0 else 0.25


class TwoPasses(dp.Regression):
    """Labels first; then what reads a width that was released."""

    def statistic(self, X, y):
        """What the first pass reads of rows."""
        return X.T @ X

    def noise(self):
        """And its noise."""
        return NOISE

    def declare(self, X, y, budget):
        """First a number of labels alone."""
        squares = release(y @ y, NOISE, name="squares")
        first = release(self.statistic(X, y), self.noise(), name="first")
        width = known(post(half, squares), "1/10", 1, name="width")
        moment = release(X.T @ y.scaled(by=width).clip(-1, 1), NOISE, name="moment")
        again = release(X.scaled(by=width).clip(norm=1).T @ y, NOISE, name="again")
        return post(lambda *released: released, squares, first, moment, again)


class TooManyCells(TwoPasses):
    """Refused when a block is read."""

    def statistic(self, X, y):
        """4^14 cells."""
        return Histogram(X, y, 4)

    def noise(self):
        """Enough."""
        return dp.Gaussian(std=100)


class TooMuchNoise(TwoPasses):
    """Refused when noise is prepared."""

    def noise(self):
        """Of any size."""
        return dp.Gaussian(std=3 + dp.parameter("size", 0, None))


def proved(declaration):
    """By dp.certify."""
    return dp.certify(declaration, target=CLAIM, setting=SETTING)


def table(columns):
    """Some rows and labels."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(50, columns)), rng.uniform(-1, 1, 50)


@pytest.mark.parametrize(
    ("declaration", "numbers", "refusal"),
    [(TooManyCells(), {}, NotExecutable), (TooMuchNoise(), {"size": "1e130"}, InvalidArgument)],
)
def test_what_cannot_be_read_or_drawn_is_refused_before_the_ledger_is_charged(
    declaration, numbers, refusal, tmp_path
):
    """As dp.execute promises."""
    run = proved(declaration)
    run = run.at(**numbers) if numbers else run
    ledger = dp.Ledger(tmp_path / "ledger")
    ledger.create("people", dp.GaussianDP(10))
    with pytest.raises(refusal):
        dp.execute(run, *table(13), ledger=ledger, dataset="people")
    assert not list(ledger.charges("people"))


def test_a_move_beyond_a_machine_word_does_not_wrap():
    """Sums lie in words, sensitivities of large groups do not."""
    run = proved(TwoPasses())
    X, y = table(2)
    running = opened(run, type("Pair", (), {"X": X, "y": y}), Randomness.of(0))
    gram = next(one for one in running.values if one.label == "X^T X" or one.kind == "gram")
    before = int(np.ravel(running.values[gram])[0])
    moved = np.ravel(shifted(gram, running.values, 2.0**30, running)[gram])[0]
    assert moved - before == 2**70  # of a grid of 20 bits


# -------------------------------------------------------------- Between a certificate and a release
class Sized(dp.Regression):
    """Rows clipped at 1/(1 + n), with noise of 10/(1 + n)."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        """One release."""
        clipped = X.clip(norm=1 / (1 + X.rows))
        return dp.release(dp.total(clipped), dp.Gaussian(std=10 / (1 + X.rows)))


class Growing:
    """A stream that has more rows whenever it is read again."""

    def __init__(self) -> None:
        """Ten rows at first."""
        self.rows = 10

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The next table."""
        import pyarrow as pa

        self.rows *= 10
        table = pa.table({"x": np.ones(self.rows), "y": np.zeros(self.rows)})
        return table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("grid", [None, 20])
def test_bounds_and_noise_read_one_n(grid):
    """A stream might grow between the pass that counts and the one that adds: it is read once."""
    setting = dp.Setting(
        X=dp.Rows(norm=1), y=dp.Column("y", bound=1), relation=dp.REPLACE_ONE, grid=grid
    )
    run = dp.certify(Sized(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    with pytest.raises(dp.BadData, match=r"known number of rows.*be read once"):
        dp.execute(run, Growing(), rng=0)


def test_a_ledger_of_two_names_is_refused(tmp_path: Path):
    """A journal is found by name: a crash under one name undid a charge made under the other."""
    path = tmp_path / "budget.sqlite"
    ledger = dp.Ledger(path)
    ledger.create("survey", dp.PureDP(1), relation=dp.ADD_REMOVE)
    os.link(path, tmp_path / "other.sqlite")
    for one in (path, tmp_path / "other.sqlite"):
        with pytest.raises(dp.errors.LedgerUnavailable, match="second name"):
            dp.Ledger(one)
    with pytest.raises(dp.errors.LedgerUnavailable, match="second name"):
        ledger.account("survey")
    (tmp_path / "other.sqlite").unlink()
    assert ledger.datasets == ("survey",)


def test_noise_in_doubles_is_not_shared_with_a_fork():
    """Its generator is seeded when it is used, not before the table is read."""
    randomness = Randomness.of(None)
    draws = {randomness.fresh().generator.normal() for _ in range(2)}
    assert len(draws) == 2
    simulated = Randomness.of(3)
    assert simulated.fresh() is simulated


def threads_of_blas() -> list[int]:
    """How many threads each BLAS of this process may use."""
    pools = threadpoolctl.threadpool_info()
    return [pool["num_threads"] for pool in pools if pool["user_api"] == "blas"]


def test_blas_has_its_threads_again_after_overlapping_passes():
    """Passes of several threads begin and end in any order."""
    np.ones((9, 9)) @ np.ones((9, 9))
    before = threads_of_blas()

    def one(order: int) -> None:
        with own_threads() as threads:
            list(threads.map(lambda _: np.ones((50, 50)) @ np.ones((50, 50)), range(20 + order)))

    with ThreadPoolExecutor(4) as several:
        list(several.map(one, range(12)))
    assert threads_of_blas() == before


# ---------------------------------------------------------------------------------- Exact execution
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
    document = check.file_of(run)
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


class Shifty:
    """Other coefficients whenever they are converted."""

    def __init__(self) -> None:
        """Not converted yet."""
        self.count = 0

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """0 at first, then 1."""
        del dtype, copy
        self.count += 1
        return np.array([float(self.count > 1)])


def shifty(released: float) -> Shifty:
    """Coefficients of a class of one's own."""
    del released
    return Shifty()


def words(released: float) -> str:
    """No coefficients."""
    del released
    return "none"


def of_residuals(function: Callable[..., Any]) -> dp.Certificate:
    """The moment of clipped residuals at the coefficients of a function."""

    def declare(X: Any, y: Any, _: Any) -> Any:
        theta = post(function, release(y @ y, Gaussian(std=30)))
        return release(X.T @ y.residuals(X, theta).clip(-1, 1), Gaussian(std=30))

    return certified(declare)


@pytest.mark.parametrize("n", [8192, 8193])
def test_coefficients_are_the_same_in_every_block(n):
    """One more row makes one more block, in which all rows would be read at other coefficients."""
    moment = dp.execute(of_residuals(shifty), np.ones((n, 1)), np.ones(n), rng=0).output
    assert abs(moment[0] - n) < 200


def test_coefficients_that_are_no_numbers_are_refused():
    """By the name of their function."""
    with pytest.raises(NotExecutable, match="words must return numbers"):
        dp.execute(of_residuals(words), np.ones((5, 1)), np.ones(5), rng=0)
