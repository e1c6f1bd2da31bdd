"""How long a private fit takes, and how much memory: multiples of what linear algebra takes.

    python benchmarks/fit.py                a million rows of 50 columns
    python benchmarks/fit.py --small        ten thousand rows of 10
    python benchmarks/fit.py --threads 1    BLAS on one thread

The floor is X'X by dsyrk and X'y by dgemv on the same rows. Every round runs all of them, in an
order of its own, so that a change in the machine's load, and what threads the one before left
behind, meet everyone. More than a quarter of the rows need clipping. Labels are noise that fills
their bound: with a million of them sampling takes far more than noise, and JointSSP(scaling=0)
reads the rows once, and once more for standard errors (not with sandwich=0); at epsilon 1/10 it
does not. By default, JointSSP reads them for units before.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import numpy as np
import threadpoolctl
from scipy.linalg.blas import dgemv, dsyrk

from dpframe.execution import execute
from dpframe.execution.numbers import PublicNumbers
from dpframe.execution.totals import Pass
from dpframe.graph import Column, Regression, Rows, Setting, post, release
from dpframe.mechanisms import Gaussian
from dpframe.privacy import ADD_REMOVE, ApproxDP
from dpframe.prover.certify import certify
from dpframe.regressions import SSP, AdaSSP, JointSSP, recommend
from dpframe.sources import Block, open_source

Contender = Callable[[np.ndarray, np.ndarray], Any]
FLOOR = "floor: dsyrk and dgemv"


class TwoReleases(Regression):
    """X'X and X'y with exact Gaussian noise, then ridge with a penalty of the noise's size."""

    def declare(self, X: Any, y: Any, budget: Any) -> Any:
        gram_share, moment_share = budget.split_evenly(2)
        gram = release(X.T @ X, Gaussian.analytic, gram_share)
        moment = release(X.T @ y, Gaussian.analytic, moment_share)
        return post(ridge, gram, moment, gram.std)


def ridge(gram: np.ndarray, moment: np.ndarray, std: float) -> np.ndarray:
    penalty = 2 * std * np.sqrt(len(moment))
    return np.linalg.solve(gram + penalty * np.eye(len(moment)), moment)


SETTING = Setting(X=Rows(norm=1), y=Column(bound=1), relation=ADD_REMOVE)
RUN = certify(TwoReleases(), target=ApproxDP(1, "1e-6"), setting=SETTING)
ADVISED = recommend(n=1_000_000, d=50, epsilon=1, delta="1e-6").regression
PLAIN = JointSSP(scaling=0)
ONCE = JointSSP(moment=35, rounds=0, levels=0, sandwich=0)
FLAGSHIP, LEAN, AT_ONCE, FAMILY, ADAPTIVE, ROBUST = (
    certify(one, target=ApproxDP(1, "1e-6"), setting=SETTING)
    for one in (PLAIN, JointSSP(rounds=0, scaling=0), ONCE, SSP(), AdaSSP(), ADVISED)
)
IN_UNITS = certify(JointSSP(), target=ApproxDP(1, "1e-6"), setting=SETTING)
CORRECTED, CORRECTED_IN_UNITS = (
    certify(one, target=ApproxDP("0.1", "1e-6"), setting=SETTING) for one in (PLAIN, JointSSP())
)
FLOATING = certify(
    TwoReleases(), target=ApproxDP(1, "1e-6"), setting=attrs.evolve(SETTING, grid=None)
)


