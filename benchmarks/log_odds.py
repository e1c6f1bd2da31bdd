"""How often intervals of log-odds cover, and how many tables have any.

    python benchmarks/log_odds.py [tables] [cell ...]

A cell is written law:n:d:epsilon, such as plain:10000:2:1. Columns are uniform on their declared
ranges, but for one law; the target is the maximum of the population's likelihood. Fits are those of
LogisticDescent.for_intervals() at delta 1e-6 under add/remove, by its own functions, with noise of
the stds of its certificate in doubles: `executed` runs it as it is, ten times more slowly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

import dpframe as dp
from dpframe.inference.inference import Specification, infer
from dpframe.inference.result import Inference
from dpframe.inference.row_set import RowSet
from dpframe.regressions import logistic_descent as descent

Array = NDArray[Any]
LAWS = ("even", "plain", "strong", "rare", "level", "probit", "product")
CELLS = (
    *("even:2000:2:1", "even:10000:8:1"),
    *("plain:2000:2:0.5", "plain:2000:2:1", "plain:10000:2:0.5", "plain:2000:8:4"),
    *("plain:10000:8:1", "plain:50000:8:0.5", "plain:50000:2:4"),
    *("strong:2000:2:4", "strong:10000:2:1", "strong:10000:8:1", "strong:50000:8:1"),
    *("rare:10000:2:1", "rare:10000:8:4", "rare:50000:8:1"),
    *("probit:10000:2:1", "probit:50000:8:1"),
    *("level:10000:2:8", "level:50000:2:2", "level:50000:8:4"),
    *("product:10000:2:4", "product:10000:8:1", "product:50000:8:1"),
)
DRAWN = 400_000  # records from which the target of a law without log-odds of its own is computed


@attrs.frozen
class World:
    """Log-odds of std 0 ("even"), 1 or 2.5 ("strong"), or with 5% of class 1 ("rare"); a law of
    another link, from 10% to 90% ("probit"); one with a product of columns that the fit leaves out;
    and one whose first column is 1 for 2% of records and else -1, the others skewed ("level").
    """

    law: str
    d: int

    @property
    def slopes(self) -> Array:
        """The coefficients (d,), of alternating signs."""
        j = np.arange(self.d)
        raw = (-1.0) ** j * (1 + j % 3)
        std = {"even": 0.0, "strong": 2.5}.get(self.law, 1.0)
        return np.asarray(raw * std / np.sqrt(raw @ raw / 3))

    @property
    def intercept(self) -> float:
        """That of the log-odds."""
        return -3.35 if self.law == "rare" else 0.3

    def rows(self, n: int, rng: np.random.Generator) -> Array:
        """Columns (n, d), uniform on [-1, 1] but for "level"."""
        X = rng.uniform(-1, 1, (n, self.d))
        if self.law == "level":
            X = np.minimum(rng.exponential(0.2, X.shape) - 1, 1.0)
            X[:, 0] = np.where(rng.random(n) < 0.02, 1.0, -1.0)
        return np.asarray(X)

    def chances(self, X: Array) -> Array:
        """Of class 1, (n,)."""
        odds = X @ self.slopes + self.intercept
        if self.law == "probit":
            return np.asarray(0.1 + 0.8 * ndtr(1.2 * odds))
        return np.asarray(expit(odds + 1.5 * (self.law == "product") * X[:, 0] * X[:, 1]))

    def target(self) -> Array:
        """The coefficients and the intercept of largest expected likelihood, (d + 1,)."""
        theta = np.append(self.slopes, self.intercept)
        if self.law not in {"probit", "product"}:
            return theta
        X = self.rows(DRAWN, np.random.default_rng(0))
        X = np.vstack([X, -X])
        p, X = self.chances(X), np.column_stack([X, np.ones(2 * DRAWN)])
        for _ in range(20):
            q = expit(X @ theta)
            theta = theta + np.linalg.solve((X.T * (q * (1 - q))) @ X, X.T @ (p - q))
        return np.asarray(theta)


@attrs.frozen
class Score:
    """Of so many `tables` how many had intervals, how many of these covered, their mean half length
    and mean standard error.
    """

    tables: int
    finite: int
    coverage: float
    half: float
    error: float

    def __str__(self) -> str:
        """`finite 98%, covered 95.3%, half length 0.12, standard error 0.05`."""
        return (
            f"finite {self.finite / self.tables:.0%}, covered {self.coverage:.1%}, "
            f"half length {self.half:.3g}, standard error {self.error:.3g}"
        )


DECLARED = dp.regressions.LogisticDescent.for_intervals()


def setting_of(d: int) -> dp.Setting:
    """Columns in [-1, 1] and an intercept."""
    columns = [dp.Numeric(f"c{j}", -1, 1) for j in range(d)]
    rows = dp.Rows(columns=columns, intercept=True)
    return dp.Setting(X=rows, y=dp.Column("c", levels=[0, 1]), relation=dp.ADD_REMOVE)


def executed(X: Array, y: Array, epsilon: str, seed: int) -> Inference:
    """As it is executed, for rows (n, d) and labels 0 and 1 (n,)."""
    given: dict[str, Any] = {"epsilon": epsilon, "delta": "1e-6", "rng": seed}
    model = dp.PrivateClassifier(DECLARED, setting=setting_of(X.shape[1]), **given)
    return model.fit(X, y).inference()


def stds_of(d: int, epsilon: str) -> dict[str, float]:
    """The std of the noise on each release, by name."""
    claim = dp.ApproxDP(epsilon, "1e-6")
    proof = dp.certify(DECLARED, target=claim, setting=setting_of(d))
    sizes = {"d": d}
    return {one.name: proof.number(one.std, up=True, sizes=sizes) for one in proof.graph.releases}


def simulated(X: Array, y: Array, stds: dict[str, float], rng: np.random.Generator) -> Inference:
    """The same with noise of these stds in doubles."""
    rows, labels = np.column_stack([X, np.ones(len(X))]), 2.0 * y - 1
    k, turns = rows.shape[1], int(DECLARED.rounds.value)
    norm = float(np.sqrt(k))

    def slopes(theta: Array) -> Array:
        return np.asarray(-labels * expit(-labels * (rows @ theta)))

    def noisy(total: Array, name: str) -> Array:
        drawn = rng.normal(size=total.shape) * stds[name]
        if total.ndim == 2:
            drawn = np.triu(drawn) + np.triu(drawn, 1).T
            drawn = np.where(np.eye(k) > 0, drawn, drawn / np.sqrt(2))
        return np.asarray(total + drawn)

    step = stds["gradients"]
    pull = float(DECLARED.shrinkage.value) * (step * norm) ** 2 / turns
    along = descent.principal(noisy(rows.T @ rows, "gram"), stds["gram"], 1.0, pull, step, 1.0)
    path = [np.zeros(k)]
    for turn in range(turns):
        answer = noisy(rows.T @ slopes(path[-1]), "gradients")
        path.append(descent.descend(path[-1], answer, turn, along))
    fit = descent.estimated(np.array(path), float(DECLARED.average.value), along, step)
    own, chances = slopes(fit.coefficients), expit(rows @ fit.coefficients)
    sums = {
        "score": rows.T @ own,
        "hessian": (rows.T * (chances * (1 - chances))) @ rows,
        "meat": (rows.T * own**2) @ rows,
    }
    released = [part for name, one in sums.items() for part in (noisy(one, name), stds[name])]
    heavier = turns * (stds["score"] / step) ** 2
    evidence: Any = descent.stepped(fit, along, heavier, norm, 1.0, *released).evidence
    ends = (np.array([[-1.0], [1.0]]),) * (k - 1)
    reach = RowSet(norm, float(np.sqrt(k - 1)), ends, 1.0)
    return infer(evidence, Specification(bound=1.0, rows=reach))


def scored(cell: str, tables: int, *, as_executed: bool = False) -> Score:
    """The score of a cell."""
    law, n, d, epsilon = cell.split(":")
    world, stds = World(law, int(d)), stds_of(int(d), epsilon)
    found, rng, target = [], np.random.default_rng(1), world.target()
    for seed in range(tables):
        X = world.rows(int(n), rng)
        y = (rng.random(int(n)) < world.chances(X)).astype(int)
        made = executed(X, y, epsilon, seed) if as_executed else simulated(X, y, stds, rng)
        low, high = made.conf_int().T
        if np.isfinite(low).all():
            covered = (low <= target) & (target <= high)
            found.append((covered.mean(), np.mean(high - low) / 2, made.bse.mean()))
    means = np.mean(found, axis=0) if found else np.full(3, np.nan)
    return Score(tables, len(found), *map(float, means))


def main(arguments: Sequence[str]) -> None:
    """Print a line for each cell."""
    tables = int(arguments[0]) if arguments else 200
    for cell in arguments[1:] or CELLS:
        print(f"{cell:<20} {scored(cell, tables)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
