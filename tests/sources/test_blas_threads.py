"""Threads of BLAS: one around an execution on few columns, as many as before after it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import attrs
import numpy as np
import pytest
import threadpoolctl

import dpframe as dp
from dpframe.sources.running import NARROW, narrow, one_thread_of_blas


def allowed() -> set[int]:
    """How many threads any BLAS of this process may use."""
    pools = threadpoolctl.threadpool_info()
    return {pool["num_threads"] for pool in pools if pool["user_api"] == "blas"}


@pytest.fixture
def two():
    """Two threads for every BLAS, as on a machine that has them."""
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        yield allowed()


SEEN = []


def noted(moment):
    """What was released; how many threads there were is noted."""
    SEEN.append(allowed())
    return moment


class Noting(dp.Regression):
    """The noisy X'y, through a function that looks at the threads."""

    def declare(self, X, y, budget):
        """One release."""
        return dp.post(noted, dp.release(X.T @ y, dp.Gaussian.analytic, budget))


SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


@cache
def run():
    """Its certificate."""
    return dp.certify(Noting(), target=dp.ApproxDP(1, "1e-6"), setting=SETTING)


def fitted(d, **given):
    """The threads that a function of what was released sees, for d columns."""
    SEEN.clear()
    dp.execute(run(), np.zeros((3, d)), np.zeros(3), rng=0, **given)
    return SEEN[-1:]  # after rehearsals


@pytest.mark.parametrize(("d", "threads"), [(1, 1), (NARROW, 1), (NARROW + 1, 2)])
def test_functions_of_few_columns_have_one_thread(d, threads, two):
    """Those of many columns have all."""
    assert two == {2}
    assert fitted(d) == [{threads}]
    assert allowed() == two


def test_executors_have_all_threads(two):
    """Processes that are started on the way would keep the limit."""
    with ThreadPoolExecutor(1) as executor:
        assert fitted(2, executor=executor) == [two]


def test_columns_of_categories_have_all_threads(two):
    """Two of them may be hundreds on the way."""
    levels = dp.Categorical("kind", ["a", "b"])
    rows = dp.Rows(norm=1, columns=[levels, dp.Numeric("size", 0, 1)])
    setting = attrs.evolve(SETTING, X=rows)
    run = dp.certify(Noting(), target=dp.ApproxDP(1, "1e-6"), setting=setting)
    SEEN.clear()
    X = np.array([["a", 0.5], ["b", 0.25]], dtype=object)
    dp.execute(run, X, np.zeros(2), rng=0)
    assert SEEN[-1:] == [two]


def test_they_are_back_after_a_failure(two):
    """Whatever ends the execution."""
    bad = np.full((3, 2), np.nan)
    with pytest.raises(dp.BadData):
        dp.execute(run(), bad, np.zeros(3), rng=0)
    assert allowed() == two


def test_inside_and_beside_one_another(two):
    """Only the outermost sets and lifts the limit."""
    with one_thread_of_blas():
        with narrow(2), one_thread_of_blas():
            assert allowed() == {1}
        assert allowed() == {1}
    assert allowed() == two
    with ThreadPoolExecutor(4) as several:
        list(several.map(lambda _: fitted(2), range(12)))
    assert allowed() == two
