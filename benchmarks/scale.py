"""What units cost and gain: JointSSP without units, with released ones, and with 1,000 public rows;
and RobustQuantileSSP, which clips entries at released quantiles.

    python benchmarks/scale.py            # three minutes on one core
    python benchmarks/scale.py --quick    # a fifth of the tables

Ten worlds of rows, all divided by their largest norm (those of `short` by forty times that); labels
are linear with noise of std 0.1 beside a signal of std 0.25; delta = 1e-6, add/remove. Printed: the
median over tables of the squared error of predictions, over the signal's. Public rows are another
draw of the same world. Below, for short rows and unlike columns, the error with released units
over RobustQuantileSSP's, and whether it is within ALLOWED of it. NOT PRIVATE: it knows the truth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import dpframe as dp

Array = NDArray[Any]
Rows = Callable[[np.random.Generator, int, int], Array]

CELLS = ((1_000, 5, "1"), (5_000, 5, "1"), (50_000, 10, "0.1"), (50_000, 10, "1"))
JOINT: Any = dp.JointSSP
TABLES, PUBLIC, SHORT = 20, 1000, 40.0
COMPARED, ALLOWED = ("columns 1 to 1/1000", "short, 1/40"), 1.5
SETTING = dp.Setting(X=dp.Rows(norm=1), y=dp.Column(bound=1), relation=dp.ADD_REMOVE)


def normal(rng: np.random.Generator, n: int, d: int) -> Array:
    """Independent entries."""
    return rng.standard_normal((n, d))


def dummies(rng: np.random.Generator, n: int, d: int) -> Array:
    """One indicator a row, each half as frequent as the one before."""
    shares = 2.0 ** -np.arange(1, d + 1)
    found: Array = np.eye(d)[rng.choice(d, n, p=shares / shares.sum())]
    return found


def mixed(rng: np.random.Generator, n: int, d: int) -> Array:
    """Lognormal columns, and indicators of 7%, each over its largest."""
    X = normal(rng, n, d)
    X[:, : d // 2], X[:, d // 2 :] = np.exp(X[:, : d // 2]), X[:, d // 2 :] > 1.5
    return np.asarray(X / X.max(axis=0))


def turned(rng: np.random.Generator, n: int, d: int) -> Array:
    """Directions of lengths from 1 to 1/30."""
    turn = np.linalg.qr(np.random.default_rng(5).standard_normal((d, d)))[0]
    return np.asarray(normal(rng, n, d) * np.geomspace(1, 1 / 30, d) @ turn)


WORLDS: dict[str, Rows] = {
    "normal": normal,
    "sphere": lambda rng, n, d: unit(normal(rng, n, d)),
    "uniform": lambda rng, n, d: rng.uniform(-1, 1, (n, d)),
    "Student, 4 degrees": lambda rng, n, d: rng.standard_t(4, (n, d)),
    "indicators": dummies,
    "mixed": mixed,
    "columns 1 to 1/1000": lambda rng, n, d: normal(rng, n, d) * np.geomspace(1, 1e-3, d),
    "short, 1/40": normal,
    "one factor": lambda rng, n, d: normal(rng, n, 1) + 0.1 * normal(rng, n, d),
    "ill-conditioned": turned,
}


def unit(X: Array) -> Array:
    """Rows of length 1."""
    return np.asarray(X / np.linalg.norm(X, axis=1, keepdims=True))


def rows(name: str, n: int, d: int, rng: np.random.Generator) -> Array:
    """In the unit ball, (n, d)."""
    X = WORLDS[name](rng, n, d)
    longest = np.linalg.norm(X, axis=1).max() * (SHORT if name.startswith("short") else 1.0)
    return np.asarray(X / longest)


def labelled(
    X: Array, rng: np.random.Generator, *, signal: float, noise: float
) -> tuple[Array, Array]:
    """Labels (n,) linear in the rows X (n, d) but for normal noise, and their coefficients (d,):
    all principal directions matter alike. `signal` and `noise` are stds.
    """
    moment = X.T @ X / len(X)
    values, vectors = np.linalg.eigh(moment)
    present = values > 1e-12 * values[-1]
    along = rng.standard_normal(len(values)) * present / np.sqrt(np.where(present, values, 1.0))
    theta = vectors @ along
    theta *= signal / np.sqrt(theta @ moment @ theta)
    return np.clip(X @ theta + noise * rng.standard_normal(len(X)), -1, 1), theta


def errors(name: str, cell: tuple[int, int, str], tables: int) -> list[float]:
    """Of the four, medians."""
    n, d, epsilon = cell
    public = rows(name, PUBLIC, d, np.random.default_rng(77))
    kinds = (
        JOINT(scaling=0),
        JOINT(),
        JOINT(public=public),
        dp.regressions.RobustQuantileSSP(),
    )
    target = dp.ApproxDP(epsilon, "1e-6")
    runs = [dp.certify(kind, target=target, setting=SETTING) for kind in kinds]
    found: list[list[float]] = [[] for _ in runs]
    for repeat in range(tables):
        rng = np.random.default_rng([n, d, repeat])
        X = rows(name, n, d, rng)
        y, theta = labelled(X, rng, signal=0.25, noise=0.1)
        moment = X.T @ X / n
        for run, so_far in zip(runs, found, strict=True):
            off = dp.execute(run, X, y, rng=repeat).output.coefficients - theta
            so_far.append(float(off @ moment @ off) / 0.25**2)
    return [float(np.median(one)) for one in found]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the tables")
    tables = TABLES // 5 if parser.parse_args().quick else TABLES
    head = ("rows", *(f"{n:,}, {d}, {epsilon}" for n, d, epsilon in CELLS))
    shown, compared = Table(*head), Table(*head)
    for name in track(WORLDS, description="Fitting ..."):
        cells = [errors(name, cell, tables) for cell in CELLS]
        shown.add_row(name, *(" / ".join(f"{one:.2g}" for one in cell) for cell in cells))
        if name in COMPARED:
            ratios = [cell[1] / cell[3] for cell in cells]
            compared.add_row(name, *(verdict(ratio) for ratio in ratios))
    console = Console(width=160)
    console.print(shown)
    console.print(compared)


def verdict(ratio: float) -> str:
    """A ratio of errors, and whether it is allowed."""
    return f"{ratio:.3g}, {'within' if ratio <= ALLOWED else 'NOT within'} {ALLOWED}"


if __name__ == "__main__":
    main()
