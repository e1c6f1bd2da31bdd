"""Budgets of each record: what certifying and executing cost beside one budget for everybody.

    python benchmarks/personalized.py
    python benchmarks/personalized.py --records 100000

Certificates: three groups with shares, budgets as symbols; one certificate serves any number of
records. Execution: PersonalizedRidge at a million records, PersonalizedAdaSSP at a tenth of them,
by group and with a budget each, beside one budget for everybody, interleaved; numpy's weighted X'X
is the floor.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import dpframe as dp

AT = {"epsilon_c": "1/10", "epsilon_m": "2/5", "epsilon_l": "1"}
SHARES = {"careful": "17/50", "usual": "43/100", "open": "23/100"}
LIMIT = 50  # milliseconds of a certificate
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.REPLACE_ONE)


def by_group(delta: str | None = None) -> dp.PersonalizedDP:
    """Three groups, whose budgets are parameters."""
    epsilons = dict(zip(SHARES, map(dp.parameter, AT), strict=True))
    return dp.PersonalizedDP(epsilons, delta, shares=SHARES)


CASES: Mapping[str, tuple[dp.Regression, str | None]] = {
    "PersonalizedRidge": (dp.PersonalizedRidge(), None),
    "PersonalizedRidgePrinted": (dp.literature.PersonalizedRidgePrinted(), None),
    "PersonalizedSSP": (dp.regressions.PersonalizedSSP(), "1e-6"),
    "PersonalizedAdaSSP": (dp.regressions.PersonalizedAdaSSP(), "1e-6"),
}


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds, and what came of it."""
    start = time.perf_counter()
    found = action()
    return 1e3 * (time.perf_counter() - start), found


def certified(declaration: dp.Regression, target: dp.Guarantee) -> Callable[[], dp.Certificate]:
    return lambda: dp.certify(declaration, target=target, setting=SETTING)


def certificates(repeats: int) -> None:
    """Time of certify, of .at(...), and beside that of one budget for everybody."""
    print("certificates for 3 groups, budgets as symbols; for 1e7 records as for any number:")
    print(f"  {'ms':26}{'certify':>9}{'at most':>9}{'x one budget':>14}{'.at(...)':>10}")
    for name, (declaration, delta) in CASES.items():
        target = by_group(delta)
        one = dp.PureDP(dp.EPSILON) if delta is None else dp.ApproxDP(dp.EPSILON, delta)
        certified(declaration, target)()  # what is loaded on first use is no part of a proof
        took, alone, given = [], [], []
        for _ in range(repeats):
            ms, proof = timed(certified(declaration, target))
            took.append(ms)
            alone.append(timed(certified(declaration, one))[0])
            given.append(timed(functools.partial(proof.at, **AT))[0])
        ms, ratio = statistics.median(took), statistics.median(took) / statistics.median(alone)
        print(f"  {name:26}{ms:9.1f}{LIMIT:9}{ratio:14.2f}{statistics.median(given):10.3f}")
        if ms > LIMIT:
            print(f"  {name} is SLOWER than {LIMIT} ms")


def executions(records: int, columns: int, repeats: int) -> None:
    """Medians of interleaved rounds, seconds and ratios to one budget for everybody."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(records, columns))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.clip(X @ rng.normal(size=columns), -1, 1)
    groups = rng.choice(list(SHARES), records, p=[0.34, 0.43, 0.23])
    own = rng.uniform(0.01, 1, records)
    for name, size in (("PersonalizedRidge", records), ("PersonalizedAdaSSP", records // 10)):
        print(f"{name} at {size:,} x {columns}, seconds:")
        table = X[:size], y[:size]
        found = rounds(contenders(*CASES[name], table, groups[:size], own[:size]), repeats)
        base = found["one budget"]
        for told, seconds in found.items():
            print(f"  {told:32}{seconds:8.3f}{seconds / base:8.2f} x one budget")


def contenders(
    declaration: dp.Regression,
    delta: str | None,
    table: tuple[np.ndarray, np.ndarray],
    groups: np.ndarray,
    own: np.ndarray,
) -> dict[str, Callable[[], Any]]:
    """The same table: one budget, groups, a budget each; and numpy alone."""
    X, y = table
    one = dp.PureDP("1/2") if delta is None else dp.ApproxDP("1/2", delta)
    each = dp.PersonalizedDP(dp.each("epsilon"), delta)
    alone, grouped, single = (
        dp.certify(declaration, target=target, setting=SETTING)
        for target in (one, by_group(delta), each)
    )
    run = grouped.at(**AT)
    weights = own / own.max()
    return {
        "one budget": lambda: dp.execute(alone, X, y, rng=0),
        "3 groups, by name": lambda: dp.execute(run, X, y, budgets=groups, rng=0),
        "a budget each, all different": lambda: dp.execute(single, X, y, budgets=own, rng=0),
        "numpy: (w X)'X and (w X)'y": lambda: ((X * weights[:, None]).T @ X, X.T @ (weights * y)),
    }


def rounds(actions: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Median seconds of each, one after the other in every round; the first round is left out."""
    took: dict[str, list[float]] = {name: [] for name in actions}
    for turn in range(repeats + 1):
        for name, action in actions.items():
            ms, _ = timed(action)
            if turn:
                took[name].append(ms / 1e3)
    return {name: statistics.median(times) for name, times in took.items()}


def main() -> None:
    """Certificates, then executions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10**6)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    certificates(options.repeats)
    executions(options.records, options.columns, options.repeats)


if __name__ == "__main__":
    main()
