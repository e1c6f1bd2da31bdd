"""Between a certificate and a release: one n, one ledger, fresh noise, threads of BLAS."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import threadpoolctl

import dpframe as dp
from dpframe.randomness import Randomness
from dpframe.sources.running import own_threads


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
