"""Wang's adaSSP on the UCI bike set at epsilon = 0.1: 10-fold mean squared error.

    python benchmarks/bike.py --data DIR      (or the environment variable DPFRAME_DATA)

DIR holds bike.csv.gz: comma separated, no header, the last column is the target. The
preprocessing is the paper's: z-scores, rows divided by their norm, labels divided by max|y|. It
READS THE DATA, so nothing printed here is private; it is what the paper measured.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from pathlib import Path

import numpy as np

import dpframe as dp

FOLDS, REPEATS = 10, 5
DECLARATIONS = (dp.literature.AdaSSPWang, dp.literature.AdaSSPWangCoded, dp.AdaSSP, dp.SSP)


def load(folder: str | None) -> tuple[np.ndarray, np.ndarray]:
    """The set, preprocessed as in the paper: X (n, d) of unit rows, y (n,) in [-1, 1]."""
    path = Path(folder or "") / "bike.csv.gz"
    if not folder or not path.is_file():
        print("no data: name the folder of bike.csv.gz with --data or DPFRAME_DATA")
        sys.exit(0)
    with gzip.open(path, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",")
    X, y = table[:, :-1], table[:, -1]
    X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    y = (y - y.mean()) / y.std()
    return X / np.linalg.norm(X, axis=1, keepdims=True), y / np.abs(y).max()


def private(certificate: dp.Certificate, X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Coefficients of one simulated run."""
    fit: dp.regressions.Fit = dp.execute(certificate, X, y, rng=seed).output
    return fit.coefficients


def main() -> None:
    """Print one line a method."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("DPFRAME_DATA"))
    parser.add_argument("--epsilon", default="0.1")
    options = parser.parse_args()
    X, y = load(options.data)
    setting = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)
    target = dp.ApproxDP(options.epsilon, "1e-6")
    proofs = [dp.certify(kind(), target=target, setting=setting) for kind in DECLARATIONS]
    order = np.array_split(np.random.default_rng(0).permutation(len(y)), FOLDS)
    errors: dict[str, list[float]] = {}
    for i, test in enumerate(order):
        train = np.concatenate([fold for j, fold in enumerate(order) if j != i])
        ridge = np.linalg.solve(X[train].T @ X[train] + np.eye(X.shape[1]), X[train].T @ y[train])
        models = [("zero predictor", np.zeros(X.shape[1])), ("not private, ridge 1", ridge)]
        for proof in proofs:
            name = type(proof.regression).__name__
            runs = range(i * REPEATS, (i + 1) * REPEATS)
            models += [(name, private(proof, X[train], y[train], seed)) for seed in runs]
        for name, theta in models:
            errors.setdefault(name, []).append(float(np.mean((y[test] - X[test] @ theta) ** 2)))
    print(f"bike, n = {len(y)}, d = {X.shape[1]}, {target}; NOT PRIVATE: the preprocessing reads")
    print("the data, as in the paper; noise is simulated")
    for name, found in errors.items():
        print(f"  {name:<22} mean squared error {np.mean(found):.4f}")


if __name__ == "__main__":
    main()