def floor(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return dsyrk(1.0, X.T), dgemv(1.0, X.T, y)


def plain_numpy(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return X.T @ X, X.T @ y


def only_the_pass(X: np.ndarray, y: np.ndarray) -> Any:
    source = open_source(SETTING, X, y, drop=False)
    numbers = PublicNumbers.of(RUN, {"d": X.shape[1]})
    return source.total(Pass.of(RUN.graph, numbers.towards_zero, Block(X[:0], y[:0])))


def exactly(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(RUN, X, y, rng=0)


def in_threads(X: np.ndarray, y: np.ndarray) -> Any:
    with threadpoolctl.threadpool_limits(1), ThreadPoolExecutor(2) as executor:
        return execute(RUN, X, y, rng=0, executor=executor)


def in_floating_point(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(FLOATING, X, y, rng=0)


def by_joint_ssp(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(FLAGSHIP, X, y, rng=0)


def with_corrections(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(CORRECTED, X, y, rng=0)


def in_units(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(IN_UNITS, X, y, rng=0)


def with_corrections_in_units(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(CORRECTED_IN_UNITS, X, y, rng=0)


def without_corrections(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(LEAN, X, y, rng=0)


def in_one_look(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(AT_ONCE, X, y, rng=0)


def as_advised(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(ROBUST, X, y, rng=0)


def by_ssp(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(FAMILY, X, y, rng=0)


def by_adassp(X: np.ndarray, y: np.ndarray) -> Any:
    return execute(ADAPTIVE, X, y, rng=0)


def contenders() -> dict[str, Contender]:
    found: dict[str, Contender] = {
        FLOOR: floor,
        "numpy X.T @ X, X.T @ y": plain_numpy,
        "dpframe, the exact pass": only_the_pass,
        "dpframe, exact fit": exactly,
        "dpframe, exact fit, 2 threads": in_threads,
        "dpframe, grid=None": in_floating_point,
        "dpframe, SSP": by_ssp,
        "dpframe, AdaSSP": by_adassp,
        "dpframe, JointSSP, one look": in_one_look,
        "dpframe, JointSSP, as advised": as_advised,
        "dpframe, scaling=0, rounds=0": without_corrections,
        "dpframe, scaling=0": by_joint_ssp,
        "dpframe, scaling=0, epsilon 1/10": with_corrections,
        "dpframe, JointSSP": in_units,
        "dpframe, JointSSP, epsilon 1/10": with_corrections_in_units,
    }
    with contextlib.suppress(ImportError):
        from sklearn.linear_model import Ridge

        found["scikit-learn Ridge(cholesky)"] = Ridge(solver="cholesky", fit_intercept=False).fit
    try:
        from diffprivlib.models import LinearRegression
    except ImportError as absent:
        print(f"diffprivlib is absent: {absent}")
    else:
        public = {"bounds_X": (-1, 1), "bounds_y": (-1, 1), "fit_intercept": False}
        found["diffprivlib LinearRegression"] = LinearRegression(epsilon=1, **public).fit
    return found


def table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    X *= (rng.uniform(0.5, 1.2, rows) / np.sqrt(np.einsum("ij,ij->i", X, X)))[:, None]
    return X, rng.uniform(-1.2, 1.2, rows)


def seconds(run: Contender, X: np.ndarray, y: np.ndarray) -> float:
    start = time.perf_counter()
    run(X, y)
    return time.perf_counter() - start


def peak(run: Contender, X: np.ndarray, y: np.ndarray) -> int:
    """Bytes that Python and numpy held at once, above the data."""
    tracemalloc.start()
    run(X, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def compare(rows: int, columns: int, repeats: int) -> None:
    X, y = table(rows, columns)
    runs = contenders()
    times: dict[str, list[float]] = {name: [] for name in runs}
    order = np.random.default_rng(0)
    for repeat in range(repeats + 1):
        for name in order.permutation(list(runs)):
            taken = seconds(runs[name], X, y)
            if repeat:  # the first round warms up
                times[name].append(taken)
    base = statistics.median(times[FLOOR])
    pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    threads = max(pool["num_threads"] for pool in pools)
    print(f"n = {rows}, d = {columns}, BLAS threads: {threads}, medians of {repeats} rounds")
    print(f"{'':32s} {'ms':>8s} {'x floor':>8s} {'extra MB':>9s}")
    for name, run in runs.items():
        median, memory = statistics.median(times[name]), peak(run, X, y) / 1e6
        print(f"{name:32s} {1e3 * median:8.1f} {median / base:8.2f} {memory:9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--columns", type=int)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--threads", type=int)
    chosen = parser.parse_args()
    rows, columns = (10_000, 10) if chosen.small else (1_000_000, 50)
    warnings.simplefilter("ignore")  # of the others
    with threadpoolctl.threadpool_limits(chosen.threads):
        compare(chosen.rows or rows, chosen.columns or columns, chosen.repeats)


if __name__ == "__main__":
    main()
