"""The functional mechanism as printed and as recommended: excess error, and objectives without a
minimum.

    python benchmarks/functional.py

Rows uniform in [-1, 1]^d, labels linear in them with noise, all inside [-1, 1]; pure privacy,
add/remove. Excess error: the mean squared error on the table less that of least squares, median
over runs. No minimum: runs whose noisy objective is unbounded below (the output is then zeros).
"""

from __future__ import annotations

import argparse
import statistics

import numpy as np

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(box=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
LINEAR = (
    dp.literature.FunctionalLinearPrinted,
    dp.regressions.FunctionalLinear,
    dp.regressions.FunctionalLinearTrimmed,
    dp.regressions.FunctionalLinearUnrepaired,
)
PENALISED = (
    (dp.literature.FunctionalRidgePrinted, dp.regressions.FunctionalRidge),
    (dp.literature.FunctionalLassoPrinted, dp.regressions.FunctionalLasso),
    (dp.literature.FunctionalElasticNetPrinted, dp.regressions.FunctionalElasticNet),
)


def table(n: int, d: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, d) and labels (n,) in [-1, 1]."""
    X = rng.uniform(-1, 1, size=(n, d))
    theta = rng.uniform(-1, 1, size=d)
    return X, X @ theta * 0.8 / np.abs(theta).sum() + rng.uniform(-0.2, 0.2, size=n)


def excess(cls: type, X: np.ndarray, y: np.ndarray, epsilon: str, runs: int) -> tuple[float, int]:
    """Median excess error, and how many objectives had no minimum."""
    run = dp.certify(cls(), target=dp.PureDP(epsilon), setting=SETTING)
    fits = [dp.execute(run, X, y, rng=seed).output for seed in range(runs)]
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    least = np.mean((y - X @ best) ** 2)
    errors = [float(np.mean((y - X @ fit.coefficients) ** 2) - least) for fit in fits]
    return statistics.median(errors), sum(not fit.solved for fit in fits)


def main() -> None:
    """Print a line for every declaration and table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--columns", type=int, default=5)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--runs", type=int, default=100)
    chosen = parser.parse_args()
    classes = [*LINEAR, *(cls for pair in PENALISED for cls in pair)]
    print(f"d = {chosen.columns}, epsilon = {chosen.epsilon}, {chosen.runs} runs")
    print(
        f"{'n':>7}  {'declaration':28} {'excess error':>12} {'of printed':>10} {'no minimum':>10}"
    )
    for n in (100, 1_000, 100_000):
        X, y = table(n, chosen.columns, np.random.default_rng(n))
        printed: dict[str, float] = {}
        for cls in classes:
            error, unbounded = excess(cls, X, y, chosen.epsilon, chosen.runs)
            own = cls.__name__.removesuffix("Printed")
            base = own.removesuffix("Trimmed").removesuffix("Unrepaired")
            printed.setdefault(base, error)
            ratio = error / printed[base]
            print(f"{n:7}  {cls.__name__:28} {error:12.3e} {ratio:10.2f} {unbounded:10}")


if __name__ == "__main__":
    main()
