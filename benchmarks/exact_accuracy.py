"""Does exact computation change results? Mean squared errors on the UCI sets, on the grid and off.

    python benchmarks/exact_accuracy.py --data DIR      (or the environment variable DPFRAME_DATA)

DIR holds the sets as NAME.csv.gz: comma separated, no header, the last column is the target; the
preprocessing is that of bike.py and READS THE DATA, so nothing printed here is private. For each
set: the mean over runs of the training error on the 20-bit grid, that in floating point, and their
difference in standard errors, which is a draw of about N(0, 1) if nothing changed.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import sys
from pathlib import Path

import attrs
import numpy as np
from rich.progress import track

import dpframe as dp

SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """A set, preprocessed as in the paper: X (n, d) of unit rows, y (n,) in [-1, 1]."""
    with gzip.open(path, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", ndmin=2)
    X, y = table[:, :-1], table[:, -1]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    y = (y - y.mean()) / (y.std() or 1)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1), y / np.abs(y).max()


def errors(run: dp.Certificate, X: np.ndarray, y: np.ndarray, seeds: range) -> np.ndarray:
    """The training error of every seed's run."""
    fits = [dp.execute(run, X, y, rng=seed).output.coefficients for seed in seeds]
    return np.array([np.mean((y - X @ theta) ** 2) for theta in fits])


def main() -> None:
    """Print one line a set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("DPFRAME_DATA"))
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    files = sorted(Path(chosen.data or "").glob("*.csv.gz")) if chosen.data else []
    if not files:
        print("no data: name the folder of the sets with --data or DPFRAME_DATA")
        sys.exit(0)
    target = dp.ApproxDP(chosen.epsilon, "1e-6")
    exact, floating = (
        dp.certify(dp.AdaSSP(), target=target, setting=attrs.evolve(SETTING, grid=bits))
        for bits in (20, None)
    )
    print(f"AdaSSP at {target}, {chosen.runs} simulated runs each way; NOT PRIVATE")
    print(f"{'set':<15}{'n':>7}{'d':>5}{'grid':>10}{'floating':>10}{'std errors':>12}")
    scores = []
    for place, path in enumerate(track(files, "fitting", transient=True)):
        X, y = load(path)
        first = 10**6 * (place + 100 * chosen.seed)  # no two sets share a seed
        ours = errors(exact, X, y, range(first, first + chosen.runs))
        theirs = errors(floating, X, y, range(first + 10**5, first + 10**5 + chosen.runs))
        spread = math.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / chosen.runs)
        scores.append((ours.mean() - theirs.mean()) / spread if spread else 0.0)
        name = path.name.removesuffix(".csv.gz")
        print(
            f"{name:<15}{len(y):>7}{X.shape[1]:>5}{ours.mean():>10.5f}{theirs.mean():>10.5f}"
            f"{scores[-1]:>12.2f}"
        )
    beyond = sum(abs(score) > 2 for score in scores)
    chance = 0.0455 * len(scores)
    print(f"{len(scores)} sets; beyond 2 standard errors: {beyond} (chance: {chance:.1f});")
    print(f"sum of squared scores {sum(s * s for s in scores):.1f} (chance: {len(scores)}),")
    print(f"sum of scores {sum(scores):.1f} (chance: +-{math.sqrt(len(scores)):.1f})")


if __name__ == "__main__":
    main()
