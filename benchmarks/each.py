"""Formulas of noise at a million records, each with an (epsilon, delta) of its own.

    python benchmarks/each.py                      # a million records
    python benchmarks/each.py --records 100000

Seconds of one core (the best of a few runs) and records a second of `enclose_each`; beside it the
scalar loop by ball arithmetic over a few of the same records, as a ratio of times a record. The
loop remembers stds that it knows, so each formula is given records of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import dpframe as dp
from dpframe.prover.algebra import number
from dpframe.symbols import Expression
from dpframe.symbols.arithmetic import call, power
from dpframe.symbols.enclose_each import as_pairs, enclose_each

epsilon, delta, B, S = (dp.parameter(name, 0) for name in ("epsilon", "delta", "B", "S"))
SIGMA = call("analytic_sigma", epsilon, delta)
FORMULAS = {
    "analytic_sigma(e, d)": SIGMA,
    "sqrt(e/S) B analytic_sigma(e, d)": power(epsilon / S, Fraction(1, 2)) * B * SIGMA,
    "B / e": B / epsilon,
    "(exp(e) - 1) / (exp(S) - 1)": (call("exp", epsilon) - 1) / (call("exp", S) - 1),
}
Columns = dict[str, np.ndarray]


def budgets(count: int, kinds: int | None) -> Columns:
    """Budgets from 0.01 to 10 and 1e-12 to 1e-3: all different, or of so many kinds."""
    rng = np.random.default_rng(0)
    size = kinds or count
    drawn = {"epsilon": 10 ** rng.uniform(-2, 1, size), "delta": 10 ** rng.uniform(-12, -3, size)}
    kind = rng.integers(size, size=count) if kinds else slice(None)
    return {name: column[kind] for name, column in drawn.items()} | {
        "B": np.asarray(2.0),
        "S": np.asarray(10.0),
    }


def timed(action: Callable[[], Any], repeats: int) -> float:
    """The best of a few runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def one_by_one(formula: Expression, columns: Columns, some: slice) -> list[float]:
    """Upper ends at some of the records, by ball arithmetic at exact numbers."""
    size = columns["epsilon"].size
    wide = {name: np.broadcast_to(column, size)[some] for name, column in columns.items()}
    rows = zip(*(column.tolist() for column in wide.values()), strict=True)
    return [
        number(formula, {n: Fraction(x) for n, x in zip(wide, row, strict=True)}, up=True)
        for row in rows
    ]


def report(name: str, formula: Expression, columns: Columns, some: slice, repeats: int) -> None:
    """One line: seconds, records a second, the ratio to the scalar loop, the widest enclosure."""
    pairs = {symbol: as_pairs(column) for symbol, column in columns.items()}
    count = columns["epsilon"].size
    took = timed(lambda: enclose_each(formula, pairs), repeats)
    start = time.process_time()
    reference = one_by_one(formula, columns, some)
    scalar = (time.process_time() - start) / len(reference)
    low, high = enclose_each(formula, pairs)
    if np.any(reference < low[some]) or np.any(reference > np.nextafter(high[some], np.inf)):
        raise SystemExit(f"{name}: an enclosure misses what ball arithmetic found")
    print(
        f"  {name:34} {took:6.2f} s, {count / took:11,.0f} records/s, "
        f"{scalar / (took / count):7,.0f} x a loop, {np.max(high / low - 1):.1e} wide"
    )


def main() -> None:
    """Every formula at budgets that all differ, then at budgets of a few kinds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10**6)
    parser.add_argument("--alone", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for kinds in (None, 5):
        columns = budgets(options.records, kinds)
        told = f"{kinds} kinds of budgets" if kinds else "budgets that all differ"
        print(f"{options.records:,} records, {told}:")
        for i, (name, formula) in enumerate(FORMULAS.items()):
            some = slice(i * options.alone, (i + 1) * options.alone)
            report(name, formula, columns, some, options.repeats)
    columns = budgets(options.records, None)
    shortest = {name: as_pairs(column, shortest=True) for name, column in columns.items()}
    took = timed(lambda: max(enclose_each(SIGMA, shortest)[1]), options.repeats)
    print(f"the largest std of all, epsilon and delta as shortest decimals: {took:.2f} s")


if __name__ == "__main__":
    main()
